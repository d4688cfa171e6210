package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"ibid"
	"ibid/internal/llm/prompt"
)

// gemini is a model behind Google's own protocol
// (https://ai.google.dev/api/generate-content).
type gemini struct {
	origin
	base *url.URL

	dialects  dialects[geminiDialect]
	templates templates
}

// geminiDialect is what of a request not every model takes.
type geminiDialect struct {
	think  int  // step of geminiThinking
	prompt bool // the schema stands in the prompt
}

// newGemini returns the model. The key is never sent in the clear over a network.
func newGemini(cfg Config, s spec) (*gemini, error) {
	cfg = cfg.withDefaults()
	o, err := geminiOrigin(cfg, s, "api_key")
	if err != nil {
		return nil, err
	}
	return &gemini{origin: o, base: s.base}, nil
}

// geminiOrigin is Google's server. setting is where its key is configured.
func geminiOrigin(cfg Config, s spec, setting string) (origin, error) {
	o := origin{http: newClient(cfg), server: "Gemini", model: strings.TrimPrefix(s.model, "models/"), host: s.base.Host, key: s.key(cfg), header: "X-Goog-Api-Key",
		hint: "is there a connection to the internet?", keyHint: "set " + setting + ", or GEMINI_API_KEY in the environment"}
	return o, o.onlyEncrypted(s)
}

// Name implements ibid.Model.
func (m *gemini) Name() string { return "gemini/" + m.model }

func (m *gemini) address() string { return m.base.String() + "/models/" + url.PathEscape(m.model) }

// Probe implements ibid.Prober.
func (m *gemini) Probe(ctx context.Context) (ibid.Capabilities, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var info struct {
		Input    int   `json:"inputTokenLimit"`
		Thinking *bool `json:"thinking"`
	}
	if f := m.get(ctx, m.address(), &info); f != nil {
		return ibid.Capabilities{}, result(ctx, f)
	}
	return ibid.Capabilities{Thinking: info.Thinking == nil || *info.Thinking, Tools: true, Images: true, ContextTokens: info.Input}, nil
}

// geminiThinking lists the ways to say what is wanted, the clearest first. The last
// says nothing. Some models cannot be kept from thinking, only from much of it.
func geminiThinking(t ibid.Think) []map[string]any {
	switch t {
	case ibid.ThinkOn:
		return []map[string]any{{"includeThoughts": true}, nil}
	case ibid.ThinkOff:
		return []map[string]any{{"thinkingBudget": 0}, {"thinkingLevel": "minimal"}, {"thinkingLevel": "low"}, nil}
	}
	return []map[string]any{nil}
}

// Generate implements ibid.Model. What a model refuses is left out and the request
// sent again; an empty turn is asked for again.
func (m *gemini) Generate(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	req = prompt.Render(req)
	return converse(ctx, m.origin, m.dialects.of(req.Think), req,
		func(d geminiDialect) (ibid.ModelResponse, *failure) { return m.turn(ctx, req, d, emit) },
		func(d geminiDialect, said apiError) (geminiDialect, bool) { return d.without(said, req) })
}

// without returns a dialect without what a refusal is about. ok is false when
// there is nothing left to leave out.
func (d geminiDialect) without(said apiError, req ibid.ModelRequest) (simpler geminiDialect, ok bool) {
	switch {
	case said.overflow(), said.mentions("does not support tools", "image input", "api key"):
		return d, false
	case said.mentions("schema", "mime") && len(req.Schema) > 0 && !d.prompt:
		d.prompt = true
	case said.mentions("think", "budget") && d.think+1 < len(geminiThinking(req.Think)):
		d.think++
	default:
		return d, false
	}
	return d, true
}

