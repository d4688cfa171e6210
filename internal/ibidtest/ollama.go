package ibidtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"ibid"
)

// OllamaServer serves the replies over Ollama's native API until the test ends.
func OllamaServer(t testing.TB, replies ...Reply) *ModelServer {
	return serve(t, OllamaHandler(NewScript(replies...)), "")
}

// OllamaHandler is an http.Handler that speaks Ollama's native API, for
// programs that bring their own listener.
func OllamaHandler(script *Script) *ModelServer {
	return newModelServer(ollamaWire{}, script)
}

// ollamaTime stands wherever Ollama writes the time.
const ollamaTime = "2026-11-21T07:28:52.353412844Z"

// ollamaWire is Ollama 0.17 to 0.32 as recorded.
type ollamaWire struct{}

type ollamaMessage struct {
	Role      string           `json:"role"`
	Content   string           `json:"content"`
	Thinking  string           `json:"thinking,omitempty"`
	Images    [][]byte         `json:"images,omitempty"`
	ToolCalls []ollamaToolCall `json:"tool_calls,omitempty"`
	ToolName  string           `json:"tool_name,omitempty"`
}

type ollamaToolCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Index     int             `json:"index"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

type wireTool struct {
	Type     string        `json:"type"`
	Function ibid.ToolSpec `json:"function"`
}

type ollamaRequest struct {
	Model    string          `json:"model"`
	Messages []ollamaMessage `json:"messages"`
	Tools    []wireTool      `json:"tools"`
	Think    *bool           `json:"think"`
	Stream   *bool           `json:"stream"`
	Format   json.RawMessage `json:"format"`
	Truncate *bool           `json:"truncate"`
	Options  struct {
		NumCtx     int `json:"num_ctx"`
		NumPredict int `json:"num_predict"`
	} `json:"options"`
}

func (ollamaWire) decode(_ string, body []byte) (string, ibid.ModelRequest, bool, error) {
	var in ollamaRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return "", ibid.ModelRequest{}, false, err
	}
	req := ibid.ModelRequest{Think: ibid.ThinkAuto, Schema: in.Format, MaxTokens: in.Options.NumPredict}
	if in.Think != nil {
		req.Think = ibid.ThinkOff
		if *in.Think {
			req.Think = ibid.ThinkOn
		}
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, t.Function)
	}
	for _, m := range in.Messages {
		if m.Role == "system" {
			req.System += m.Content
			continue
		}
		req.Turns = append(req.Turns, m.turn())
	}
	return in.Model, req, in.Stream == nil || *in.Stream, nil
}

func (m ollamaMessage) turn() ibid.Turn {
	t := ibid.Turn{Role: ibid.Role(m.Role)}
	switch {
	case m.Role == "tool":
		t.Parts = append(t.Parts, ibid.Part{Result: &ibid.ToolResult{Name: m.ToolName, Content: m.Content}})
		return t
	case m.Thinking != "":
		t.Parts = append(t.Parts, ibid.Part{Reasoning: m.Thinking})
	}
	if m.Content != "" {
		t.Parts = append(t.Parts, ibid.Part{Text: m.Content})
	}
	for _, data := range m.Images {
		t.Parts = append(t.Parts, ibid.Part{Image: &ibid.Image{MIME: http.DetectContentType(data), Data: data}})
	}
	for _, c := range m.ToolCalls {
		t.Parts = append(t.Parts, ibid.Part{Call: &ibid.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments}})
	}
	return t
}

func (ollamaWire) refuse(m *ServedModel, name string, body []byte) (int, string) {
	var in ollamaRequest
	json.Unmarshal(body, &in)
	images := false
	for _, msg := range in.Messages {
		images = images || len(msg.Images) > 0
	}
	switch {
	case m == nil:
		return http.StatusNotFound, fmt.Sprintf("model '%s' not found", name)
	case in.Think != nil && *in.Think && !m.can("thinking"):
		return http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", name)
	case len(in.Tools) > 0 && !m.can("tools"):
		return http.StatusBadRequest, "registry.ollama.ai/library/" + name + ":latest does not support tools"
	case images && !m.can("vision"):
		return http.StatusBadRequest, `{"error":{"code":400,"message":"Multimodal data provided, but model does not support multimodal requests.","type":"invalid_request_error"}}`
	}
	return 0, ""
}

func (ollamaWire) errorBody(_ int, message string) string {
	b, _ := json.Marshal(map[string]string{"error": message})
	return string(b)
}

func (ollamaWire) contentType() string { return "application/x-ndjson" }

func (ollamaWire) begin(io.Writer, string) {}

// ollamaLine is one line of a streamed chat.
type ollamaLine struct {
	Model              string        `json:"model"`
	CreatedAt          string        `json:"created_at"`
	Message            ollamaMessage `json:"message"`
	Done               bool          `json:"done"`
	DoneReason         string        `json:"done_reason,omitempty"`
	TotalDuration      int64         `json:"total_duration,omitempty"`
	LoadDuration       int64         `json:"load_duration,omitempty"`
	PromptEvalCount    int           `json:"prompt_eval_count,omitempty"`
	PromptEvalDuration int64         `json:"prompt_eval_duration,omitempty"`
	EvalCount          int           `json:"eval_count,omitempty"`
	EvalDuration       int64         `json:"eval_duration,omitempty"`
}

func writeLine(w io.Writer, v any) {
	b, _ := json.Marshal(v)
	w.Write(append(b, '\n'))
}

func (ollamaWire) piece(w io.Writer, model string, d ibid.ModelDelta) {
	writeLine(w, ollamaLine{Model: model, CreatedAt: ollamaTime,
		Message: ollamaMessage{Role: "assistant", Content: d.Text, Thinking: d.Reasoning}})
}

func (ollamaWire) call(w io.Writer, model string, i int, c ibid.ToolCall) {
	call := ollamaToolCall{ID: c.ID}
	call.Function.Index, call.Function.Name, call.Function.Arguments = i, c.Name, c.Arguments
	writeLine(w, ollamaLine{Model: model, CreatedAt: ollamaTime,
		Message: ollamaMessage{Role: "assistant", ToolCalls: []ollamaToolCall{call}}})
}

func (ollamaWire) finish(w io.Writer, model string, stop ibid.StopReason, _ int, u ibid.Usage, _ []byte) {
	reason := "stop" // also with tool calls
	if stop == ibid.StopLength {
		reason = "length"
	}
	writeLine(w, ollamaLine{Model: model, CreatedAt: ollamaTime, Message: ollamaMessage{Role: "assistant"},
		Done: true, DoneReason: reason, TotalDuration: 794812280, LoadDuration: 3551355,
		PromptEvalCount: u.InputTokens, PromptEvalDuration: 436000, EvalCount: u.OutputTokens, EvalDuration: 787868000})
}

func (o ollamaWire) errorInside(w io.Writer, message string) {
	io.WriteString(w, o.errorBody(0, message))
}

func (ollamaWire) half(w io.Writer, model string) {
	fmt.Fprintf(w, `{"model":%q,"created_at":%q,"message":{"role":"assist`, model, ollamaTime)
}

func (s *ModelServer) ollamaShow(w http.ResponseWriter, body []byte) {
	var in struct{ Model string }
	json.Unmarshal(body, &in)
	m := s.model(in.Model)
	if m == nil {
		s.refuse(w, http.StatusNotFound, fmt.Sprintf("model '%s' not found", in.Model))
		return
	}
	writeLine(w, map[string]any{
		"modelfile": "# Modelfile", "parameters": "temperature 0", "template": "{{ .Prompt }}",
		"details": map[string]any{"family": "llama", "parameter_size": "899K", "format": "gguf"},
		"model_info": map[string]any{"general.architecture": "llama", "llama.context_length": m.ContextLength,
			"llama.embedding_length": EmbedDimensions},
		"capabilities": m.Capabilities, "modified_at": ollamaTime,
	})
}

func (s *ModelServer) ollamaTags(w http.ResponseWriter) {
	var models []map[string]any
	for _, m := range s.Models {
		models = append(models, map[string]any{"name": m.Name + ":latest", "model": m.Name + ":latest",
			"modified_at": ollamaTime, "size": 1813423, "capabilities": m.Capabilities})
	}
	writeLine(w, map[string]any{"models": models})
}

func (s *ModelServer) ollamaEmbed(w http.ResponseWriter, body []byte) {
	var in struct {
		Model    string
		Input    json.RawMessage
		Truncate *bool
	}
	json.Unmarshal(body, &in)
	if s.model(in.Model) == nil {
		s.refuse(w, http.StatusNotFound, fmt.Sprintf("model %q not found, try pulling it first", in.Model))
		return
	}
	vectors, tokens, ok := s.embed(texts(in.Input), in.Truncate == nil || *in.Truncate)
	if !ok {
		s.refuse(w, http.StatusBadRequest, "the input length exceeds the context length")
		return
	}
	writeLine(w, map[string]any{"model": in.Model, "embeddings": vectors,
		"total_duration": 325280851, "load_duration": 281070093, "prompt_eval_count": tokens})
}
