package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/internal/ibidtest"
	"ibid/internal/reader"
	"ibid/internal/search"
)

// namedSets are the sets of the repository. Of the large ones every so many-th question
// is shown one by one; the averages (TestScores, TestAnswers) are over all of them.
var namedSets = []struct {
	set   string
	every int
	least float64 // share of the shown whose target is among the first five
}{
	{"house", 1, 0.97},
	{"xquad-en", 20, 0.97},
	{"xquad-de", 24, 0.90},
	{"xquad-zh", 24, 0.90},
	{"xquad-ru", 12, 0.90},
}

// TestNamedQueries shows what becomes of single questions: where each way of searching
// ranks the passage that answers it, what it finds first, and what the built-in reader
// says. An average hides that one question got better and another worse; here every one
// of them is a paragraph in testdata/named-*.golden, to be read in the diff after
// `go test ./internal/eval -run Named -update`.
func TestNamedQueries(t *testing.T) {
	for _, c := range namedSets {
		t.Run(c.set, func(t *testing.T) {
			if c.set != "house" {
				ibidtest.WithoutRace(t, "the small set is asked under it")
			}
			got, share := showNamed(t, ibidtest.Quality(t, c.set), c.every)
			if share < c.least {
				t.Errorf("%.3f of the questions have their target among the first five, wanted are %.2f", share, c.least)
			}
			goldenText(t, filepath.Join("testdata", "named-"+c.set+".golden"), got)
		})
	}
}

// squads are the question sets that a measure is taken on: the one of the repository, in
// any clone, and SQuAD's development set where it is.
func squads(t *testing.T, measure func(t *testing.T, name, dir string)) {
	t.Helper()
	t.Run("xquad-en", func(t *testing.T) { measure(t, "xquad-en", ibidtest.Quality(t, "xquad-en")) })
	t.Run("squad-dev", func(t *testing.T) { measure(t, "squad-dev", ibidtest.Data(t, "retrieval/squad-dev")) })
}

// goldenText compares a text with the file's.
func goldenText(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n\n"), strings.Split(got, "\n\n")); diff != "" {
		t.Errorf("questions end otherwise than in %s; if they should: go test ./internal/eval -run Named -update\n%s", path, diff)
	}
}

// shownModes are the ways of searching that are shown.
var shownModes = []search.Mode{search.ModeLexical, search.ModeVector, search.ModeAuto}

// firstFound is how many of what is found are shown.
const firstFound = 3

// showNamed returns a paragraph for every so many-th question, and how many of those
// that have a target find it among the first five.
func showNamed(t *testing.T, dir string, every int) (shown string, among float64) {
	set, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	chunks := newStore(set)
	searcher, _, err := set.searcher(t.Context(), chunks, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	asked, found := 0.0, 0.0
	number := 0
	err = eachLine(filepath.Join(dir, "queries.jsonl"), func(line []byte) error {
		number++
		if (number-1)%every > 0 {
			return nil
		}
		r, err := parseRecord(line)
		if err != nil {
			return err
		}
		var known struct{ Name string }
		if err := json.Unmarshal(r.Metadata, &known); err != nil {
			return err
		}
		q := Query{ID: string(r.ID), Text: string(r.Text), Answers: r.answers()}
		targets := set.Relevant[q.ID]
		fmt.Fprintf(&b, "%s %s\n  asks   %s\n", q.ID, known.Name, q.Text)
		var places []string
		var first []string
		for _, mode := range shownModes {
			ids, err := rank(t.Context(), searcher, chunks, configuration{mode: mode}, q)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(ids, func(id string) bool { return targets[id] > 0 })
			place := fmt.Sprint(at + 1)
			if at < 0 {
				place = "–"
			}
			places = append(places, fmt.Sprintf("%s %s", mode, place))
			first = ids[:min(firstFound, len(ids))]
			if mode == search.ModeAuto && len(targets) > 0 {
				asked++
				if at >= 0 && at < 5 {
					found++
				}
			}
		}
		for _, id := range slices.Sorted(maps.Keys(targets)) {
			fmt.Fprintf(&b, "  wants  %s: %s\n", id, strings.Join(places, ", "))
		}
		fmt.Fprintf(&b, "  finds  %s\n", strings.Join(first, ", "))
		msg, err := ask(context.Background(), searcher, reader.New(), q)
		if err != nil {
			return err
		}
		j := judge(msg, nil, q, targets, false)
		verdict := "wrong"
		switch {
		case len(targets) == 0 && j.refused:
			verdict = "nothing, rightly"
		case j.refused:
			verdict = "nothing"
		case j.contained && j.found:
			verdict = "right"
		case j.contained:
			verdict = "right, from elsewhere"
		case j.found:
			verdict = "from the right place, without the answer"
		}
		fmt.Fprintf(&b, "  says   %s: %s\n\n", verdict, strings.Join(strings.Fields(msg.Text), " "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), found / asked
}
