package ibidtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"ibid"
)

// OpenAIServer serves the replies over OpenAI's chat completions until the test
// ends. Thinking is sent as "reasoning_content", as llama.cpp does.
func OpenAIServer(t testing.TB, replies ...Reply) *ModelServer {
	return serve(t, OpenAIHandler(NewScript(replies...)), "/v1")
}

// OpenAIHandler is an http.Handler that speaks OpenAI's chat completions.
func OpenAIHandler(script *Script) *ModelServer {
	return newModelServer(openAIWire{}, script)
}

// openAIWire is llama.cpp's server as recorded.
type openAIWire struct{}

type openAIMessage struct {
	Role       string           `json:"role"`
	Content    json.RawMessage  `json:"content"`
	ToolCalls  []openAIToolCall `json:"tool_calls"`
	ToolCallID string           `json:"tool_call_id"`
	Reasoning  string           `json:"reasoning_content"`
}

type openAIToolCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type openAIRequest struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	Tools               []wireTool      `json:"tools"`
	Stream              bool            `json:"stream"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	ChatTemplate        struct {
		EnableThinking *bool `json:"enable_thinking"`
	} `json:"chat_template_kwargs"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat struct {
		JSONSchema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func (openAIWire) decode(_ string, body []byte) (string, ibid.ModelRequest, bool, error) {
	var in openAIRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return "", ibid.ModelRequest{}, false, err
	}
	req := ibid.ModelRequest{Think: ibid.ThinkAuto, Schema: in.ResponseFormat.JSONSchema.Schema,
		MaxTokens: in.MaxTokens + in.MaxCompletionTokens}
	if think := in.ChatTemplate.EnableThinking; think != nil {
		req.Think = ibid.ThinkOff
		if *think {
			req.Think = ibid.ThinkOn
		}
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, t.Function)
	}
	names := map[string]string{} // of the tools by call id
	for _, m := range in.Messages {
		if m.Role == "system" {
			req.System += m.text()
			continue
		}
		t := ibid.Turn{Role: ibid.Role(m.Role)}
		if m.Role == "tool" {
			t.Parts = []ibid.Part{{Result: &ibid.ToolResult{CallID: m.ToolCallID, Name: names[m.ToolCallID], Content: m.text()}}}
			req.Turns = append(req.Turns, t)
			continue
		}
		if m.Reasoning != "" {
			t.Parts = append(t.Parts, ibid.Part{Reasoning: m.Reasoning})
		}
		t.Parts = append(t.Parts, m.parts()...)
		for _, c := range m.ToolCalls {
			names[c.ID] = c.Function.Name
			t.Parts = append(t.Parts, ibid.Part{Call: &ibid.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: []byte(c.Function.Arguments)}})
		}
		req.Turns = append(req.Turns, t)
	}
	return in.Model, req, in.Stream, nil
}

func (m openAIMessage) text() string {
	return ibid.Turn{Parts: m.parts()}.Text()
}

// parts reads content that is a string, a list of parts, or null.
func (m openAIMessage) parts() []ibid.Part {
	var text string
	if json.Unmarshal(m.Content, &text) == nil && text != "" {
		return []ibid.Part{{Text: text}}
	}
	var list []struct {
		Type     string
		Text     string
		ImageURL struct{ URL string } `json:"image_url"`
	}
	json.Unmarshal(m.Content, &list)
	var parts []ibid.Part
	for _, p := range list {
		if p.Type == "text" {
			parts = append(parts, ibid.Part{Text: p.Text})
			continue
		}
		head, data, _ := strings.Cut(p.ImageURL.URL, ";base64,")
		raw, _ := base64.StdEncoding.DecodeString(data)
		parts = append(parts, ibid.Part{Image: &ibid.Image{MIME: strings.TrimPrefix(head, "data:"), Data: raw}})
	}
	return parts
}

func (openAIWire) refuse(m *ServedModel, name string, body []byte) (int, string) {
	var in openAIRequest
	json.Unmarshal(body, &in)
	switch {
	case m == nil:
		return http.StatusNotFound, fmt.Sprintf("model '%s' not found", name)
	case in.ReasoningEffort != "" && in.ReasoningEffort != "none" && !m.can("thinking"):
		return http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", name)
	case len(in.Tools) > 0 && !m.can("tools"):
		return http.StatusBadRequest, name + " does not support tools"
	case bytes.Contains(body, []byte(`"image_url"`)) && !m.can("vision"):
		return http.StatusInternalServerError, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
	}
	return 0, ""
}

func (openAIWire) errorBody(status int, message string) string {
	kind := "invalid_request_error"
	if status >= 500 || status == 0 {
		kind = "server_error"
	}
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"code": status, "message": message, "type": kind}})
	return string(b)
}

func (openAIWire) contentType() string { return "text/event-stream" }