// turn asks once.
func (m *gemini) turn(ctx context.Context, req ibid.ModelRequest, d geminiDialect, emit func(ibid.ModelDelta)) (ibid.ModelResponse, *failure) {
	resp, f := m.post(ctx, m.address()+":streamGenerateContent?alt=sse", m.body(req, d))
	if f != nil {
		return ibid.ModelResponse{}, f
	}
	defer resp.Body.Close()
	var parts geminiParts
	res, f := m.take(req, m.templates.of(req.Think == ibid.ThinkOn), emit, func(a *assembler) (ibid.ModelResponse, *failure) {
		return m.read(resp, &parts, a)
	})
	if f == nil {
		res.Turn = withRaw(res.Turn, m.Name(), parts.signed())
	}
	return res, f
}

// body writes a request.
func (m *gemini) body(req ibid.ModelRequest, d geminiDialect) map[string]any {
	generation := map[string]any{}
	if thinking := geminiThinking(req.Think)[d.think]; thinking != nil {
		generation["thinkingConfig"] = thinking
	}
	if req.MaxTokens > 0 {
		generation["maxOutputTokens"] = req.MaxTokens
	}
	system := req.System
	switch {
	case len(req.Schema) > 0 && d.prompt:
		system = askForJSON(system, req.Schema)
	case len(req.Schema) > 0:
		generation["responseMimeType"], generation["responseJsonSchema"] = "application/json", req.Schema
	}
	body := map[string]any{"generationConfig": generation, "contents": m.contents(req.Turns)}
	if system != "" {
		body["systemInstruction"] = map[string]any{"parts": []any{map[string]any{"text": system}}}
	}
	var functions []any
	for _, t := range req.Tools {
		functions = append(functions, map[string]any{"name": t.Name, "description": t.Description, "parametersJsonSchema": objectSchema(t.Parameters)})
	}
	if functions != nil {
		body["tools"] = []any{map[string]any{"functionDeclarations": functions}}
	}
	return body
}

// geminiTurn is one of the contents of a request.
type geminiTurn struct {
	Role  string `json:"role"`
	Parts []any  `json:"parts"`
}

