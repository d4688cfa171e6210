package eval

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
	"ibid/internal/search"
)

// rewordings are ways to ask the same question again.
var rewordings = map[string]func(string) string{
	"without capitals and marks": func(q string) string { return strings.ToLower(strings.TrimRight(q, "?")) },
	"asked politely":             func(q string) string { return "Please tell me: " + q },
	"can you tell me":            func(q string) string { return "Can you tell me " + strings.ToLower(q[:1]) + q[1:] },
	"what's":                     func(q string) string { return strings.Replace(q, "What is", "What's", 1) },
	"without articles":           func(q string) string { return strings.ReplaceAll(q, " the ", " ") },
}

// TestSameQuestion measures what the cache of answers takes for the same question:
// questions of SQuAD said in other words are; other questions about the same
// article, which differ by a word or two, are not.
func TestSameQuestion(t *testing.T) {
	ibidtest.WithoutRace(t, "compares and judges, with one goroutine")
	politely := map[string]float64{"squad-dev": 0.985, "xquad-en": 0.95} // the only one that differs by the set
	squads(t, func(t *testing.T, name, dir string) { measureSameQuestion(t, dir, politely[name]) })
}

func measureSameQuestion(t *testing.T, dir string, politely float64) {
	t.Helper()
	set, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	byArticle := map[string][]Query{}
	for _, q := range set.Queries {
		for id := range set.Relevant[q.ID] {
			byArticle[id[:strings.LastIndexByte(id, '#')]] = append(byArticle[id[:strings.LastIndexByte(id, '#')]], q)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rewordings)) {
		reword := rewordings[name]
		rng := rand.New(rand.NewPCG(1, 4)) // the same questions for all, whatever comes before
		asked, same := 0.0, 0.0
		for range 500 {
			q := set.Queries[rng.IntN(len(set.Queries))].Text
			asked++
			if search.SameQuestion(q, reword(q)) {
				same++
			}
		}
		want := 0.985
		if name == "asked politely" {
			want = politely
		}
		near(t, name, same/asked, want, 0.02)
	}
	every := 70 // of 1,537,000 pairs; with 7 none of 219,586 was wrong
	if os.Getenv("IBID_FULL") != "" {
		every = 1
	}
	pairs, wrong := 0, 0
	for _, questions := range byArticle {
		for i, q := range questions {
			for k := range i {
				if o := questions[k]; (i+k)%every == 0 {
					pairs++
					if search.SameQuestion(q.Text, o.Text) && !holdsAny(strings.Join(o.Answers, " | "), q.Answers) {
						wrong++
						t.Logf("%s %v | %s %v", q.Text, q.Answers, o.Text, o.Answers)
					}
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("of %d pairs of different questions %d are taken for the same", pairs, wrong)
	}
}
