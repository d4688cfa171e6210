package evidence

import "testing"

// What a statement takes from a source is found word for word, and no more of it.
func TestQuotedParts(t *testing.T) {
	const source = "The deposit equals three months of rent and is held in a blocked account (see “Kaution”). Call read(file, ..., as.is = TRUE) first. Parking spaces belong to the premises. Sandals are forbidden, and gloves are worn."
	m := New([]Source{{Pieces: []string{source}}})
	for statement, want := range map[string]string{
		"The deposit equals three months of rent":           "The deposit equals three months of rent",
		"and the deposit equals three months of rent":       "The deposit equals three months of rent",
		", while parking spaces belong to the premises.":    "Parking spaces belong to the premises.",
		"and gloves are worn":                               "and gloves are worn",
		"It says: “Parking spaces belong to the premises.”": "Parking spaces belong to the premises.",
		"and the deposit equals four months of rent":        "",
		"and worn": "",
		"The deposit is held in a blocked account (see “Kaution”).": "",
		"It is held in a blocked account":                           "",
		"held in a blocked account (see “Kaution”).":                "held in a blocked account (see “Kaution”).",
		"(see “Kaution”)":                                           "(see “Kaution”)",
		"Call read(file, ..., as.is = TRUE) first":                  "Call read(file, ..., as.is = TRUE) first",
		"The deposit … is held in a blocked account":                "The deposit" + "is held in a blocked account",
	} {
		backing, _ := m.Quoted(statement, []int{0})
		got := ""
		for _, s := range backing.Spans {
			got += source[s.Start:s.End]
		}
		if got != want {
			t.Errorf("%q quotes %q, want %q", statement, got, want)
		}
	}
}
