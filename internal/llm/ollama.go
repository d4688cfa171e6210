package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ibid"
	"ibid/internal/llm/prompt"
)

// ollama is a model behind Ollama's native API. Its OpenAI-compatible API is
// not enough: there the context window cannot be set, and a prompt that is too
// long is cut in silence.
type ollama struct {
	origin
	cfg  Config
	base string

	window    atomic.Int64 // num_ctx in use; it only grows, because a change loads the model anew
	noThink   atomic.Bool  // the model said that it cannot think
	caps      atomic.Pointer[ibid.Capabilities]
	templates templates
}

// ollamaDialect is Ollama's native API.
func ollamaDialect() Dialect {
	return Dialect{Name: "ollama", Form: "ollama:MODEL, ollama:MODEL@http://HOST:11434", Server: "Ollama", Base: "http://127.0.0.1:11434",
		Absent: "is it running? Start it with: ollama serve", Windowed: true,
		open:  func(cfg Config, s spec) (ibid.Model, error) { return newOllama(cfg, s), nil },
		embed: func(cfg Config, s spec) (ibid.Embedder, error) { return newOllamaEmbedder(cfg, s), nil },
	}
}

func newOllama(cfg Config, s spec) *ollama {
	cfg = cfg.withDefaults()
	o, _ := ollamaDialect().origin(cfg, s, "api_key") // it takes its key in the clear
	return &ollama{origin: o, cfg: cfg, base: s.base.String()}
}

// Name implements ibid.Model.
func (m *ollama) Name() string { return "ollama/" + m.model }

// Generate implements ibid.Model. What can be mended without asking anyone is:
// a model that cannot think is asked without, a window that is too small grows,
// an empty turn is asked for again, and a wedged server is told to unload the
// model.
func (m *ollama) Generate(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	req = prompt.Render(req)
	unwedged, unthinking := false, false
	return m.untilWhole(ctx, req,
		func() (ibid.ModelResponse, *failure) { return m.turn(ctx, req, emit) },
		func(f *failure) (again bool) {
			switch {
			case f.said.mentions("does not support thinking") && !unthinking:
				unthinking = true
				m.noThink.Store(true)
				return true
			case f.Code == ibid.CodeContextOverflow:
				return m.grow(ctx, f.said.PromptTokens)
			case f.silent && !unwedged:
				unwedged = true
				m.unload(ctx)
				return true
			case f.status == http.StatusNotFound:
				m.explainMissing(ctx, f)
			}
			return false
		})
}

// turn asks once.
func (m *ollama) turn(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, *failure) {
	caps := m.capabilities(ctx)
	if !caps.Images && endsWithImage(req) {
		return ibid.ModelResponse{}, &failure{Error: &ibid.Error{Code: ibid.CodeLLM,
			Message: fmt.Sprintf("%s cannot see images", m.model), Hint: "choose a model that can"}}
	}
	think := m.thinks(req, caps)
	body := m.request(req, think, caps)
	resp, f := m.post(ctx, m.base+"/api/chat", body)
	if f != nil {
		return ibid.ModelResponse{}, f
	}
	defer resp.Body.Close()
	return m.take(req, m.templates.of(think), emit, func(a *Assembler) (ibid.ModelResponse, *failure) { return m.read(resp.Body, a) })
}

// ollamaChat is a request to /api/chat.
type ollamaChat struct {
	Model     string          `json:"model"`
	Messages  []ollamaMessage `json:"messages"`
	Tools     []functionTool  `json:"tools,omitempty"`
	Think     bool            `json:"think"` // always said: unset means on for models that think
	Format    json.RawMessage `json:"format,omitempty"`
	Stream    bool            `json:"stream"`
	Truncate  bool            `json:"truncate"` // always false: better an error than a prompt cut in silence
	KeepAlive string          `json:"keep_alive,omitempty"`
	Options   struct {
		NumCtx     int `json:"num_ctx"`
		NumPredict int `json:"num_predict,omitempty"`
	} `json:"options"`
}

