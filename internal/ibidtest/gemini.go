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

// GeminiServer serves the replies over Google's generateContent until the test
// ends.
func GeminiServer(t testing.TB, replies ...Reply) *ModelServer {
	return serve(t, newModelServer(geminiWire{}, NewScript(replies...)), "/v1beta")
}

// geminiWire follows Google's description of its protocol.
type geminiWire struct{}

type geminiWirePart struct {
	Text             string `json:"text"`
	ThoughtSignature string `json:"thoughtSignature"`
	InlineData       *struct {
		MIMEType string `json:"mimeType"`
		Data     string `json:"data"`
	} `json:"inlineData"`
	FunctionCall *struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
	} `json:"functionResponse"`
}

type geminiWireContent struct {
	Role  string           `json:"role"`
	Parts []geminiWirePart `json:"parts"`
}

type geminiWireRequest struct {
	SystemInstruction geminiWireContent   `json:"systemInstruction"`
	Contents          []geminiWireContent `json:"contents"`
	Tools             []struct {
		FunctionDeclarations []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	GenerationConfig struct {
		MaxOutputTokens    int             `json:"maxOutputTokens"`
		ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
		ThinkingConfig     *struct {
			IncludeThoughts bool `json:"includeThoughts"`
			ThinkingBudget  *int `json:"thinkingBudget"`
		} `json:"thinkingConfig"`
	} `json:"generationConfig"`
}

func (geminiWire) decode(path string, body []byte) (string, ibid.ModelRequest, bool, error) {
	var in geminiWireRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return "", ibid.ModelRequest{}, false, err
	}
	name, method, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	req := ibid.ModelRequest{Think: ibid.ThinkAuto, Schema: in.GenerationConfig.ResponseJSONSchema, MaxTokens: in.GenerationConfig.MaxOutputTokens}
	if think := in.GenerationConfig.ThinkingConfig; think != nil {
		req.Think = ibid.ThinkOff
		if think.IncludeThoughts {
			req.Think = ibid.ThinkOn
		}
	}
	for _, p := range in.SystemInstruction.Parts {
		req.System += p.Text
	}
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			req.Tools = append(req.Tools, ibid.ToolSpec{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
		}
	}
	for _, c := range in.Contents {
		role, known := map[string]ibid.Role{"user": ibid.RoleUser, "model": ibid.RoleAssistant}[c.Role]
		if !known {
			return name, req, false, fmt.Errorf("please use a valid role: user, model")
		}
		turn := ibid.Turn{Role: role}
		for _, p := range c.Parts {
			part, err := p.part()
			if err != nil {
				return name, req, false, err
			}
			if part.Result != nil {
				turn.Role = ibid.RoleTool
			}
			turn.Parts = append(turn.Parts, part)
		}
		req.Turns = append(req.Turns, turn)
	}
	return name, req, method == "streamGenerateContent", nil
}

func (p geminiWirePart) part() (ibid.Part, error) {
	switch {
	case p.InlineData != nil:
		data, err := base64.StdEncoding.DecodeString(p.InlineData.Data)
		return ibid.Part{Image: &ibid.Image{MIME: p.InlineData.MIMEType, Data: data}}, err
	case p.FunctionCall != nil:
		return ibid.Part{Call: &ibid.ToolCall{Name: p.FunctionCall.Name, Arguments: p.FunctionCall.Args}}, nil
	case p.FunctionResponse != nil:
		return ibid.Part{Result: &ibid.ToolResult{Name: p.FunctionResponse.Name, Content: p.FunctionResponse.Response["result"]}}, nil
	}
	return ibid.Part{Text: p.Text}, nil
}

func (geminiWire) refuse(m *ServedModel, name string, body []byte) (int, string) {
	var in geminiWireRequest
	json.Unmarshal(body, &in)
	think := in.GenerationConfig.ThinkingConfig
	switch {
	case m == nil:
		return http.StatusNotFound, fmt.Sprintf("models/%s is not found for API version v1beta", name)
	case think != nil && think.IncludeThoughts && !m.can("thinking"):
		return http.StatusBadRequest, "Thinking is not enabled for models/" + name
	case len(in.Tools) > 0 && !m.can("tools"):
		return http.StatusBadRequest, name + " does not support tools"
	case bytes.Contains(body, []byte(`"inlineData"`)) && !m.can("vision"):
		return http.StatusBadRequest, "image input is not supported by this model"
	}
	return 0, ""
}

func (geminiWire) errorBody(status int, message string) string {
	word := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}[status]
	if word == "" {
		word = "INTERNAL"
	}
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"code": status, "message": message, "status": word}})
	return string(b)
}

func (geminiWire) contentType() string { return "text/event-stream" }

func geminiSend(w io.Writer, model, finish string, usage map[string]int, parts ...any) {
	candidate := map[string]any{"index": 0}
	if len(parts) > 0 {
		candidate["content"] = map[string]any{"role": "model", "parts": parts}
	}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	chunk := map[string]any{"candidates": []any{candidate}, "modelVersion": model, "responseId": "scripted"}
	if usage != nil {
		chunk["usageMetadata"] = usage
	}
	b, _ := json.Marshal(chunk)
	fmt.Fprintf(w, "data: %s\r\n\r\n", b)
}

func (geminiWire) begin(io.Writer, string) {}

func (geminiWire) piece(w io.Writer, model string, d ibid.ModelDelta) {
	if d.Reasoning != "" {
		geminiSend(w, model, "", nil, map[string]any{"text": d.Reasoning, "thought": true})
		return
	}
	geminiSend(w, model, "", nil, map[string]any{"text": d.Text})
}

// call sends a call; the first of a turn carries a signature.
func (geminiWire) call(w io.Writer, model string, i int, c ibid.ToolCall) {
	part := map[string]any{"functionCall": map[string]any{"name": c.Name, "args": c.Arguments}}
	if i == 0 {
		part["thoughtSignature"] = "sig+/=" + c.Name
	}
	geminiSend(w, model, "", nil, part)
}

func (geminiWire) finish(w io.Writer, model string, stop ibid.StopReason, _ int, u ibid.Usage, _ []byte) {
	reason := "STOP"
	if stop == ibid.StopLength {
		reason = "MAX_TOKENS"
	}
	geminiSend(w, model, reason, map[string]int{"promptTokenCount": u.InputTokens, "candidatesTokenCount": u.OutputTokens, "cachedContentTokenCount": u.CachedTokens,
		"totalTokenCount": u.InputTokens + u.OutputTokens}, map[string]any{"text": ""})
}

func (g geminiWire) errorInside(w io.Writer, message string) {
	fmt.Fprintf(w, "data: %s\r\n\r\n", g.errorBody(http.StatusServiceUnavailable, message))
}

func (geminiWire) half(w io.Writer, _ string) {
	fmt.Fprint(w, `data: {"candidates":[{"content":{"parts":[{"te`)
}

// geminiModel answers GET /v1beta/models/{name}.
func (s *ModelServer) geminiModel(w http.ResponseWriter, path string) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	m := s.model(name)
	if m == nil {
		s.refuse(w, http.StatusNotFound, "models/"+name+" is not found")
		return
	}
	writeLine(w, map[string]any{"name": "models/" + m.Name, "inputTokenLimit": m.ContextLength, "outputTokenLimit": 8192, "thinking": m.can("thinking")})
}
