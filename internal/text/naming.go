package text

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
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
	m := mentions{question: question, tokens: tokensOf(question)}
	for i, names := range documents {
		m.whole(i, names)
	}
	m.keepLongest()
	if len(m.spans) == 0 {
		m.parts(documents, all)
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
	return mayName.MatchString(question) || FileMention.MatchString(question) || quotes.MatchString(question) ||
		slices.ContainsFunc(strings.Fields(question), spelt.MatchString)
}

// mayName finds the words beside which a document is named.
var mayName = regexp.MustCompile(`(?i)\b(?:summar|sum up|overview|outline|gist|digest|analy[sz]|tl;?dr|points|findings|takeaways|compare|contrast|according to|based on|as stated in|as per|` +
	`says?|states?|mentions?|concludes?|contents? of|what['’]s in|what is in|search|read|open|about\W*$|` +
	`laut|gemäß|steht in|fasse|vergleiche|selon|après|résum|que dit|según|resum|qué dice|secondo|riassumi|dice|segundo|o que diz)|\b` + documentNoun + `\b`)

// Asks reports whether a question has a word that can be searched for.
func Asks(question string) bool {
	a := NewAnalyzer(cmp.Or(QuestionLanguage(question), "en"))
	for w := range Words(question) {
		if _, ok := a.Term(w.Text); ok && !Asking(w.Text) && !telling[w.Text] {
			return true
		}
	}
	return false
}

// telling words ask for something without saying about what.
var telling = WordSet(`s say says said tell give show explain describe summarize summarise summary summarization overview outline gist digest analysis analyze analyse tldr tl dr
	contents content contain contains compare contrast difference differences key main points findings takeaways please briefly short brief document documents file files about me inside
	fasse zusammen zusammenfassung steht résume résumez resume resumen resuma riassumi`)

// token is a word of a name, normalized.
type token struct {
	text string
	Span
}

var tokenAt = regexp.MustCompile(`[\pL\pN\pM]+`)

func tokensOf(s string) []token {
	var tokens []token
	for _, at := range tokenAt.FindAllStringIndex(s, -1) {
		tokens = append(tokens, token{Normalize(s[at[0]:at[1]]), Span{at[0], at[1]}})
	}
	return tokens
}

func textsOf(tokens []token) []string {
	texts := make([]string, len(tokens))
	for i, t := range tokens {
		texts[i] = t.text
	}
	return texts
}

// mentions are the places of a question where documents are named.
type mentions struct {
	question string
	tokens   []token
	spans    []mention
}

type mention struct {
	document int
	Span
}

// written are what files end with that people write and read. It is no list of the
// formats that ibid reads (internal/document): what a document is found by is made with
// it and kept in the database (NameKey), so it changes with the database's format alone.
const written = `pdf|docx?|pptx?|xlsx?|md|markdown|html?|txt|csv|tsv|epub|eml|rst|tex|rtf|odt|ods|odp`

// extension is what names of files end with.
var extension = regexp.MustCompile(`(?i)\.(` + written + `|json|ya?ml|xml|ipynb|go|py|js|ts|java|c|h)$`)

// FileMention finds names of files in a text.
var FileMention = regexp.MustCompile(`(?i)[\pL\pN][\pL\pN_\-.]*\.(?:` + written + `)\b`)

// whole looks for the names of a document as they are.
func (m *mentions) whole(document int, names []string) {
	for _, name := range names {
		stem := extension.ReplaceAllString(name, "")
		if stem != name {
			for _, s := range m.find(tokensOf(name)) {
				m.spans = append(m.spans, mention{document, s})
			}
		}
		for _, s := range m.find(tokensOf(stem)) {
			if m.isName(s) {
				m.spans = append(m.spans, mention{document, s})
			}
		}
	}
}

// find returns where words stand in the question, one after the other.
func (m *mentions) find(name []token) []Span {
	var found []Span
	same := func(a, b token) bool { return a.text == b.text }
	for i := 0; i+len(name) <= len(m.tokens) && len(name) > 0; i++ {
		if slices.EqualFunc(m.tokens[i:i+len(name)], name, same) {
			found = append(found, Span{m.tokens[i].Start, m.tokens[i+len(name)-1].End})
		}
	}
	return found
}

