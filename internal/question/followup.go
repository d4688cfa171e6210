package question

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/text"
)

// Standalone returns a question as it would be asked without the questions
// before it, oldest first. sure is false where it leans on them and no rule says
// how; what is returned then has their words beside its own, which is enough to
// search with.
//
//	What was the revenue in 2022?   And in 2023?          → What was the revenue in 2023?
//	Who wrote the Lease of Lund?    When did he sign it?  → unsure: two may be meant
//	Who founded Acme Ltd?           Where is it based?    → Where is Acme Ltd based?
//	What is the rent?               And the deposit?      → What is the deposit?
//	How long is the notice period?  And how much is the rent? → how much is the rent?
func Standalone(question string, earlier []string) (full string, sure bool) {
	question = strings.Join(strings.Fields(question), " ")
	if len(earlier) == 0 || !Leans(question) {
		return question, true
	}
	earlier = earlier[max(0, len(earlier)-MaxBack):]
	before, sure := Standalone(earlier[len(earlier)-1], earlier[:len(earlier)-1])
	if whole, ok := another(question, before); ok {
		return whole, true
	}
	if !sure {
		return beside(question, before), false
	}
	if full, ok := exchange(question, before); ok {
		return full, true
	}
	if full, ok := refer(question, before); ok {
		return full, true
	}
	return beside(question, before), false
}

// MaxBack is how many earlier questions a question may lean on.
const MaxBack = 4

var (
	// continues begins questions that go on with the one before.
	continues = form(`^¿?\s*{go on}\s+(.+?)\s*[?？.!]*$`)
	// alone is a question word with nothing to ask about.
	alone = form(`^[^\pL]*(?:(?:{and}|but) )?{alone}[^\pL]*$`)
	// pronouns stand for something that was named, by language: those that are articles
	// too, or address the reader, are left out. In English they are replaced.
	pronouns = formsByLanguage(`(?:^|[\s¿-])({pronoun})[\s?.,!]`)
	english  = regexp.MustCompile(`(?i)\b` + oneOf([]string{"en"}, "pronoun") + `\b`)
	// pointing words stand for all that was said.
	pointing = regexp.MustCompile(`(?i)^(this|that|these|those)\b|\b(is|was|are|were|does|did|do) (this|that|these|those)\b|\b(this|that|these|those|the (?:first|second|third|last|former|latter|same|other)(?: one)?|ones?)\W*$`)
	// impersonal "it" stands for nothing.
	impersonal = regexp.MustCompile(`(?i)\b(is it (true|possible|allowed|necessary|legal|safe)|it (is|was) (possible|allowed|necessary|true)|does it take|did it take|does it cost)\b`)
)

// Leans reports whether a question needs what was asked before it.
func Leans(q string) bool {
	if alone.MatchString(q) || pointing.MatchString(q) {
		return true
	}
	if m := continues.FindStringSubmatch(q); m != nil && len(strings.Fields(m[1])) <= 8 {
		return true
	}
	at := english.FindStringIndex(q)
	if language := Language(q); language != "en" && pronouns[language].known() {
		at = pronouns[language].FindStringIndex(q)
	}
	if at == nil || impersonal.MatchString(q) {
		return false
	}
	return len(names(q[:at[0]])) == 0 // else it stands for what the question itself names
}

// another returns "and how much is the rent?" without the word that joins it to the
// question before: it asks of another thing, in a sentence of its own. Where that
// question names somebody or a year, they may be meant here too.
func another(question, before string) (string, bool) {
	m := continues.FindStringSubmatchIndex(question)
	if m == nil || len(names(before)) > 0 || len(text.FigureSpans(before)) > 0 {
		return "", false
	}
	whole := question[m[2]:]
	at := asks.FindStringIndex(whole)
	if at == nil || at[0] != 0 || english.MatchString(whole) || pointing.MatchString(whole) || !objectOf.MatchString(whole) {
		return "", false
	}
	return whole, true
}

