package reader

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/question"
	"ibid/internal/text"
)

// contrast answers a question about two documents whose texts stand in the
// prompt: what each says about it, then the topics that both have. ok is false
// when there are not two.
func (r *Reader) contrast(q string, ps []ibid.Handled) (answer string, ok bool) {
	titles, byTitle := titled(ps)
	if len(titles) != 2 {
		return "", false
	}
	asked := withoutNames(q, titles)
	if !question.Asks(asked) {
		return r.sideBySide(titles, byTitle), true
	}
	var b strings.Builder
	found := false
	for _, title := range titles {
		quotes := r.closest(asked, byTitle[title])
		if len(quotes) == 0 {
			fmt.Fprintf(&b, "**%s** says nothing about it that I can find.\n\n", title)
			continue
		}
		found = true
		fmt.Fprintf(&b, "**%s** says:\n\n", title)
		for _, q := range quotes {
			p := byTitle[title][q.passage]
			fmt.Fprintf(&b, "> “%s”%s\n\n", q.text(p), footnote(p))
		}
	}
	if both := r.shared(byTitle[titles[0]], byTitle[titles[1]]); len(both) > 0 {
		fmt.Fprintf(&b, "Both speak of: %s.", strings.Join(both, ", "))
		found = true
	}
	return strings.TrimSpace(b.String()), found
}

// sideBySide says what each of two documents says, where nothing more is asked.
func (r *Reader) sideBySide(titles []string, byTitle map[string][]ibid.Handled) string {
	var b strings.Builder
	for _, title := range titles {
		r.gist(&b, title, byTitle[title])
	}
	if both := r.shared(byTitle[titles[0]], byTitle[titles[1]]); len(both) > 0 {
		fmt.Fprintf(&b, "Both speak of: %s.", strings.Join(both, ", "))
	}
	return strings.TrimSpace(b.String())
}

// maxPerSide is how many quotations each of two documents is given.
const maxPerSide = 2

// closest quotes what comes closest to a question in one document, however
// little that is, as long as some of the question is in it.
func (r *Reader) closest(question string, ps []ibid.Handled) []quotation {
	ranked := choose(question, ps)
	if len(ranked) == 0 || ranked[0].Coverage < leastCovered {
		return nil
	}
	quotes := pick(ranked, ps)
	return quotes[:min(len(quotes), maxPerSide)]
}

// withoutNames takes the names of documents and the words of comparing out of a
// question, so that what is left is what to look for.
func withoutNames(asked string, titles []string) string {
	s := asked
	if a, b, ok := question.ComparedNames(s); ok && short(a) && short(b) {
		s = strings.NewReplacer(a, " ", b, " ").Replace(s) // what they are called here
	}
	for _, title := range titles {
		s = regexp.MustCompile(`(?i)`+regexp.QuoteMeta(title)).ReplaceAllString(s, " ")
	}
	for _, name := range slices.Backward(text.FileNames(s)) {
		s = s[:name.Start] + " " + s[name.End:]
	}
	s = question.WithoutComparing(s)
	return strings.Join(strings.Fields(s), " ")
}

// short reports whether some words may be no more than what a document is called.
func short(s string) bool {
	n := len(strings.Fields(s))
	return n == 1 || n == 2
}

// shared returns the topics of both texts.
func (r *Reader) shared(a, b []ibid.Handled) []string {
	first, second := r.read("", joined(a)), r.read("", joined(b))
	an := r.analyzer(joined(a))
	in := map[string]bool{}
	for _, t := range second.topics {
		in[strings.Join(an.Terms(t), " ")] = true
	}
	var both []string
	for _, t := range first.topics {
		if in[strings.Join(an.Terms(t), " ")] {
			both = append(both, t)
		}
	}
	return both
}

func joined(ps []ibid.Handled) string {
	var b strings.Builder
	for _, p := range ps {
		b.WriteString(p.Text)
		b.WriteString("\n\n")
	}
	return b.String()
}

// passageFence is a passage as ibid.FormatPassages writes it.
var passageFence = regexp.MustCompile(`(?s)<passage [^>]*>\n.*?\n</passage>\n?`)

// reading shows what a tool that reads whole documents said, and gives each
// sentence that stands in one of its passages the footnote of that passage.
func (r *Reader) reading(content string) string {
	passages := ibid.ParsePassages(content)
	said := strings.TrimSpace(passageFence.ReplaceAllString(content, ""))
	var fields map[string]any
	if json.Unmarshal([]byte(said), &fields) == nil {
		said = markdown(fields)
	}
	if said == "" {
		return r.summary(passages)
	}
	var b strings.Builder
	for i, line := range strings.Split(said, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(r.withFootnotes(labelled(line), passages))
	}
	return strings.TrimSpace(b.String())
}

// label is the name of a part of an analysis at the start of its line.
var label = regexp.MustCompile(`^(Summary|Topics|Entities|Key facts):`)

// labelled sets the parts of an analysis apart.
func labelled(line string) string {
	if label.MatchString(line) {
		return "\n" + label.ReplaceAllString(line, "**$1:**") + strings.Repeat("\n", strings.Count(line, "Key facts:"))
	}
	return line
}

// minFootnoted is the number of words from which on a sentence can be told to be
// a passage's own.
const minFootnoted = 5

// withFootnotes puts the footnote of a passage after each sentence of it.
func (r *Reader) withFootnotes(line string, passages []ibid.Handled) string {
	var b strings.Builder
	end := 0
	for _, span := range text.Sentences(line) {
		s := line[span.Start:span.End]
		b.WriteString(line[end:span.End])
		end = span.End
		if len(strings.Fields(s)) < minFootnoted {
			continue
		}
		for _, p := range passages {
			if p.Handle != "" && strings.Contains(bare(p.Text), bare(s)) {
				b.WriteString(footnote(p))
				break
			}
		}
	}
	return b.String() + line[end:]
}

// marks are what a sentence may be dressed up with.
var marks = strings.NewReplacer("“", "", "”", "", "\"", "", "*", "", ">", "", "- ", " ")

// bare reduces a text to its words, for comparing.
func bare(s string) string {
	s = sourceMarks.ReplaceAllString(s, "")
	s = label.ReplaceAllString(strings.TrimLeft(marks.Replace(s), " "), "")
	return strings.Join(strings.Fields(s), " ")
}
