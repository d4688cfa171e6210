package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"ibid"
	"ibid/internal/llm/prompt"
)

// anthropic is a model behind Anthropic's own protocol, Messages
// (https://docs.anthropic.com/en/api/messages).
type anthropic struct {
	origin
	base      *url.URL
	maxTokens int

	dialects  dialects[anthropicDialect]
	templates templates
}

// anthropicDialect is what of a request not every model takes.
type anthropicDialect struct {
	think  int  // step of anthropicThinking
	prompt bool // the schema stands in the prompt
	short  bool // the answer may be no longer than old models can
}

// The protocol insists on a limit for every answer.
const (
	anthropicVersion = "2023-06-01"
	anthropicTokens  = 16_000
	oldModelTokens   = 4096
	thinkingBudget   = 4096
	// anthropicContext is the window of a model that does not tell.
	anthropicContext = 200_000
)

// newAnthropic returns the model. The key is never sent in the clear over a
// network.
func newAnthropic(cfg Config, s spec) (*anthropic, error) {
	cfg = cfg.withDefaults()
	o := origin{http: newClient(cfg), server: "Anthropic", model: s.model, host: s.base.Host, key: s.key(cfg), header: "X-Api-Key", version: anthropicVersion,
		hint: "is there a connection to the internet?", keyHint: "set api_key, or ANTHROPIC_API_KEY in the environment"}
	if err := o.onlyEncrypted(s); err != nil {
		return nil, err
	}
	return &anthropic{origin: o, base: s.base, maxTokens: anthropicTokens}, nil
}

// Name implements ibid.Model.
func (m *anthropic) Name() string { return "anthropic/" + m.model }

// Probe implements ibid.Prober.
func (m *anthropic) Probe(ctx context.Context) (ibid.Capabilities, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var info struct {
		Input int `json:"max_input_tokens"`
	}
	if f := m.get(ctx, m.base.String()+"/models/"+url.PathEscape(m.model), &info); f != nil {
		return ibid.Capabilities{}, result(ctx, f)
	}
	if info.Input <= 0 {
		info.Input = anthropicContext
	}
	return ibid.Capabilities{Thinking: true, Tools: true, Images: true, ContextTokens: info.Input}, nil
}

// anthropicThinking lists the ways to ask for thinking, the newest first. The last
// says nothing, which for most models means none.
var anthropicThinking = []map[string]any{
	{"type": "adaptive", "display": "summarized"},
	{"type": "adaptive"},
	{"type": "enabled", "budget_tokens": thinkingBudget},
	nil,
}

// Generate implements ibid.Model. What a model refuses is left out and the request
// sent again; an empty turn is asked for again.
func (m *anthropic) Generate(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	req = prompt.Render(req)
	return converse(ctx, m.origin, m.dialects.of(req.Think), req,
		func(d anthropicDialect) (ibid.ModelResponse, *failure) { return m.turn(ctx, req, d, emit) },
		func(d anthropicDialect, said apiError) (anthropicDialect, bool) { return d.without(said, req) })
}

// without returns a dialect without what a refusal is about. ok is false when
// there is nothing left to leave out.
func (d anthropicDialect) without(said apiError, req ibid.ModelRequest) (simpler anthropicDialect, ok bool) {
	thinks := req.Think == ibid.ThinkOn
	switch {
	case said.overflow(), said.mentions("does not support tools", "image input", "credit balance"):
		return d, false
	case said.mentions("output_config", "json_schema", "schema", "additionalproperties") && len(req.Schema) > 0 && !d.prompt:
		d.prompt = true
	case said.mentions("thinking", "budget_tokens", "display") && thinks && d.think+1 < len(anthropicThinking):
		d.think++
	case said.mentions("max_tokens") && !d.short:
		d.short = true
	default:
		return d, false
	}
	return d, true
}

// turn asks once.
func (m *anthropic) turn(ctx context.Context, req ibid.ModelRequest, d anthropicDialect, emit func(ibid.ModelDelta)) (ibid.ModelResponse, *failure) {
	resp, f := m.post(ctx, m.base.String()+"/messages", m.body(req, d))
	if f != nil {
		return ibid.ModelResponse{}, f
	}
	defer resp.Body.Close()
	var blocks anthropicBlocks
	res, f := m.take(req, m.templates.of(req.Think == ibid.ThinkOn), emit, func(a *assembler) (ibid.ModelResponse, *failure) {
		return m.read(resp, &blocks, a)
	})
	if f == nil {
		res.Turn = withRaw(res.Turn, m.Name(), blocks.signed())
	}
	return res, f
}