// exchange answers "and X?" by the question before with X in the place of what
// is of its kind.
func exchange(question, before string) (string, bool) {
	m := continues.FindStringSubmatch(question)
	if m == nil {
		return "", false
	}
	part := m[1]
	if len(strings.Fields(part)) > 8 || asks.MatchString(part) || english.MatchString(part) || pointing.MatchString(part) {
		return "", false
	}
	thing := strings.TrimSpace(preposition.ReplaceAllString(part, ""))
	numbers, theirs := text.FigureSpans(thing), text.FigureSpans(before)
	switch {
	case len(numbers) == 1 && numbers[0] == (text.Span{End: len(thing)}) && len(theirs) == 1:
		return before[:theirs[0].Start] + thing + before[theirs[0].End:], true
	case len(numbers) > 0:
		return "", false
	}
	if at, ok := samePlace(part, thing, before); ok {
		return before[:at.Start] + thing + before[at.End:], true
	}
	if n := names(before); len(n) == 1 && (isName(thing) || preposition.MatchString(part)) {
		if isName(thing) && (!preposition.MatchString(part) || precededBy(before, n[0], part)) {
			return before[:n[0].Start] + thing + before[n[0].End:], true
		}
		return "", false
	}
	if at := objectOf.FindStringSubmatchIndex(before); at != nil && oneThing(before) && determined.MatchString(thing) && thing == part {
		return before[:at[2]] + thing + before[at[3]:], true
	}
	return "", false
}

var (
	asks        = regexp.MustCompile(`(?i)\b(who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should)\b`)
	preposition = form(`^{preposition}\s+`)
	determined  = regexp.MustCompile(`(?i)^(the|my|our|your|a|an)\s+\pL`)
	// objectOf is what "what is the rent?" and "who signed the lease?" are about.
	objectOf = regexp.MustCompile(`(?i)^.*\b((?:the|my|our|your) [\pL\d-]+(?: [\pL\d-]+)?)\?*$`)
	article  = regexp.MustCompile(`(?i)\b(the|my|our|your|a|an)\s`)
)

// oneThing reports whether a question speaks of one thing only, at its end: where
// it has an auxiliary, a verb stands there.
func oneThing(s string) bool {
	return len(article.FindAllString(s, -1)) == 1 && !auxiliary.MatchString(s)
}

var auxiliary = regexp.MustCompile(`(?i)\b(do|does|did|can|could|will|would|should|must|may|shall|has|have|had)\b`)

// samePlace returns the only name in the question before that has the same
// preposition before it as a part that is a name: "in Germany", "And in France?".
func samePlace(part, thing, before string) (text.Span, bool) {
	var found []text.Span
	if preposition.MatchString(part) && isName(thing) {
		for _, n := range names(before) {
			if precededBy(before, n, part) {
				found = append(found, n)
			}
		}
	}
	if len(found) != 1 {
		return text.Span{}, false
	}
	return found[0], true
}

// precededBy reports whether the same preposition stands before a name as begins
// a part.
func precededBy(s string, name text.Span, part string) bool {
	word := strings.ToLower(strings.TrimSpace(preposition.FindString(part)))
	return strings.HasSuffix(strings.ToLower(strings.TrimSpace(s[:name.Start])), " "+word)
}

// refer puts the one thing that the question before names in the place of the
// pronouns.
func refer(question, before string) (string, bool) {
	if alone.MatchString(question) || pointing.MatchString(question) {
		return "", false
	}
	thing := ""
	if n := names(before); len(n) == 1 {
		thing = before[n[0].Start:n[0].End]
	} else if at := objectOf.FindStringSubmatch(before); at != nil && len(n) == 0 && oneThing(before) {
		thing = at[1]
	}
	if thing == "" {
		return "", false
	}
	said := false
	full := english.ReplaceAllStringFunc(question, func(p string) string {
		low := strings.ToLower(p)
		if determined.MatchString(thing) && (low == "he" || low == "him" || low == "his" || low == "she" || low == "her" || low == "hers") {
			return p // what they stand for was not named
		}
		said = true
		switch low {
		case "its", "their", "theirs", "his", "hers":
			return thing + "'s"
		case "her":
			return thing
		}
		return thing
	})
	if !said {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimPrefix(full, "And "), "But "), true
}

