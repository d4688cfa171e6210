package evidence

import (
	"strings"
	"testing"
)

func TestDefinitions(t *testing.T) {
	best := func(question string, sentences ...string) string {
		s := strings.Join(sentences, " ")
		c := Choose(question, texts(nil, s))[0]
		return s[c.Start:c.End]
	}
	for question, sentences := range map[string][]string{ // the first defines
		"What is a data frame?":         {"A data frame is a list with class data.frame.", "The simplest way to make a data frame is to use read.table.", "Use a data frame for the data."},
		"What is a factor?":             {"A factor is a vector object used to specify a grouping.", "A factor has levels.", "R provides both kinds of factor."},
		"What is perceived usefulness?": {"Perceived usefulness: The degree to which a system is believed to help.", "Perceived usefulness was measured in 1989.", "Usefulness is perceived."},
		"What is a typed trace?":        {"What comes out is called a typed trace.", "The typed trace was left at the loop.", "A trace that is typed runs."},
		"What is SpiderMonkey?":         {"SpiderMonkey (the engine) is the JavaScript VM of Firefox.", "SpiderMonkey is fast.", "We changed SpiderMonkey."},
	} {
		for shift := range sentences {
			turned := append(append([]string{}, sentences[shift:]...), sentences[:shift]...)
			if got := best(question, turned...); got != sentences[0] {
				t.Errorf("%s %q", question, got)
			}
		}
	}
}
