package reader

import (
	"fmt"
	"strings"

	"ibid/internal/question"
)

// planInWords says in a few sentences what the reader is going to do.
func (r *Reader) planInWords(t task) string {
	m := r.decide(t, func(string) bool { return true })
	if s := r.planOfData(t); s != "" && m.tool == toolSearch {
		return s
	}
	switch {
	case m.tool == "":
	case t.asksForAttached():
		return "What came with the question is asked about as a whole. I will read it through and pick out its main points."
	case m.tool == toolSearch && t.aboutAttached():
		return "The question is about a file of this conversation. I will read it and quote the sentences that fit best."
	}
	switch m.tool {
	case "":
		return "This needs no document, so I answer it directly."
	case toolCalculate:
		return fmt.Sprintf("This is arithmetic, so no document is needed. I will calculate %s.", m.args[0])
	case toolTime:
		return "The question is about the present moment. I will look at the clock."
	case toolList:
		if m.lookup {
			return "A document seems to be asked about as a whole. I will look up what the documents are called, and then read the right one."
		}
		return "The question is about the library itself. I will list its documents."
	case toolCompare:
		return fmt.Sprintf("Two documents are to be set side by side: “%s” and “%s”. I will compare them on this question.", m.args[0], m.args[1])
	case toolAnalyze:
		return fmt.Sprintf("One document is asked about as a whole: “%s”. I will read it through and pick out its main points.", m.args[0])
	}
	return r.planOfSearch(t, m)
}

func (r *Reader) planOfSearch(t task, m move) string {
	if len(m.queries) > 1 {
		return fmt.Sprintf("The message asks %d things, so I search for each: “%s”. I will quote what answers each of them best.",
			len(m.queries), strings.Join(m.queries, "”, “"))
	}
	var b strings.Builder
	b.WriteString(expectation[question.KindOf(t.question)])
	if words := question.ContentWords(t.question); len(words) > 0 {
		fmt.Fprintf(&b, " Key terms: %s.", strings.Join(words, ", "))
	}
	if m.follows != "" {
		fmt.Fprintf(&b, " It leans on what was asked before, so I add: %s.", m.follows)
	}
	fmt.Fprintf(&b, " I will search the documents for “%s” and quote the sentences that fit best.", m.queries[0])
	return b.String()
}

// expectation says what sort of answer a question asks for.
var expectation = map[question.Kind]string{
	question.KindAny:    "The question asks for a passage that speaks about it directly.",
	question.KindPerson: "The question asks for a person or an organisation.",
	question.KindPlace:  "The question asks for a place.",
	question.KindTime:   "The question asks for a point in time.",
	question.KindNumber: "The question asks for a number or an amount.",
	question.KindReason: "The question asks for a reason.",
	question.KindName:   "The question asks for a name.",
	question.KindDefine: "The question asks what something is.",
}
