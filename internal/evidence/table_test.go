package evidence_test

import (
	"testing"

	"ibid/internal/evidence"
)

func TestJudgeTable(t *testing.T) {
	const table = "| product | total |\n| --- | --- |\n| Gadget | 7800.5 |\n| Widget | 1200 |\nSELECT product, SUM(price) AS total FROM sales WHERE year = 2024 GROUP BY product"
	for claim, want := range map[string]string{
		"The Gadget sold for 7,800.50 in all.":             evidence.Supported,
		"In 2024 the Widget sold for 1,200.00.":            evidence.Supported,
		"The Gadget sold for 7,800.51 in all.":             evidence.PartiallySupported,
		"In 2023 the Widget sold for 1200.":                evidence.PartiallySupported,
		"Sales of the Sprocket came to 1200.":              evidence.PartiallySupported,
		"The Widget sold for 12.":                          evidence.PartiallySupported,
		"Gadget 7800.5":                                    evidence.Supported,
		"The Gadget brought more than the Widget did.":     evidence.Supported,
		"The Gadget's 7800.500 is more than 1200.0 by far": evidence.Supported,
	} {
		if got := evidence.JudgeTable(claim, table); got.Verdict != want {
			t.Errorf("%q: %s, want %s", claim, got.Verdict, want)
		}
	}
}