// openAIChunk is one event of a stream.
type openAIChunk struct {
	Choices           []openAIChoice `json:"choices"`
	Created           int64          `json:"created"`
	ID                string         `json:"id"`
	Model             string         `json:"model"`
	SystemFingerprint string         `json:"system_fingerprint"`
	Object            string         `json:"object"`
	Usage             *openAIUsage   `json:"usage,omitempty"`
}

type openAIChoice struct {
	FinishReason *string        `json:"finish_reason"`
	Index        int            `json:"index"`
	Delta        map[string]any `json:"delta"`
}

type openAIUsage struct {
	CompletionTokens    int            `json:"completion_tokens"`
	PromptTokens        int            `json:"prompt_tokens"`
	TotalTokens         int            `json:"total_tokens"`
	PromptTokensDetails map[string]int `json:"prompt_tokens_details"`
}

func writeChunk(w io.Writer, model string, usage *openAIUsage, choices ...openAIChoice) {
	if choices == nil {
		choices = []openAIChoice{}
	}
	b, _ := json.Marshal(openAIChunk{Choices: choices, Created: 1795246018, ID: "chatcmpl-scripted", Model: model,
		SystemFingerprint: "b1-de3ff81", Object: "chat.completion.chunk", Usage: usage})
	fmt.Fprintf(w, "data: %s\n\n", b)
}

func (openAIWire) begin(w io.Writer, model string) {
	writeChunk(w, model, nil, openAIChoice{Delta: map[string]any{"role": "assistant", "content": nil}})
}

func (openAIWire) piece(w io.Writer, model string, d ibid.ModelDelta) {
	delta := map[string]any{"content": d.Text}
	if d.Reasoning != "" {
		delta = map[string]any{"reasoning_content": d.Reasoning}
	}
	writeChunk(w, model, nil, openAIChoice{Delta: delta})
}

// call sends a call in two pieces: name and id first, then the arguments.
func (openAIWire) call(w io.Writer, model string, i int, c ibid.ToolCall) {
	first := openAIToolCall{Index: i, ID: c.ID, Type: "function"}
	first.Function.Name = c.Name
	first.Function.Arguments = string(c.Arguments[:1])
	rest := openAIToolCall{Index: i}
	rest.Function.Arguments = string(c.Arguments[1:])
	for _, piece := range []openAIToolCall{first, rest} {
		writeChunk(w, model, nil, openAIChoice{Delta: map[string]any{"tool_calls": []openAIToolCall{piece}}})
	}
}

func (openAIWire) finish(w io.Writer, model string, stop ibid.StopReason, calls int, u ibid.Usage, body []byte) {
	reason := "stop"
	switch {
	case stop == ibid.StopLength:
		reason = "length"
	case calls > 0:
		reason = "tool_calls"
	}
	writeChunk(w, model, nil, openAIChoice{FinishReason: &reason, Delta: map[string]any{}})
	var in openAIRequest
	if json.Unmarshal(body, &in); in.StreamOptions.IncludeUsage {
		writeChunk(w, model, &openAIUsage{CompletionTokens: u.OutputTokens, PromptTokens: u.InputTokens,
			TotalTokens: u.InputTokens + u.OutputTokens, PromptTokensDetails: map[string]int{"cached_tokens": u.CachedTokens}})
	}
	io.WriteString(w, "data: [DONE]\n\n")
}

func (o openAIWire) errorInside(w io.Writer, message string) {
	fmt.Fprintf(w, "data: %s\n\n", o.errorBody(http.StatusInternalServerError, message))
}

func (openAIWire) half(w io.Writer, model string) {
	fmt.Fprintf(w, `data: {"choices":[{"finish_reason":null,"index":0,"delta":{"conte`)
}

func (s *ModelServer) openAIModels(w http.ResponseWriter) {
	data := []map[string]any{}
	for _, m := range s.Models {
		data = append(data, map[string]any{"id": m.Name, "object": "model", "created": 1795246024, "owned_by": "llamacpp",
			"meta": map[string]any{"n_ctx": m.ContextLength}})
	}
	writeLine(w, map[string]any{"object": "list", "data": data})
}

func (s *ModelServer) openAIEmbeddings(w http.ResponseWriter, body []byte) {
	var in struct {
		Model          string
		Input          json.RawMessage
		EncodingFormat string `json:"encoding_format"`
	}
	json.Unmarshal(body, &in)
	if s.model(in.Model) == nil {
		s.refuse(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", in.Model))
		return
	}
	vectors, tokens, ok := s.embed(texts(in.Input), false)
	if !ok {
		s.refuse(w, http.StatusBadRequest, "the input length exceeds the context length")
		return
	}
	data := []map[string]any{}
	for i, v := range vectors {
		data = append(data, map[string]any{"object": "embedding", "embedding": v, "index": i})
	}
	writeLine(w, map[string]any{"object": "list", "model": in.Model, "data": data,
		"usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}})
}
