package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// AnswersReport is what Answers measured.
type AnswersReport struct {
	Set          string
	Questions    int
	Unanswerable int // of them, because what they need is held out
	Models       []ModelScores
	Took         time.Duration
}

// ModelScores are shares from 0 to 1, and counts, of one model.
type ModelScores struct {
	Model  string `json:"model"`
	Failed int    `json:"failed"` // questions whose run ended in an error

	// Of the questions that can be answered:
	Answered  float64 `json:"answered"`         // something was cited
	Contained float64 `json:"answer_contained"` // a known answer stands in the text
	Recall    float64 `json:"citation_recall"`  // a relevant entry is cited
	// Precision is the share of cited passages that are relevant or hold a known
	// answer.
	Precision float64 `json:"citation_precision"`
	// Right is the share of answers given, not refused, that hold a known answer.
	Right float64 `json:"right_when_answered"`

	Refused float64 `json:"refused_unanswerable"` // of the questions that cannot be answered: nothing was cited

	Claims map[string]int `json:"claims"` // verdicts on the answers' statements
	// Verdicts is how often the verification is right about claims of known truth,
	// made of the set's own sentences.
	Verdicts float64 `json:"verdict_accuracy"`
}

// metricsOfAnswers are the columns of the table, in order.
var metricsOfAnswers = []struct {
	name  string
	value func(ModelScores) float64
}{
	{"answered", func(s ModelScores) float64 { return s.Answered }},
	{"contained", func(s ModelScores) float64 { return s.Contained }},
	{"right", func(s ModelScores) float64 { return s.Right }},
	{"cite-precision", func(s ModelScores) float64 { return s.Precision }},
	{"cite-recall", func(s ModelScores) float64 { return s.Recall }},
	{"refused", func(s ModelScores) float64 { return s.Refused }},
	{"supported", func(s ModelScores) float64 { return s.supported() }},
	{"verdicts", func(s ModelScores) float64 { return s.Verdicts }},
}

// supported is the share of the claims that were found supported.
func (s ModelScores) supported() float64 {
	all := 0
	for _, n := range s.Claims {
		all += n
	}
	return share(s.Claims["SUPPORTED"], all)
}

func score(model string, judged []judgement) ModelScores {
	s := ModelScores{Model: model, Claims: map[string]int{}}
	var answerable, answered, contained, right, found, cited, fitting, unanswerable, refused int
	for _, j := range judged {
		for verdict, n := range j.verdicts {
			s.Claims[verdict] += n
		}
		if j.failed {
			s.Failed++
		}
		if j.unanswerable {
			unanswerable++
			refused += count(j.refused && !j.failed)
			continue
		}
		answerable++
		answered += count(!j.refused)
		contained += count(j.contained)
		right += count(j.contained && !j.refused)
		found += count(j.found)
		cited += j.cited
		fitting += j.right
	}
	s.Answered, s.Contained = share(answered, answerable), share(contained, answerable)
	s.Recall, s.Precision = share(found, answerable), share(fitting, cited)
	s.Right, s.Refused = share(right, answered), share(refused, unanswerable)
	return s
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// WriteTable writes the report for people.
func (r *AnswersReport) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d questions, %d of them not answerable from what is left; %s\n\n", r.Set, r.Questions, r.Unanswerable, r.Took.Round(time.Millisecond))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "model\t")
	for _, m := range metricsOfAnswers {
		fmt.Fprintf(t, "%s\t", m.name)
	}
	fmt.Fprintln(t)
	for _, s := range r.Models {
		fmt.Fprintf(t, "%s\t", s.Model)
		for _, m := range metricsOfAnswers {
			fmt.Fprintf(t, "%.3f\t", m.value(s))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteString("\nanswered: cites something · contained: a known answer stands in the text · right: the same, of those answered\n" +
		"refused: of the questions that cannot be answered · supported: of the answers' statements, by the verification · verdicts: right ones on claims of known truth\n")
	for _, s := range r.Models {
		if s.Failed > 0 {
			fmt.Fprintf(&b, "%s: %d questions ended in an error\n", s.Model, s.Failed)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// MarshalJSON writes {"set","questions","unanswerable","models","took_ms"}.
func (r *AnswersReport) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Set          string        `json:"set"`
		Questions    int           `json:"questions"`
		Unanswerable int           `json:"unanswerable"`
		Models       []ModelScores `json:"models"`
		TookMS       int64         `json:"took_ms"`
	}{r.Set, r.Questions, r.Unanswerable, r.Models, r.Took.Milliseconds()})
}
