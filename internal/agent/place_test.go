package agent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent/cite"
	"ibid/internal/ibidtest"
)

// The documents of these tests: a lease of two pages, whose third passage was not
// found but stands behind one that was, and a house rule.
var (
	leaseChunks = chunksOf("d_lease", "v1",
		"The lease runs for five years. It begins on 1 May 2024.", 4,
		"The rent is 900 euros a month. It is due on the third working day of each month, in ad-\nvance, and", 4,
		"never in cash. The deposit is 2,700 euros.", 5)
	houseChunks = chunksOf("d_house", "v7", "No dogs are allowed in the house. Cats may stay if they are quiet [12]. The rent is 900 euros a month.\n9. Sandals stay outside.", 1)
)

func chunksOf(document, version string, textsAndPages ...any) []ibid.Chunk {
	var chunks []ibid.Chunk
	at := 100
	for i := 0; i < len(textsAndPages); i += 2 {
		text, page := textsAndPages[i].(string), textsAndPages[i+1].(int)
		chunks = append(chunks, ibid.Chunk{ID: fmt.Sprintf("c_%s%06d", document[2:3], i/2+1), DocumentID: document, Version: version, Level: 2,
			Text: text, Start: at, End: at + len(text), Pages: []int{page}})
		at += len(text) + 1
	}
	return chunks
}

// placing is a session that has found three passages: c1 and c2 of the lease, c3 of
// the house rules.
func placing(t *testing.T, sink func(ibid.EventData) error) *session {
	t.Helper()
	cfg := Config{Model: ibidtest.NewScript(), Around: func(_ context.Context, _ access.View, ids []string) (map[string][]ibid.Chunk, error) {
		around := map[string][]ibid.Chunk{}
		for _, id := range ids {
			around[id] = leaseChunks
			if strings.HasPrefix(id, "c_h") {
				around[id] = houseChunks
			}
		}
		return around, nil
	}}
	s := &session{cfg: cfg.withDefaults(), task: Task{Request: ibid.Request{Text: "What does the lease say?"}}, sink: sink}
	for i, c := range []ibid.Chunk{leaseChunks[0], leaseChunks[1], houseChunks[0]} {
		p := ibid.Passage{Chunk: c, Document: ibid.Document{ID: c.DocumentID, Title: c.DocumentID, Name: c.DocumentID + ".pdf"}}
		s.state.apply(ibid.CitationAdded{Citation: cite.Of(p, i+1, nil)})
	}
	return s
}

