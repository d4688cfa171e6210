package ibidtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"ibid"
)

// AnthropicServer serves the replies over Anthropic's messages until the test
// ends.
func AnthropicServer(t testing.TB, replies ...Reply) *ModelServer {
	return serve(t, newModelServer(&anthropicWire{}, NewScript(replies...)), "/v1")
}

// anthropicWire follows Anthropic's description of its protocol. Every piece is a
// block of its own; blocks are numbered within an answer.
type anthropicWire struct {
	mu     sync.Mutex
	blocks map[io.Writer]int
}

func (a *anthropicWire) next(w io.Writer) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.blocks == nil {
		a.blocks = map[io.Writer]int{}
	}
	a.blocks[w]++
	return a.blocks[w] - 1
}

type anthropicWireBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   string          `json:"content"`
	Source    struct {
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

type anthropicWireRequest struct {
	Model     string               `json:"model"`
	Stream    bool                 `json:"stream"`
	MaxTokens int                  `json:"max_tokens"`
	System    []anthropicWireBlock `json:"system"`
	Messages  []struct {
		Role    string               `json:"role"`
		Content []anthropicWireBlock `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	Thinking struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	} `json:"thinking"`
	Output struct {
		Format struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
}

func (*anthropicWire) decode(_ string, body []byte) (string, ibid.ModelRequest, bool, error) {
	var in anthropicWireRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return "", ibid.ModelRequest{}, false, err
	}
	if in.MaxTokens <= 0 {
		return "", ibid.ModelRequest{}, false, fmt.Errorf("max_tokens: Field required")
	}
	req := ibid.ModelRequest{Think: ibid.ThinkOff, Schema: in.Output.Format.Schema, MaxTokens: in.MaxTokens}
	if in.Thinking.Type == "enabled" || in.Thinking.Type == "adaptive" {
		req.Think = ibid.ThinkOn
	}
	for _, b := range in.System {
		req.System += b.Text
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, ibid.ToolSpec{Name: t.Name, Description: t.Description, Parameters: t.InputSchema})
	}
	names := map[string]string{} // of the tools by call id
	for i, m := range in.Messages {
		if i > 0 && in.Messages[i-1].Role == m.Role {
			return "", req, false, fmt.Errorf("messages: roles must alternate")
		}
		for _, b := range m.Content {
			role := ibid.Role(m.Role)
			if b.Type == "tool_result" {
				role = ibid.RoleTool
			}
			part, err := b.part(names)
			if err != nil {
				return "", req, false, err
			}
			if n := len(req.Turns); n == 0 || req.Turns[n-1].Role != role || role == ibid.RoleTool {
				req.Turns = append(req.Turns, ibid.Turn{Role: role})
			}
			turn := &req.Turns[len(req.Turns)-1]
			turn.Parts = append(turn.Parts, part)
		}
	}
	return in.Model, req, in.Stream, nil
}

func (b anthropicWireBlock) part(names map[string]string) (ibid.Part, error) {
	switch b.Type {
	case "text":
		return ibid.Part{Text: b.Text}, nil
	case "thinking":
		return ibid.Part{Reasoning: b.Thinking, Opaque: json.RawMessage(fmt.Sprintf("%q", b.Signature))}, nil
	case "image":
		data, err := base64.StdEncoding.DecodeString(b.Source.Data)
		return ibid.Part{Image: &ibid.Image{MIME: b.Source.MediaType, Data: data}}, err
	case "tool_use":
		names[b.ID] = b.Name
		return ibid.Part{Call: &ibid.ToolCall{ID: b.ID, Name: b.Name, Arguments: b.Input}}, nil
	case "tool_result":
		return ibid.Part{Result: &ibid.ToolResult{CallID: b.ToolUseID, Name: names[b.ToolUseID], Content: b.Content}}, nil
	}
	return ibid.Part{}, fmt.Errorf("messages: %q is no block", b.Type)
}

func (*anthropicWire) refuse(m *ServedModel, name string, body []byte) (int, string) {
	var in anthropicWireRequest
	json.Unmarshal(body, &in)
	switch {
	case m == nil:
		return http.StatusNotFound, "model: " + name
	case in.Thinking.Type != "" && !m.can("thinking"):
		return http.StatusBadRequest, fmt.Sprintf("'%s' does not support thinking", name)
	case len(in.Tools) > 0 && !m.can("tools"):
		return http.StatusBadRequest, name + " does not support tools"
	case bytes.Contains(body, []byte(`"media_type"`)) && !m.can("vision"):
		return http.StatusBadRequest, "image input is not supported by this model"
	}
	return 0, ""
}

func (*anthropicWire) errorBody(status int, message string) string {
	kind := map[int]string{400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}[status]
	if kind == "" {
		kind = "api_error"
	}
	b, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
	return string(b)
}

func (*anthropicWire) contentType() string { return "text/event-stream; charset=utf-8" }

func anthropicSend(w io.Writer, kind string, fields map[string]any) {
	fields["type"] = kind
	b, _ := json.Marshal(fields)
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, b)
}

func (*anthropicWire) begin(w io.Writer, model string) {
	anthropicSend(w, "message_start", map[string]any{"message": map[string]any{"id": "msg_scripted", "type": "message", "role": "assistant",
		"model": model, "content": []any{}, "stop_reason": nil, "usage": map[string]int{"input_tokens": 1, "output_tokens": 1}}})
	anthropicSend(w, "ping", map[string]any{})
}

// block sends one block in three events, its content in the middle.
func (a *anthropicWire) block(w io.Writer, start, delta map[string]any) {
	i := a.next(w)
	anthropicSend(w, "content_block_start", map[string]any{"index": i, "content_block": start})
	anthropicSend(w, "content_block_delta", map[string]any{"index": i, "delta": delta})
	if start["type"] == "thinking" {
		anthropicSend(w, "content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": "signature_delta", "signature": "sig+/=" + fmt.Sprint(delta["thinking"])}})
	}
	anthropicSend(w, "content_block_stop", map[string]any{"index": i})
}

func (a *anthropicWire) piece(w io.Writer, _ string, d ibid.ModelDelta) {
	if d.Reasoning != "" {
		a.block(w, map[string]any{"type": "thinking", "thinking": "", "signature": ""}, map[string]any{"type": "thinking_delta", "thinking": d.Reasoning})
		return
	}
	a.block(w, map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": d.Text})
}

func (a *anthropicWire) call(w io.Writer, _ string, _ int, c ibid.ToolCall) {
	a.block(w, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}},
		map[string]any{"type": "input_json_delta", "partial_json": string(c.Arguments)})
}

func (*anthropicWire) finish(w io.Writer, _ string, stop ibid.StopReason, calls int, u ibid.Usage, _ []byte) {
	reason := "end_turn"
	switch {
	case stop == ibid.StopLength:
		reason = "max_tokens"
	case calls > 0:
		reason = "tool_use"
	}
	anthropicSend(w, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil},
		"usage": map[string]int{"input_tokens": u.InputTokens - u.CachedTokens, "cache_read_input_tokens": u.CachedTokens, "output_tokens": u.OutputTokens}})
	anthropicSend(w, "message_stop", map[string]any{})
}

func (a *anthropicWire) errorInside(w io.Writer, message string) {
	fmt.Fprintf(w, "event: error\ndata: %s\n\n", a.errorBody(529, message))
}

func (*anthropicWire) half(w io.Writer, _ string) {
	fmt.Fprint(w, `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_de`)
}

// anthropicModel answers GET /v1/models/{id}.
func (s *ModelServer) anthropicModel(w http.ResponseWriter, path string) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	m := s.model(name)
	if m == nil {
		s.refuse(w, http.StatusNotFound, "model: "+name)
		return
	}
	writeLine(w, map[string]any{"type": "model", "id": m.Name, "display_name": m.Name, "max_input_tokens": m.ContextLength, "max_tokens": 64000})
}
