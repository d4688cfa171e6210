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
)

// starters are words that begin a sentence, and no name.
var starters = WordsOf("en", "starts")

// maxEntity bounds a name, in bytes: what is longer is a line in capitals.
const maxEntity = 60

// Entities returns the names of people, places, organisations, products and
// things that a text mentions, by how they are written, each once and in order.
// It is a heuristic for languages that write names, but not all nouns, with
// capitals: single capitalised words are left out, as many begin a sentence.
func Entities(s string) []string {
	var found []string
	seen := make(map[string]bool)
	add := func(name string) {
		if key := strings.ToLower(name); len(name) <= maxEntity && !seen[key] {
			seen[key] = true
			found = append(found, name)
		}
	}
	for _, match := range properName.FindAllString(s, -1) {
		for _, words := range withoutStarters(match) {
			if len(words) > 1 { // else it is "The Bank"
				add(strings.Join(words, " "))
			}
		}
	}
	for _, match := range identifier.FindAllString(s, -1) {
		add(match)
	}
	return found
}

// withoutStarters cuts words that may be a name into those that are: where a line begins
// with a starter, another name begins behind it, and at the ends starters are dropped.
func withoutStarters(match string) [][]string {
	var pieces [][]string
	lines := strings.Split(match, "\n")
	piece := strings.Fields(lines[0])
	end := func(blank bool) {
		if len(piece) > 1 && starters[piece[0]] {
			piece = piece[1:]
		}
		for !blank && len(piece) > 1 && starters[piece[len(piece)-1]] {
			piece = piece[:len(piece)-1]
		}
		pieces = append(pieces, piece)
	}
	cut := false // the line before was a starter alone: it has cut already
	for i, line := range lines[1:] {
		words := strings.Fields(line)
		last := i == len(lines)-2
		cuts := !cut && starters[words[0]] && (len(words) > 1 || !last)
		if cuts {
			// A blank at the end of a line keeps the starter before it: keys that are
			// stored were made so.
			end(strings.TrimRight(lines[i], " \t") != lines[i])
			piece = nil
			words = words[1:]
		}
		cut = cuts && len(words) == 0
		piece = append(piece, words...)
	}
	end(false)
	return pieces
}

// EntityKey returns how a name is compared with others: small letters, single
// blanks, without a leading article and without a possessive at its end.
func EntityKey(name string) string {
	key := strings.ToLower(strings.Join(strings.Fields(name), " "))
	key = strings.TrimPrefix(key, "the ")
	key = strings.TrimSuffix(strings.TrimSuffix(key, "'s"), "’s")
	return strings.Trim(key, "'’.-, ")
}
