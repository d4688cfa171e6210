package eval

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
	"ibid/internal/search"
	"ibid/internal/text"
)

// claim is a statement that is known to follow from a passage, or not to.
type claim struct {
	kind     string
	text     string
	evidence search.Evidence
	holds    bool
}

// claims makes statements of n paragraphs of SQuAD: sentences of the paragraph;
// the same with a figure or a name of another; with a "not" put in or taken out;
// sentences of another paragraph of the article; and questions with their answer
// put behind them, or that of another question of the same paragraph.
func claims(set *Set, n int, seed uint64) []claim {
	rng := rand.New(rand.NewPCG(seed, 3))
	questions := map[string][]Query{}
	for _, q := range set.Queries {
		for id := range set.Relevant[q.ID] {
			questions[id] = append(questions[id], q)
		}
	}
	var all []claim
	for range n {
		d := rng.IntN(len(set.Documents))
		if len(set.Chunks[d]) < 2 {
			continue
		}
		i := rng.IntN(len(set.Chunks[d]))
		here, other := set.Chunks[d][i], set.Chunks[d][(i+1)%len(set.Chunks[d])]
		ev := search.Evidence{Under: set.Documents[d].Title, Text: here.Text}
		add := func(kind, s string, holds bool) {
			if s != "" {
				all = append(all, claim{kind, s, ev, holds})
			}
		}
		s := anySentence(rng, here.Text)
		add("sentence", s, true)
		add("figure exchanged", exchangeFigure(rng, s), false)
		add("name exchanged", exchangeName(s, other.Text, here.Text), false)
		add("negation put in", deny(s), false)
		add("of another paragraph", anySentence(rng, other.Text), false)
		if qs := questions[here.ID]; len(qs) > 1 {
			k := rng.IntN(len(qs))
			q, o := qs[k], qs[(k+1)%len(qs)]
			add("question and its answer", statement(q.Text, q.Answers[0]), true)
			if text.KindOf(q.Text) == text.KindOf(o.Text) && !strings.Contains(strings.Join(q.Answers, " "), o.Answers[0]) {
				add("question and another answer", statement(q.Text, o.Answers[0]), false)
			}
		}
	}
	return all
}

func anySentence(rng *rand.Rand, s string) string {
	spans := text.Sentences(s)
	for range 5 {
		span := spans[rng.IntN(len(spans))]
		if said := s[span.Start:span.End]; len(strings.Fields(said)) > 6 {
			return said
		}
	}
	return ""
}

var figureAt = regexp.MustCompile(`\b\d+\b`)

func exchangeFigure(rng *rand.Rand, s string) string {
	at := figureAt.FindStringIndex(s)
	if at == nil {
		return ""
	}
	return s[:at[0]] + fmt.Sprint(1000 + rng.IntN(9000))[:max(1, min(4, at[1]-at[0]))] + "7" + s[at[1]:]
}

var nameAt = regexp.MustCompile(`[a-z,] ([A-Z][a-z]{3,})`)

func exchangeName(s, from, here string) string {
	at := nameAt.FindStringSubmatchIndex(s)
	if at == nil {
		return ""
	}
	for _, m := range nameAt.FindAllStringSubmatch(from, -1) {
		if !strings.Contains(here, m[1]) {
			return s[:at[2]] + m[1] + s[at[3]:]
		}
	}
	return ""
}

var auxiliary = regexp.MustCompile(`\b(is|are|was|were|has|had|can|could|will|would) `)

func deny(s string) string {
	at := auxiliary.FindStringIndex(s)
	if at == nil || strings.Contains(s, " not ") {
		return ""
	}
	return s[:at[1]] + "not " + s[at[1]:]
}

var asked = regexp.MustCompile(`(?i)\b(in what|on what|at what|what|which|who|whom|when|where|how many|how much|how|why|did|does|do)\b`)

func statement(question, answer string) string {
	s := strings.TrimRight(strings.TrimSpace(asked.ReplaceAllString(question, "")), "? ")
	return strings.Join(strings.Fields(s), " ") + " " + answer + "."
}

// TestSupport measures the verdicts on claims. A claim that holds is right when it
// is SUPPORTED, one that doesn't when it is not.
func TestSupport(t *testing.T) {
	if testing.Short() {
		t.Skip("judges thousands of claims")
	}
	set, err := ReadSet(ibidtest.Data(t, "retrieval/squad-dev"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"sentence": 1, "figure exchanged": 1, "name exchanged": 0.924, "negation put in": 0.956, "of another paragraph": 0.999,
		"question and its answer": 0.635, "question and another answer": 0.489,
	}
	n, right, un := map[string]float64{}, map[string]float64{}, map[string]float64{}
	var all, allRight float64
	for _, c := range claims(set, 1500, 1) {
		s := search.Judge(c.text, []search.Evidence{c.evidence})
		n[c.kind]++
		all++
		if (s.Verdict == search.Supported) == c.holds {
			right[c.kind]++
			allRight++
		}
		if s.Verdict == search.Unsupported {
			un[c.kind]++
		}
	}
	for kind, recorded := range want {
		near(t, kind, right[kind]/n[kind], recorded, 0.03)
		t.Logf("%s: %.0f claims, %.3f unsupported", kind, n[kind], un[kind]/n[kind])
	}
	near(t, "all", allRight/all, 0.872, 0.02)
}
