package eval

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/search"
)

var update = flag.Bool("update", false, "write the golden scores anew")

// tolerance absorbs the last bits of floating point on another processor; what
// is more is another ranking.
const tolerance = 0.0006

// TestScores holds the scores of testdata/*.golden. A change that is meant shows
// as a diff of these files after `go test ./internal/eval -update`.
func TestScores(t *testing.T) {
	ibidtest.WithoutRace(t, "thousands of questions; a small set is asked under it")
	if testing.Short() {
		t.Skip("measures thousands of searches")
	}
	for _, tt := range []struct {
		set    string
		sample int
		inside bool // the set lies in the repository
		full   bool
		least  float64 // nDCG@10 that users get without any embedding server
	}{
		{set: "xquad-en", inside: true, sample: 300, least: 0.95},
		{set: "xquad-de", inside: true, sample: 300, least: 0.88},
		{set: "xquad-zh", inside: true, sample: 300, least: 0.88},
		{set: "xquad-ru", inside: true, sample: 300, least: 0.88},
		{set: "cranfield", least: 0.412},
		{set: "squad-dev", sample: 2000, least: 0.885},
		{set: "squad-dev", full: true, least: 0.890},
	} {
		name := tt.set
		if tt.sample > 0 {
			name = fmt.Sprintf("%s-%d", tt.set, tt.sample)
		}
		t.Run(name, func(t *testing.T) {
			if tt.full && os.Getenv("IBID_FULL") == "" && !*update {
				t.Skip("IBID_FULL=1 measures with all questions")
			}
			find := ibidtest.Quality
			if !tt.inside {
				find = func(t testing.TB, set string) string { return ibidtest.Data(t, "retrieval/"+set) }
			}
			report, err := Retrieval(context.Background(), find(t, tt.set), Config{Sample: tt.sample})
			if err != nil {
				t.Fatal(err)
			}
			if got := report.Score("auto", NDCG10); got < tt.least {
				t.Errorf("nDCG@10 is %.4f, wanted at least %.3f", got, tt.least)
			}
			golden(t, filepath.Join("testdata", name+".golden"), report)
		})
	}
}

// golden compares every score with the file's.
func golden(t *testing.T, path string, r *Report) {
	t.Helper()
	got := scores(r)
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
	if !within(string(want), got) {
		t.Errorf("the scores changed; if they should: go test ./internal/eval -update\n%s", cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")))
	}
}

// scores writes a line per score.
func scores(r *Report) string {
	var b strings.Builder
	for _, c := range r.Configurations {
		for i, m := range Metrics {
			fmt.Fprintf(&b, "%-13s %-11s %.4f\n", c.Name, m, c.Scores[i])
		}
	}
	return b.String()
}

// within compares line by line, scores with tolerance.
func within(want, got string) bool {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		var modeA, modeB, metricA, metricB string
		var scoreA, scoreB float64
		fmt.Sscan(a[i], &modeA, &metricA, &scoreA)
		fmt.Sscan(b[i], &modeB, &metricB, &scoreB)
		if modeA != modeB || metricA != metricB || math.Abs(scoreA-scoreB) > tolerance {
			return false
		}
	}
	return true
}

func TestMetrics(t *testing.T) {
	relevant := map[string]int{"a": 2, "b": 1, "c": 1}
	got := measure([]string{"x", "a", "b", "y", "z", "c"}, relevant)
	// By hand: (2/log2 3 + 1/log2 4 + 1/log2 7) / (2/log2 2 + 1/log2 3 + 1/log2 4).
	want := []float64{(2/1.5849625 + 0.5 + 1/2.8073549) / (2 + 1/1.5849625 + 0.5), 0.5, 0, 2.0 / 3, 1, 1, 1}
	for i, m := range Metrics {
		if math.Abs(got[i]-want[i]) > 1e-6 {
			t.Errorf("%s = %v, want %v", m, got[i], want[i])
		}
	}
	for i, v := range measure(nil, relevant) {
		if v != 0 {
			t.Errorf("%s of an empty ranking is %v", Metrics[i], v)
		}
	}
}

