package llm

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"ibid"
)

// geminiDialect is Google's own protocol
// (https://ai.google.dev/api/generate-content).
func geminiDialect() Dialect {
	return Dialect{
		Name: "gemini", Form: "gemini:MODEL", Server: "Gemini", Base: "https://generativelanguage.googleapis.com/v1beta",
		Key:    Key{Env: "GEMINI_API_KEY", Host: "generativelanguage.googleapis.com", Header: "X-Goog-Api-Key", Encrypted: true},
		Absent: "is there a connection to the internet?",

		Model: func(name string) string { return strings.TrimPrefix(name, "models/") },
		Endpoint: func(model string) string {
			return "/models/" + url.PathEscape(model) + ":streamGenerateContent?alt=sse"
		},
		Thinking: geminiThinking,
		Body:     geminiBody,
		Read:     func() Reader { return &geminiReader{} },
		Refusals: Refusals{
			Final:    []string{"does not support tools", "image input", "api key"},
			Schema:   []string{"schema", "mime"},
			Thinking: []string{"think", "budget"},
		},
		Capabilities: func(info json.RawMessage) ibid.Capabilities {
			var told struct {
				Input    int   `json:"inputTokenLimit"`
				Thinking *bool `json:"thinking"`
			}
			_ = json.Unmarshal(info, &told) // what it does not say is taken to be possible
			return ibid.Capabilities{Thinking: told.Thinking == nil || *told.Thinking, Tools: true, Images: true, ContextTokens: told.Input}
		},

		embed: func(cfg Config, s spec) (ibid.Embedder, error) { return newGeminiEmbedder(cfg, s) },
	}
}

// geminiThinking lists the ways to say what is wanted, the clearest first. The last
// says nothing. Some models cannot be kept from thinking, only from much of it.
func geminiThinking(t ibid.Think) []any {
	switch t {
	case ibid.ThinkOn:
		return []any{map[string]any{"includeThoughts": true}, nil}
	case ibid.ThinkOff:
		return []any{map[string]any{"thinkingBudget": 0}, map[string]any{"thinkingLevel": "minimal"}, map[string]any{"thinkingLevel": "low"}, nil}
	}
	return []any{nil}
}

// geminiBody writes a request.
func geminiBody(req Asked) any {
	generation := map[string]any{}
	if req.Thinking != nil {
		generation["thinkingConfig"] = req.Thinking
	}
	if req.MaxTokens > 0 {
		generation["maxOutputTokens"] = req.MaxTokens
	}
	if len(req.Schema) > 0 {
		generation["responseMimeType"], generation["responseJsonSchema"] = "application/json", req.Schema
	}
	body := map[string]any{"generationConfig": generation, "contents": geminiContents(req)}
	if req.System != "" {
		body["systemInstruction"] = map[string]any{"parts": []any{map[string]any{"text": req.System}}}
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

// geminiContents writes the turns.
func geminiContents(req Asked) []geminiTurn {
	var out []geminiTurn
	last := req.LastQuestion()
	for i, t := range req.Turns {
		c := geminiTurn{Role: "user", Parts: req.Replayed(i, geminiCall)}
		if t.Role == ibid.RoleAssistant {
			c.Role = "model"
		}
		if c.Parts == nil {
			// The newest models insist on a signature for the first call of a turn.
			c.Parts = geminiPartsOf(t, i > last && strings.HasPrefix(req.Model, "gemini-3"))
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

// geminiPartsOf writes a turn. unsigned says that its first call needs a signature.
func geminiPartsOf(t ibid.Turn, unsigned bool) []any {
	var parts []any
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
func (p *geminiParts) add(raw json.RawMessage, a *Assembler) error {
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
		a.AddCall(piece.Call.ID, piece.Call.Name, piece.Call.Args)
	case piece.Thought:
		a.AddReasoning(piece.Text)
	default:
		a.AddText(piece.Text)
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

// geminiReader reads the stream up to its end, and insists on a finishReason.
type geminiReader struct {
	parts   geminiParts
	blocked string // why the question itself was refused
	finish  string
}

// Event implements Reader.
func (r *geminiReader) Event(data []byte, a *Assembler) error {
	var c geminiChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if len(c.Error) > 0 {
		return ServerError(data)
	}
	if u := c.Usage; u.Prompt > 0 {
		a.Usage.InputTokens, a.Usage.CachedTokens = u.Prompt, u.Cached
		a.Usage.OutputTokens, a.Usage.ReasoningTokens = u.Answer+u.Thoughts, u.Thoughts
	}
	if r.blocked = c.Feedback.BlockReason; r.blocked != "" {
		return ErrEnd
	}
	if len(c.Candidates) == 0 {
		return nil
	}
	for _, raw := range c.Candidates[0].Content.Parts {
		if err := r.parts.add(raw, a); err != nil {
			return err
		}
	}
	if reason := c.Candidates[0].FinishReason; reason != "" {
		r.finish = reason
	}
	return nil
}

// End implements Reader.
func (r *geminiReader) End(a *Assembler) Ending {
	end := Ending{Complete: r.finish != ""}
	switch r.finish {
	case "", "STOP", "FINISH_REASON_UNSPECIFIED", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL": // without text these are empty turns
	case "MAX_TOKENS":
		end.Length = true
	default:
		if a.Empty() {
			end.Withheld = withheld(r.finish)
		}
	}
	if r.blocked != "" {
		end.Withheld = withheld(r.blocked)
	}
	end.Replay = r.parts.signed()
	return end
}

// withheld says that the provider keeps an answer back.
func withheld(why string) string { return fmt.Sprintf("withheld its answer: %.60s", why) }