// beside puts what the question before was about beside a question.
func beside(question, before string) string {
	var words []string
	for _, w := range ContentWords(before) {
		if !slices.ContainsFunc(strings.Fields(question), func(q string) bool { return strings.EqualFold(strings.Trim(q, "?.,!"), w) }) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return question
	}
	return question + " (" + strings.Join(words[:min(len(words), maxWords)], " ") + ")"
}

// ContentWords are the words of a question that say what it is about, as
// written, each once.
func ContentWords(s string) []string { return contentWords(s, map[string]bool{}) }

// contentWords leaves out words whose terms were seen, and adds those that it returns.
func contentWords(s string, seen map[string]bool) []string {
	a := text.NewAnalyzer(languageOf(s))
	var words []string
	for w := range text.Words(s) {
		if t, ok := a.Term(w.Text); ok && !w.Joined && !Asking(w.Text) && !seen[t] {
			seen[t] = true
			words = append(words, s[w.Start:w.End])
		}
	}
	return words
}

func languageOf(s string) string {
	if l := Language(s); l != "" {
		return l
	}
	return "en"
}

// names are the runs of capitalised words in a question, but for its first word
// and for months. Small words within a name belong to it: "Bank of England".
func names(s string) []text.Span {
	var found []text.Span
	first := true
	joined := false
	for _, at := range wordAt.FindAllStringIndex(s, -1) {
		word := s[at[0]:at[1]]
		c, _ := utf8.DecodeRuneInString(word)
		switch {
		case first || !unicode.IsUpper(c) || word == "I" || notName[strings.ToLower(word)]:
			joined = joined && withinName[word]
		case joined || len(found) > 0 && s[found[len(found)-1].End:at[0]] == " ":
			found[len(found)-1].End = at[1]
			joined = true
		default:
			found = append(found, text.Span{Start: at[0], End: at[1]})
			joined = true
		}
		first = false
		if strings.ContainsAny(s[at[1]:min(len(s), at[1]+1)], ".?!,;:") {
			joined = false
		}
	}
	return found
}

var (
	wordAt     = regexp.MustCompile(`[\pL\d][\pL\d'’&.-]*[\pL\d]|[\pL\d]`)
	withinName = words("within name")
	notName    = words("not a name")
)

// isName reports whether a part is nothing but a name.
func isName(s string) bool {
	n := names("x " + s)
	return len(n) == 1 && n[0].Start == 2 && n[0].End == len(s)+2
}

// leastAlone is how many words a question has that says what it is about.
const leastAlone = 2

// TakenOver are the words of earlier questions, oldest first, that a question needs:
// those of the nearest one that stands alone, and of what came after it. "" where the
// question stands alone itself.
func TakenOver(question string, earlier []string) string {
	needs := func(q string) bool { return Leans(q) || len(contentWords(q, map[string]bool{})) < leastAlone }
	if len(earlier) == 0 || !needs(question) {
		return ""
	}
	seen := map[string]bool{}
	for _, t := range text.NewAnalyzer(languageOf(question)).Terms(question) {
		seen[t] = true
	}
	var words []string
	for back := 1; back <= min(MaxBack, len(earlier)); back++ {
		before := earlier[len(earlier)-back]
		words = append(words, contentWords(before, seen)...)
		if !needs(before) && len(words) > 0 {
			break
		}
	}
	return strings.Join(words[:min(len(words), maxWords)], " ")
}

// maxWords is how many words of earlier questions are taken over at most.
const maxWords = 12
