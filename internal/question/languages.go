package question

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// What is known of languages is data: a file each in languages/, with a line for each
// role that words play in questions. The forms of questions are written once, for all
// languages, with roles in their places. A new language is a new file.
//
//	ask, lead           question words, and the prepositions before them: "in what year"
//	and, with, vs, on   what joins the sides of a comparison, and its topic
//	compare, difference what asks for one
//	greeting, address   small talk, as are:
//	thanks, much, word, identity
//	clock, zone         the time, and where
//	calculate, result   what stands before arithmetic; its operators are:
//	plus, minus, times, over, power, squared, cubed, percent, root
//	summarise           what asks for a document as a whole
//	complex, explain    what asks for more than one passage, or for more than a fact
//	elsewhere           what no search of the documents answers
//	go on               begins a question that goes on with the one before
//	alone               a question with nothing to ask about: "Why?"
//	pronoun             stands for what was named
//	preposition, within name, not a name
//
//go:embed languages/*.txt
var files embed.FS

// A language has phrases by role.
type language map[string][]string

// languages by code: "en", "de" …
var languages = readLanguages()

// codes are the codes of the languages, English first.
var codes = func() []string {
	all := slices.Sorted(maps.Keys(languages))
	return slices.Insert(slices.DeleteFunc(all, func(c string) bool { return c == "en" }), 0, "en")
}()

// readLanguages panics where a file is not well formed: it is a part of the program.
func readLanguages() map[string]language {
	found, err := files.ReadDir("languages")
	if err != nil {
		panic(err)
	}
	all := map[string]language{}
	for _, file := range found {
		raw, err := files.ReadFile("languages/" + file.Name())
		if err != nil {
			panic(err)
		}
		l := language{}
		for line := range strings.Lines(string(raw)) {
			role, phrases, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
				continue
			}
			if !ok || l[role] != nil {
				panic(fmt.Sprintf("languages/%s: %q is no line, or comes twice", file.Name(), line))
			}
			l[role] = strings.Split(phrases, " | ")
		}
		all[strings.TrimSuffix(file.Name(), path.Ext(file.Name()))] = l
	}
	return all
}

// role is a place for the phrases of one in a form: {compare}.
var role = regexp.MustCompile(`\{([a-z ]+)\}`)

// form compiles the form of a question, in which {role} stands for the phrases that
// play it in any language. Case doesn't count.
func form(pattern string) *regexp.Regexp {
	return regexp.MustCompile("(?i)" + role.ReplaceAllStringFunc(pattern, func(place string) string {
		return oneOf(codes, strings.Trim(place, "{}"))
	}))
}

// formsByLanguage compiles a form for each language alone, for where words of several
// would be mistaken for each other; for those that have all of its roles.
func formsByLanguage(pattern string) map[string]*regexp.Regexp {
	forms := map[string]*regexp.Regexp{}
	for _, code := range codes {
		known := true
		expression := role.ReplaceAllStringFunc(pattern, func(place string) string {
			name := strings.Trim(place, "{}")
			known = known && languages[code][name] != nil
			return oneOf([]string{code}, name)
		})
		if known {
			forms[code] = regexp.MustCompile("(?i)" + expression)
		}
	}
	return forms
}

// oneOf matches one of the phrases that play a role in some languages.
func oneOf(codes []string, role string) string {
	var phrases []string
	for _, code := range codes {
		phrases = append(phrases, languages[code][role]...)
	}
	return "(?:" + strings.Join(phrases, "|") + ")"
}

// words are those that play a role in any language.
func words(role string) map[string]bool {
	set := map[string]bool{}
	for _, code := range codes {
		for _, phrase := range languages[code][role] {
			set[phrase] = true
		}
	}
	return set
}
