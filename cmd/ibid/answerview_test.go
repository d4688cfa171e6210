package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/ibidtest"
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		ibidtest.WriteFile(t, path, got)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); go test -update writes it anew:\n%s", path, diff)
	}
}

// warrantyRun is a run with everything in it that a terminal shows.
func warrantyRun() []ibid.Event {
	citation := func(n int, chunk, quote string) ibid.CitationAdded {
		return ibid.CitationAdded{Citation: ibid.Citation{
			N: n, ChunkID: chunk, DocumentID: "d1", Title: "Warranty terms", Path: []string{"terms", "warranty.pdf"},
			Pages: []int{12, 13}, Heading: "Duration", Quote: quote,
		}}
	}
	// The footnote stands at the marker's place in the text, the nth of its kind.
	const text = "It lasts two years – [d1-aaa][d1-ccc], see list[0] and [link](x).\x1b[31m\n\nIt begins with delivery [d1-aaa]."
	placed := func(n int, chunk string, nth int, quote string) ibid.CitationPlaced {
		marker, from := 0, 0
		for range nth {
			marker = from + strings.Index(text[from:], "["+chunk+"]")
			from = marker + 1
		}
		return ibid.CitationPlaced{
			N: n, ChunkID: chunk, DocumentID: "d1", Pages: []int{11 + n}, Quote: quote, Kind: ibid.CitedPassage, Marker: marker, Support: ibid.SupportQuoted,
		}
	}
	return ibidtest.LogOf(
		ibid.RunStarted{MessageID: "m1", ThreadID: "t1", Attempt: 1},
		ibid.QueryAnalyzed{Query: "how long?", Decomposed: true, SubQueries: []string{"how long", "from when"}},
		ibid.ReasoningDelta{Text: "\nThe question asks for a period. "},
		ibid.ReasoningDelta{Text: "I search for it."},
		ibid.ToolStarted{CallID: "c1", Tool: "search_knowledge_base", Detail: "warranty period", Iteration: 1},
		ibid.ToolFinished{CallID: "c1", Tool: "search_knowledge_base", OK: true, Summary: "2 passages from 1 document", DurationMS: 12},
		ibid.ToolStarted{CallID: "c2", Tool: "calculator", Detail: "2 /", Iteration: 1},
		ibid.ToolFinished{CallID: "c2", Tool: "calculator", Error: "a number is missing after /", DurationMS: 1},
		citation(1, "d1-aaa", "The warranty lasts two years from the day of delivery, whatever the seller may have said to the buyer."),
		citation(2, "d1-bbb", "Not cited."),
		citation(3, "d1-ccc", "Evil \x1b[2Jquote"),
		ibid.AnswerStarted{Model: "reader", ContextChunks: 3},
		ibid.PassagesGraded{Correct: 2, Action: "proceed"},
		ibid.CitationPlaced{N: 1, ChunkID: "d1-bbb", DocumentID: "d1", Quote: "Withdrawn.", Marker: len("It is three years ")},
		ibid.AnswerDelta{Text: "It is three years [d1-b"},
		ibid.AnswerRetracted{Reason: "the model's connection broke"},
		placed(1, "d1-aaa", 1, "The warranty lasts two years from the day of delivery"),
		ibid.AnswerDelta{Text: text[:27]},
		placed(2, "d1-ccc", 1, "Evil \x1b[2Jquote"),
		ibid.AnswerDelta{Text: text[27:70]},
		placed(1, "d1-aaa", 2, "The warranty lasts two years from the day of delivery"),
		placed(3, "d1-aaa", 2, "the day of delivery"),
		ibid.AnswerDelta{Text: text[70:]},
		ibid.AnswerVerified{ClaimsChecked: 3, ClaimsSupported: 1, Confidence: .5, Details: []ibid.Claim{
			{Verdict: "SUPPORTED", Support: ibid.SupportQuoted},
			{Verdict: "UNSUPPORTED", Support: ibid.SupportNotFound},
			{Verdict: "UNSUPPORTED"},
			{Verdict: "UNSUPPORTED", Support: ibid.SupportContradicted},
			{Verdict: "PARTIALLY_SUPPORTED"},
		}},
		ibid.UnknownEvent{Type: "from.the.future", Raw: json.RawMessage(`{}`)},
		ibid.RunFinished{Finished: ibid.Finished{
			Status: ibid.StatusCompleted, Usage: ibid.Usage{OutputTokens: 42}, Timing: ibid.Timing{TotalMS: 1234},
		}},
	)
}

