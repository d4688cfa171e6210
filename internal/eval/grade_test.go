package eval

import (
	"context"
	"hash/fnv"
	"math"
	"os"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/evidence"
	"ibid/internal/ibidtest"
	"ibid/internal/search"
)

// gradedPassage is a passage that was found for a question of SQuAD.
type gradedPassage struct {
	signals evidence.GradeSignals
	grade   float64
	answers bool // it is the paragraph that has the answer
	hidden  bool // that paragraph was left out of what was found
	held    bool // the weights were fitted without its article
	query   int
}

// gradedPassages are the seven best of each of n questions, with and without the
// paragraph that has the answer.
func gradedPassages(t *testing.T, dir string, n int, seed uint64) []gradedPassage {
	t.Helper()
	set, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	set.sample(Config{Sample: n, Seed: seed})
	searcher, _, err := set.searcher(context.Background(), newStore(set), Config{})
	if err != nil {
		t.Fatal(err)
	}
	var all []gradedPassage
	for i, q := range set.Queries {
		found, err := searcher.Search(context.Background(), access.For(ibid.Owner), search.Query{Text: q.Text, Limit: search.DefaultLimit + 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, hidden := range []bool{false, true} {
			var passages []ibid.Passage
			for _, p := range found.Passages {
				if !hidden || set.Relevant[q.ID][p.ID] == 0 {
					passages = append(passages, p)
				}
			}
			passages = passages[:min(search.DefaultLimit, len(passages))]
			read := evidence.Passages(passages)
			signals, grades := evidence.SignalsOf(q.Text, read), evidence.Grade(q.Text, read)
			for k, p := range passages {
				all = append(all, gradedPassage{signals: signals[k], grade: grades[k], answers: set.Relevant[q.ID][p.ID] > 0,
					hidden: hidden, held: set.heldOut(q), query: i})
			}
		}
	}
	return all
}

// heldOut reports whether weights are fitted without a question's article: half
// of the articles are.
func (s *Set) heldOut(q Query) bool {
	h := fnv.New32a()
	for i, d := range s.Documents {
		for _, c := range s.Chunks[i] {
			if s.Relevant[q.ID][c.ID] > 0 {
				h.Write([]byte(d.Title))
				return h.Sum32()%2 == 1
			}
		}
	}
	return false
}

// TestGrades measures the grades on the articles that they were not fitted on.
func TestGrades(t *testing.T) {
	ibidtest.WithoutRace(t, "thousands of questions; a small set is asked under it")
	if testing.Short() {
		t.Skip("measures many searches")
	}
	recorded := map[string][6]float64{
		"squad-dev": {0.79, 0.75, 0.02, 0.663, 0.755, 0.156},
		"xquad-en":  {0.873, 0.861, 0.013, 0.832, 0.867, 0.12},
	}
	squads(t, func(t *testing.T, name, dir string) { measureGrades(t, dir, recorded[name]) })
}

func measureGrades(t *testing.T, dir string, want [6]float64) {
	t.Helper()
	n := 1000
	if os.Getenv("IBID_FULL") != "" {
		n = 0
	}
	var correct, correctAnswers, answers, answersLost, others, othersDropped float64
	some, asked := map[bool]map[int]bool{false: {}, true: {}}, map[int]bool{}
	for _, p := range gradedPassages(t, dir, n, 1) {
		if !p.held {
			continue
		}
		class := evidence.GradeScale.Class(p.grade)
		asked[p.query] = true
		if class == evidence.Correct {
			some[p.hidden][p.query] = true
			correct++
		}
		switch {
		case p.answers:
			answers++
			if class == evidence.Correct {
				correctAnswers++
			} else if class == evidence.Incorrect {
				answersLost++
			}
		default:
			others++
			if class == evidence.Incorrect {
				othersDropped++
			}
		}
	}
	near(t, "of the correct, those that answer", correctAnswers/correct, want[0], 0.04)
	near(t, "of those that answer, the correct", correctAnswers/answers, want[1], 0.04)
	near(t, "of those that answer, the incorrect", answersLost/answers, want[2], 0.015)
	near(t, "of the others, the incorrect", othersDropped/others, want[3], 0.03)
	near(t, "questions with a correct passage", float64(len(some[false]))/float64(len(asked)), want[4], 0.04)
	near(t, "the same, the paragraph hidden", float64(len(some[true]))/float64(len(asked)), want[5], 0.04)
}

// near fails the test when a figure is not the recorded one, give or take what
// another sample would make of it. A better one is recorded anew.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	t.Logf("%s: %.3f", what, got)
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %.3f, recorded is %.3f", what, got, want)
	}
}

// TestFitGrades fits the weights of evidence.Grade and logs them.
func TestFitGrades(t *testing.T) {
	if os.Getenv("IBID_FIT") == "" {
		t.Skip("IBID_FIT=1 fits the weights of grades anew")
	}
	var x [][]float64
	var y []bool
	for _, p := range gradedPassages(t, ibidtest.Data(t, "retrieval/squad-dev"), 4000, 7) {
		if !p.held {
			x, y = append(x, p.signals[:]), append(y, p.answers)
		}
	}
	bias, weights := fit(x, y)
	t.Logf("bias %.3f, weights %.3f", bias, weights)
}

// fit is logistic regression by gradient descent on standardised signals.
func fit(x [][]float64, y []bool) (bias float64, weights []float64) {
	const steps, rate = 800, 1.5
	n := float64(len(x))
	means, deviations := make([]float64, len(x[0])), make([]float64, len(x[0]))
	for _, row := range x {
		for i, v := range row {
			means[i] += v / n
		}
	}
	for _, row := range x {
		for i, v := range row {
			deviations[i] += (v - means[i]) * (v - means[i]) / n
		}
	}
	for i, v := range deviations {
		deviations[i] = math.Sqrt(v) + 1e-9
	}
	weights = make([]float64, len(means))
	for range steps {
		slope, slopes := 0.0, make([]float64, len(weights))
		for k, row := range x {
			z := bias
			for i, v := range row {
				z += weights[i] * (v - means[i]) / deviations[i]
			}
			wrong := 1 / (1 + math.Exp(-z))
			if y[k] {
				wrong--
			}
			slope += wrong
			for i, v := range row {
				slopes[i] += wrong * (v - means[i]) / deviations[i]
			}
		}
		bias -= rate * slope / n
		for i := range weights {
			weights[i] -= rate * slopes[i] / n
		}
	}
	for i := range weights {
		weights[i] /= deviations[i]
		bias -= weights[i] * means[i]
	}
	return bias, weights
}
