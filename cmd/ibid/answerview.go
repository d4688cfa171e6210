package main

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ibid"
	"ibid/internal/say"
)

// answerView shows a run while it happens: thinking and steps on one stream,
// the answer and its footnotes on the other.
type answerView struct {
	out  *terminal // the answer
	note *terminal // everything else
	json bool      // out gets the events as they are

	goOn     string                         // command line that goes on with the thread
	sourceOf func(documentID string) string // path or URL a document came from, "" when unknown

	marks   markReader
	found   []ibid.Citation // what was found
	notes   []ibid.Citation // the footnotes, by number
	cited   map[int]bool    // numbers that stand in the answer
	answer  strings.Builder
	status  ibid.Status
	within  section
	newline bool // the note stream stands at the start of a line
}

// section is what is being written.
type section int

const (
	nothing section = iota
	thinking
	answering
)

func newAnswerView(out, note *terminal) *answerView {
	return &answerView{
		out: out, note: note, newline: true,
		marks: markReader{placed: map[int][]int{}, found: map[string]bool{}}, cited: map[int]bool{},
	}
}

// event shows the next event of the run.
func (v *answerView) event(l logged) error {
	if end, ok := l.event.Data.(ibid.RunFinished); ok {
		v.status = end.Status
	}
	if v.json {
		_, err := v.out.w.Write(append(l.raw, '\n'))
		return err
	}
	switch d := l.event.Data.(type) {
	case ibid.ReasoningDelta:
		v.think(d.Text)
	case ibid.CitationAdded:
		v.found = append(v.found, d.Citation)
		v.marks.found[d.ChunkID] = true
	case ibid.CitationPlaced:
		v.notes = ibid.Place(v.notes, v.found, d)
		v.marks.place(d.Marker, d.N)
	case ibid.AnswerVerified:
		for _, line := range doubts(d) {
			v.say("· " + line)
		}
	case ibid.AnswerDelta:
		v.write(v.marks.push(d.Text))
	case ibid.AnswerRetracted:
		v.retract(d.Reason)
	case ibid.RunFailed:
		v.fail(d)
	case ibid.RunFinished:
		v.finish(d.Finished)
	default:
		if line := stepLine(d); line != "" {
			v.say(line)
		}
	}
	return nil
}

// think shows a piece of the model's thinking.
func (v *answerView) think(text string) {
	if v.within != thinking {
		v.breakLine()
		text = strings.TrimLeft(text, " \n")
	}
	text = say.Safe(text)
	if text == "" {
		return
	}
	v.within = thinking
	v.note.printf("%s", v.note.paint(dim, text))
	v.newline = strings.HasSuffix(text, "\n")
}

// stepLine is the line for an event that is neither thinking nor answer, ""
// for those that are not shown.
func stepLine(data ibid.EventData) string {
	switch d := data.(type) {
	case ibid.RunStarted:
		if d.Attempt > 1 {
			return fmt.Sprintf("· another process goes on with the answer (attempt %d)", d.Attempt)
		}
	case ibid.RunQueued:
		return fmt.Sprintf("· waiting for a free place (position %d)", d.Position)
	case ibid.QueryAnalyzed:
		if d.Decomposed {
			return "· in parts: " + strings.Join(d.SubQueries, " · ")
		}
	case ibid.CacheChecked:
		if d.Hit {
			return "· answered before: " + d.OriginalQuery
		}
	case ibid.ToolStarted:
		return strings.TrimSuffix(fmt.Sprintf("→ %s: %s", d.Tool, d.Detail), ": ")
	case ibid.ToolFinished:
		if !d.OK {
			return fmt.Sprintf("✗ %s: %s (%d ms)", d.Tool, cmp.Or(d.Error, d.Summary), d.DurationMS)
		}
		return fmt.Sprintf("✓ %s: %s (%d ms)", d.Tool, d.Summary, d.DurationMS)
	case ibid.PassagesGraded:
		if d.Action == "re-retrieve" {
			return "· nothing fits well; looking further"
		}
	case ibid.PassagesReranked:
		return fmt.Sprintf("· put in a new order by %s: %d of %d kept", d.Method, d.OutputCount, d.InputCount)
	}
	return ""
}

// doubts says what the sources do not bear out, a line for each kind of doubt, the
// worst first. Where all is well it says nothing.
func doubts(d ibid.AnswerVerified) []string {
	counts := map[ibid.SupportDegree]int{}
	for _, c := range d.Details {
		counts[supportOf(c)]++
	}
	if len(d.Details) == 0 {
		counts[ibid.SupportNotFound], counts[ibid.SupportPartly] = d.ClaimsUnsupported, d.ClaimsPartiallySupported
	}
	var lines []string
	for _, kind := range []struct {
		degree    ibid.SupportDegree
		one, many string
	}{
		{ibid.SupportContradicted, "statement is contradicted by the sources", "statements are contradicted by the sources"},
		{ibid.SupportNotFound, "statement could not be found in the sources", "statements could not be found in the sources"},
		{ibid.SupportPartly, "statement is backed only in part", "statements are backed only in part"},
	} {
		switch n := counts[kind.degree]; {
		case n == 1:
			lines = append(lines, "1 "+kind.one)
		case n > 1:
			lines = append(lines, strconv.Itoa(n)+" "+kind.many)
		}
	}
	return lines
}

