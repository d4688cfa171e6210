package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/evidence"
	"ibid/internal/ibidtest"
	"ibid/internal/reader"
)

// TestAnswers holds what the built-in reader reaches. A change that is meant
// shows as a diff after `go test ./internal/eval -run Answers -update`.
func TestAnswers(t *testing.T) {
	ibidtest.WithoutRace(t, "thousands of questions; a small set is asked under it")
	if testing.Short() {
		t.Skip("answers hundreds of questions")
	}
	t.Run("xquad-en", func(t *testing.T) { measureAnswers(t, "xquad-en", ibidtest.Quality(t, "xquad-en"), 250) })
	t.Run("xquad-de", func(t *testing.T) { measureAnswers(t, "xquad-de", ibidtest.Quality(t, "xquad-de"), 250) })
	for name, sample := range map[string]int{"squad-dev-600": 600, "squad-dev-all": 0} {
		t.Run(name, func(t *testing.T) {
			if sample == 0 && os.Getenv("IBID_FULL") == "" && !*update {
				t.Skip("IBID_FULL=1 measures with all questions")
			}
			measureAnswers(t, name, ibidtest.Data(t, "retrieval/squad-dev"), sample)
		})
	}
}

func measureAnswers(t *testing.T, name, dir string, sample int) {
	t.Helper()
	r, err := Answers(context.Background(), dir, AnswersConfig{Models: []ibid.Model{reader.New()}, Sample: sample})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Models[0]; s.Failed > 0 {
		t.Errorf("%d questions ended in an error", s.Failed)
	}
	goldenAnswers(t, filepath.Join("testdata", "answers-"+name+".golden"), r)
}

