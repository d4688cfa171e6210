package reader

import "testing"

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