// ollamaMessage is a message of a request, and of a line of the answer.
type ollamaMessage struct {
	Role      string       `json:"role"`
	Content   string       `json:"content"`
	Thinking  string       `json:"thinking,omitempty"`
	Images    [][]byte     `json:"images,omitempty"`
	ToolCalls []ollamaCall `json:"tool_calls,omitempty"`
	ToolName  string       `json:"tool_name,omitempty"`
}

type ollamaCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// functionTool declares a tool, for Ollama as for OpenAI.
type functionTool struct {
	Type     string        `json:"type"`
	Function ibid.ToolSpec `json:"function"`
}

// thinks decides whether the model is asked to think. With a schema it is not:
// the format is ignored while thinking is on.
func (m *ollama) thinks(req ibid.ModelRequest, caps ibid.Capabilities) bool {
	if m.noThink.Load() || len(req.Schema) > 0 || !caps.Thinking {
		return false
	}
	return req.Think != ibid.ThinkOff
}

func (m *ollama) request(req ibid.ModelRequest, think bool, caps ibid.Capabilities) ollamaChat {
	chat := ollamaChat{Model: m.model, Stream: true, Think: think, Format: req.Schema}
	if m.cfg.KeepAlive > 0 {
		chat.KeepAlive = m.cfg.KeepAlive.String()
	}
	for _, t := range req.Tools {
		chat.Tools = append(chat.Tools, functionTool{"function", t})
	}
	if req.System != "" {
		chat.Messages = append(chat.Messages, ollamaMessage{Role: "system", Content: req.System})
	}
	lastUser := lastUserTurn(req.Turns)
	for i, t := range req.Turns {
		chat.Messages = append(chat.Messages, ollamaMessages(t, i > lastUser, caps.Images)...)
	}
	chat.Options.NumPredict = req.MaxTokens
	chat.Options.NumCtx = m.fit(chat, req.MaxTokens, caps)
	return chat
}

// ollamaMessages turns a turn into messages; each tool result is one of its own.
// Thinking goes back only within the work on the current question, where models
// that think between tools need it.
func ollamaMessages(t ibid.Turn, current, images bool) []ollamaMessage {
	msg := ollamaMessage{Role: string(t.Role)}
	var results []ollamaMessage
	for _, p := range t.Parts {
		switch {
		case p.Result != nil:
			results = append(results, ollamaMessage{Role: "tool", ToolName: p.Result.Name, Content: p.Result.Content})
		case p.Call != nil:
			var call ollamaCall
			call.ID, call.Function.Name, call.Function.Arguments = p.Call.ID, p.Call.Name, objectArguments(p.Call.Arguments)
			msg.ToolCalls = append(msg.ToolCalls, call)
		case p.Image != nil && images:
			msg.Images = append(msg.Images, p.Image.Data)
		case p.Reasoning != "" && current:
			msg.Thinking += p.Reasoning
		default:
			msg.Content += p.Text
		}
	}
	if len(results) > 0 {
		return results
	}
	return []ollamaMessage{msg}
}

// endsWithImage reports whether the last user turn shows a picture. Pictures of
// earlier turns are left out for a model that is blind.
func endsWithImage(req ibid.ModelRequest) bool {
	i := lastUserTurn(req.Turns)
	return i >= 0 && slices.ContainsFunc(req.Turns[i].Parts, func(p ibid.Part) bool { return p.Image != nil })
}

// fit returns the window for a request: what is in use, doubled until the
// request fits, within what the model and the configuration allow.
func (m *ollama) fit(chat ollamaChat, maxTokens int, caps ibid.Capabilities) int {
	const bytesPerToken, tokensPerImage, tokensPerMessage, answer = 3, 1500, 8, 1024
	size, need := 0, max(maxTokens, answer)
	for _, msg := range chat.Messages {
		size += len(msg.Content) + len(msg.Thinking)
		for _, c := range msg.ToolCalls {
			size += len(c.Function.Name) + len(c.Function.Arguments)
		}
		need += tokensPerMessage + tokensPerImage*len(msg.Images)
	}
	for _, t := range chat.Tools {
		size += len(t.Function.Name) + len(t.Function.Description) + len(t.Function.Parameters)
	}
	need += size / bytesPerToken
	limit := int64(m.limit(caps))
	window := min(max(m.window.Load(), int64(m.cfg.ContextTokens)), limit)
	for window < int64(need) && window < limit {
		window = min(2*window, limit)
	}
	return int(m.widen(window))
}

