package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed read.md
var readDescription string

var readDocument = Info{
	Name: "read", Kind: ibid.ToolRead, Description: readDescription, Parameters: param.Schema(readDocumentArguments{}),
	Doing: "Reading", Done: "Read",
}

type readDocumentArguments struct {
	Document string `json:"document" about:"file name or title"`
	Section  string `json:"section,omitempty" about:"a heading of a long document"`
	Page     int    `json:"page,omitempty" minimum:"1" about:"a page of a long document"`
}

// Read shows a document to the model: whole where it is short, else what it is
// made of, and the part that is asked for.
type Read struct {
	library Library
	chunks  Chunks
	whole   int // tokens
}

// NewRead returns the tool. Documents of up to whole tokens are shown whole, as
// far as one output holds them.
func NewRead(library Library, chunks Chunks, whole int) *Read { return &Read{library, chunks, whole} }

// bytesPerToken is how much text a token is, roughly, in the languages of
// Europe.
const bytesPerToken = 4

// Spec tells the model about the tool.
func (t *Read) Spec() ibid.ToolSpec { return readDocument.Spec() }

// Detail is the document and the section.
func (t *Read) Detail(args json.RawMessage) string {
	return detail(args, "document", "section", "page")
}

// Call finds the document in the scope of the run, and reads what is asked for.
func (t *Read) Call(ctx context.Context, view access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args readDocumentArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	d, err := documentNamed(ctx, view, t.library, env.Scope, args.Document)
	if err != nil {
		return Refuse(err)
	}
	x, err := read(ctx, view, t.library, d)
	if err != nil {
		return Refuse(err)
	}
	passages, err := passagesOf(ctx, view, t.chunks, d)
	if err != nil {
		return ibid.ToolOutput{}, err
	}
	switch {
	case args.Section != "":
		return t.section(d, x, passages, args.Section), nil
	case args.Page > 0:
		return t.page(d, passages, args.Page), nil
	case len(x.Text) <= t.whole*bytesPerToken && len(room(passages, readRoom)) == len(passages):
		return ibid.ToolOutput{Content: defuse(fmt.Sprintf("This is the whole of %s.", title(d))),
			Summary: title(d) + ": the whole of it", Passages: passages}, nil
	}
	return t.overview(d, x, passages), nil
}

// readRoom is what an output keeps for passages beside what is said about them.
const readRoom = ibid.MaxToolOutput - 400

// part shows some passages of a document, as many as fit.
func (t *Read) part(d ibid.Document, what string, passages []ibid.Passage) ibid.ToolOutput {
	fit := room(passages, readRoom)
	out := ibid.ToolOutput{Passages: fit, Content: fmt.Sprintf("This is %s of %s.", what, title(d)),
		Summary: fmt.Sprintf("%s: %s", title(d), what)}
	if left := len(passages) - len(fit); left > 0 {
		out.Content = fmt.Sprintf("This is the beginning of %s of %s; passages that did not fit: %d. read_around with the last passage goes on.",
			what, title(d), left)
		out.Summary += ", the beginning"
	}
	out.Content = defuse(out.Content)
	return out
}

func (t *Read) page(d ibid.Document, passages []ibid.Passage, page int) ibid.ToolOutput {
	switch on := onPage(passages, page); {
	case len(on) > 0:
		return t.part(d, fmt.Sprintf("page %d", page), on)
	case d.Pages == 0:
		return failed("%s has no pages; ask for a section", title(d))
	case page > d.Pages:
		return failed("%s has %s", title(d), count(d.Pages, "page"))
	}
	return failed("there is no text on page %d of %s", page, title(d))
}

// section shows what stands under a heading and the headings below it.
func (t *Read) section(d ibid.Document, x ibid.Extract, passages []ibid.Passage, wanted string) ibid.ToolOutput {
	normal := normalize(wanted)
	rules := []func(heading string) bool{
		func(h string) bool { return h == normal },
		func(h string) bool { return strings.HasPrefix(h, normal) },
		func(h string) bool { return strings.Contains(h, normal) },
	}
	for _, fits := range rules {
		var under []ibid.Passage
		for _, p := range passages {
			path := append(slices.Clone(p.Heading), strings.Join(p.Heading, " > "))
			if slices.ContainsFunc(path, func(h string) bool { return fits(normalize(h)) }) {
				under = append(under, p)
			}
		}
		if len(under) > 0 && normal != "" {
			return t.part(d, fmt.Sprintf("the section %q", line(wanted, 120)), under)
		}
	}
	headings := outline(d, x)
	if headings == "" {
		return failed("%s has no headings; read it by page, or search it", title(d))
	}
	return failed("%s has no section %q. %s", title(d), line(wanted, 120), headings)
}

// overview says what a long document is made of, and how it begins.
func (t *Read) overview(d ibid.Document, x ibid.Extract, passages []ibid.Passage) ibid.ToolOutput {
	headings := outline(d, x)
	var b strings.Builder
	fmt.Fprintf(&b, "%s is too long to be shown whole (some %d tokens", defuse(title(d)), len(x.Text)/bytesPerToken)
	if d.Pages > 0 {
		fmt.Fprintf(&b, ", %s", count(d.Pages, "page"))
	}
	b.WriteString("). Above is its beginning. ")
	switch {
	case headings != "":
		b.WriteString("Call read again with one of its sections.\n" + headings)
	case d.Pages > 0:
		b.WriteString("Call read again with a page, or search it.")
	default:
		b.WriteString("read_around with the last passage goes on; search_knowledge_base finds what you need sooner.")
	}
	return ibid.ToolOutput{Content: b.String(), Summary: title(d) + ": what it is made of", Passages: room(passages, 4000)}
}
