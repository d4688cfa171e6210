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
	cited   map[int]bool // footnote numbers that the answer uses
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
		marks: markReader{citations: map[string]ibid.Citation{}}, cited: map[int]bool{},
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
		v.marks.citations[d.ChunkID] = d.Citation
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
	text = safe(text)
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
		return fmt.Sprintf("· graded: %d fit, %d may fit, %d do not", d.Correct, d.Ambiguous, d.Incorrect)
	case ibid.PassagesReranked:
		return fmt.Sprintf("· put in a new order by %s: %d of %d kept", d.Method, d.OutputCount, d.InputCount)
	case ibid.AnswerVerified:
		if d.ClaimsChecked == 0 {
			return "" // it says that nothing was found
		}
		return fmt.Sprintf("· checked: %d of %d statements are backed by the passages", d.ClaimsSupported, d.ClaimsChecked)
	}
	return ""
}

// say prints one line beside the answer.
func (v *answerView) say(line string) {
	v.breakLine()
	v.within = nothing
	v.note.printf("%s\n", v.note.paint(dim, oneLine(line, v.note.width)))
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
		if p.footnote != 0 {
			v.cited[p.footnote] = true
		}
		text := safe(p.text)
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
			if p.footnote != 0 {
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
	clear(v.cited)
}

func (v *answerView) fail(d ibid.RunFailed) {
	v.breakLine()
	v.within = nothing
	v.note.printf("%s\n", v.note.paint(red, "✗ "+oneLine(d.Message, 0)))
	if d.Hint != "" {
		v.note.printf("  → %s\n", oneLine(d.Hint, 0))
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
		parts = append(parts, count(d.Usage.OutputTokens, "token"))
	}
	return "· " + strings.Join(parts, " · ") + " · " + v.goOn
}

// footnotes lists what the answer cites.
func (v *answerView) footnotes() {
	byNumber := map[int]ibid.Citation{}
	for _, c := range v.marks.citations {
		if v.cited[c.N] {
			byNumber[c.N] = c
		}
	}
	numbers := make([]int, 0, len(byNumber))
	for n := range byNumber {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		v.footnote(byNumber[n])
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
	v.out.printf("\n%s%s\n", v.out.paint(amber, mark), v.out.paint(bold, oneLine(title, max(0, v.out.width-len(mark)))))
	indent := strings.Repeat(" ", len(mark))
	if c.Quote != "" {
		v.out.printf("%s\n", wrap("“"+c.Quote+"”", indent, v.out.width))
	}
	if where := v.where(c); where != "" {
		v.out.printf("%s%s\n", indent, v.out.paint(dim, safe(where)))
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
		v.say(fmt.Sprintf("· stopped in %.0f ms; what was written is kept", r.StoppedInMS))
	}
}
