package llm

import (
	"encoding/json"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"ibid"
)

// openAIForm is which of the fields that not every server knows are sent. It
// starts with all of them, and loses those that are refused.
type openAIForm struct {
	think   uint8 // step of thinkSteps
	format  uint8 // formatSchema, formatObject, formatPrompt
	noUsage bool  // without stream_options
	newMax  bool  // max_completion_tokens for max_tokens
}

// How a schema is asked for.
const (
	formatSchema = iota
	formatObject
	formatPrompt
)

// without returns a form without what a refusal is about. ok is false when
// there is nothing left to leave out.
func (d openAIForm) without(said apiError, thinkSteps int, schema bool) (simpler openAIForm, ok bool) {
	switch {
	case said.overflow(), said.mentions("does not support tools", "multimodal", "image input"):
		return d, false
	case said.mentions("max_completion_tokens") && !d.newMax:
		d.newMax = true
	case said.mentions("stream_options") && !d.noUsage:
		d.noUsage = true
	case said.mentions("response_format", "json_schema", "json schema", "grammar") && schema && d.format < formatPrompt:
		d.format++
	case int(d.think)+1 < thinkSteps:
		d.think++
	case schema && d.format < formatPrompt:
		d.format++
	default:
		return d, false
	}
	return d, true
}

// thinkStep is one way to ask for thinking, or for none.
type thinkStep struct {
	effort   string // reasoning_effort
	template *bool  // chat_template_kwargs.enable_thinking, for llama.cpp, vLLM, SGLang
}

// vendor is what differs between servers that speak chat completions.
type vendor struct {
	host string // of its own servers
	// think lists the ways to say how much thinking is wanted, the clearest first.
	// The last says nothing.
	think  func(ibid.Think) []thinkStep
	newMax bool // max_completion_tokens for max_tokens from the first request on
}

// vendors are those that are known by their host.
func vendors() []vendor {
	return []vendor{
		// OpenAI refuses fields that it does not know.
		{host: "api.openai.com", newMax: true, think: func(t ibid.Think) []thinkStep {
			switch t {
			case ibid.ThinkOn:
				return []thinkStep{{effort: "medium"}, {}}
			case ibid.ThinkOff:
				return []thinkStep{{effort: "none"}, {effort: "minimal"}, {effort: "low"}, {}}
			}
			return []thinkStep{{}}
		}},
	}
}

// vendorOf returns the vendor of a host; of one that is not known what most servers
// take.
func vendorOf(host string) vendor {
	for _, v := range vendors() {
		if v.host == host {
			return v
		}
	}
	return vendor{think: func(t ibid.Think) []thinkStep {
		yes, no := true, false
		switch t {
		case ibid.ThinkOn:
			return []thinkStep{{effort: "medium", template: &yes}, {template: &yes}, {}}
		case ibid.ThinkOff:
			return []thinkStep{{effort: "none", template: &no}, {template: &no}, {}}
		}
		return []thinkStep{{}}
	}}
}

// params turns a request into the client's terms, and options for fields that
// the client does not know.
func (m *openAI) params(req ibid.ModelRequest, d openAIForm) (openai.ChatCompletionNewParams, []option.RequestOption) {
	p := openai.ChatCompletionNewParams{Model: m.model}
	var extra []option.RequestOption
	if !d.noUsage {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	switch {
	case req.MaxTokens > 0 && (m.vendor.newMax || d.newMax):
		p.MaxCompletionTokens = openai.Int(int64(req.MaxTokens))
	case req.MaxTokens > 0:
		p.MaxTokens = openai.Int(int64(req.MaxTokens))
	}
	step := m.vendor.think(req.Think)[d.think]
	if step.effort != "" {
		p.ReasoningEffort = shared.ReasoningEffort(step.effort)
	}
	if step.template != nil {
		extra = append(extra, option.WithJSONSet("chat_template_kwargs", map[string]any{"enable_thinking": *step.template}))
	}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, openAITool(t))
	}
	system := req.System
	if len(req.Schema) > 0 {
		p.ResponseFormat = responseFormat(req.Schema, d.format)
		if d.format != formatSchema {
			system = askForJSON(system, req.Schema)
		}
	}
	if system != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(system))
	}
	lastUser := lastUserTurn(req.Turns)
	for i, t := range req.Turns {
		p.Messages = append(p.Messages, m.messages(t, i > lastUser)...)
	}
	return p, extra
}

func openAITool(t ibid.ToolSpec) openai.ChatCompletionToolUnionParam {
	f := shared.FunctionDefinitionParam{Name: t.Name, Description: openai.String(t.Description)}
	if json.Unmarshal(t.Parameters, &f.Parameters) != nil || f.Parameters == nil {
		f.Parameters = shared.FunctionParameters{"type": "object", "properties": map[string]any{}}
	}
	return openai.ChatCompletionFunctionTool(f)
}

func responseFormat(schema json.RawMessage, format uint8) openai.ChatCompletionNewParamsResponseFormatUnion {
	switch format {
	case formatSchema:
		return openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: schema}}}
	case formatObject:
		return openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONObject: &shared.ResponseFormatJSONObjectParam{}}
	}
	return openai.ChatCompletionNewParamsResponseFormatUnion{}
}

// messages turns a turn into messages; each tool result is one of its own.
func (m *openAI) messages(t ibid.Turn, current bool) []openai.ChatCompletionMessageParamUnion {
	switch t.Role {
	case ibid.RoleTool:
		var out []openai.ChatCompletionMessageParamUnion
		for _, p := range t.Parts {
			if p.Result != nil {
				out = append(out, openai.ToolMessage(p.Result.Content, p.Result.CallID))
			}
		}
		return out
	case ibid.RoleAssistant:
		return m.assistant(t, current)
	}
	if !slices.ContainsFunc(t.Parts, func(p ibid.Part) bool { return p.Image != nil }) {
		return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(t.Text())}
	}
	var parts []openai.ChatCompletionContentPartUnionParam
	for _, p := range t.Parts {
		switch {
		case p.Image != nil:
			parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: dataURL(p.Image)}))
		case p.Text != "":
			parts = append(parts, openai.TextContentPart(p.Text))
		}
	}
	return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(parts)}
}

// assistant writes a turn of the model's own. Thinking goes back to the model it
// came from, in the field it came in, within the work on the current question
// only: some models insist on it between tool calls.
func (m *openAI) assistant(t ibid.Turn, current bool) []openai.ChatCompletionMessageParamUnion {
	var msg openai.ChatCompletionAssistantMessageParam
	for _, c := range t.Calls() {
		msg.ToolCalls = append(msg.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{ID: c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: string(c.Arguments)}}})
	}
	text := t.Text()
	if text == "" && len(msg.ToolCalls) == 0 {
		return nil
	}
	if text != "" {
		msg.Content.OfString = param.NewOpt(text)
	}
	for _, p := range t.Parts {
		var from reasoningOrigin
		if current && p.Reasoning != "" && p.Provider == m.Name() && json.Unmarshal(p.Opaque, &from) == nil &&
			slices.Contains(reasoningFields, from.Field) {
			msg.SetExtraFields(map[string]any{from.Field: p.Reasoning})
		}
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &msg}}
}

func dataURL(img *ibid.Image) string {
	return "data:" + mimeOf(img) + ";base64," + base64Of(img)
}
