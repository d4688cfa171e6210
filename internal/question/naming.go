package question

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/text"
)

// People name documents in many ways: by file ("report-2023.pdf", "report 2023"),
// by title, by a part of either ("the lease", "the FAA handbook"). Mentions finds
// the documents that a question names. Most names are words that a question may
// also be about, so that only these count:
//
//   - a file name with its extension, or in quotation marks
//   - a file name without it that is spelt like one: q3_report, report-2023, README
//   - a name or title where the question speaks of a document: "according to",
//     "summarise", "what does … say", "in the … report"
//   - in such places also some words of a name, if they are of one document only.
func Mentions(question string, documents [][]string) (found []int, rest string) {
	return MentionsAmong(question, documents, len(documents))
}

// MentionsAmong is Mentions where documents are only the candidates among all
// documents, as MentionKeys finds them.
func MentionsAmong(question string, documents [][]string, all int) (found []int, rest string) {
	m := mentions{question: question, tokens: text.NameTokens(question)}
	for i, names := range documents {
		m.whole(i, names)
	}
	m.keepLongest()
	if len(m.spans) == 0 {
		m.inParts(documents, all)
	}
	for _, s := range m.spans {
		if !slices.Contains(found, s.document) {
			found = append(found, s.document)
		}
	}
	if len(found) == 0 {
		return nil, question
	}
	slices.Sort(found)
	return found, m.rest()
}

// MayMention reports whether it is worth looking for names of documents in a
// question at all, which costs a list of them.
func MayMention(question string) bool {
	return mayName.MatchString(question) || FileNamed(question) != "" || strings.ContainsAny(question, quotes) ||
		slices.ContainsFunc(strings.Fields(question), spelt)
}

// mayName finds the words beside which a document is named.
var mayName = form(`\b(?:{hints}|{summarise}|{reads}|{according}|{per}|{says}|about\W*$)|\b{document}\b`)

// FileNamed is the first file that a question names, "" for none.
func FileNamed(question string) string {
	if found := text.FileNames(question); len(found) > 0 {
		return question[found[0].Start:found[0].End]
	}
	return ""
}

// Asks reports whether a question has a word that can be searched for.
func Asks(question string) bool {
	a := text.NewAnalyzer(languageOf(question))
	for w := range text.Words(question) {
		if _, ok := a.Term(w.Text); ok && !Asking(w.Text) && !telling[w.Text] {
			return true
		}
	}
	return false
}

// telling words ask for something without saying about what.
var telling = words("telling")

// mentions are the places of a question where documents are named.
type mentions struct {
	question string
	tokens   []text.NameToken
	spans    []mention
}

type mention struct {
	document int
	text.Span
}

// whole looks for the names of a document as they are.
func (m *mentions) whole(document int, names []string) {
	for _, name := range names {
		stem := text.WithoutEnding(name)
		if stem != name {
			for _, s := range m.find(name) {
				m.spans = append(m.spans, mention{document, s})
			}
		}
		for _, s := range m.find(stem) {
			if m.isName(s) {
				m.spans = append(m.spans, mention{document, s})
			}
		}
	}
}

// find returns where the words of a name stand in the question, one after the other.
func (m *mentions) find(name string) []text.Span {
	var found []text.Span
	words := text.NameWords(name)
	same := func(a text.NameToken, b string) bool { return a.Text == b }
	for i := 0; i+len(words) <= len(m.tokens) && len(words) > 0; i++ {
		if slices.EqualFunc(m.tokens[i:i+len(words)], words, same) {
			found = append(found, text.Span{Start: m.tokens[i].Start, End: m.tokens[i+len(words)-1].End})
		}
	}
	return found
}

const (
	quotes = `"“”«»„`
	// beforeName is what may stand between the words that speak of a document and its name.
	beforeName = `\s+(?:{determiner}\s+)*(?:{document}\s+)?["“'(]?`
)

