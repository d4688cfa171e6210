package text

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// What is known of languages is data: a file each in languages/, with a line for each
// role that words play, and the phrases that play it:
//
//	asks time: wann | seit wann | bis wann
//
// A phrase that ends with "_" ends with a space. A new language is a new file. The
// roles are:
//
//	defines, article, narrows, calls   definitions; "is or means" in sentences
//	is           what stands between a word and its definition in Chinese and Japanese
//	month, time word, number word, place before, reason   what an answer of a kind has
//	sums up      the rows of tables that do
//	joins        a clause to the one before it
//	denies       (figures.go)
//	starts       begins sentences, and is no part of a name (entities.go)
//
// which package evidence asks for, and those of package question (languages.go there).
//
//go:embed languages/*.txt
var languageFiles embed.FS

// lexicons are the phrases of the languages, by code and role.
var lexicons = readLexicons()

// readLexicons panics where a file is not well formed: it is a part of the program.
func readLexicons() map[string]map[string][]string {
	found, err := languageFiles.ReadDir("languages")
	if err != nil {
		panic(err)
	}
	all := map[string]map[string][]string{}
	for _, file := range found {
		raw, err := languageFiles.ReadFile("languages/" + file.Name())
		if err != nil {
			panic(err)
		}
		roles := map[string][]string{}
		for line := range strings.Lines(string(raw)) {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			role, phrases, ok := strings.Cut(line, ": ")
			if !ok || roles[role] != nil {
				panic(fmt.Sprintf("languages/%s: %q is no line, or comes twice", file.Name(), line))
			}
			for _, phrase := range strings.Split(phrases, " | ") {
				if before, cut := strings.CutSuffix(phrase, "_"); cut {
					phrase = before + " "
				}
				roles[role] = append(roles[role], phrase)
			}
		}
		all[strings.TrimSuffix(file.Name(), path.Ext(file.Name()))] = roles
	}
	return all
}

// Languages are the codes of the languages that something is known of, English first.
func Languages() []string {
	codes := slices.Sorted(maps.Keys(lexicons))
	return slices.Insert(slices.DeleteFunc(codes, func(c string) bool { return c == "en" }), 0, "en")
}

// Phrases are those that play a role in a language.
func Phrases(language, role string) []string { return lexicons[language][role] }

// Roles are those that a language has phrases for, in order.
func Roles(language string) []string { return slices.Sorted(maps.Keys(lexicons[language])) }

// WordsOf are the words that play a role in a language.
func WordsOf(language, role string) map[string]bool {
	set := map[string]bool{}
	for _, w := range Phrases(language, role) {
		set[w] = true
	}
	return set
}

// WordsOfAll are the words that play a role in any language.
func WordsOfAll(role string) map[string]bool {
	set := map[string]bool{}
	for code := range lexicons {
		maps.Copy(set, WordsOf(code, role))
	}
	return set
}
