package cite

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var twoChunks = map[string]int{"c_aaaaaa1": 1, "c_bbbbbb2": 2}

// Claims stand in the answer where they say they do, whatever stands around them.
func TestClaims(t *testing.T) {
	for _, tc := range []struct {
		answer string
		want   []string // claim | its words in the answer | what it cites
	}{
		{"Five years [c_aaaaaa1].", []string{"Five years.|Five years [c_aaaaaa1].|c_aaaaaa1"}},
		{"The lease runs for five years.[c_aaaaaa1] The rent is €900 a month. [c_bbbbbb2]", []string{
			"The lease runs for five years.|The lease runs for five years.[c_aaaaaa1]|c_aaaaaa1",
			"The rent is €900 a month.|The rent is €900 a month. [c_bbbbbb2]|c_bbbbbb2"}},
		{"Größe: „ÄÖÜ“ – 日本語です。次の文です [c_aaaaaa1]。", []string{
			"Größe: „ÄÖÜ – 日本語です。|Größe: „ÄÖÜ“ – 日本語です。|c_aaaaaa1",
			"次の文です 。|次の文です [c_aaaaaa1]。|c_aaaaaa1"}},
		// A marker stands for the sentences of its paragraph before it.
		{"It runs for five years. It costs 900 euros [c_aaaaaa1].\n\nIt has a large garden.", []string{
			"It runs for five years.|It runs for five years.|c_aaaaaa1",
			"It costs 900 euros.|It costs 900 euros [c_aaaaaa1].|c_aaaaaa1",
			"It has a large garden.|It has a large garden.|"}},
		// What states nothing.
		{"# The lease of the house\n\nHere is what I found:\n\n- **Rent**: 900 euros a month [c_bbbbbb2]\n\n```\ncode is no claim at all.\n```\nWould you like to know more?", []string{
			"Rent: 900 euros a month|Rent**: 900 euros a month [c_bbbbbb2]|c_bbbbbb2"}},
		{"The documents do not say who painted it. I could not find the rent.", nil},
		{"Let me know if there is more.", nil},
		// The head of a table names what its rows state.
		{"Here are the totals:\n\n| Größe | Product | Total |\n|:---|---|---:|\n| XL | Gadget | 7,800.50 |\n| S | Widget | 1,200 |\n\nThe Gadget sold best. [c_aaaaaa1]", []string{
			"XL Gadget 7,800.50|XL | Gadget | 7,800.50 ||", "S Widget 1,200|S | Widget | 1,200 ||", "The Gadget sold best.|The Gadget sold best. [c_aaaaaa1]|c_aaaaaa1"}},
		// A marker of nothing that is known is text.
		{"The flag [verbose] is on by default.", []string{"The flag [verbose] is on by default.|The flag [verbose] is on by default.|"}},
		{"", nil},
	} {
		var got []string
		for _, c := range Claims(tc.answer, twoChunks) {
			if !utf8.ValidString(tc.answer[c.Start:c.End]) {
				t.Errorf("%q: a claim cuts a character", tc.answer)
			}
			got = append(got, c.Text+"|"+tc.answer[c.Start:c.End]+"|"+strings.Join(c.Cites, " "))
		}
		if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
			t.Errorf("%q:\n%s\nwant\n%s", tc.answer, strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
		}
	}
}
