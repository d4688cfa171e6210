package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/text"
	"ibid/internal/tool/param"
)

//go:embed analyze_document.md
var analyzeDescription string

var analyzeDocument = Info{
	Name: "analyze_document", Kind: ibid.ToolDocument, Description: analyzeDescription, Parameters: param.Schema(analyzeDocumentArguments{}),
	Doing: "Reading a document", Done: "Read a document", Verb: "analysed a document",
}

type analyzeDocumentArguments struct {
	Filename string `json:"filename" about:"file name or title of the document"`
}

// AnalyzeDocument has the model read one document and tell what is in it.
type AnalyzeDocument struct {
	library  Library
	searcher Searcher
	model    ibid.Model
}

// NewAnalyzeDocument returns the tool. The searcher finds the passages that
// statements of the analysis can be cited from.
func NewAnalyzeDocument(library Library, searcher Searcher, model ibid.Model) *AnalyzeDocument {
	return &AnalyzeDocument{library, searcher, model}
}

// Spec tells the model about the tool.
func (t *AnalyzeDocument) Spec() ibid.ToolSpec { return analyzeDocument.Spec() }

// Detail is the name of the document.
func (t *AnalyzeDocument) Detail(args json.RawMessage) string { return detail(args, "filename") }

// Call finds the document in the scope of the run, and reads it.
func (t *AnalyzeDocument) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args analyzeDocumentArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	d, err := documentNamed(ctx, view, t.library, env.Scope, args.Filename)
	if err != nil {
		return Refuse(err)
	}
	x, err := read(ctx, view, t.library, d)
	if err != nil {
		return Refuse(err)
	}
	return t.analyze(ctx, view, d, x, env.Scope)
}

var analysisSchema = json.RawMessage(`{
"type":"object",
"properties":{
 "summary":{"type":"string"},
 "topics":{"type":"array","items":{"type":"string"}},
 "entities":{"type":"array","items":{"type":"string"}},
 "key_facts":{"type":"array","items":{"type":"string"}}},
"required":["summary","topics","entities","key_facts"],
"additionalProperties":false}`)

func (t *AnalyzeDocument) analyze(ctx context.Context, view access.View, d ibid.Document, x ibid.Extract, scope ibid.Scope) (ibid.ToolOutput, error) {
	sheet, all := beginning("doc", d, x, maxReading)
	shown, extent := ibid.ShownDocument{Title: title(d), Passages: []ibid.Handled{sheet}}, "the whole text"
	if !all {
		shown.Headings = headings(x)
		extent = fmt.Sprintf("the headings and the first %d %% of the text", max(1, 100*len(sheet.Text)/len(x.Text)))
	}
	said, res, err := ask(ctx, t.model, ibid.ModelRequest{
		Brief:  &ibid.Brief{Instruction: ibid.InstructAnalyze, Documents: []ibid.ShownDocument{shown}},
		Schema: analysisSchema, MaxTokens: 1500, Turns: []ibid.Turn{ibid.About(ibid.Subject{Title: title(d)})},
	})
	what := "analyse " + title(d)
	if err != nil {
		return gaveUp(ctx, err, res.Usage, what)
	}
	a, err := parseAnalysis(said)
	if err != nil {
		return gaveUp(ctx, err, res.Usage, what)
	}
	content := text.Clip(defuse(fmt.Sprintf("Analysis of %s, from %s:\n%s", line(d.Name, 200), extent, a)), ibid.MaxToolOutput/2)
	return ibid.ToolOutput{
		Content:  content,
		Summary:  fmt.Sprintf("%s: %s, %s", title(d), count(len(a.Topics), "topic"), count(len(a.KeyFacts), "key fact")),
		Passages: room(best(ctx, view, t.searcher, scope, d, a.query(d)), ibid.MaxToolOutput-len(content)),
		Usage:    res.Usage,
	}, ctx.Err()
}

// analysis is what the model makes of a document.
type analysis struct {
	Summary  phrase  `json:"summary"`
	Topics   phrases `json:"topics"`
	Entities phrases `json:"entities"`
	KeyFacts phrases `json:"key_facts"`
}

// parseAnalysis reads the model's JSON. A model that cannot write any has at
// least summed up.
func parseAnalysis(said string) (analysis, error) {
	var a analysis
	start, end := strings.IndexByte(said, '{'), strings.LastIndexByte(said, '}')
	if start < 0 && said != "" {
		return analysis{Summary: phrase(line(said, 3000))}, nil
	}
	if start < 0 || end < start || json.Unmarshal([]byte(said[start:end+1]), &a) != nil {
		return a, fmt.Errorf("the model's analysis is not readable")
	}
	if a.Summary == "" && len(a.Topics)+len(a.Entities)+len(a.KeyFacts) == 0 {
		return a, fmt.Errorf("the model's analysis is empty")
	}
	return a, nil
}

// String writes the analysis for the model.
func (a analysis) String() string {
	var b strings.Builder
	if a.Summary != "" {
		fmt.Fprintf(&b, "Summary: %s\n", a.Summary)
	}
	if len(a.Topics) > 0 {
		fmt.Fprintf(&b, "Topics: %s\n", strings.Join(a.Topics, "; "))
	}
	if len(a.Entities) > 0 {
		fmt.Fprintf(&b, "Entities: %s\n", strings.Join(a.Entities, "; "))
	}
	if len(a.KeyFacts) > 0 {
		fmt.Fprintf(&b, "Key facts:\n- %s\n", strings.Join(a.KeyFacts, "\n- "))
	}
	return b.String()
}

// query finds the passages that back the analysis.
func (a analysis) query(d ibid.Document) string {
	if len(a.KeyFacts) > 0 {
		return strings.Join(a.KeyFacts, " ")
	}
	return string(a.Summary) + " " + strings.Join(a.Topics, " ") + " " + title(d)
}

// phrase is a text that models may write as something else.
type phrase string

// UnmarshalJSON takes a text; of a list its members, of an object its values
// that are texts, of anything else how it is written.
func (p *phrase) UnmarshalJSON(raw []byte) error {
	var s string
	var list phrases
	var object map[string]any
	switch {
	case json.Unmarshal(raw, &s) == nil:
	case raw[0] == '[' && json.Unmarshal(raw, &list) == nil:
		s = strings.Join(list, " ")
	case json.Unmarshal(raw, &object) == nil:
		for _, key := range []string{"name", "text", "fact", "topic", "entity", "title", "description", "value"} {
			if v, ok := object[key].(string); ok {
				s = v
				break
			}
		}
	default:
		s = string(raw)
	}
	*p = phrase(line(s, 3000))
	return nil
}

// phrases is a list of texts, bounded.
type phrases []string

// maxPhrases bounds each list of an analysis.
const maxPhrases = 12

// UnmarshalJSON takes a list, or one text for a list of one.
func (p *phrases) UnmarshalJSON(raw []byte) error {
	var list []phrase
	if json.Unmarshal(raw, &list) != nil {
		var one phrase
		if err := one.UnmarshalJSON(raw); err != nil {
			return err
		}
		list = []phrase{one}
	}
	*p = nil
	for _, s := range list {
		if s != "" && len(*p) < maxPhrases {
			*p = append(*p, line(string(s), 400))
		}
	}
	return nil
}