// screen shows a run as one terminal, or two streams, of the given kind would.
func screen(t *testing.T, events []ibid.Event, out, notes *terminal, json bool) {
	t.Helper()
	v := newAnswerView(out, notes)
	v.json = json
	v.goOn = "ibid ask --thread t1"
	v.sourceOf = func(id string) string { return map[string]string{"d1": "/home/me/terms/warranty 1.pdf"}[id] }
	for i, line := range ibidtest.Lines(t, events) {
		if err := v.event(logged{[]byte(strings.TrimSuffix(line, "\n")), events[i]}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAskOnATerminal(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	tty := &terminal{w: &b, tty: true, colour: true, width: 60}
	screen(t, warrantyRun(), tty, tty, false)
	golden(t, "ask-terminal.txt", strings.ReplaceAll(b.String(), "\x1b", "␛"))
}

func TestAskWithoutATerminal(t *testing.T) {
	t.Parallel()
	var out, notes bytes.Buffer
	screen(t, warrantyRun(), &terminal{w: &out}, &terminal{w: &notes}, false)
	golden(t, "ask-stdout.txt", out.String())
	golden(t, "ask-stderr.txt", notes.String())
}

func TestAskThatFails(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	tty := &terminal{w: &b, tty: true, width: 80}
	screen(t, ibidtest.LogOf(
		ibid.RunStarted{MessageID: "m1", Attempt: 2},
		ibid.RunQueued{Position: 3},
		ibid.AnswerDelta{Text: "Half an ans"},
		ibid.RunFailed{Code: ibid.CodeLLMUnavailable, Message: "Ollama does not answer", Hint: "start it: ollama serve"},
		ibid.RunFinished{Finished: ibid.Finished{Status: ibid.StatusFailed}},
	), tty, tty, false)
	golden(t, "ask-failed.txt", b.String())
}

func TestAskJSONIsTheLogItself(t *testing.T) {
	t.Parallel()
	var out, notes bytes.Buffer
	events := warrantyRun()
	screen(t, events, &terminal{w: &out}, &terminal{w: &notes}, true)
	if want := strings.Join(ibidtest.Lines(t, events), ""); out.String() != want || notes.Len() != 0 {
		t.Errorf("printed:\n%s%s\nwant:\n%s", out.String(), notes.String(), want)
	}
}

// However an answer is cut into pieces, it is shown the same.
func TestMarksSurviveAnyCut(t *testing.T) {
	t.Parallel()
	answer := "Ä [d1-aaa] b – [d1-aaa][d1-bbb], [1], a[i][j], [d1-ccc], [unfinished\n[d1-bbb] [[d1-aaa]] [" + strings.Repeat("x", 300) + "] [d1-a"
	want := "Ä [4] b – [5][15][16], [1], a[i][j], , [unfinished\n[15] [[4]] [" + strings.Repeat("x", 300) + "] [d1-a"
	nth := func(marker string, n int) int { // where the nth stands
		parts := strings.SplitAfterN(answer, marker, n+1)
		return len(strings.Join(parts[:n], "")) - len(marker)
	}
	read := func(parts ...string) string {
		m := markReader{placed: map[int][]int{}, found: map[string]bool{"d1-aaa": true, "d1-bbb": true, "d1-ccc": true}}
		m.place(nth("[d1-aaa]", 1), 4)
		m.place(nth("[d1-aaa]", 2), 5)
		m.place(nth("[d1-bbb]", 1), 16)
		m.place(nth("[d1-bbb]", 1), 15)
		m.place(nth("[d1-bbb]", 1), 16)
		m.place(nth("[d1-bbb]", 2), 15)
		m.place(nth("[d1-aaa]", 3), 4)
		var b strings.Builder
		for _, part := range parts {
			for _, p := range m.push(part) {
				b.WriteString(p.text)
			}
		}
		for _, p := range m.rest() {
			b.WriteString(p.text)
		}
		return b.String()
	}
	for i := range answer {
		for j := i; j < len(answer); j += 11 {
			if got := read(answer[:i], answer[i:j], answer[j:]); got != want {
				t.Fatalf("cut at %d and %d:\n%q, want\n%q", i, j, got, want)
			}
		}
	}
}

// A saved answer is shown as it was while it was written; one of an older version has
// its footnotes among all that was found, and keeps their numbers.
func TestShowPrintsSavedAnswers(t *testing.T) {
	t.Parallel()
	var fold ibid.Fold
	for _, e := range warrantyRun() {
		fold.Add(e)
	}
	show := func(m ibid.Message) string {
		var out bytes.Buffer
		v := newAnswerView(&terminal{w: &out}, &terminal{w: &out})
		v.sourceOf = func(string) string { return "" }
		v.saved(m)
		return out.String()
	}
	golden(t, "show.txt", show(fold.Message()))

	old := ibid.Message{
		Status: ibid.StatusCompleted,
		Text:   "Größer [d1-ccc], as [d1-aaa] says [d1-ccc]. [d1-zzz]",
		Citations: []ibid.Citation{
			{N: 1, ChunkID: "d1-aaa", Title: "A", Quote: "as it is"}, {N: 2, ChunkID: "d1-bbb", Title: "B"}, {N: 3, ChunkID: "d1-ccc", Title: "C", Quote: "greater"},
		},
		Verification: &ibid.AnswerVerified{ClaimsChecked: 2, ClaimsSupported: 1, ClaimsUnsupported: 1},
	}
	want := "Größer [3], as [1] says [3]. [d1-zzz]\n(1 statement could not be found in the sources)\n\n[1] A\n    “as it is”\n\n[3] C\n    “greater”\n"
	if diff := cmp.Diff(want, show(old)); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsSaidWhereAllIsBacked(t *testing.T) {
	t.Parallel()
	if lines := doubts(ibid.AnswerVerified{ClaimsChecked: 2, ClaimsSupported: 2, Confidence: 1, Details: []ibid.Claim{{Verdict: "SUPPORTED"}, {Verdict: "SUPPORTED", Support: ibid.SupportQuoted}}}); len(lines) > 0 {
		t.Error(lines)
	}
}