// contents writes the turns.
func (m *gemini) contents(turns []ibid.Turn) []geminiTurn {
	var out []geminiTurn
	last := lastUserTurn(turns)
	for i, t := range turns {
		c := geminiTurn{Role: "user"}
		if t.Role == ibid.RoleAssistant {
			c.Role = "model"
			if i > last {
				c.Parts = sameCalls(rawOf(t, m.Name()), t.Calls(), geminiCall)
			}
		}
		if c.Parts == nil {
			c.Parts = m.parts(t, i > last)
		}
		if len(c.Parts) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// noSignature stands, as Google says, where a call has no signature since another
// model made it, or we did.
const noSignature = "skip_thought_signature_validator"

func (m *gemini) parts(t ibid.Turn, current bool) []any {
	var parts []any
	unsigned := current && strings.HasPrefix(m.model, "gemini-3") // which insist on one for the first call of a turn
	for _, p := range t.Parts {
		switch {
		case p.Image != nil:
			parts = append(parts, map[string]any{"inlineData": map[string]any{"mimeType": mimeOf(p.Image), "data": base64Of(p.Image)}})
		case p.Call != nil:
			part := map[string]any{"functionCall": map[string]any{"name": p.Call.Name, "args": objectArguments(p.Call.Arguments)}}
			if unsigned {
				part["thoughtSignature"] = noSignature
				unsigned = false
			}
			parts = append(parts, part)
		case p.Result != nil:
			field := "result"
			if p.Result.Failed {
				field = "error"
			}
			parts = append(parts, map[string]any{"functionResponse": map[string]any{"name": p.Result.Name, "response": map[string]any{field: p.Result.Content}}})
		case p.Text != "":
			parts = append(parts, map[string]any{"text": p.Text})
		}
	}
	return parts
}

// geminiPiece is a part of an answer.
type geminiPiece struct {
	Text      string `json:"text"`
	Thought   bool   `json:"thought"`
	Signature string `json:"thoughtSignature"`
	Call      *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
}

// geminiCall tells which call a part is; name is "" for another part. A call's id
// may be ours, so it tells nothing.
func geminiCall(part json.RawMessage) (id, name string, err error) {
	var piece geminiPiece
	if err := json.Unmarshal(part, &piece); err != nil || piece.Call == nil {
		return "", "", err
	}
	return "", piece.Call.Name, nil
}

// geminiParts are the parts of a turn as they came.
type geminiParts struct {
	list  []json.RawMessage
	needs bool // one of them has to go back as it is
}

// signed returns the parts as JSON where one of them carries a signature.
func (p *geminiParts) signed() []byte {
	if !p.needs {
		return nil
	}
	raw, err := json.Marshal(p.list)
	if err != nil {
		return nil
	}
	return raw
}

// add takes one part of a chunk. Thoughts are not sent back, unless they are
// signed.
func (p *geminiParts) add(raw json.RawMessage, a *assembler) error {
	var piece geminiPiece
	if err := json.Unmarshal(raw, &piece); err != nil {
		return err
	}
	if len(p.list) >= maxPieces {
		return errTooManyBlocks
	}
	if !piece.Thought || piece.Signature != "" {
		p.list = append(p.list, append(json.RawMessage(nil), raw...))
	}
	p.needs = p.needs || piece.Signature != ""
	switch {
	case piece.Call != nil:
		a.addCall(piece.Call.ID, piece.Call.Name, piece.Call.Args)
	case piece.Thought:
		a.addReasoning(piece.Text)
	default:
		a.addText(piece.Text)
	}
	return nil
}

// geminiChunk is one event of a stream.
type geminiChunk struct {
	Error      json.RawMessage `json:"error"`
	Candidates []struct {
		Content struct {
			Parts []json.RawMessage `json:"parts"`
		} `json:"content"`
		FinishReason string `json:"finishReason"`
	} `json:"candidates"`
	Feedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage struct {
		Prompt   int `json:"promptTokenCount"`
		Answer   int `json:"candidatesTokenCount"`
		Thoughts int `json:"thoughtsTokenCount"`
		Cached   int `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
}

// read takes the stream up to its end, and insists on a finishReason.
func (m *gemini) read(resp *http.Response, parts *geminiParts, a *assembler) (ibid.ModelResponse, *failure) {
	res := ibid.ModelResponse{Usage: ibid.Usage{ModelRequests: 1}}
	var said *failure
	finish := ""
	err := readEvents(resp.Body, func(data []byte) error {
		var c geminiChunk
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
		if len(c.Error) > 0 {
			said = m.inStream(data)
			return errEnd
		}
		if u := c.Usage; u.Prompt > 0 {
			res.Usage.InputTokens, res.Usage.CachedTokens = u.Prompt, u.Cached
			res.Usage.OutputTokens, res.Usage.ReasoningTokens = u.Answer+u.Thoughts, u.Thoughts
		}
		if c.Feedback.BlockReason != "" {
			said = m.withheld(c.Feedback.BlockReason)
			return errEnd
		}
		if len(c.Candidates) == 0 {
			return nil
		}
		for _, raw := range c.Candidates[0].Content.Parts {
			if err := parts.add(raw, a); err != nil {
				return err
			}
		}
		if reason := c.Candidates[0].FinishReason; reason != "" {
			finish = reason
		}
		return nil
	})
	switch {
	case said != nil:
		return res, said
	case err != nil && finish == "":
		return res, m.broken(err)
	case finish == "":
		return res, m.brokenOff()
	}
	switch finish {
	case "STOP", "FINISH_REASON_UNSPECIFIED", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL": // without text these are empty turns
	case "MAX_TOKENS":
		res.StopReason = ibid.StopLength
	default:
		if a.text.Len() == 0 && len(a.calls) == 0 {
			return res, m.withheld(finish)
		}
	}
	return res, nil
}

// withheld is an answer that the provider keeps back.
func (m *gemini) withheld(why string) *failure {
	return &failure{Error: ibid.Errorf(ibid.CodeLLM, "%s (%s) withheld its answer: %s", m.server, m.model, fmt.Sprintf("%.60s", why))}
}
