package evidence

import "testing"

func TestRowsWithAmounts(t *testing.T) {
	for row, want := range map[string]bool{
		"Year | 2018 | 2019": false, "North | 141": true, "North | 14.5": true, "North | 2018.5": true, "A1 | B2": false, "Rate | 2010%": true,
		"Rows | 3000": true, "Rows | 12345": true, "x12345y | a": true, "a | b": false, "é5 | x": true,
	} {
		if got := hasAmount(row); got != want {
			t.Errorf("%q has an amount: %t", row, got)
		}
	}
	for row, want := range map[string]bool{
		"Total | 5": true, "| ALL North\t5": true, "Totally | 5": false, "Net total | 5": false, "Sum of all": false, "": false,
	} {
		if got := sumsUp(row); got != want {
			t.Errorf("%q sums up: %t", row, got)
		}
	}
}

func TestStatementsWithoutTheirJoint(t *testing.T) {
	for in, want := range map[string]string{
		", and the rent is due": "the rent is due", "– Während es regnet": "es regnet", "Android is old": "", "and": "", "the rent and more": "",
	} {
		if got, joined := withoutJoint(in); joined != (want != "") || joined && got != want {
			t.Errorf("%q became %q, %t", in, got, joined)
		}
	}
}
