package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
	"ibid/internal/text"
	"ibid/internal/tool/param"
)

//go:embed compare_documents.md
var compareDescription string

var compareDocuments = Info{
	Name: "compare_documents", Kind: ibid.ToolDocument, Description: compareDescription, Parameters: param.Schema(compareDocumentsArguments{}),
	Doing: "Comparing documents", Done: "Compared documents", Verb: "compared documents",
}

type compareDocumentsArguments struct {
	A        string `json:"doc_a" about:"file name or title of the first document"`
	B        string `json:"doc_b" about:"file name or title of the second document"`
	Question string `json:"question" about:"what to compare"`
}

// CompareDocuments has the model answer a question from two documents.
type CompareDocuments struct {
	library  Library
	searcher Searcher
	model    ibid.Model
}

// NewCompareDocuments returns the tool. The searcher finds the passages of each
// document that the question is about.
func NewCompareDocuments(library Library, searcher Searcher, model ibid.Model) *CompareDocuments {
	return &CompareDocuments{library, searcher, model}
}

// Spec tells the model about the tool.
func (t *CompareDocuments) Spec() ibid.ToolSpec { return compareDocuments.Spec() }

// Detail is both names and the question.
func (t *CompareDocuments) Detail(args json.RawMessage) string {
	return detail(args, "doc_a", "doc_b", "question")
}

// side is one of the two documents.
type side struct {
	document ibid.Document
	text     ibid.Extract
	passages []ibid.Passage // best first
}

// Call finds both documents in the scope of the run, and compares them.
func (t *CompareDocuments) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args compareDocumentsArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	wanted := [2]string{args.A, args.B}
	var sides [2]side
	for i, argument := range []string{"doc_a", "doc_b"} {
		var err error
		if sides[i].document, err = documentNamed(ctx, view, t.library, env.Scope, wanted[i]); err != nil {
			if c := complaint(""); errors.As(err, &c) {
				return failed("%s: %v", argument, err), nil
			}
			return ibid.ToolOutput{}, err
		}
	}
	if sides[0].document.ID == sides[1].document.ID {
		return failed("doc_a and doc_b are the same document, %s", title(sides[0].document)), nil
	}
	for i := range sides {
		s := &sides[i]
		var err error
		if s.text, err = read(ctx, view, t.library, s.document); err != nil {
			return Refuse(err)
		}
		s.passages = best(ctx, view, t.searcher, env.Scope, s.document, args.Question)
	}
	return t.compare(ctx, sides, args.Question)
}

func (t *CompareDocuments) compare(ctx context.Context, sides [2]side, question string) (ibid.ToolOutput, error) {
	brief := ibid.Brief{Instruction: ibid.InstructCompare}
	places := map[string]string{}
	for i, handle := range []string{"a", "b"} {
		sheets, all := sides[i].sheets(handle)
		shown := ibid.ShownDocument{Title: title(sides[i].document), Passages: sheets}
		if !all {
			shown.Headings = headings(sides[i].text)
		}
		brief.Documents = append(brief.Documents, shown)
		for _, sheet := range sheets {
			places[sheet.Handle] = placeOf(sheet)
		}
	}
	said, res, err := ask(ctx, t.model, ibid.ModelRequest{Brief: &brief, MaxTokens: 1200,
		Turns: []ibid.Turn{ibid.About(ibid.Subject{Question: question})}})
	a, b := sides[0].document, sides[1].document
	if err == nil && said == "" {
		err = fmt.Errorf("the model said nothing")
	}
	if err != nil {
		return gaveUp(ctx, err, res.Usage, "compare "+title(a)+" with "+title(b))
	}
	content := fmt.Sprintf("%s compared with %s:\n%s", line(a.Name, 200), line(b.Name, 200), nameSources(said, places))
	if res.StopReason == ibid.StopLength {
		content += "\n(cut off at the model's length limit)"
	}
	content = text.Clip(defuse(content), ibid.MaxToolOutput/2)
	passages := room(search.Alternating(sides[0].passages, sides[1].passages), ibid.MaxToolOutput-len(content))
	return ibid.ToolOutput{
		Content:  content,
		Summary:  fmt.Sprintf("%s and %s, %s", title(a), title(b), count(len(passages), "passage")),
		Passages: passages,
		Usage:    res.Usage,
	}, ctx.Err()
}

// sheets is what the model reads of a document: all of it where there is room,
// else its best passages and its beginning. all reports which.
func (s side) sheets(handle string) (sheets []ibid.Handled, all bool) {
	const limit = maxReading / 2
	if sheet, all := beginning(handle+"1", s.document, s.text, limit); all {
		return []ibid.Handled{sheet}, true
	}
	left := limit
	for _, p := range room(s.passages, limit*3/4) {
		sheets = append(sheets, handled(fmt.Sprintf("%s%d", handle, len(sheets)+1), p))
		left -= len(p.Text)
	}
	sheet, _ := beginning(fmt.Sprintf("%s%d", handle, len(sheets)+1), s.document, s.text, left)
	return append(sheets, sheet), false
}

// placeOf names a passage in words. Brackets would look like a footnote.
func placeOf(h ibid.Handled) string {
	name := strings.NewReplacer("[", "(", "]", ")").Replace(h.Title)
	if h.Page > 0 {
		return fmt.Sprintf("%s, p. %d", name, h.Page)
	}
	return name
}

var sourceMarker = regexp.MustCompile(`\[[ab]\d{1,2}(?:[,; ]+[ab]\d{1,2})*\]`)

// nameSources puts names for the handles of the inner call, which mean nothing
// outside of it. Handles that were never given go.
func nameSources(s string, places map[string]string) string {
	return sourceMarker.ReplaceAllStringFunc(s, func(marker string) string {
		var named []string
		for _, handle := range strings.FieldsFunc(strings.Trim(marker, "[]"), func(r rune) bool { return strings.ContainsRune(",; ", r) }) {
			if place := places[handle]; place != "" {
				named = append(named, place)
			}
		}
		if named == nil {
			return ""
		}
		return "(" + strings.Join(named, "; ") + ")"
	})
}