// summing asks for the gist of the document that is named next.
const summing = `summari[sz]e|sum up|(?:summary|overview|outline|gist|digest|analysis) of|analy[sz]e|tl;?dr(?: of| for)?|(?:key|main) (?:points|findings|takeaways|ideas|topics|results) (?:of|in|from)|takeaways (?:of|from)`

var (
	spelt = regexp.MustCompile(`[\pL\pN][_-][\pL\pN]|^\p{Lu}{4,}$`)
	// documentNoun is what documents are called in general.
	documentNoun = `(?:documents?|files?|pdfs?|papers?|reports?|manuals?|handbooks?|guides?|books?|articles?|chapters?|presentations?|slides?|deck|spreadsheets?|sheets?|e-?mails?|letters?|notes|minutes|memos?|` +
		`contracts?|agreements?|leases?|polic(?:y|ies)|statutes?|transcripts?|10-?[kq]s?|filings?|page|readme|specs?|specifications?|study|thesis|invoices?|brochures?|datasheets?|` +
		`dokumente?|dateien?|datei|bericht|handbuch|vertrag|anleitung|document|fichier|rapport|manuel|contrat|documento|archivo|informe|contrato|rapporto|manuale|contratto|arquivo|relatório)`
	determiner = `(?:(?:the|my|our|your|this|that|a|an|der|die|das|den|dem|le|la|les|l['’]|el|los|las|il|lo|i|o|os|as)\s+)*`
	// speaking comes before the name of a document, and nothing else hardly does.
	speaking = regexp.MustCompile(`(?i)(?:\b(?:` + summing + `|` +
		`compare|contrast|according to|based on|as stated in|as per|what(?:['’]s| is) in|what(?:['’]s| is) inside|read|open|search(?: in)?|look (?:in|into|at)|contents? of|` +
		`laut|gemäß|was steht in|fasse|zusammenfassung von|vergleiche|selon|d['’]après|résumez?|résumé de|que dit|según|resume|resumen de|qué dice|secondo|riassumi|cosa dice|segundo|resuma|resumo de|o que diz)|(?:^|\s)(?:documents?|files?|papers?|reports?))\s+` + determiner + `(?:` + documentNoun + `\s+)?["“'(]?$`)
	// within may come before the name of a document, as before any other.
	within = regexp.MustCompile(`(?i)\b(?:in|from|of|per|within|with|and|vs\.?|versus|to|und|mit|et|avec|y|con|e|com|aus|von|im|dans|de|del|du|nel|della|no|na|do|da)\s+` + determiner + `(?:` + documentNoun + `\s+)?["“'(]?$`)
	// says comes after the name of a document.
	says = regexp.MustCompile(`(?i)^["”')]?\s*(?:say|says|said|state|states|mention|mentions|conclude|concludes|specify|specifies|tell us|about\W*$|zusammen\W*$)(?:\W|$)`)
	// mayDo comes after it too, but also after names of other things.
	mayDo    = regexp.MustCompile(`(?i)^["”')]?\s*(?:recommend|recommends|contain|contains|cover|covers|describe|describes|define|defines|require|requires|report|reports|explain|explains|claim|claims)\b`)
	isCalled = regexp.MustCompile(`(?i)^["”')]?\s*` + documentNoun + `\b`)
	endsSo   = regexp.MustCompile(`(?i)\b` + documentNoun + `$`)
	quotes   = regexp.MustCompile(`["“”«»„]`)
)

