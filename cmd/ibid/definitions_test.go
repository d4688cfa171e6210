package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
)

// definitions ask what something is that the sample documents define.
var definitions = []struct{ question, answer string }{
	{"What is SpiderMonkey?", "JavaScript VM embedded in Mozilla"},
	{"What is a typed trace?", "annotated with a type for every variable"},
	{"What is a region?", "subprogram worth optimizing"},
	{"What is a trace?", "A trace is simply a program path"},
	{"What is FORCESSTACK?", "trusted annotation"},
	{"What is the garbage collector?", "mark-and-sweep"},
	{"What is a factor?", "A factor is a vector object"},
	{"What is a data frame?", "A data frame is a list with class"},
	{"What is a dimension vector?", "is a vector of non-negative integers"},
	{"What is a numeric vector?", "ordered collection of numbers"},
	{"What is a list in R?", "ordered collection of objects"},
	{"What is a matrix?", "2-dimensional array"},
	{"What is R?", "integrated suite of software facilities"},
	{"What is a duck?", "common name for numerous species"},
	{"What is perceived usefulness?", "The degree to which an individual believes"},
	{"What is perceived ease of use?", "free of physical and mental effort"},
}

// TestDefinitions holds how many of them the built-in model quotes first, and
// how many at all, over the real program and real files.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	if os.Getenv("IBID_FULL") == "" {
		t.Skip("IBID_FULL=1 reads whole manuals and asks sixteen questions")
	}
	h := newHouse(t)
	h.serve()
	for _, name := range []string{"pdf/p01-twocol-tracemonkey.pdf", "pdf/p10-manual-r-intro.pdf", "pdf/p30-tamreview.pdf", "html/docling-wiki_duck.html"} {
		h.must("add", filepath.Join(ibidtest.Data(t, "documents"), name))
	}
	first, quoted := 0, 0
	for _, d := range definitions {
		answer := ""
		for line := range strings.Lines(h.must("ask", "--json", d.question)) {
			var event struct {
				Type string
				Data struct{ Text string }
			}
			if json.Unmarshal([]byte(line), &event) == nil && event.Type == "answer.delta" {
				answer += event.Data.Text
			}
		}
		answer = strings.Join(strings.Fields(answer), " ")
		_, quote, _ := strings.Cut(answer, "“")
		quote, _, _ = strings.Cut(quote, "”")
		switch {
		case strings.Contains(quote, d.answer):
			first++
			fallthrough
		case strings.Contains(answer, d.answer):
			quoted++
		default:
			t.Logf("%s %s", d.question, answer)
		}
	}
	t.Logf("%d of %d definitions are quoted first, %d at all", first, len(definitions), quoted)
	if first < 13 || quoted < 14 {
		t.Errorf("%d of %d definitions are quoted first, %d at all; recorded are 13 and 14", first, len(definitions), quoted)
	}
}
