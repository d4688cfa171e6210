package text

import (
	"regexp"
	"strings"
)

// What reads as the name of something: several capitalised words in a row,
// joined by "of" and the like ("Bank of England"), and identifiers: capitals,
// digits and signs in one word ("E-1042", "TraceMonkey", "max_size"). A name may
// go on in the next line, but not beyond an empty one, and the sentence below a
// heading does not belong to it ("Details The…").
var (
	properName = regexp.MustCompile(`\p{Lu}[\p{L}'’-]*(?:[ \t]*[ \t\n][ \t]*(?:(?:of|de|von|van|der|the|&)[ \t]*[ \t\n][ \t]*)?\p{Lu}[\p{L}'’-]*)+`)
	identifier = regexp.MustCompile(`\b(?:\p{Lu}+-?\d[\p{L}\p{N}-]*|\p{Lu}?\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{L}+_[\p{L}\p{N}_]+|\p{Lu}{2,6})\b`)
	leading    = regexp.MustCompile(`^(?:` + starters + `)[ \t\n]+`)
	trailing   = regexp.MustCompile(`(?:[ \t\n]+(?:` + starters + `))+$`)
	beginning  = regexp.MustCompile(`\n[ \t]*(?:` + starters + `)[ \t\n]+`)
)

// starters are words that begin a sentence, and no name.
const starters = `The|A|An|In|On|At|If|When|While|For|From|By|With|And|But|This|That|These|Those|His|Her|Its|Their|Our|My|As|After|Before`

// maxEntity bounds a name, in bytes: what is longer is a line in capitals.
const maxEntity = 60

// Entities returns the names of people, places, organisations, products and
// things that a text mentions, by how they are written, each once and in order.
// It is a heuristic for languages that write names, but not all nouns, with
// capitals: single capitalised words are left out, as many begin a sentence.
func Entities(s string) []string {
	var found []string
	seen := make(map[string]bool)
	for _, form := range []*regexp.Regexp{properName, identifier} {
		for _, match := range form.FindAllString(s, -1) {
			for _, name := range beginning.Split(match, -1) {
				name = trailing.ReplaceAllString(leading.ReplaceAllString(name, ""), "")
				name = strings.Join(strings.Fields(name), " ")
				if form == properName && !strings.Contains(name, " ") {
					continue // "The Bank"
				}
				if key := strings.ToLower(name); len(name) <= maxEntity && !seen[key] {
					seen[key] = true
					found = append(found, name)
				}
			}
		}
	}
	return found
}

// EntityKey returns how a name is compared with others: small letters, single
// blanks, without a leading article and without a possessive at its end.
func EntityKey(name string) string {
	key := strings.ToLower(strings.Join(strings.Fields(name), " "))
	key = strings.TrimPrefix(key, "the ")
	key = strings.TrimSuffix(strings.TrimSuffix(key, "'s"), "’s")
	return strings.Trim(key, "'’.-, ")
}
