package ibid

import "testing"

func TestNumberedNames(t *testing.T) {
	for _, c := range []struct{ name, numbered string }{
		{"report.pdf", "report (2).pdf"}, {"report", "report (2)"}, {".profile", ".profile (2)"},
		{"a.tar.gz", "a.tar (2).gz"}, {"report (2).pdf", "report (2) (2).pdf"}, {"x (", "x ( (2)"},
	} {
		if got := NumberedName(c.name, 2); got != c.numbered {
			t.Errorf("%q is numbered %q, want %q", c.name, got, c.numbered)
		}
		if !IsNumberedName(c.numbered, c.name) || IsNumberedName(c.name, c.name) || IsNumberedName(c.numbered, "other.pdf") {
			t.Errorf("%q is not known as a number of %q", c.numbered, c.name)
		}
	}
	for _, not := range []string{"report (1).pdf", "report (02).pdf", "report (-2).pdf", "report (2).txt", "report (2)", "report (x).pdf", "report (2) .pdf"} {
		if IsNumberedName(not, "report.pdf") {
			t.Errorf("%q passes for a number of report.pdf", not)
		}
	}
}
