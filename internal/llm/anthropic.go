package llm

import (
	"encoding/json"
	"strings"

	"ibid"
)

// anthropicDialect is Anthropic's own protocol, Messages
// (https://docs.anthropic.com/en/api/messages).
func anthropicDialect() Dialect {
	return Dialect{
		Name: "anthropic", Form: "anthropic:MODEL", Server: "Anthropic", Base: "https://api.anthropic.com/v1", Path: "/v1",
		Key:    Key{Env: "ANTHROPIC_API_KEY", Host: "api.anthropic.com", Header: "X-Api-Key", Encrypted: true},
		Header: map[string]string{"Anthropic-Version": "2023-06-01"},
		Absent: "is there a connection to the internet?",

		Endpoint: func(string) string { return "/messages" },
		Thinking: anthropicThinking,
		Body:     anthropicBody,
		Read:     func() Reader { return &anthropicReader{} },
		Refusals: Refusals{
			Final:    []string{"does not support tools", "image input", "credit balance"},
			Schema:   []string{"output_config", "json_schema", "schema", "additionalproperties"},
			Thinking: []string{"thinking", "budget_tokens", "display"},
			Length:   []string{"max_tokens"},
		},
		Capabilities: func(info json.RawMessage) ibid.Capabilities {
			var told struct {
				Input int `json:"max_input_tokens"`
			}
			if json.Unmarshal(info, &told) != nil || told.Input <= 0 {
				told.Input = anthropicContext
			}
			return ibid.Capabilities{Thinking: true, Tools: true, Images: true, ContextTokens: told.Input}
		},
	}
}

// The protocol insists on a limit for every answer.
const (
	anthropicTokens = 16_000
	oldModelTokens  = 4096
	thinkingBudget  = 4096
	// anthropicContext is the window of a model that does not tell.
	anthropicContext = 200_000
)

// anthropicThinking lists the ways to ask for thinking, the newest first. To say
// nothing means none, for most models.
func anthropicThinking(t ibid.Think) []any {
	if t != ibid.ThinkOn {
		return []any{nil}
	}
	return []any{
		map[string]any{"type": "adaptive", "display": "summarized"},
		map[string]any{"type": "adaptive"},
		map[string]any{"type": "enabled", "budget_tokens": thinkingBudget},
		nil,
	}
}

// anthropicBody writes a request.
func anthropicBody(req Asked) any {
	limit := anthropicTokens
	if req.Short {
		limit = oldModelTokens
	}
	if req.MaxTokens > 0 {
		limit = min(limit, req.MaxTokens)
	}
	body := map[string]any{"model": req.Model, "stream": true}
	if req.Thinking != nil {
		body["thinking"] = req.Thinking
		limit += thinkingBudget
	}
	body["max_tokens"] = limit
	if len(req.Schema) > 0 {
		body["output_config"] = map[string]any{"format": map[string]any{"type": "json_schema", "schema": req.Schema}}
	}
	if req.System != "" {
		body["system"] = []any{cached(map[string]any{"type": "text", "text": req.System})}
	}
	var tools []any
	for _, t := range req.Tools {
		tools = append(tools, map[string]any{"name": t.Name, "description": t.Description, "input_schema": objectSchema(t.Parameters)})
	}
	if tools != nil {
		body["tools"] = tools
	}
	body["messages"] = anthropicMessages(req)
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

// anthropicMessages writes the turns. Neighbours of one role become one message, as the
// protocol wants them to alternate. The last block is marked for the cache.
func anthropicMessages(req Asked) []anthropicMessage {
	var out []anthropicMessage
	for i, t := range req.Turns {
		role := "user"
		if t.Role == ibid.RoleAssistant {
			role = "assistant"
		}
		blocks := req.Replayed(i, anthropicCall)
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

// anthropicReader reads the stream up to message_stop.
type anthropicReader struct {
	blocks anthropicBlocks
	done   bool
	stop   string
}

// Event implements Reader.
func (r *anthropicReader) Event(data []byte, a *Assembler) error {
	var e anthropicEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	switch e.Type {
	case "error":
		return ServerError(data)
	case "message_start":
		e.Message.Usage.addTo(&a.Usage)
	case "message_delta":
		e.Usage.addTo(&a.Usage)
		if e.Delta.StopReason != "" {
			r.stop = e.Delta.StopReason
		}
	case "message_stop":
		r.done = true
		return ErrEnd
	default:
		return r.blocks.add(e, a)
	}
	return nil
}

// End implements Reader.
func (r *anthropicReader) End(a *Assembler) Ending {
	end := Ending{Complete: r.done}
	if !r.done {
		return end
	}
	switch r.stop {
	case "max_tokens", "model_context_window_exceeded":
		end.Length = true
	case "refusal":
		if a.text.Len() == 0 {
			end.Withheld = "refused to answer"
			return end
		}
	}
	for _, b := range r.blocks.list {
		if b.Type == "tool_use" {
			a.AddCall(b.ID, b.Name, b.arguments())
		}
	}
	end.Replay = r.blocks.signed()
	return end
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
func (b *anthropicBlocks) add(e anthropicEvent, a *Assembler) error {
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
		a.AddText(p.Text)
		a.AddReasoning(p.Thinking)
	case "content_block_delta":
		if e.Index < 0 || e.Index >= len(b.list) {
			return errTooManyBlocks
		}
		p := b.list[e.Index]
		p.text.WriteString(e.Delta.Text + e.Delta.Thinking + e.Delta.JSON)
		p.Signature += e.Delta.Signature
		a.AddText(e.Delta.Text)
		a.AddReasoning(e.Delta.Thinking)
		if p.Type == "tool_use" {
			a.AddArguments(p.call, p.Name, e.Delta.JSON)
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
