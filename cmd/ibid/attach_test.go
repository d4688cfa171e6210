package main

import (
	"strings"
	"testing"
)

func TestAskWithAFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	path := h.file("mill.html", leasePage)
	out := h.must("ask", "--attach", path, "What is the rent of the mill?")
	if !strings.Contains(out, "1,250 euros") || !strings.Contains(out, "mill.html") {
		t.Errorf("the answer is %s", out)
	}
	if code, _, errs := h.run("ask", "--attach", path+".gone", "x"); code != exitFailed || !strings.Contains(errs, "mill.html.gone") {
		t.Errorf("a file that is not there: %d %s", code, errs)
	}
	if code, _, errs := h.run("ask", "--web", "x"); code != exitFailed || !strings.Contains(errs, "web_search") {
		t.Errorf("the web where it is not set up: %d %s", code, errs)
	}
}

func TestAskCitesAnAttachedText(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	path := h.file("letter.txt", letter)
	h.must("add", h.file("handbook.md", rentalHandbook))
	for question, said := range map[string]string{
		"Within how many days is the deposit returned according to the letter?": "30 days",
		"summarise the attached letter":                                         "28 April",
	} {
		code, out, errs := h.run("ask", "--attach", path, question)
		if code != exitOK || !strings.Contains(out, said) || strings.Contains(out, "90 days") || !strings.Contains(out, "\n[1] letter.txt\n") {
			t.Errorf("%s: %d\n%s%s", question, code, out, errs)
		}
	}
}

// The results of tools have footnotes of their own.
func TestResultsOfToolsAreCited(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("handbook.md", rentalHandbook))
	for question, want := range map[string]string{
		"What is 12 * 7?":                "= **84** [1]",
		"What documents do I have?":      "1 document [1]:\n- handbook.md",
		"What time is it in Berlin now?": "(Europe/Berlin) [1].",
	} {
		if out := h.must("ask", question); !strings.Contains(out, want) {
			t.Errorf("%s: %s", question, out)
		}
	}
	h.must("database", "add", h.file("sales.csv", "city,amount\nOslo,10\nBergen,20\nOslo,5\n"))
	for question, want := range map[string]string{
		"How many sales are there?":         "**3** [1].",
		"What is the total amount by city?": "| Bergen | 20 [1] |\n| Oslo | 15 [",
	} {
		if out := h.must("ask", question); !strings.Contains(out, want) {
			t.Errorf("%s: %s", question, out)
		}
	}
}
