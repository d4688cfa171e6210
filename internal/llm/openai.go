package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"ibid"
	"ibid/internal/llm/prompt"
)

// openAI is a model behind any server that speaks OpenAI's chat completions:
// llama.cpp, vLLM, LM Studio, SGLang, hosted ones, OpenAI itself.
type openAI struct {
	origin
	base   *url.URL
	vendor vendor
	chat   openai.ChatCompletionService

	forms     forms[openAIForm]
	templates templates
}

// openAIDialect is OpenAI's chat completions.
func openAIDialect() Dialect {
	return Dialect{Name: "openai", Form: "openai:MODEL@http://HOST:PORT/v1", Server: "the model server", Base: "https://api.openai.com/v1", Path: "/v1",
		Key:    Key{Env: "OPENAI_API_KEY", Host: "api.openai.com"},
		Absent: "is it running, and is the URL right?",
		open:   func(cfg Config, s spec) (ibid.Model, error) { return newOpenAI(cfg, s), nil },
		embed:  func(cfg Config, s spec) (ibid.Embedder, error) { return newOpenAIEmbedder(cfg, s), nil },
	}
}

func newOpenAI(cfg Config, s spec) *openAI {
	cfg = cfg.withDefaults()
	m := &openAI{
		origin: openAIOrigin(cfg, s),
		base:   s.base,
		vendor: vendorOf(s.base.Hostname()),
	}
	m.chat = openai.NewChatCompletionService(clientOptions(m.origin, s)...)
	return m
}

func openAIOrigin(cfg Config, s spec) origin {
	o, _ := openAIDialect().origin(cfg, s, "api_key") // it takes its key in the clear
	return o
}

// clientOptions makes the official client ours: our transport, nothing from the
// environment, and no retries, which are for the caller to decide on.
func clientOptions(o origin, s spec) []option.RequestOption {
	options := []option.RequestOption{
		option.WithHTTPClient(o.http),
		option.WithBaseURL(s.base.String() + "/"),
		option.WithMaxRetries(0),
	}
	if o.key != "" {
		options = append(options, option.WithAPIKey(o.key))
	}
	return options
}

// Name implements ibid.Model.
func (m *openAI) Name() string { return "openai/" + m.model }

// Probe implements ibid.Prober. The protocol does not tell what a model can do:
// thinking, tools and images are taken to be possible.
func (m *openAI) Probe(ctx context.Context) (ibid.Capabilities, error) {
	var list struct {
		Data []struct {
			ID          string `json:"id"`
			MaxModelLen int    `json:"max_model_len"` // vLLM
			Meta        struct {
				Context int `json:"n_ctx"` // llama.cpp
			} `json:"meta"`
		} `json:"data"`
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if f := m.get(ctx, m.base.String()+"/models", &list); f != nil && f.status != http.StatusNotFound {
		return ibid.Capabilities{}, result(ctx, f)
	}
	caps := ibid.Capabilities{Thinking: true, Tools: true, Images: true}
	for _, d := range list.Data {
		if d.ID == m.model || len(list.Data) == 1 {
			caps.ContextTokens = max(d.MaxModelLen, d.Meta.Context)
		}
	}
	return caps, nil
}

// Generate implements ibid.Model. A field that the server refuses is left out
// and the request sent again; an empty turn is asked for again.
func (m *openAI) Generate(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	req = prompt.Render(req)
	return converse(ctx, m.origin, m.forms.of(req.Think), req,
		func(d openAIForm) (ibid.ModelResponse, *failure) { return m.turn(ctx, req, d, emit) },
		func(d openAIForm, said apiError) (openAIForm, bool) {
			return d.without(said, len(m.vendor.think(req.Think)), len(req.Schema) > 0)
		})
}

// turn asks once.
func (m *openAI) turn(ctx context.Context, req ibid.ModelRequest, d openAIForm, emit func(ibid.ModelDelta)) (ibid.ModelResponse, *failure) {
	var answer *http.Response
	params, extra := m.params(req, d)
	stream := m.chat.NewStreaming(ctx, params, append(extra, option.WithResponseInto(&answer))...)
	defer stream.Close()
	if answer != nil {
		defer answer.Body.Close()
	}
	if err := stream.Err(); err != nil {
		return ibid.ModelResponse{}, m.refusedOrFailed(answer, err)
	}
	if f := m.notEvents(answer); f != nil {
		return ibid.ModelResponse{}, f
	}
	return m.take(req, m.templates.of(req.Think == ibid.ThinkOn), emit, func(a *Assembler) (ibid.ModelResponse, *failure) { return m.read(stream, a) })
}

// notEvents finds out what a 200 without an event stream is: an error, or a
// page of something else.
func (m *openAI) notEvents(answer *http.Response) *failure {
	kind := answer.Header.Get("Content-Type")
	if !strings.HasPrefix(kind, "application/json") && !strings.HasPrefix(kind, "text/html") {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxErrorBody))
	if err != nil {
		return m.failed(err)
	}
	if bytes.Contains(body, []byte(`"error"`)) {
		return m.inStream(body)
	}
	return m.garbled(fmt.Errorf("%s instead of an event stream", kind))
}

