package ibid

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
)

// ToolSpec is what a model is told about a tool.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON schema of an object

	// What models are not told.
	Kind ToolKind `json:"-"`
	// Shows names the argument that holds what the model writes in a language of the
	// same name ("sql"), so that it is shown while it is written; empty: none.
	Shows string `json:"-"`
}

// ToolKind says what a tool is for. Code that treats some tools differently asks for
// their kind, not for their names, so that a new tool is treated like its kind.
type ToolKind string

// Kinds of tools. A tool may be of a kind of its own: then nothing special is done
// about it.
const (
	ToolSearch    ToolKind = "search"    // finds passages of the library by its argument "query"; also takes "limit"
	ToolDocument  ToolKind = "document"  // lists documents, or says something about whole ones
	ToolBrowse    ToolKind = "browse"    // finds the way in the library
	ToolRead      ToolKind = "read"      // reads on in what has been found
	ToolGraph     ToolKind = "graph"     // follows names from passage to passage
	ToolDatabase  ToolKind = "database"  // asks attached databases
	ToolWeb       ToolKind = "web"       // asks the web
	ToolCalculate ToolKind = "calculate" // does sums; its argument is "expression"
	ToolClock     ToolKind = "clock"     // tells the time
	ToolProgram   ToolKind = "program"   // runs a model's program
	ToolPicture   ToolKind = "picture"   // makes a picture
)

// ToolCall is a model's wish to use a tool.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// ToolResult is what a model is told a tool said.
type ToolResult struct {
	CallID  string `json:"call_id"`
	Name    string `json:"name"`
	Content string `json:"content"`
	Failed  bool   `json:"failed,omitempty"`
}

// ToolOutput is what a tool gives back to the agent: the text the model reads,
// and what only people and the log see.
type ToolOutput struct {
	Content  string    // what the model reads; at most MaxToolOutput bytes go into the log and the prompt
	Summary  string    // one line for people: "7 passages from 3 documents"
	Failed   bool      // the call failed in a way the model can correct or explain
	Passages []Passage // citable; the agent hands out handles and writes them before Content
	// Cite makes the result itself citable where it is no passage of a document:
	// a sum, a list of documents, a picture of a page. See FormatResult.
	Cite  *Passage
	Usage Usage    // of model calls the tool made itself
	Page  *PageRef // a page to be shown to the model as a picture, after Content

	Retrieval *Retrieval        // set by tools that search, also when they found nothing
	Reranked  *PassagesReranked // set by tools whose passages were put in a new order
	Table     *Table            // set by tools that query a database
	Sources   []Source          // pages of the web that were found
	Files     []File            // pictures that were made; shown under the answer
}

// Table is what a database answered to a query, bounded.
type Table struct {
	Query     string     `json:"query"` // the SQL that ran
	Columns   []string   `json:"columns"`
	Rows      [][]string `json:"rows"`                // as many cells as columns each
	Truncated bool       `json:"truncated,omitempty"` // there were more rows
}

// ToolEnv is what a tool is told about the run that calls it. A document outside
// Scope does not exist for the tool.
type ToolEnv struct {
	Scope               Scope
	Request             Request
	Now                 time.Time
	Shown               []Citation // the passages that the model was shown before this round
	ThreadID, MessageID string     // the conversation, and the answer that is being written
	Told                []string   // what the user and the sources have said before this round, and where pages lie that tools found
}

// PageRef names a page of a version of a document, or a picture of the
// conversation.
type PageRef struct {
	DocumentID string `json:"document_id,omitempty"`
	Version    string `json:"version,omitempty"`
	Page       int    `json:"page,omitempty"`
	File       string `json:"file,omitempty"` // "<message id>:<n>"; the rest is empty then
}

// MaxToolOutput bounds what one tool call adds to the log and the prompt, in
// bytes (16 KiB).
const MaxToolOutput = 16 << 10

// FormatResult is the last line of a tool's output that can be cited itself: it
// tells the model the handle of the result.
func FormatResult(handle string) string { return "<result id=\"" + attribute(handle) + "\"/>" }

var resultLine = regexp.MustCompile(`\n?<result id="([^"\n]*)"/>\s*$`)

// ParseResult takes the line that FormatResult wrote off the end of a tool's
// output; the handle is "" where there is none.
func ParseResult(output string) (content, handle string) {
	at := resultLine.FindStringSubmatchIndex(output)
	if at == nil {
		return output, ""
	}
	return output[:at[0]], output[at[2]:at[3]]
}

// Handled is a passage with the short handle ("c3") that the model knows it by.
type Handled struct {
	Handle   string
	Title    string
	Page     int // 0 where there is none
	Heading  string
	Category string
	Text     string
	Score    float64
}

// FormatPassages writes passages as the model reads them: fenced, so that what
// a document says is told apart from what we say. Fences inside the text are
// defused.
func FormatPassages(ps []Handled) string {
	var b strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&b, "<passage id=%q document=%q", p.Handle, attribute(p.Title))
		if p.Page > 0 {
			fmt.Fprintf(&b, " page=\"%d\"", p.Page)
		}
		if p.Heading != "" {
			fmt.Fprintf(&b, " heading=%q", attribute(p.Heading))
		}
		fmt.Fprintf(&b, " score=\"%.3f\">\n%s\n</passage>\n", p.Score, fenceDefuser.Replace(p.Text))
	}
	return b.String()
}

// NoneAnswers stands under passages of which none seems to answer.
const NoneAnswers = "[None of these passages seems to answer the question. If they do not, say that the documents do not answer it.]"

// AsShown returns a passage with what FormatPassages makes of its title, its heading
// and its score, for models that read no words: all of them are shown the same.
func (h Handled) AsShown() Handled {
	h.Title, h.Heading, h.Category = attribute(h.Title), attribute(h.Heading), ""
	h.Score = math.Round(h.Score*1000) / 1000
	return h
}

// A zero-width space breaks a fence inside a document without changing what a
// reader sees.
var (
	fenceDefuser = strings.NewReplacer("<passage", "<\u200bpassage", "</passage", "<\u200b/passage")
	fenceRestore = strings.NewReplacer("<\u200bpassage", "<passage", "<\u200b/passage", "</passage")
)

func attribute(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"' || r == '\\' || r == '<' || r == '>':
			return '\''
		case r < ' ' || r == 0x7f || r == 0xfffd:
			return ' '
		}
		return r
	}, s)
}

// ParsePassages reads back what FormatPassages wrote, skipping anything else.
func ParsePassages(s string) []Handled {
	var ps []Handled
	for {
		i := strings.Index(s, "<passage ")
		if i < 0 {
			return ps
		}
		s = s[i+len("<passage "):]
		head, rest, ok := strings.Cut(s, ">\n")
		if !ok {
			return ps
		}
		body, after, ok := strings.Cut(rest, "\n</passage>")
		if !ok {
			body, after = rest, ""
		}
		p := Handled{Text: fenceRestore.Replace(body)}
		for head != "" {
			name, tail, ok := strings.Cut(head, "=\"")
			if !ok {
				break
			}
			value, more, ok := strings.Cut(tail, "\"")
			if !ok {
				break
			}
			switch strings.TrimSpace(name) {
			case "id":
				p.Handle = value
			case "document":
				p.Title = value
			case "heading":
				p.Heading = value
			case "page":
				fmt.Sscan(value, &p.Page)
			case "score":
				fmt.Sscan(value, &p.Score)
			}
			head = more
		}
		ps = append(ps, p)
		s = after
	}
}