// stream writes an answer in pieces, and returns its text and its footnotes.
func placed(t *testing.T, pieces ...string) (string, []ibid.CitationPlaced) {
	t.Helper()
	var answer strings.Builder
	var notes []ibid.CitationPlaced
	s := placing(t, func(e ibid.EventData) error {
		switch d := e.(type) {
		case ibid.AnswerDelta:
			answer.WriteString(d.Text)
		case ibid.CitationPlaced:
			if d.Marker < answer.Len() {
				t.Errorf("footnote %d comes at byte %d of the answer, its marker stands at %d", d.N, answer.Len(), d.Marker)
			}
			notes = append(notes, d)
		}
		return nil
	})
	a := newAnswerStream(t.Context(), s, 0)
	for _, p := range pieces {
		if err := a.take(ibid.ModelDelta{Text: p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.close(strings.Join(pieces, "")); err != nil {
		t.Fatal(err)
	}
	check(t, answer.String(), notes)
	return answer.String(), notes
}

// check holds what is true of every footnote: its marker stands where it says, its
// words are those of the document, and numbers count up from 1 in reading order.
func check(t *testing.T, answer string, notes []ibid.CitationPlaced) {
	t.Helper()
	highest := 0
	chunks := map[int]string{} // by number
	for _, n := range notes {
		if was, known := chunks[n.N]; known && was != n.ChunkID {
			t.Errorf("footnote %d has markers of %s and of %s", n.N, was, n.ChunkID)
		}
		chunks[n.N] = n.ChunkID
		marker := "[" + n.ChunkID + "]"
		if n.Marker > len(answer) || !strings.HasPrefix(answer[n.Marker:], marker) {
			t.Errorf("no marker %s stands at byte %d of %q", marker, n.Marker, answer)
		}
		if n.Statement.Start < 0 || n.Statement.End > len(answer) || n.Statement.Start >= n.Statement.End {
			t.Errorf("footnote %d backs bytes %v of %d", n.N, n.Statement, len(answer))
		}
		if words, page := wordsAt(n); words != n.Quote || len(n.Pages) != 1 || n.Pages[0] != page {
			t.Errorf("footnote %d says %q on %v; there stands %q on page %d", n.N, n.Quote, n.Pages, words, page)
		}
		if n.N > highest+1 {
			t.Errorf("footnote %d comes after %d", n.N, highest)
		}
		highest = max(highest, n.N)
	}
}

func wordsAt(n ibid.CitationPlaced) (string, int) {
	for _, c := range append(leaseChunks[:3:3], houseChunks...) {
		if c.DocumentID == n.DocumentID && c.Version == n.Version && c.Start <= n.Start && n.End <= c.End {
			return c.Text[n.Start-c.Start : n.End-c.Start], c.Pages[0]
		}
	}
	return "", 0
}

// placeCases are answers and what their footnotes come to: "[n]" in want stands for
// the markers, and notes are "n statement ← words (support)".
var placeCases = []struct {
	name, in, want string
	notes          []string
}{
	{"two statements of two passages",
		"The rent is 900 euros a month [c2]. The lease runs for five years [c1].",
		"The rent is 900 euros a month [2]. The lease runs for five years [1].",
		[]string{"1 The rent is 900 euros a month ← The rent is 900 euros a month (quoted)", "2 The lease runs for five years ← The lease runs for five years (quoted)"}},
	{"two statements of one passage have words of their own",
		"The lease runs for five years [c1]. It begins on 1 May 2024 [c1].",
		"The lease runs for five years [1]. It begins on 1 May 2024 [1].",
		[]string{"1 The lease runs for five years ← The lease runs for five years (quoted)", "2 It begins on 1 May 2024 ← It begins on 1 May 2024 (quoted)"}},
	{"the same words keep their passage, whichever is named",
		"It is due on the third working day of each month [c2]. The lease runs for five years [c1]. It is due on the third working day of each month [c1].",
		"It is due on the third working day of each month [2]. The lease runs for five years [1]. It is due on the third working day of each month [2].",
		[]string{"1 It is due on the third working day of each month ← It is due on the third working day of each month (quoted)", "2 The lease runs for five years ← The lease runs for five years (quoted)",
			"1 It is due on the third working day of each month ← It is due on the third working day of each month (quoted)"}},
	{"a number that begins a quotation belongs to it",
		"The rules say:\n\n> “9. Sandals stay outside.” [c3]\n\n1. Sandals stay outside. [c3]",
		"The rules say:\n\n> “9. Sandals stay outside.” [3]\n\n1. Sandals stay outside. [3]",
		[]string{"1 9. Sandals stay outside. ← 9. Sandals stay outside. (quoted)", "2 1. Sandals stay outside. ← Sandals stay outside. (quoted)"}},
	{"an empty item states nothing",
		"The lease runs for five years [c1].\n\nIt is due\n\n- “ ” [c1]\n\nYes.",
		"The lease runs for five years [1].\n\nIt is due\n\n- “ ”\n\nYes.",
		[]string{"1 The lease runs for five years ← The lease runs for five years (quoted)"}},
	{"the same words keep their number",
		"No dogs are allowed in the house [c3]. The lease runs for five years [c1]. As said, no dogs are allowed in the house [c3].",
		"No dogs are allowed in the house [3]. The lease runs for five years [1]. As said, no dogs are allowed in the house [3].",
		[]string{"1 No dogs are allowed in the house ← No dogs are allowed in the house (quoted)", "2 The lease runs for five years ← The lease runs for five years (quoted)",
			"3 As said, no dogs are allowed in the house ← No dogs are allowed in the house. (supported)"}},
	{"a wrong handle: the very words stand elsewhere",
		"No dogs are allowed in the house [c1].",
		"No dogs are allowed in the house [3].",
		[]string{"1 No dogs are allowed in the house ← No dogs are allowed in the house (quoted)"}},
	{"words that two passages have: the one that is named",
		"The rent is 900 euros a month [c3].",
		"The rent is 900 euros a month [3].",
		[]string{"1 The rent is 900 euros a month ← The rent is 900 euros a month (quoted)"}},
	{"no marker, but the very words",
		"The lease runs for five years. Nothing else is known of it.",
		"The lease runs for five years. [1] Nothing else is known of it.",
		[]string{"1 The lease runs for five years. ← The lease runs for five years. (quoted)"}},
	{"one marker behind two sentences",
		"The lease has a term of five years. It starts on the first of May 2024 [c1].",
		"The lease has a term of five years. It starts on the first of May 2024 [1].",
		[]string{"1 The lease has a term of five years. ← The lease runs for five years. (supported)", "2 It starts on the first of May 2024 ← It begins on 1 May 2024. (partly)"}},
	{"a quotation of two sentences is one",
		"The lease says:\n\n> “The lease runs for five years. It begins on 1 May 2024.” [c1]",
		"The lease says:\n\n> “The lease runs for five years. It begins on 1 May 2024.” [1]",
		[]string{"1 The lease runs for five years. It begins on 1 May 2024. ← The lease runs for five years. It begins on 1 May 2024. (quoted)"}},
	{"words over a hyphen and a page break are two spans",
		"It is due on the third working day of each month, in advance, and never in cash [c2].",
		"It is due on the third working day of each month, in advance, and never in cash [2].",
		[]string{"1 It is due on the third working day of each month, in advance, and never in cash ← It is due on the third working day of each month, in ad-\nvance, and (quoted)",
			"2 It is due on the third working day of each month, in advance, and never in cash ← never in cash (quoted)"}},
	{"words beside the passage that was found",
		"The deposit is 2,700 euros [c2].", "The deposit is 2,700 euros [2].",
		[]string{"1 The deposit is 2,700 euros ← The deposit is 2,700 euros (quoted)"}},
	{"footnotes of the source do not count",
		"Cats may stay if they are quiet [c3]. And so on [c9].", "Cats may stay if they are quiet [3]. And so on.",
		[]string{"1 Cats may stay if they are quiet ← Cats may stay if they are quiet (quoted)"}},
	{"two markers behind one statement, the second adds nothing",
		"No dogs are allowed in the house [c3][c1].", "No dogs are allowed in the house [3].",
		[]string{"1 No dogs are allowed in the house ← No dogs are allowed in the house (quoted)"}},
	{"a marker before its statement",
		"According to [c2], the monthly rent comes to 900 euros. Dogs are another matter.",
		"According to [2], the monthly rent comes to 900 euros. Dogs are another matter.",
		[]string{"1 According to [2], the monthly rent comes to 900 euros. ← The rent is 900 euros a month. (partly)"}},
	{"another figure",
		"The lease runs for six years [c1].", "The lease runs for six years [1].",
		[]string{"1 The lease runs for six years ← The lease runs for five years. (contradicted)"}},
	{"items of a list",
		"Known:\n\n- No dogs are allowed in the house [c3]\n- Cats may stay if they are quiet [c3]\n",
		"Known:\n\n- No dogs are allowed in the house [3]\n- Cats may stay if they are quiet [3]",
		[]string{"1 No dogs are allowed in the house ← No dogs are allowed in the house (quoted)", "2 Cats may stay if they are quiet ← Cats may stay if they are quiet (quoted)"}},
	{"bold words and code",
		"The **rent is 900 euros** a month [c2]. Call `f([c1])`.",
		"The **rent is 900 euros** a month [2]. Call `f([c1])`.",
		[]string{"1 The **rent is 900 euros** a month ← The rent is 900 euros a month (quoted)"}},
	{"a block of code states nothing",
		"Look:\n\n```\nThe lease runs for five years. It begins on 1 May 2024.\n```\n\nDone.",
		"Look:\n\n```\nThe lease runs for five years. It begins on 1 May 2024.\n```\n\nDone.", nil},
	{"other bytes than letters",
		"Größe „zählt“ nicht – die Miete: 900 euros a month [c2]. No dogs are allowed in the house [c3].",
		"Größe „zählt“ nicht – die Miete: 900 euros a month [2]. No dogs are allowed in the house [3].",
		[]string{"1 Größe „zählt“ nicht – die Miete: 900 euros a month ← The rent is 900 euros a month. (not_found)", "2 No dogs are allowed in the house ← No dogs are allowed in the house (quoted)"}},
	{"nothing but a marker", "[c1]", "", nil},
}

// markers of the chunks, as the handles of the tests.
var placeMarkers = strings.NewReplacer("[c_l000001]", "[1]", "[c_l000002]", "[2]", "[c_h000001]", "[3]")

func TestPlacing(t *testing.T) {
	for _, tc := range placeCases {
		t.Run(tc.name, func(t *testing.T) {
			answer, notes := placed(t, tc.in)
			if got := placeMarkers.Replace(answer); got != tc.want {
				t.Errorf("the answer is %q, want %q", got, tc.want)
			}
			var got []string
			for _, n := range notes {
				said := placeMarkers.Replace(answer[n.Statement.Start:n.Statement.End])
				got = append(got, fmt.Sprintf("%d %s ← %s (%s)", n.N, said, n.Quote, n.Support))
			}
			if diff := cmp.Diff(tc.notes, got); diff != "" {
				t.Errorf("footnotes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPlacingInPieces holds that an answer has the same footnotes however it is cut
// into pieces on its way.
func TestPlacingInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for _, tc := range placeCases {
		answer, notes := placed(t, tc.in)
		for try := range 12 {
			var pieces []string
			for rest := tc.in; rest != ""; {
				n := 1
				if try > 0 {
					n = 1 + r.IntN(min(len(rest), 1+4*try))
				}
				pieces = append(pieces, rest[:n])
				rest = rest[n:]
			}
			gotAnswer, gotNotes := placed(t, pieces...)
			if gotAnswer != answer {
				t.Fatalf("%s: cut as %q the answer is\n%q\nnot\n%q", tc.name, pieces, gotAnswer, answer)
			}
			if diff := cmp.Diff(notes, gotNotes); diff != "" {
				t.Fatalf("%s: cut as %q (-whole +cut):\n%s", tc.name, pieces, diff)
			}
		}
	}
}

// TestFootnotesLieInWhatWasFound writes answers of random words of the documents and
// of none, with random markers: whatever a model writes, a footnote opens words of
// a document that was found.
func TestFootnotesLieInWhatWasFound(t *testing.T) {
	ibidtest.WithoutRace(t, "random answers, one after the other")
	r := rand.New(rand.NewPCG(11, 2))
	var vocabulary []string
	for _, c := range append(leaseChunks[:3:3], houseChunks...) {
		vocabulary = append(vocabulary, strings.Fields(c.Text)...)
	}
	vocabulary = append(vocabulary, "[c1]", "[c2]", "[c3]", "[c1, c3]", "[c9]", "(c2)", ".", ".", "\n\n", "- ", "“", "”", "…", "**", "`x`", "```", "|", "ä", "900", "2,700", "#")
	total := 0
	for range 400 {
		var b strings.Builder
		for range 1 + r.IntN(60) {
			at := r.IntN(len(vocabulary))
			for k := range 1 + r.IntN(6) {
				b.WriteString(vocabulary[(at+k)%len(vocabulary)] + " ")
			}
		}
		_, notes := placed(t, b.String())
		total += len(notes)
	}
	if total < 500 {
		t.Errorf("only %d footnotes were placed", total)
	}
}

// A picture has no words: its footnote opens the page, and nobody says how far it
// bears a statement out.
func TestPlacingPictures(t *testing.T) {
	var notes []ibid.CitationPlaced
	s := placing(t, func(e ibid.EventData) error {
		if d, ok := e.(ibid.CitationPlaced); ok {
			notes = append(notes, d)
		}
		return nil
	})
	for n, page := range []int{4, 5} {
		p := ibid.Passage{Chunk: ibid.Chunk{ID: fmt.Sprintf("t_%d", page), DocumentID: "d_lease", Version: "v1", Pages: []int{page}}, Kind: ibid.SourceImage}
		s.state.apply(ibid.CitationAdded{Citation: cite.Of(p, n+4, nil)})
	}
	a := newAnswerStream(t.Context(), s, 0)
	if err := a.close("The stamp on the first page is blue [c4]. The seal on the second page is red [c5]."); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range notes {
		got = append(got, fmt.Sprintf("%d %s %v %q %q %s", n.N, n.ChunkID, n.Pages, n.Quote, n.Support, n.Kind))
	}
	if diff := cmp.Diff([]string{`1 t_4 [4] "" "" image`, `2 t_5 [5] "" "" image`}, got); diff != "" {
		t.Errorf("footnotes (-want +got):\n%s", diff)
	}
}
