package cite

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"ibid/internal/text"
)

// marker is what may be a citation of a chunk that is known.
var marker = regexp.MustCompile(`\[([^\[\]\s]+)\]`)

// Named are the known chunks that the markers of an answer name, each once, in order.
func Named(answer string, known map[string]int) []string {
	var ids []string
	for _, m := range marker.FindAllStringSubmatch(answer, -1) {
		if _, ok := known[m[1]]; ok && !slices.Contains(ids, m[1]) {
			ids = append(ids, m[1])
		}
	}
	return ids
}

// Claim is a statement of the answer.
type Claim struct {
	Text       string // without markers and Markdown
	Start, End int    // in the answer
	Cites      []string
}

// Claims splits an answer into its statements. Markers are blanked out, byte for
// byte, so that offsets stay true; those that follow a sentence belong to it, and a
// sentence without any has those of the next one in its paragraph that has some.
// Code, headings, questions, announcements and what is said about the documents
// themselves state nothing.
func Claims(answer string, known map[string]int) []Claim {
	bare := bare(answer, known)
	spans := text.Sentences(bare)
	var claims []Claim
	var open []int // claims of this paragraph that wait for a marker
	for i, span := range spans {
		end := len(answer)
		if i+1 < len(spans) {
			end = spans[i+1].Start
		}
		if i > 0 && strings.Contains(bare[spans[i-1].End:span.Start], "\n\n") {
			open = nil
		}
		var cites []string
		last := span.End
		for _, m := range marker.FindAllStringSubmatchIndex(answer[span.Start:end], -1) {
			if id := answer[span.Start+m[2] : span.Start+m[3]]; known[id] > 0 {
				cites = append(cites, id)
				last = max(last, span.Start+m[1])
			}
		}
		for _, k := range open {
			if len(cites) > 0 {
				claims[k].Cites = cites
			}
		}
		if len(cites) > 0 {
			open = nil
		}
		said, states := statement(bare[span.Start:span.End], len(cites) > 0)
		if !states {
			continue
		}
		start := span.Start + len(bare[span.Start:span.End]) - len(strings.TrimLeft(bare[span.Start:span.End], "#>-*+•|“\" "))
		claims = append(claims, Claim{Text: said, Start: start, End: last, Cites: cites})
		if len(cites) == 0 {
			open = append(open, len(claims)-1)
		}
	}
	return claims
}

// bare blanks out, byte for byte, what states nothing in an answer: the markers of
// known chunks, blocks of code, the heads of tables.
func bare(answer string, known map[string]int) string {
	if known != nil {
		answer = marker.ReplaceAllStringFunc(answer, func(m string) string {
			if known[m[1:len(m)-1]] == 0 {
				return m
			}
			return strings.Repeat(" ", len(m))
		})
	}
	answer = codeBlock.ReplaceAllStringFunc(answer, func(m string) string { return strings.Repeat("\n", len(m)) })
	return tableHead.ReplaceAllStringFunc(answer, blank)
}

// blank puts a space in the place of each byte but the ends of lines.
func blank(s string) string {
	spaces := bytes.Repeat([]byte(" "), len(s))
	for i := range len(s) {
		if s[i] == '\n' {
			spaces[i] = '\n'
		}
	}
	return string(spaces)
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?(```|$)")
	// tableHead is the first row of a table and the line below it.
	tableHead = regexp.MustCompile(`(?m)^[^\n]*\|[^\n]*\n[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t]*$`)
	dressing  = regexp.MustCompile("[*_`>“”|\"]+|^#+ |^\\s*([-+•]|\\d{1,3}[.)]) ")
	// aboutSearch is what an answer says of itself and of the documents.
	aboutSearch = regexp.MustCompile(`(?i)\b((documents?|passages?|librar(y|ies)|sources?|texts?|files?|context)\b.{0,40}\b(do|does|did|is|are|could|can) ?(not|n['’]t)\b|(no|none of the|nothing in the) (documents?|passages?|sources?|information)|` +
		`(could|can|did|do)( ?not|n['’]t) (find|answer|determine|know|see)|found nothing|find nothing|other words may help|not (mentioned|stated|specified|covered|found)|I am not sure|I'm not sure|comes closest|let me know|further questions|here (is|are) (what|the))\b`)
)

// ofItself finds what the model says of what it does.
var ofItself = regexp.MustCompile(`(?i)^(i|i['’]ll|i['’]m|let me|let['’]s|we)\b`)

// minClaimWords is how many words a statement without a footnote has at least.
const minClaimWords = 3

// statement returns a sentence without its dress; states is false when it states
// nothing that could be judged.
func statement(s string, cited bool) (said string, states bool) {
	heading := strings.HasPrefix(strings.TrimSpace(s), "#")
	said = strings.Join(strings.Fields(dressing.ReplaceAllString(s, " ")), " ")
	said = strings.NewReplacer(" .", ".", " ,", ",", " ;", ";", " :", ":").Replace(said)
	switch {
	case heading, strings.HasSuffix(said, ":"), strings.HasSuffix(said, "?"), aboutSearch.MatchString(said):
		return said, false
	}
	if cited {
		return said, said != "" // "Five years [c1]."
	}
	return said, len(strings.Fields(said)) >= minClaimWords && !ofItself.MatchString(said)
}
