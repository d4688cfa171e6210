package eval

import (
	"testing"

	"ibid/internal/evidence"
	"ibid/internal/ibidtest"
)

// TestSupport measures the verdicts on claims. A claim that holds is right when it
// is SUPPORTED, one that doesn't when it is not.
func TestSupport(t *testing.T) {
	ibidtest.WithoutRace(t, "compares and judges, with one goroutine")
	if testing.Short() {
		t.Skip("judges thousands of claims")
	}
	recorded := map[string]map[string]float64{
		"squad-dev": {"sentence": 1, "figure exchanged": 1, "name exchanged": 0.924, "negation put in": 0.956, "of another paragraph": 0.999,
			"question and its answer": 0.635, "question and another answer": 0.489, "all": 0.872},
		"xquad-en": {"sentence": 1, "figure exchanged": 1, "name exchanged": 0.924, "negation put in": 0.956, "of another paragraph": 0.999,
			"question and its answer": 0.651, "question and another answer": 0.511, "all": 0.880},
	}
	squads(t, func(t *testing.T, name, dir string) { measureSupport(t, dir, recorded[name]) })
}

func measureSupport(t *testing.T, dir string, want map[string]float64) {
	t.Helper()
	set, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	n, right, un := map[string]float64{}, map[string]float64{}, map[string]float64{}
	var all, allRight float64
	for _, c := range claims(set, 1500, 1) {
		s := evidence.Judge(c.text, []evidence.Passage{c.evidence})
		n[c.kind]++
		all++
		if (s.Verdict == evidence.Supported) == c.holds {
			right[c.kind]++
			allRight++
		}
		if s.Verdict == evidence.Unsupported {
			un[c.kind]++
		}
	}
	for kind, recorded := range want {
		if kind == "all" {
			near(t, kind, allRight/all, recorded, 0.02)
			continue
		}
		near(t, kind, right[kind]/n[kind], recorded, 0.03)
		t.Logf("%s: %.0f claims, %.3f unsupported", kind, n[kind], un[kind]/n[kind])
	}
}
