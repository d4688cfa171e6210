// Package tool holds what the model may ask for. To search: search_knowledge_base,
// search_keywords, search_propositions, search_hypothetical and search_graph.
// To read: read, read_around, analyze_document, compare_documents and
// view_chunk_image. To find the way: list_documents, list_contents, find and
// get_info. To ask databases: describe_database and query_database. To reckon:
// calculator and current_time. Each is one Go file with its
// description for the model beside it.
//
// Arguments come from a model and are data: whatever is wrong with them becomes
// an output that says so, never an error. A document outside the scope of the
// run does not exist for any tool. Tools keep nothing between calls and are safe
// for concurrent use.
package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid"
	"ibid/internal/text"
	"ibid/internal/tool/param"
)

// complaint is an error for the model, which can correct what it has asked for, or
// explain.
type complaint = param.Error

func complain(format string, args ...any) error { return complaint(fmt.Sprintf(format, args...)) }

// Refuse makes an output of what param.Read finds wrong, or of another complaint,
// which the model can correct; any other error stays one.
func Refuse(err error) (ibid.ToolOutput, error) {
	if c := complaint(""); errors.As(err, &c) {
		return failed("%s", c), nil
	}
	return ibid.ToolOutput{}, err
}

// detail is one argument, or several, as people see it while the tool works.
func detail(raw json.RawMessage, names ...string) string {
	shown := param.Texts(raw, names...)
	for i, s := range shown {
		shown[i] = line(s, 160)
	}
	return strings.Join(shown, " · ")
}

// failed is an output that tells the model what it can mend or must explain.
func failed(format string, args ...any) ibid.ToolOutput {
	message := text.Clip(fmt.Sprintf(format, args...), ibid.MaxToolOutput)
	return ibid.ToolOutput{Content: defuse(message), Summary: line(message, 200), Failed: true}
}

// defuse breaks passage fences in what a tool says itself, so that neither a
// file name nor a model's words can pass for a passage with a handle.
func defuse(s string) string {
	return strings.NewReplacer("<passage", "<\u200bpassage", "</passage", "<\u200b/passage").Replace(s)
}

// room returns as many of the passages, from the first, as fit into so many
// bytes when they are written for the model.
func room(passages []ibid.Passage, bytes int) []ibid.Passage {
	for i, p := range passages {
		bytes -= len(ibid.FormatPassages([]ibid.Handled{handled("c0000", p)}))
		if bytes < 0 {
			return passages[:i]
		}
	}
	return passages
}

// handled is a passage under a handle of our choice.
func handled(handle string, p ibid.Passage) ibid.Handled {
	h := ibid.Handled{Handle: handle, Title: title(p.Document), Heading: strings.Join(p.Heading, " > "),
		Category: p.Document.Category, Text: p.Text, Score: p.Score}
	if len(p.Pages) > 0 {
		h.Page = p.Pages[0]
	}
	return h
}

// title is what a document is called before people: its title, else its name.
func title(d ibid.Document) string {
	if t := line(d.Title, 200); t != "" {
		return t
	}
	return line(d.Name, 200)
}

// line puts s on one line of at most limit bytes, without control characters.
func line(s string, limit int) string {
	if len(s) > 8*limit {
		s = text.Clip(s, 8*limit) // what follows would not be seen anyway
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= limit {
		return s
	}
	return strings.TrimSpace(text.Clip(s, limit-len("…"))) + "…"
}

// count is "1 passage", "7 passages".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// some is count, or, where there are more than n, "more than 1000 passages".
func some(n int, exact bool, noun string) string {
	if !exact {
		return "more than " + count(n, noun)
	}
	return count(n, noun)
}