// supportOf says how far the sources bear a statement out; answers of older versions
// have only the coarse verdict.
func supportOf(c ibid.Claim) ibid.SupportDegree {
	switch {
	case c.Support != "":
		return c.Support
	case c.Verdict == "SUPPORTED":
		return ibid.SupportFull
	case c.Verdict == "PARTIALLY_SUPPORTED":
		return ibid.SupportPartly
	}
	return ibid.SupportNotFound
}

// say prints one line beside the answer.
func (v *answerView) say(line string) {
	v.breakLine()
	v.within = nothing
	v.note.printf("%s\n", v.note.paint(dim, say.OneLine(line, v.note.width)))
}

// breakLine brings what is written next to the start of a line.
func (v *answerView) breakLine() {
	if v.within == answering && v.out.tty {
		if !strings.HasSuffix(v.answer.String(), "\n") {
			v.out.printf("\n")
		}
	}
	if !v.newline {
		v.note.printf("\n")
		v.newline = true
	}
}

// write shows a piece of the answer. Only a terminal sees it at once: a file or
// a pipe gets the answer when it is done, so it never holds text that was
// taken back.
func (v *answerView) write(pieces []piece) {
	for _, p := range pieces {
		for _, n := range p.notes {
			v.cited[n] = true
		}
		text := say.Safe(p.text)
		if text == "" {
			continue
		}
		if v.within != answering {
			v.breakLine()
			if v.out.tty {
				v.out.printf("\n")
			}
		}
		v.within = answering
		v.answer.WriteString(text)
		if v.out.tty {
			if p.notes != nil {
				text = v.out.paint(amber, text)
			}
			v.out.printf("%s", text)
		}
	}
}

func (v *answerView) retract(reason string) {
	v.say("· the answer so far is void and starts again: " + reason)
	v.answer.Reset()
	v.marks.reset()
	v.notes = nil
	clear(v.cited)
}

func (v *answerView) fail(d ibid.RunFailed) {
	v.breakLine()
	v.within = nothing
	v.note.printf("%s\n", v.note.paint(red, "✗ "+say.OneLine(d.Message, 0)))
	if d.Hint != "" {
		v.note.printf("  → %s\n", say.OneLine(d.Hint, 0))
	}
}

func (v *answerView) finish(d ibid.Finished) {
	v.write(v.marks.rest())
	if v.out.tty {
		v.breakLine()
	} else if text := strings.TrimRight(v.answer.String(), "\n"); text != "" {
		v.breakLine()
		v.out.printf("%s\n", text)
	}
	v.within = nothing
	v.footnotes()
	v.say(v.lastLine(d))
}

// lastLine sums the run up.
func (v *answerView) lastLine(d ibid.Finished) string {
	took := (time.Duration(d.Timing.TotalMS) * time.Millisecond).Round(10 * time.Millisecond)
	parts := []string{string(d.Status), took.String()}
	if d.Usage.OutputTokens > 0 {
		parts = append(parts, say.Count(d.Usage.OutputTokens, "token"))
	}
	return "· " + strings.Join(parts, " · ") + " · " + v.goOn
}

// footnotes lists what the answer cites, by number.
func (v *answerView) footnotes() {
	byNumber := func(a, b ibid.Citation) int { return cmp.Compare(a.N, b.N) }
	for _, c := range slices.SortedFunc(slices.Values(v.notes), byNumber) {
		if v.cited[c.N] {
			v.footnote(c)
		}
	}
}

func (v *answerView) footnote(c ibid.Citation) {
	mark := fmt.Sprintf("[%d] ", c.N)
	title := cmp.Or(c.Title, strings.Join(c.Path, "/"))
	if len(c.Pages) > 0 {
		title += ", page " + strconv.Itoa(c.Pages[0])
	}
	if c.Heading != "" {
		title += " — " + c.Heading
	}
	v.out.printf("\n%s%s\n", v.out.paint(amber, mark), v.out.paint(bold, say.OneLine(title, max(0, v.out.width-len(mark)))))
	indent := strings.Repeat(" ", len(mark))
	if c.Query != "" && c.Query != c.Quote {
		v.out.printf("%s\n", wrap(c.Query, indent, v.out.width))
	}
	if c.Quote != "" {
		v.out.printf("%s\n", wrap("“"+c.Quote+"”", indent, v.out.width))
	}
	if where := v.where(c); where != "" {
		v.out.printf("%s%s\n", indent, v.out.paint(dim, say.Safe(where)))
	}
}

// where is a URL that opens the cited source: the document itself, at its page,
// since that works without a server too.
func (v *answerView) where(c ibid.Citation) string {
	if c.Kind == ibid.SourceWeb {
		return c.URL
	}
	source := v.sourceOf(c.DocumentID)
	if !filepath.IsAbs(source) {
		return source
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(source)}
	if len(c.Pages) > 0 {
		u.Fragment = "page=" + strconv.Itoa(c.Pages[0])
	}
	return u.String()
}

func (v *answerView) noteStopped(r stopResult) {
	switch {
	case ibid.CodeOf(r.err) == ibid.CodeNotFound:
		v.say("· the answer had ended before it could be stopped")
	case r.err != nil:
		v.say("✗ it could not be stopped: " + r.err.Error())
	default:
		v.say(fmt.Sprintf("· stopped in %d ms; what was written is kept", r.StoppedInMS))
	}
}