// widen makes the window at least size, and returns it.
func (m *ollama) widen(size int64) int64 {
	for {
		old := m.window.Load()
		if old >= size {
			return old
		}
		if m.window.CompareAndSwap(old, size) {
			return size
		}
	}
}

func (m *ollama) limit(caps ibid.Capabilities) int {
	if caps.ContextTokens > 0 {
		return min(caps.ContextTokens, m.cfg.MaxContextTokens)
	}
	return m.cfg.MaxContextTokens
}

// grow widens the window after a prompt of need tokens (0: unknown) did not
// fit, and reports whether that was possible.
func (m *ollama) grow(ctx context.Context, need int) bool {
	old, limit := m.window.Load(), int64(m.limit(m.capabilities(ctx)))
	if old >= limit || int64(need) >= limit {
		return false
	}
	return m.widen(min(max(2*old, int64(need)+1024), limit)) > old
}

// ollamaLine is one line of the answer.
type ollamaLine struct {
	Message         ollamaMessage   `json:"message"`
	Done            bool            `json:"done"`
	DoneReason      string          `json:"done_reason"`
	PromptEvalCount int             `json:"prompt_eval_count"`
	EvalCount       int             `json:"eval_count"`
	Error           json.RawMessage `json:"error"`
}

// maxLine bounds one line of an answer, in bytes.
const maxLine = 4 << 20

// read takes an answer line by line up to the one that says done.
func (m *ollama) read(body io.Reader, a *Assembler) (ibid.ModelResponse, *failure) {
	res := ibid.ModelResponse{Usage: ibid.Usage{ModelRequests: 1}}
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 16<<10), maxLine)
	for lines.Scan() {
		raw := bytes.TrimSpace(lines.Bytes())
		if len(raw) == 0 {
			continue
		}
		var line ollamaLine
		if err := json.Unmarshal(raw, &line); err != nil {
			switch more := lines.Scan(); {
			case lines.Err() != nil:
				return res, m.failed(lines.Err())
			case !more: // half a line at the end
				return res, m.brokenOff()
			}
			return res, m.garbled(err)
		}
		if len(line.Error) > 0 && string(line.Error) != "null" {
			return res, m.inStream(raw)
		}
		a.AddReasoning(line.Message.Thinking)
		a.AddText(line.Message.Content)
		for _, c := range line.Message.ToolCalls {
			a.AddCall(c.ID, c.Function.Name, c.Function.Arguments)
		}
		if line.Done {
			res.Usage.InputTokens, res.Usage.OutputTokens = line.PromptEvalCount, line.EvalCount
			if line.DoneReason == "length" {
				res.StopReason = ibid.StopLength
			}
			return res, nil
		}
	}
	if err := lines.Err(); err != nil {
		if err == bufio.ErrTooLong {
			err = errTooLarge
		}
		return res, m.failed(err)
	}
	return res, m.brokenOff()
}

// unload makes a server that has stopped answering drop the model. Ollama 0.32
// needs this after some two dozen clients that left in mid-answer.
func (m *ollama) unload(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	resp, f := m.post(ctx, m.base+"/api/chat", map[string]any{"model": m.model, "messages": []any{}, "keep_alive": 0})
	if f == nil {
		resp.Body.Close()
	}
}

// explainMissing says how to get a model that Ollama does not have.
func (m *ollama) explainMissing(ctx context.Context, f *failure) {
	f.Message = fmt.Sprintf("Ollama has no model %q", m.model)
	f.Hint = "get it with: ollama pull " + m.model
	if names := m.installed(ctx); len(names) > 0 {
		f.Hint += "; installed: " + strings.Join(names[:min(len(names), 8)], ", ")
	}
}
