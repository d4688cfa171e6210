package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ibid/internal/search"
)

// Report is what Retrieval measured.
type Report struct {
	Set            string
	Documents      int
	Chunks         int
	Queries        int
	Embedder       string
	Default        search.Mode // what auto stood for
	Configurations []Configuration
	Differences    []Difference
	Notices        []string // what was odd about the set
	Took           time.Duration
}

// Configuration is one way of searching and its scores, means over the queries
// in the order of Metrics.
type Configuration struct {
	Name   string
	Scores []float64
}

// Difference is the nDCG@10 of A minus that of B, with its 95 % interval by
// paired bootstrap over the queries.
type Difference struct {
	A    string  `json:"a"`
	B    string  `json:"b"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Score returns a mean, 0 where it was not measured.
func (r *Report) Score(configuration string, metric Metric) float64 {
	for _, c := range r.Configurations {
		if i := slices.Index(Metrics, metric); c.Name == configuration && i >= 0 {
			return c.Scores[i]
		}
	}
	return 0
}

func (r *Report) add(c configuration, used search.Mode, rows [][]float64) {
	r.Configurations = append(r.Configurations, Configuration{Name: c.name, Scores: mean(rows)})
	if c.name == string(search.ModeAuto) {
		r.Default = used
	}
}

// compare sets a configuration against another, query by query.
func (r *Report) compare(c configuration, rows, base [][]float64, seed uint64) {
	d := make([]float64, len(rows))
	for i, row := range rows {
		d[i] = row[0] - base[i][0] // nDCG@10 is the first of Metrics
	}
	m, low, high := bootstrap(d, seed)
	r.Differences = append(r.Differences, Difference{A: c.name, B: c.against, Mean: m, Low: low, High: high})
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d chunks in %d documents, %d queries", r.Set, r.Chunks, r.Documents, r.Queries)
	if r.Embedder != "" {
		fmt.Fprintf(&b, ", embedder %s", r.Embedder)
	}
	fmt.Fprintf(&b, "; %s\n\n", r.Took.Round(time.Millisecond))
	for _, notice := range r.Notices {
		fmt.Fprintf(&b, "%s\n", notice)
	}
	if len(r.Notices) > 0 {
		b.WriteByte('\n')
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "mode\t")
	for _, m := range Metrics {
		fmt.Fprintf(t, "%s\t", m)
	}
	fmt.Fprintln(t)
	for _, c := range r.Configurations {
		name := c.Name
		if name == string(search.ModeAuto) {
			name += " (" + string(r.Default) + ")"
		}
		fmt.Fprintf(t, "%s\t", name)
		for _, v := range c.Scores {
			fmt.Fprintf(t, "%.4f\t", v)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteString("\nDifference in nDCG@10, 95 % interval of a paired bootstrap over the queries:\n")
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "  %-24s %+.4f  [%+.4f, %+.4f]\n", d.A+" − "+d.B, d.Mean, d.Low, d.High)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// MarshalJSON writes the scores by name: "default" is what auto gives.
func (r *Report) MarshalJSON() ([]byte, error) {
	scores := make(map[string]map[Metric]float64)
	for _, c := range r.Configurations {
		scores[c.Name] = make(map[Metric]float64)
		for i, m := range Metrics {
			scores[c.Name][m] = c.Scores[i]
		}
	}
	return json.Marshal(struct {
		Set            string                        `json:"set"`
		Documents      int                           `json:"documents"`
		Chunks         int                           `json:"chunks"`
		Queries        int                           `json:"queries"`
		Embedder       string                        `json:"embedder"`
		DefaultMode    search.Mode                   `json:"default_mode"`
		Default        map[Metric]float64            `json:"default"`
		Configurations map[string]map[Metric]float64 `json:"configurations"`
		Differences    []Difference                  `json:"differences"`
		Notices        []string                      `json:"notices,omitempty"`
		TookMS         int64                         `json:"took_ms"`
	}{r.Set, r.Documents, r.Chunks, r.Queries, r.Embedder, r.Default, scores[string(search.ModeAuto)], scores, r.Differences, r.Notices, r.Took.Milliseconds()})
}