// reasoningFields are the names under which servers stream thinking.
var reasoningFields = []string{"reasoning_content", "reasoning"}

// read takes the stream up to its end, and insists on a finish_reason: the
// client itself calls a stream that was cut politely a success.
func (m *openAI) read(stream *ssestream.Stream[openai.ChatCompletionChunk], a *Assembler) (ibid.ModelResponse, *failure) {
	res := ibid.ModelResponse{Usage: ibid.Usage{ModelRequests: 1}}
	var calls callParts
	finish := ""
	for stream.Next() {
		chunk := stream.Current()
		if u := chunk.Usage; u.TotalTokens > 0 {
			res.Usage.InputTokens, res.Usage.OutputTokens = int(u.PromptTokens), int(u.CompletionTokens)
			res.Usage.CachedTokens = int(u.PromptTokensDetails.CachedTokens)
			res.Usage.ReasoningTokens = int(u.CompletionTokensDetails.ReasoningTokens)
		}
		for _, choice := range chunk.Choices {
			if choice.Index != 0 {
				continue
			}
			m.addReasoning(a, choice.Delta)
			a.AddText(choice.Delta.Content + choice.Delta.Refusal)
			for _, c := range choice.Delta.ToolCalls {
				n := calls.add(int(c.Index), c.ID, c.Function.Name, c.Function.Arguments)
				a.AddArguments(n, calls.list[n].name, c.Function.Arguments)
			}
			if choice.FinishReason != "" {
				finish = choice.FinishReason
			}
		}
	}
	if err := stream.Err(); err != nil && finish == "" {
		if said := new(ssestream.StreamError); errors.As(err, &said) {
			return res, m.inStream(said.Event.Data)
		}
		return res, m.broken(err)
	}
	switch finish {
	case "":
		return res, m.brokenOff()
	case "length":
		res.StopReason = ibid.StopLength
	case "content_filter":
		if a.text.Len() == 0 {
			return res, &failure{Error: ibid.Errorf(ibid.CodeLLM, "%s (%s) withheld its answer: content filter", m.server, m.model)}
		}
	case "error":
		return res, m.brokenOff()
	}
	for _, c := range calls.list {
		a.AddCall(c.id, c.name, []byte(c.arguments.String()))
	}
	return res, nil
}

// addReasoning takes the thinking of a delta, and remembers the field it came
// in: within one question it goes back in the same.
func (m *openAI) addReasoning(a *Assembler, delta openai.ChatCompletionChunkChoiceDelta) {
	for _, name := range reasoningFields {
		field, ok := delta.JSON.ExtraFields[name]
		var text string
		if !ok || json.Unmarshal([]byte(field.Raw()), &text) != nil || text == "" {
			continue
		}
		a.reasoningProvider = m.Name()
		a.reasoningOpaque, _ = json.Marshal(reasoningOrigin{Field: name})
		a.AddReasoning(text)
		return
	}
}

// reasoningOrigin is what a part with thinking carries: the field it came in.
type reasoningOrigin struct {
	Field string `json:"field"`
}

// callParts puts tool calls together from their pieces. A new id starts a new
// call, whatever its index: servers send parallel calls all with index 0.
type callParts struct {
	list []*callPart
}

type callPart struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// add takes a piece and returns which call of the list it belongs to.
func (c *callParts) add(index int, id, name, arguments string) int {
	n := c.find(index, id, name)
	if n < 0 {
		n = len(c.list)
		c.list = append(c.list, &callPart{index: index, id: id})
	}
	part := c.list[n]
	if part.name == "" {
		part.name = name
	}
	part.arguments.WriteString(arguments)
	return n
}

// find returns which call a piece belongs to, -1 for a new one. An id seen
// before, with a name and another index, is a new call with an id by mistake.
func (c *callParts) find(index int, id, name string) int {
	for i := len(c.list) - 1; i >= 0; i-- {
		part := c.list[i]
		switch {
		case id == "" && part.index == index:
			return i
		case id != "" && part.id == id && (part.index == index || name == ""):
			return i
		}
	}
	return -1
}