// body writes a request.
func (m *anthropic) body(req ibid.ModelRequest, d anthropicDialect) map[string]any {
	limit := m.maxTokens
	if d.short {
		limit = oldModelTokens
	}
	if req.MaxTokens > 0 {
		limit = min(limit, req.MaxTokens)
	}
	body := map[string]any{"model": m.model, "stream": true}
	if req.Think == ibid.ThinkOn && anthropicThinking[d.think] != nil {
		body["thinking"] = anthropicThinking[d.think]
		limit += thinkingBudget
	}
	body["max_tokens"] = limit
	system := req.System
	switch {
	case len(req.Schema) > 0 && d.prompt:
		system = askForJSON(system, req.Schema)
	case len(req.Schema) > 0:
		body["output_config"] = map[string]any{"format": map[string]any{"type": "json_schema", "schema": req.Schema}}
	}
	if system != "" {
		body["system"] = []any{cached(map[string]any{"type": "text", "text": system})}
	}
	var tools []any
	for _, t := range req.Tools {
		tools = append(tools, map[string]any{"name": t.Name, "description": t.Description, "input_schema": objectSchema(t.Parameters)})
	}
	if tools != nil {
		body["tools"] = tools
	}
	body["messages"] = m.messages(req.Turns)
	return body
}

// cached marks where a prompt may be cached up to: within a run it only grows.
func cached(block map[string]any) map[string]any {
	block["cache_control"] = map[string]any{"type": "ephemeral"}
	return block
}

// anthropicMessage is one of the messages of a request.
type anthropicMessage struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

// messages writes the turns. Neighbours of one role become one message, as the
// protocol wants them to alternate. The last block is marked for the cache.
func (m *anthropic) messages(turns []ibid.Turn) []anthropicMessage {
	var out []anthropicMessage
	last := lastUserTurn(turns)
	for i, t := range turns {
		role, blocks := "user", []any(nil)
		if t.Role == ibid.RoleAssistant {
			role = "assistant"
		}
		if raw := rawOf(t, m.Name()); role == "assistant" && i > last {
			blocks = sameCalls(raw, t.Calls(), anthropicCall)
		}
		if blocks == nil {
			for _, p := range t.Parts {
				if b := anthropicBlock(p); b != nil {
					blocks = append(blocks, b)
				}
			}
		}
		switch n := len(out); {
		case len(blocks) == 0:
		case n > 0 && out[n-1].Role == role:
			out[n-1].Content = append(out[n-1].Content, blocks...)
		default:
			out = append(out, anthropicMessage{role, blocks})
		}
	}
	if n := len(out); n > 0 {
		content := out[n-1].Content
		if block, ok := content[len(content)-1].(map[string]any); ok {
			cached(block)
		}
	}
	return out
}

// anthropicBlock writes a part of a turn; nil where there is nothing to write.
func anthropicBlock(p ibid.Part) any {
	switch {
	case p.Image != nil:
		return map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": mimeOf(p.Image), "data": base64Of(p.Image)}}
	case p.Call != nil:
		return map[string]any{"type": "tool_use", "id": p.Call.ID, "name": p.Call.Name, "input": objectArguments(p.Call.Arguments)}
	case p.Result != nil:
		block := map[string]any{"type": "tool_result", "tool_use_id": p.Result.CallID, "content": p.Result.Content}
		if p.Result.Failed {
			block["is_error"] = true
		}
		return block
	case strings.TrimSpace(p.Text) != "":
		return map[string]any{"type": "text", "text": p.Text}
	}
	return nil
}

// anthropicCall tells which call a block is; both are "" for another block.
func anthropicCall(block json.RawMessage) (id, name string, err error) {
	var head struct{ Type, ID, Name string }
	if err := json.Unmarshal(block, &head); err != nil || head.Type != "tool_use" {
		return "", "", err
	}
	return head.ID, head.Name, nil
}

