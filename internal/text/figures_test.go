package text

import (
	"strings"
	"testing"
)

func TestFigures(t *testing.T) {
	for in, want := range map[string]string{
		"It grew from 1,200 to 1,234,567.5 in 2018.": "1200 1234567.5 2018",
		"Versions 1.2.3 and 12,34, or 1,2345.":       "1.2.3 12,34 1,2345",
		"E-1042 costs 3.50, 40% less":                "1042 3.50 40",
		"none":                                       "",
		"7":                                          "7",
	} {
		if got := strings.Join(Figures(in), " "); got != want {
			t.Errorf("%q has %q, want %q", in, got, want)
		}
	}
}

func TestDenies(t *testing.T) {
	for in, want := range map[string]bool{
		"It does not run.": true, "It doesn't run.": true, "It isn’t there": true, "I DON'T": true, "NEVER": true, "Es läuft nicht.": true, "Il ne court pas.": true,
		"It runs.": false, "A note on knots": false, "not_null": false, "can'ts": false, "the tent": false, "John'T": true, "Nothings": false,
	} {
		if got := Denies(in); got != want {
			t.Errorf("%q denies: %t", in, got)
		}
	}
}

func TestRuns(t *testing.T) {
	var got []string
	const s = "Ab_1 é2-東c'd"
	for run := range Runs(s) {
		got = append(got, s[run.Start:run.End])
	}
	if all := strings.Join(got, " "); all != "Ab_1 2 c d" {
		t.Errorf("runs %q", all)
	}
	if first, at := FirstRun("| TOTAL x"); first != "total" || at != (Span{2, 7}) {
		t.Errorf("first %q at %v", first, at)
	}
}

// BenchmarkDenies looks for denials and figures, as every sentence that a claim is held
// against is looked through.
func BenchmarkDenies(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		Denies(prose)
		Figures(prose)
	}
}
