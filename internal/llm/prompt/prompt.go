// Package prompt has the words for what models are told. A request says in values what
// a model is to do and what it is given (ibid.Brief, the typed parts of ibid.Turn);
// Render writes them as the text that language models read. Nothing else in this
// program has such words, and nobody reads them back.
package prompt

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"ibid"
)

//go:embed prompts/*.md
var files embed.FS

// words are all prompts, by the names that their files define.
var words = template.Must(template.New("").Funcs(template.FuncMap{
	"join":     strings.Join,
	"list":     func(names []string) string { return strings.Join(names, " and ") },
	"none":     func() string { return ibid.NoneAnswers },
	"number":   func(i int) int { return i + 1 },
	"passages": ibid.FormatPassages,
	"quote":    func(s string) string { return fmt.Sprintf("%q", s) },
}).ParseFS(files, "prompts/*.md"))

// Render returns a request in words: its System is what the brief says, and its parts
// are text, reasoning, pictures, calls and results. What is words already stays.
func Render(req ibid.ModelRequest) ibid.ModelRequest {
	b := req.Brief
	if b != nil {
		req.System, req.Brief = system(*b), nil
	}
	turns := make([]ibid.Turn, len(req.Turns))
	for i, t := range req.Turns {
		turns[i] = ibid.Turn{Role: t.Role, Parts: make([]ibid.Part, len(t.Parts))}
		for k, p := range t.Parts {
			turns[i].Parts[k] = part(p, b)
		}
	}
	if req.Turns != nil {
		req.Turns = turns
	}
	return req
}

// Size is how long a request is in words, in bytes, tools and all.
func Size(req ibid.ModelRequest) int {
	req = Render(req)
	n := len(req.System)
	for _, t := range req.Turns {
		for _, p := range t.Parts {
			n += len(p.Text) + len(p.Reasoning)
			if p.Call != nil {
				n += len(p.Call.Name) + len(p.Call.Arguments)
			}
			if p.Result != nil {
				n += len(p.Result.Content)
			}
		}
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return n
}

func system(b ibid.Brief) string {
	said := write(string(b.Instruction), b)
	if b.Instruction == ibid.InstructAnswer {
		said = strings.TrimSpace(said)
	}
	return said
}

// part writes one part. A subject is written by what the brief says to do with it.
func part(p ibid.Part, b *ibid.Brief) ibid.Part {
	switch {
	case p.Question != "":
		return ibid.Part{Text: p.Question}
	case p.Past != nil:
		return ibid.Part{Text: past(*p.Past)}
	case p.File != nil:
		return ibid.Part{Text: file(*p.File)}
	case p.Findings != nil:
		return ibid.Part{Text: write("findings", p.Findings)}
	case p.Note != nil:
		return ibid.Part{Text: note(*p.Note)}
	case p.Picture != nil:
		return ibid.Part{Text: write("picture", p.Picture)}
	case p.Subject != nil && b != nil:
		return ibid.Part{Text: write("subject "+string(b.Instruction), p.Subject)}
	}
	return p
}

// note writes what the agent says. What stands behind the question in its turn begins
// a paragraph.
func note(n ibid.Note) string {
	switch n.Instruction {
	case ibid.InstructPlan:
		return "\n\n" + write("plan", n)
	case ibid.InstructHeed:
		var said string
		if n.Standalone != "" || len(n.SubQueries) > 0 {
			said += "\n\n" + strings.TrimSpace(write("analysis", n))
		}
		if n.Scope != nil {
			said += "\n\n" + write("limits", n)
		}
		if len(n.Tools) > 0 {
			said += "\n\n" + write("uses", n)
		}
		return said
	}
	return write(string(n.Instruction), n)
}

// file writes a file that came with the question. Nothing in it can end its element,
// nor pass for a passage that can be cited.
func file(f ibid.AttachedFile) string {
	attributes, body := fmt.Sprintf("name=%q", f.Name), ""
	switch {
	case f.Handle != "":
		attributes += fmt.Sprintf(" type=%q", f.MIME)
		body = ibid.FormatResult(f.Handle) + "\n"
	case len(f.Passages) > 0:
		body = ibid.FormatPassages(f.Passages)
	case f.Text != "":
		body = strings.ReplaceAll(f.Text, "<passage", "<\u200bpassage") + "\n"
	default:
		attributes += fmt.Sprintf(" type=%q id=%q", f.MIME, f.ID)
		body = write("unread file", nil)
	}
	return fmt.Sprintf("\n\n<attachment %s>\n%s</attachment>", attributes, strings.ReplaceAll(body, "</attachment", "</ attachment"))
}

// write fills a prompt in. It fails only where a prompt and the value it is given do
// not belong together; TestEveryInstruction writes all of them.
func write(name string, data any) string {
	var b strings.Builder
	if err := words.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("prompt %q: %v", name, err))
	}
	return b.String()
}
