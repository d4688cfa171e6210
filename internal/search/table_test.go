package search_test

import (
	"testing"

	"ibid/internal/search"
)

func TestJudgeTable(t *testing.T) {
	const table = "| product | total |\n| --- | --- |\n| Gadget | 7800.5 |\n| Widget | 1200 |\nSELECT product, SUM(price) AS total FROM sales WHERE year = 2024 GROUP BY product"
	for claim, want := range map[string]string{
		"The Gadget sold for 7,800.50 in all.":             search.Supported,
		"In 2024 the Widget sold for 1,200.00.":            search.Supported,
		"The Gadget sold for 7,800.51 in all.":             search.PartiallySupported,
		"In 2023 the Widget sold for 1200.":                search.PartiallySupported,
		"Sales of the Sprocket came to 1200.":              search.PartiallySupported,
		"The Widget sold for 12.":                          search.PartiallySupported,
		"Gadget 7800.5":                                    search.Supported,
		"The Gadget brought more than the Widget did.":     search.Supported,
		"The Gadget's 7800.500 is more than 1200.0 by far": search.Supported,
	} {
		if got := search.JudgeTable(claim, table); got.Verdict != want {
			t.Errorf("%q: %s, want %s", claim, got.Verdict, want)
		}
	}
}