var (
	// speaking comes before the name of a document, and nothing else hardly does.
	speaking = form(`(?:\b(?:{summarise}|{according}|{per}|{reads})|(?:^|\s){titled})` + beforeName + `$`)
	// within may come before the name of a document, as before any other.
	within = form(`\b(?:{inside}|{beside})` + beforeName + `$`)
	// says comes after the name of a document.
	says = form(`^["”')]?\s*(?:{says}s?|said|specifies|about\W*$|{apart}\W*$)(?:\W|$)`)
	// does comes after it too, but also after names of other things.
	does     = form(`^["”')]?\s*{does}s?\b`)
	isCalled = form(`^["”')]?\s*{document}\b`)
	endsSo   = form(`\b{document}$`)
)

// spelt reports whether a word is written as names of files are and others are not:
// q3_report, report-2023, README.
func spelt(word string) bool {
	const shortest = 4 // capitals: what has fewer is an abbreviation
	before, joins, capitals := rune(0), false, 0
	for _, r := range word {
		inside := unicode.IsLetter(r) || unicode.IsNumber(r)
		if joins && inside {
			return true
		}
		joins = (r == '_' || r == '-') && (unicode.IsLetter(before) || unicode.IsNumber(before))
		before = r
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	return capitals >= shortest && capitals == utf8.RuneCountInString(word)
}

// isName reports whether a place of the question names a document rather than
// what the question is about.
func (m *mentions) isName(s text.Span) bool {
	name, before, after := m.question[s.Start:s.End], m.question[:s.Start], m.question[s.End:]
	words := len(text.NameTokens(name))
	quoted := strings.ContainsAny(after[:min(len(after), 3)], quotes) && strings.ContainsAny(before[max(0, len(before)-3):], quotes)
	switch {
	case quoted, spelt(name), speaking.MatchString(before), says.MatchString(after), isCalled.MatchString(after):
		return true
	case within.MatchString(before), does.MatchString(after):
		return endsSo.MatchString(name) || words > 2 || len(m.spans) > 0 && words > 0
	}
	return false
}

// keepLongest drops what lies in something longer: "report" in "report-2023".
func (m *mentions) keepLongest() {
	m.spans = slices.DeleteFunc(slices.Clone(m.spans), func(a mention) bool {
		return slices.ContainsFunc(m.spans, func(b mention) bool {
			return b.Start <= a.Start && a.End <= b.End && b.End-b.Start > a.End-a.Start
		})
	})
}

var (
	// partly are the places where some words of a name may stand.
	partly = []pattern{
		form(`\b{summarise}\s+(?:{determiner}\s+)*([^,;:?!]+?)(?:\s+{in passing}\b[^?]*)?(?:\s+{apart})?[?.!]*$`),
		form(`\b{according}\s+(?:{determiner}\s+)*([^,;:?!]+?)\s*(?:,|[?.!]*$)`),
		form(`\bwhat (?:does|do|did|else does)\s+(?:{determiner}\s+)*([^,;:?!]+?)\s+(?:{says}|{does})\b`),
		form(`\bwhat(?:['’]s| is| are)\s+(?:{determiner}\s+)*([^,;:?!]+?)\s+about\W*$`),
		form(`\b{inside}\s+the\s+((?:[\pL\pN.&'’-]+\s+){0,5}{document})(?:[\s,?.!]|$)`),
	}
	generic = form(`^{document}$`)
	filler  = words("filler")
)

// MaxMeant is how many documents some words of a name may mean at most.
const MaxMeant = 3

// part is a place of a question where some words of a name stand.
type part struct {
	text.Span
	wanted []string // that have to stand in the name
}

// partsOf are the places where some words of a name may stand, the surest first.
func partsOf(question string) []part {
	var parts []part
	for _, form := range partly {
		if at := form.FindStringSubmatchIndex(question); at != nil {
			if wanted := wantedOf(question[at[2]:at[3]]); len(wanted) > 0 {
				parts = append(parts, part{text.Span{Start: at[2], End: at[3]}, wanted})
			}
		}
	}
	return parts
}

// inParts looks for some words of a name, where a document must be meant.
func (m *mentions) inParts(documents [][]string, all int) {
	for _, p := range partsOf(m.question) {
		var fit []int
		for i, names := range documents {
			if HasWords(names, p.wanted) {
				fit = append(fit, i)
			}
		}
		if len(fit) == 0 || len(fit) > MaxMeant || len(fit) == all && len(fit) > 1 {
			continue
		}
		for _, i := range fit {
			m.spans = append(m.spans, mention{i, p.Span})
		}
		return
	}
}

// wantedOf are the words of a part that have to stand in a name: those that any document
// may be called only where there are no others.
func wantedOf(part string) []string {
	var words, general []string
	for _, whole := range strings.Fields(part) {
		tokens := text.NameWords(whole)
		switch {
		case generic.MatchString(whole):
			general = append(general, tokens...)
		case len(tokens) == 1 && filler[tokens[0]]:
		case len(tokens) == 2 && tokens[1] == "s": // the pilot's
			words = append(words, tokens[0])
		default:
			words = append(words, tokens...)
		}
	}
	if len(words) == 0 {
		return general
	}
	return words
}

// HasWords reports whether names have every word that is wanted, or one that begins or
// ends with it: "amazon" in "amazon2019", "notes" in "note".
func HasWords(names []string, wanted []string) bool {
	all := text.NameWords(strings.Join(names, " "))
	for _, w := range wanted {
		if !slices.ContainsFunc(all, func(t string) bool {
			return t == w || len(w) > 3 && (strings.HasPrefix(t, w) || strings.HasSuffix(t, w) || strings.TrimSuffix(w, "s") == t)
		}) {
			return false
		}
	}
	return len(wanted) > 0
}

// MentionKeys says which documents have to be looked at to find those that a
// question names: the ones with a name whose text.NameKey is among wholes and, for each
// of parts, the ones whose names have all words of it (HasWords). MentionsAmong decides
// among them.
func MentionKeys(question string) (wholes []string, parts [][]string) {
	words := text.NameWords(question)
	for i := range words {
		for n := 1; n <= text.KeyWords && i+n <= len(words); n++ {
			wholes = append(wholes, strings.Join(words[i:i+n], " "))
		}
	}
	slices.Sort(wholes)
	for _, p := range partsOf(question) {
		parts = append(parts, p.wanted)
	}
	return slices.Compact(wholes), parts
}

// taken is where a name stood in a question, with what was said around it.
const taken = `(?:{determiner}\s+)*(?:{document}\s+)?["“'(]?\x00["”')]?`

var restForms = []pattern{
	form(`^\W*(?:what|which|how)\b(?:\s+else)?\s+(?:does|do|did|is|are)\s+` + taken + `\s*(?:{document}\s+)?(?:{says}|{does})?\s*(?:about|on|regarding|concerning|for|of)?\s*`),
	form(`,?\s*\b(?:{according}|{per}|{inside})\s+` + taken + `(?:\s+{document}\b)?\s*,?`),
	form(taken + `(?:\s+{document}\b)?`),
}

// rest is the question without the names: what is asked of the documents.
func (m *mentions) rest() string {
	spans := slices.Clone(m.spans)
	slices.SortFunc(spans, func(a, b mention) int { return b.Start - a.Start })
	s, end := m.question, len(m.question)+1
	for _, at := range spans {
		if at.End < end {
			s = s[:at.Start] + "\x00" + s[at.End:]
			end = at.Start
		}
	}
	for _, form := range restForms {
		s = form.ReplaceAllString(s, " ")
	}
	s = strings.ReplaceAll(s, "\x00", " ")
	return strings.TrimSpace(strings.TrimLeft(strings.Join(strings.Fields(s), " "), ",;: "))
}