func TestBootstrap(t *testing.T) {
	same := make([]float64, 100)
	for i := range same {
		same[i] = 0.25
	}
	if m, low, high := bootstrap(same, 1); m != 0.25 || math.Abs(low-0.25) > 1e-9 || math.Abs(high-0.25) > 1e-9 {
		t.Errorf("all alike: %v [%v, %v]", m, low, high)
	}
	// ±1 in turn: mean 0, standard error 1/√n = 0.1, so the interval is near ±0.196.
	turns := make([]float64, 100)
	for i := range turns {
		turns[i] = float64(2*(i%2) - 1)
	}
	m, low, high := bootstrap(turns, 1)
	if m != 0 || math.Abs(low+0.196) > 0.03 || math.Abs(high-0.196) > 0.03 {
		t.Errorf("in turn: %v [%v, %v]", m, low, high)
	}
	if m, low, high := bootstrap(nil, 1); m != 0 || low != 0 || high != 0 {
		t.Errorf("of nothing: %v [%v, %v]", m, low, high)
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func small() map[string]string {
	return map[string]string{
		"corpus.jsonl": `{"_id":"1","title":"Rivers","text":"The Seine flows through Rouen."}` + "\n" +
			`{"_id":"2","title":"Rivers","text":"The Rhine flows through Cologne."}` + "\n\n" +
			`{"_id":"3","title":"","text":"Bread is baked."}` + "\n" + `{"_id":"4","title":"","text":"Wine is drunk."}`,
		"queries.jsonl": `{"_id":"q1","text":"Which river flows through Cologne?"}` + "\n" +
			`{"_id":"q2","text":"baking bread"}` + "\n" + `{"_id":"q3","text":"nothing relevant"}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\t2\t1\nq2\t3\t2\nq3\t1\t0\n",
	}
}

func TestRetrievalOfASmallSet(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, small())
	r, err := Retrieval(context.Background(), dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Documents != 3 || r.Chunks != 4 || r.Queries != 2 || r.Default != search.ModeLexical || r.Score("auto", NDCG10) != 1 {
		t.Errorf("report %+v", r)
	}
	var table bytes.Buffer
	if err := r.WriteTable(&table); err != nil || !strings.Contains(table.String(), "auto (lexical)") {
		t.Errorf("%v\n%s", err, table.String())
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Default        map[string]float64
		Configurations map[string]map[string]float64
	}
	if err := json.Unmarshal(data, &parsed); err != nil || parsed.Default["ndcg@10"] != 1 || parsed.Default["recall@7"] != 1 ||
		parsed.Configurations["lexical"]["mrr@10"] != 1 {
		t.Errorf("%v in %s", err, data)
	}
}

func TestReadSetSaysWhatIsWrong(t *testing.T) {
	for name, tt := range map[string]struct {
		file, content, want string
		code                ibid.Code
	}{
		"missing":   {"corpus.jsonl", "", "corpus.jsonl", ibid.CodeNotFound},
		"broken":    {"corpus.jsonl", "{\"_id\":\"1\"}\n{\n", "corpus.jsonl, line 2", ibid.CodeBadRequest},
		"list":      {"corpus.jsonl", "{\"_id\":[1]}\n", "corpus.jsonl, line 1: a text is wanted", ibid.CodeBadRequest},
		"no id":     {"queries.jsonl", "{\"text\":\"x\"}\n", "queries.jsonl, line 1: _id", ibid.CodeBadRequest},
		"columns":   {"qrels/test.tsv", "a\tb\n", "test.tsv, line 1", ibid.CodeBadRequest},
		"score":     {"qrels/test.tsv", "q\tc\ts\nq1\t1\thigh\n", "test.tsv, line 2", ibid.CodeBadRequest},
		"no qrels":  {"qrels/test.tsv", "query-id\tcorpus-id\tscore\n", "nothing to measure", ibid.CodeBadRequest},
		"no corpus": {"corpus.jsonl", "\n", "nothing to measure", ibid.CodeBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := small()
			files[tt.file] = tt.content
			if tt.content == "" {
				delete(files, tt.file)
			}
			write(t, dir, files)
			_, err := ReadSet(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) || ibid.CodeOf(err) != tt.code {
				t.Errorf("%v, want %s and %q", err, tt.code, tt.want)
			}
		})
	}
}

// TestReadSetReadsWhatIsAbout has what collections on the web really look like.
func TestReadSetReadsWhatIsAbout(t *testing.T) {
	ibidtest.WithoutRace(t, "reads one file after the other")
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"corpus.jsonl": "\uFEFF{\"_id\":1,\"title\":404,\"text\":\"not found\"}\r\n" +
			`{"_id":"with a space","title":null,"text":"Bread is baked."}` + "\r\n" +
			`{"_id":"3","text":"replaced"}` + "\n" + `{"_id":"3","text":"The Rhine."}` + "\n" + `{"_id":"empty","title":"","text":""}` + "\n" +
			`{"_id":"long","text":"` + strings.Repeat("word ", 1<<20) + `"}`,
		"queries.jsonl": `{"_id":7,"text":"bread","metadata":{}}` + "\n" + `{"_id":"8","text":"rhine","metadata":["odd"]}` + "\n" +
			`{"_id":"unjudged","text":"x"}` + "\n" + `{"_id":"blank","text":" "}` + "\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\r\n7\twith a space\t2\r\n7\t1\t0\r\n8\t3\t1.0\r\n8\t\"gone\"\t1\r\nblank\t1\t1\nunasked\t1\t-1\nlost\t1\t1\n",
		"qrels/trec.tsv": "7 0 1 3\n8 0 3 0\n",
	})
	set, err := ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	wantRelevant := map[string]map[string]int{"7": {"with a space": 2}, "8": {"3": 1, "gone": 1}, "blank": {"1": 1}, "lost": {"1": 1}}
	if d := cmp.Diff(wantRelevant, set.Relevant); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Query{{ID: "7", Text: "bread"}, {ID: "8", Text: "rhine"}}, set.Queries); d != "" {
		t.Error(d)
	}
	if got := set.Chunks[2][0].Text; len(set.Chunks) != 5 || got != "The Rhine." || set.Documents[0].Title != "404" {
		t.Errorf("%d documents, the third says %q", len(set.Chunks), got)
	}
	if got := strings.Join(set.Notices, "; "); !strings.Contains(got, "corpus.jsonl: 1 repeated") || !strings.Contains(got, "1 empty queries") ||
		!strings.Contains(got, "judgements of 1 queries") || !strings.Contains(got, "1 judgements of entries") {
		t.Error(got)
	}
	trec, err := ReadSplit(dir, "trec")
	if err != nil || len(trec.Queries) != 1 || trec.Relevant["7"]["1"] != 3 {
		t.Errorf("%v: %+v", err, trec)
	}
	if _, err := ReadSplit(dir, "dev"); err == nil || !strings.Contains(fmt.Sprint(err), "--split test") {
		t.Errorf("a split that is not there: %v", err)
	}
}

func TestReadSetReadsCompressedFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range small() {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		w.Write([]byte(content))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, dir, map[string]string{name + ".gz": packed.String()})
	}
	set, err := ReadSet(dir)
	if err != nil || len(set.Queries) != 2 || len(set.Documents) != 3 {
		t.Errorf("%v: %+v", err, set)
	}
}

// TestAQueryIsNoFind: where the queries are entries, finding them is nothing;
// where both are merely numbered, it is.
func TestAQueryIsNoFind(t *testing.T) {
	q := Query{ID: "1", Text: "Growing  hemp is\nallowed."}
	for text, want := range map[string]bool{"growing hemp is allowed.": true, "Title. Growing hemp is allowed. And more.": true, "Bread is baked.": false, "": false} {
		if got := q.is(ibid.Chunk{ID: "1", Text: text}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if q.is(ibid.Chunk{ID: "2", Text: q.Text}) {
		t.Error("another entry of the same text is left out")
	}
}

func TestSampleIsSeeded(t *testing.T) {
	draw := func(seed uint64) []Query {
		s := &Set{}
		for i := range 100 {
			s.Queries = append(s.Queries, Query{ID: fmt.Sprint(i)})
		}
		s.sample(Config{Sample: 10, Seed: seed})
		return s.Queries
	}
	if d := cmp.Diff(draw(1), draw(1)); d != "" {
		t.Error(d)
	}
	if cmp.Equal(draw(1), draw(2)) || len(draw(1)) != 10 {
		t.Error("the seed does not matter")
	}
}
