package question

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/text"
)

// unspaced is how a language asks that is written without spaces: its asking words are
// looked for in the characters of a question, wherever they stand.
type unspaced struct {
	ends      []string // of questions, the longer ones first
	particles string   // characters that tie a word in Han or Katakana to the next
}

// unspacedForm is an asking word of such a language.
type unspacedForm struct {
	words string
	kind  Kind
}

// writtenUnspaced are the languages whose file has a line "tie" or "particle", by code. How they ask is
// looked for in questions of all of them, as are the characters that say nothing: they
// share a script.
var writtenUnspaced, unspacedForms, unspacedMarks = readUnspaced()

func readUnspaced() (by map[string]unspaced, forms []unspacedForm, marks string) {
	by, marks = map[string]unspaced{}, "？。、，"
	for _, code := range codes {
		ties, particles := text.Phrases(code, "tie"), text.Phrases(code, "particle")
		if ties == nil && particles == nil {
			continue
		}
		by[code] = unspaced{text.Phrases(code, "ends"), strings.Join(particles, "")}
		marks += strings.Join(ties, "")
	}
	// Words that tell the kind of answer come first, and of one kind the longer ones.
	for _, kind := range []Kind{KindTime, KindReason, KindNumber, KindDefine, KindAny} {
		first := len(forms)
		for _, code := range codes {
			for _, words := range text.Phrases(code, "asks "+kindNames[kind]) {
				if _, ok := by[code]; ok {
					forms = append(forms, unspacedForm{words, kind})
				}
			}
		}
		slices.SortStableFunc(forms[first:], func(a, b unspacedForm) int {
			return cmp.Compare(utf8.RuneCountInString(b.words), utf8.RuneCountInString(a.words))
		})
	}
	return by, forms, marks
}

// WithoutAsking takes the asking words out of a Chinese or Japanese question, and
// the particles that tie the others together: pairs of characters across them are
// in no answer. It returns what kind of answer they ask for. Questions in other
// languages stay as they are; KindOfWords reads those.
func WithoutAsking(question, language string) (rest string, kind Kind) {
	l, ok := writtenUnspaced[language]
	if !ok {
		return question, KindAny
	}
	rest = question
	for _, f := range unspacedForms {
		if strings.Contains(rest, f.words) {
			if kind == KindAny {
				kind = f.kind
			}
			rest = strings.ReplaceAll(rest, f.words, " ")
		}
	}
	for _, end := range l.ends {
		if before, ok := strings.CutSuffix(strings.TrimRight(rest, "？?。 　"), end); ok {
			rest = before
			break
		}
	}
	var b strings.Builder
	last := ' '
	for _, r := range rest {
		particle := strings.ContainsRune(l.particles, r) && unicode.In(last, unicode.Han, unicode.Katakana)
		if particle || strings.ContainsRune(unspacedMarks, r) {
			r = ' '
		}
		b.WriteRune(r)
		last = r
	}
	bare := b.String()
	if strings.TrimSpace(bare) == "" {
		return question, kind
	}
	return bare, kind
}