// goldenAnswers compares every share with the file's.
func goldenAnswers(t *testing.T, path string, r *AnswersReport) {
	t.Helper()
	var b strings.Builder
	for _, m := range metricsOfAnswers {
		fmt.Fprintf(&b, "%s %s %.4f\n", r.Models[0].Model, m.name, m.value(r.Models[0]))
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !within(string(want), b.String()) {
		t.Errorf("the scores changed; if they should: go test ./internal/eval -run Answers -update\n%s",
			cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")))
	}
}

func TestJudge(t *testing.T) {
	q := Query{ID: "q", Answers: []string{"the Rhine"}}
	relevant := map[string]int{"c_2": 1}
	passage := func(id, text string) ibid.Citation { return ibid.Citation{ChunkID: id, Text: text} }
	msg := ibid.Message{Text: "It is the *Rhine*[c_1][c_3].", Found: []ibid.Citation{
		passage("c_1", "The Rhine flows through Cologne."), passage("c_2", "not cited"), passage("c_3", "Bread is baked.")}}
	want := judgement{contained: true, cited: 2, right: 1}
	if d := cmp.Diff(want, judge(msg, nil, q, relevant, false), cmp.AllowUnexported(judgement{})); d != "" {
		t.Error(d)
	}
	if j := judge(ibid.Message{Text: "Rhineland?"}, nil, q, relevant, true); !j.refused || j.contained {
		t.Errorf("a refusal is judged %+v", j)
	}
}

func TestScoresOfAnswers(t *testing.T) {
	got := score("m", []judgement{
		{contained: true, found: true, cited: 2, right: 1},
		{refused: true},
		{cited: 2, failed: true, verdicts: map[string]int{"SUPPORTED": 1, "UNSUPPORTED": 3}},
		{contained: true, refused: true},
		{unanswerable: true, refused: true},
		{unanswerable: true, cited: 1},
	})
	want := ModelScores{Model: "m", Failed: 1, Answered: 0.5, Contained: 0.5, Recall: 0.25, Precision: 0.25, Right: 0.5, Refused: 0.5,
		Claims: map[string]int{"SUPPORTED": 1, "UNSUPPORTED": 3}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got.supported() != 0.25 || share(1, 0) != 0 {
		t.Errorf("supported %v", got.supported())
	}
}

// answerable is a set of many entries, so that some are held out and some not.
func answerable() map[string]string {
	var corpus, queries, relevant strings.Builder
	relevant.WriteString("query-id\tcorpus-id\tscore\n")
	for i, city := range strings.Fields("Basel Strasbourg Speyer Mannheim Worms Mainz Koblenz Bonn Cologne Neuss Krefeld Duisburg Wesel Arnhem Utrecht Rotterdam") {
		fmt.Fprintf(&corpus, `{"_id":"%d","title":"","text":"The mayor of %s is called Mayor%d. The town has a bridge."}`+"\n", i, city, i)
		fmt.Fprintf(&queries, `{"_id":"q%d","text":"Who is the mayor of %s?","metadata":{"answers":["Mayor%d"]}}`+"\n", i, city, i)
		fmt.Fprintf(&relevant, "q%d\t%d\t1\n", i, i)
	}
	return map[string]string{"corpus.jsonl": corpus.String(), "queries.jsonl": queries.String(), "qrels/test.tsv": relevant.String()}
}

func TestAnswersOfASmallSet(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, answerable())
	r, err := Answers(context.Background(), dir, AnswersConfig{Models: []ibid.Model{reader.New()}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Questions != 16 || r.Unanswerable == 0 || r.Unanswerable == 16 {
		t.Fatalf("%d questions, %d unanswerable", r.Questions, r.Unanswerable)
	}
	if s := r.Models[0]; math.Abs(s.Contained-1) > 1e-9 || s.Recall != 1 || s.Failed != 0 {
		t.Errorf("the reader reached %+v", s)
	}
	var table bytes.Buffer
	if err := r.WriteTable(&table); err != nil || !strings.Contains(table.String(), "cite-recall") || !strings.Contains(table.String(), "reader") {
		t.Errorf("%v\n%s", err, table.String())
	}
	data, err := json.Marshal(r)
	var parsed struct{ Models []map[string]any }
	if err != nil || json.Unmarshal(data, &parsed) != nil || parsed.Models[0]["citation_recall"] != 1.0 {
		t.Errorf("%v in %s", err, data)
	}
}

func TestAnswersNeedAnswers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, small())
	_, err := Answers(context.Background(), dir, AnswersConfig{Models: []ibid.Model{reader.New()}})
	if ibid.CodeOf(err) != ibid.CodeBadRequest || !strings.Contains(err.Error(), "no known answers") {
		t.Errorf("%v", err)
	}
}

// denier is a judge to whom nothing is borne out.
type denier struct{}

func (denier) Name() string { return "denier" }

func (denier) Generate(_ context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	text := `{"verdicts":[{"claim":1,"verdict":"UNSUPPORTED"}]}`
	if len(req.Schema) == 0 {
		text = ""
	}
	emit(ibid.ModelDelta{Text: text})
	return ibid.ModelResponse{Turn: ibid.AssistantTurn(text), StopReason: ibid.StopEnd}, nil
}

func TestVerdictsAreMeasured(t *testing.T) {
	passage := evidence.Passage{Under: "Rivers", Text: "The Rhine flows through Cologne and is 1,230 kilometres long. Bread is baked in the town."}
	known := []claim{
		{text: "The Rhine flows through Cologne and is 1,230 kilometres long.", evidence: passage, holds: true},
		{text: "Bread is baked in the town.", evidence: passage, holds: true},
		{text: "The Rhine flows through Cologne and is 9,999 kilometres long.", evidence: passage},
		{text: "Whales are the largest animals that live in the sea today.", evidence: passage},
	}
	for _, tt := range []struct {
		judge ibid.Model
		want  float64
	}{{nil, 1}, {denier{}, 0.5}} {
		if got, err := verdicts(t.Context(), known, tt.judge); err != nil || got != tt.want {
			t.Errorf("the verification is right on %v of the claims, want %v (%v)", got, tt.want, err)
		}
	}
}