// read takes the stream up to message_stop.
func (m *anthropic) read(resp *http.Response, blocks *anthropicBlocks, a *assembler) (ibid.ModelResponse, *failure) {
	res := ibid.ModelResponse{Usage: ibid.Usage{ModelRequests: 1}}
	var said *failure
	done, stop := false, ""
	err := readEvents(resp.Body, func(data []byte) error {
		var e anthropicEvent
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		switch e.Type {
		case "error":
			said = m.inStream(data)
			return errEnd
		case "message_start":
			e.Message.Usage.addTo(&res.Usage)
		case "message_delta":
			e.Usage.addTo(&res.Usage)
			if e.Delta.StopReason != "" {
				stop = e.Delta.StopReason
			}
		case "message_stop":
			done = true
			return errEnd
		default:
			return blocks.add(e, a)
		}
		return nil
	})
	switch {
	case said != nil:
		return res, said
	case err != nil:
		return res, m.broken(err)
	case !done:
		return res, m.brokenOff()
	}
	switch stop {
	case "max_tokens", "model_context_window_exceeded":
		res.StopReason = ibid.StopLength
	case "refusal":
		if a.text.Len() == 0 {
			return res, &failure{Error: ibid.Errorf(ibid.CodeLLM, "%s (%s) refused to answer", m.server, m.model)}
		}
	}
	for _, b := range blocks.list {
		if b.Type == "tool_use" {
			a.addCall(b.ID, b.Name, b.arguments())
		}
	}
	return res, nil
}

// anthropicEvent is one event of a stream, whatever its type.
type anthropicEvent struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage anthropicUsage `json:"usage"`
	} `json:"message"`
	Block json.RawMessage `json:"content_block"`
	Delta struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		JSON       string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage anthropicUsage `json:"usage"`
}

type anthropicUsage struct {
	Input   int `json:"input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

// addTo takes counts over: each event says the whole so far of what it counts.
func (u anthropicUsage) addTo(to *ibid.Usage) {
	if in := u.Input + u.Written + u.Read; in > 0 {
		to.InputTokens, to.CachedTokens = in, u.Read
	}
	to.OutputTokens = max(to.OutputTokens, u.Output)
}

// anthropicBlocks are the blocks of a turn, put together from their pieces.
type anthropicBlocks struct {
	list  []*anthropicPiece
	calls int // of them
}

type anthropicPiece struct {
	raw       json.RawMessage // as it began
	call      int             // which of the turn's calls it is
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Input     json.RawMessage `json:"input"`
	text      strings.Builder // text, thinking or input, by the type
}

// add takes an event of a block.
func (b *anthropicBlocks) add(e anthropicEvent, a *assembler) error {
	switch e.Type {
	case "content_block_start":
		if len(b.list) >= maxPieces || e.Index != len(b.list) {
			return errTooManyBlocks
		}
		p := &anthropicPiece{raw: append(json.RawMessage(nil), e.Block...)}
		if err := json.Unmarshal(e.Block, p); err != nil {
			return err
		}
		b.list = append(b.list, p)
		if p.Type == "tool_use" {
			p.call = b.calls
			b.calls++
		}
		p.text.WriteString(p.Text + p.Thinking)
		a.addText(p.Text)
		a.addReasoning(p.Thinking)
	case "content_block_delta":
		if e.Index < 0 || e.Index >= len(b.list) {
			return errTooManyBlocks
		}
		p := b.list[e.Index]
		p.text.WriteString(e.Delta.Text + e.Delta.Thinking + e.Delta.JSON)
		p.Signature += e.Delta.Signature
		a.addText(e.Delta.Text)
		a.addReasoning(e.Delta.Thinking)
		if p.Type == "tool_use" {
			a.addArguments(p.call, p.Name, e.Delta.JSON)
		}
	}
	return nil
}

func (p *anthropicPiece) arguments() []byte {
	if p.text.Len() > 0 {
		return []byte(p.text.String())
	}
	return p.Input
}

// signed returns all blocks as JSON where one of them has to go back as it is: the
// protocol wants thinking to stand before the calls that came of it.
func (b *anthropicBlocks) signed() []byte {
	needed := false
	var out []any
	for _, p := range b.list {
		switch p.Type {
		case "text":
			if strings.TrimSpace(p.text.String()) == "" {
				continue // which would be refused
			}
			out = append(out, map[string]any{"type": "text", "text": p.text.String()})
		case "thinking":
			needed = needed || p.Signature != ""
			out = append(out, map[string]any{"type": "thinking", "thinking": p.text.String(), "signature": p.Signature})
		case "tool_use":
			out = append(out, map[string]any{"type": "tool_use", "id": p.ID, "name": p.Name, "input": objectArguments(p.arguments())})
		case "redacted_thinking":
			needed = true
			out = append(out, p.raw)
		default:
			out = append(out, p.raw)
		}
	}
	if !needed {
		return nil
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return raw
}
