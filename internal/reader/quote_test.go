package reader

import (
	"strings"
	"testing"

	"ibid"
)

// TestSourceMarks: footnotes of the source go, indexes of code stay, and neither
// reads as a footnote of ours.
func TestSourceMarks(t *testing.T) {
	for in, want := range map[string]string{
		"Ducks are birds.[5] They swim [12].":      "Ducks are birds. They swim.",
		"The first is items[1] = 3 of the list.":   "The first is items[\u200b1] = 3 of the list.",
		"Refer to them as Lst[[1]] and so on.":     "Refer to them as Lst[[\u200b1]] and so on.",
		"The value x[2].name is read by get() [3]": "The value x[\u200b2].name is read by get() [\u200b3]",
		"Nothing of either kind.":                  "Nothing of either kind.",
	} {
		if got := quoted(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// Two documents that are compared on nothing in particular are each summed up.
func TestContrastOfAll(t *testing.T) {
	ps := []ibid.Handled{
		{Handle: "a1", Title: "Third quarter", Text: "Revenue in the third quarter was 4.2 million euros, up 8 percent. The gross margin was 41 percent of the revenue."},
		{Handle: "b1", Title: "Fourth quarter", Text: "Revenue in the fourth quarter was 5.1 million euros, up 12 percent. The gross margin fell to 38 percent of the revenue."},
	}
	for _, question := range []string{"Compare q3.md with q4.md", "Compare q3 and q4", "What is the difference between Third quarter and Fourth quarter?"} {
		answer, ok := New().contrast(question, ps)
		if !ok || !strings.Contains(answer, "4.2 million euros, up 8 percent.” [a1]") || !strings.Contains(answer, "5.1 million euros, up 12 percent.” [b1]") {
			t.Errorf("%s: %s", question, answer)
		}
	}
	answer, ok := New().contrast("Compare q3 and q4 on margin", ps)
	if !ok || strings.Contains(answer, "4.2") || !strings.Contains(answer, "41 percent") || !strings.Contains(answer, "38 percent") {
		t.Errorf("on margins: %s", answer)
	}
}

// What a document is called stands nowhere in it, so that it is no part of what
// is looked for there.
func TestQuotesWithoutTheName(t *testing.T) {
	passages := []ibid.Handled{{Handle: "c1", Title: "Annual Report", Score: 1,
		Text: "Competition is fierce in all our markets. We have 200 employees. plot x(1) = [2]; {3} The year ended well."}}
	for _, question := range []string{"What does report-2023.pdf say about competition?", "What does the annual report say about competition?"} {
		answer, ok := New().quote(question, passages)
		if !ok || answer != "**Annual Report** says:\n\n> “Competition is fierce in all our markets.” [c1]" {
			t.Errorf("%s: %s", question, answer)
		}
	}
}

// A heading is not put between the quotation marks of the sentence below it.
func TestQuotesWithoutHeadings(t *testing.T) {
	for in, want := range map[string]string{
		"Following a folder\n\nadds what is there.":       "adds what is there.",
		"Part 1\n\nTerms\n\nThe rent is due.":             "The rent is due.",
		"The rent is due. It is high.\n\nPay it at once.": "The rent is due. It is high.\n\nPay it at once.",
		"It costs:\n\n900 euros.":                         "It costs:\n\n900 euros.",
		"Terms":                                           "Terms",
		"The rent is\n\n900 euros, as all who live here know, and it is due on the first of each month.": "900 euros, as all who live here know, and it is due on the first of each month.",
		"a | b\nc | d\n\n": "a | b\nc | d\n\n",
	} {
		if got := withoutHeading(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestSentencesThatPointBack(t *testing.T) {
	for in, want := range map[string]bool{
		"He came.": true, "“It's late,” she said.": true, "'Both' is a word.": true, "\"“It rains.": false, "Hers is new.": false, "Item 5": false, "he came": false, "": false,
	} {
		if got := pointsBack(in); got != want {
			t.Errorf("%q points back: %t", in, got)
		}
	}
}
