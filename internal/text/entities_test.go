package text

import (
	"strings"
	"testing"
)

// What passages name is kept in databases: words that begin sentences and lines are no
// part of names, in the same places for ever.
func TestEntitiesWithoutStarters(t *testing.T) {
	for s, want := range map[string]string{
		"The Bank of England\nThe Lake District\nIn New York City After":        "Bank of England|Lake District|New York City",
		"His Majesty The King \nA Duke of York":                                 "Majesty The King|Duke of York",
		"The A Team In\nThe\nThe Ada Lovelace":                                  "A Team|Ada Lovelace",
		"When Ada & Charles met Jean de La Fontaine, An IBM-1 and maxSize_2 At": "Ada & Charles|Jean de La Fontaine|IBM-1|maxSize_2",
		"Before\nThe Great War":                                                 "Great War",
	} {
		if got := strings.Join(Entities(s), "|"); got != want {
			t.Errorf("%q names %q, want %q", s, got, want)
		}
	}
}