// isName reports whether a place of the question names a document rather than
// what the question is about.
func (m *mentions) isName(s Span) bool {
	name, before, after := m.question[s.Start:s.End], m.question[:s.Start], m.question[s.End:]
	words := len(tokensOf(name))
	quoted := len(before) > 0 && len(after) > 0 && quotes.MatchString(after[:min(len(after), 3)]) &&
		quotes.MatchString(before[max(0, len(before)-3):])
	switch {
	case quoted, spelt.MatchString(name), speaking.MatchString(before), says.MatchString(after), isCalled.MatchString(after):
		return true
	case within.MatchString(before), mayDo.MatchString(after):
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
	partly = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:` + summing + `)\s+` + determiner + `([^,;:?!]+?)(?:\s+(?:in|for me|please|briefly)\b[^?]*)?[?.!]*$`),
		regexp.MustCompile(`(?i)\b(?:according to|based on|as stated in|laut|gemäß|selon|según|secondo|segundo)\s+` + determiner + `([^,;:?!]+?)\s*(?:,|[?.!]*$)`),
		regexp.MustCompile(`(?i)\bwhat (?:does|do|did|else does)\s+` + determiner + `([^,;:?!]+?)\s+(?:say|state|mention|recommend|conclude|contain|cover|describe|require|specify|report|explain|claim|tell us)\b`),
		regexp.MustCompile(`(?i)\bwhat(?:['’]s| is| are)\s+` + determiner + `([^,;:?!]+?)\s+about\W*$`),
		regexp.MustCompile(`(?i)\b(?:in|from|of|per|within)\s+the\s+((?:[\pL\pN.&'’-]+\s+){0,5}` + documentNoun + `)(?:[\s,?.!]|$)`),
		regexp.MustCompile(`(?i)\b(?:fasse|résumez?|resume|riassumi|resuma)\s+` + determiner + `([^,;:?!]+?)(?:\s+zusammen)?[?.!]*$`),
	}
	generic = regexp.MustCompile(`(?i)^` + documentNoun + `$`)
	filler  = WordSet("the a an my our your this that of for on in and to called named titled der die das le la les el los il lo de du del von")
)

// maxMeant is how many documents some words may mean.
const maxMeant = 3

// parts looks for some words of a name, where a document must be meant.
func (m *mentions) parts(documents [][]string, all int) {
	for _, form := range partly {
		at := form.FindStringSubmatchIndex(m.question)
		if at == nil {
			continue
		}
		wanted, general := m.wanted(m.question[at[2]:at[3]])
		if len(wanted) == 0 {
			wanted = general
		}
		var fit []int
		for i, names := range documents {
			if holdsAll(tokensOf(strings.Join(names, " ")), wanted) {
				fit = append(fit, i)
			}
		}
		if len(fit) == 0 || len(fit) > maxMeant || len(fit) == all && len(fit) > 1 {
			continue
		}
		for _, i := range fit {
			m.spans = append(m.spans, mention{i, Span{at[2], at[3]}})
		}
		return
	}
}

// wanted are the words of a part that have to stand in a name, apart from those
// that any document may be called.
func (m *mentions) wanted(part string) (words, general []string) {
	for _, whole := range strings.Fields(part) {
		tokens := textsOf(tokensOf(whole))
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
	return words, general
}

// holdsAll reports whether a name has every word, or one that begins or ends with
// it: "amazon" in "amazon2019", "notes" in "note".
func holdsAll(name []token, words []string) bool {
	for _, w := range words {
		if !slices.ContainsFunc(name, func(t token) bool {
			return t.text == w || len(w) > 3 && (strings.HasPrefix(t.text, w) || strings.HasSuffix(t.text, w)) || strings.TrimSuffix(w, "s") == t.text && len(w) > 3
		}) {
			return false
		}
	}
	return len(words) > 0
}

var restForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^\W*(?:what|which|how)\b(?:\s+else)?\s+(?:does|do|did|is|are)\s+` + determiner + `(?:` + documentNoun + `\s+)?["“'(]?\x00["”')]?\s*(?:` + documentNoun + `\s+)?(?:say|state|mention|recommend|conclude|contain|cover|describe|define|require|specify|report|explain|claim|tell us)?\s*(?:about|on|regarding|concerning|for|of)?\s*`),
	regexp.MustCompile(`(?i),?\s*\b(?:according to|based on|as stated in|as per|in|from|of|per|within|laut|gemäß|selon|d['’]après|según|secondo|segundo|im|dans|nel|no|na)\s+` + determiner + `(?:` + documentNoun + `\s+)?["“'(]?\x00["”')]?(?:\s+` + documentNoun + `\b)?\s*,?`),
	regexp.MustCompile(`(?i)` + determiner + `(?:` + documentNoun + `\s+)?["“'(]?\x00["”')]?(?:\s+` + documentNoun + `\b)?`),
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
