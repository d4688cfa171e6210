package text

import "strings"

// kind is what sort of thing a question asks for, where its words tell. Only
// English questions do so far.
type kind uint8

const (
	kindAny kind = iota
	kindPerson
	kindTime
	kindNumber
	kindPlace
	kindReason
)

// What a sentence gains by holding something of the kind asked for. Figures are
// telling, capitals less so.
var kindShare = [...]float64{kindPerson: 0.15, kindTime: 0.3, kindNumber: 0.3, kindPlace: 0.15, kindReason: 0.15}

// kindPhrases tell a kind by consecutive words of the question; the first that
// fits decides.
var kindPhrases = []struct {
	kind  kind
	words []string
}{
	{kindNumber, []string{"how many", "how much", "how old", "how long", "how far", "how tall", "how high", "how large",
		"how big", "how deep", "how fast", "how often", "what percentage", "what percent", "what number", "what proportion",
		"what fraction", "population of", "what distance", "what rank"}},
	{kindTime, []string{"when", "what year", "which year", "what date", "what day", "what month", "what century",
		"what decade", "which century", "what time", "what years"}},
	{kindReason, []string{"why"}},
	{kindPerson, []string{"who", "whom", "whose", "name of", "name for", "what name", "called", "named", "what company", "which company",
		"what organization", "what university", "what group", "what team", "which team", "what party", "what agency"}},
	{kindPlace, []string{"where", "what city", "what country", "which city", "which country", "what state", "what town"}},
}

// kindOf tells what a question asks for.
func kindOf(question string) kind {
	var b strings.Builder
	b.WriteByte(' ')
	for w := range Words(question) {
		if !w.Joined {
			b.WriteString(w.Text)
			b.WriteByte(' ')
		}
	}
	for _, p := range kindPhrases {
		for _, words := range p.words {
			if strings.Contains(b.String(), " "+words+" ") {
				return p.kind
			}
		}
	}
	return kindAny
}

var (
	numberWords = set(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million
		millions billion billions trillion dozen half third quarter twice once percent`)
	timeWords = set(`january february march april june july august september october november december monday tuesday
		wednesday thursday friday saturday sunday century centuries decade decades today yesterday morning afternoon evening
		spring summer autumn winter`)
	placeWords  = set(`in at from near to of`)
	reasonWords = set(`because since due cause caused causes causing reason reasons so therefore thus hence order to result`)
)

// is reports whether a word, folded and as it is written, is of the kind; previous
// is the word before it in its sentence.
func (k kind) is(word, written, previous string) bool {
	// A capital means nothing at the beginning of a sentence.
	capital := previous != "" && len(word) > 1 && written != word && Fold(written[:1]) != written[:1]
	switch k {
	case kindNumber:
		return allDigits(word) || numberWords[word]
	case kindTime:
		return allDigits(word) && (len(word) == 4 || len(word) == 3) || timeWords[word]
	case kindPerson:
		return capital
	case kindPlace:
		return capital && placeWords[previous]
	case kindReason:
		return reasonWords[word]
	}
	return false
}
