package text

import (
	"slices"
	"unicode"
)

const (
	// languageSample is how much of a text is looked at, in bytes.
	languageSample = 8 << 10
	// A language is named when its function words make up this share of the
	// words, and twice as many of them were seen as of the runner-up's own.
	languageShare = 0.12
	languageWords = 3
)

// Language guesses the ISO 639-1 code of the language of s, from its script and
// then from its function words. It returns "" when it is not sure, as with most
// short texts.
func Language(s string) string {
	if len(s) > languageSample {
		s = s[:languageSample]
	}
	if l, ok := ScriptLanguage(s); ok {
		return l
	}
	words, hits := 0, make(map[string]int)
	for w := range Words(s) {
		if w.Joined || len(w.Text) == 1 {
			continue
		}
		words++
		for _, l := range languageOf[w.Text] {
			hits[l]++
		}
	}
	best, second := "", ""
	for _, l := range detected {
		switch {
		case hits[l] > hits[best]:
			best, second = l, best
		case hits[l] > hits[second]:
			second = l
		}
	}
	n := hits[best]
	if n < languageWords || float64(n) < languageShare*float64(words) || 10*n < 12*hits[second] {
		return ""
	}
	return best
}

// detected lists the languages with function words, in an order that settles
// nothing: a tie is "not sure".
var detected = []string{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "no", "da", "fi", "ro", "hu", "tr"}

var languageOf = func() map[string][]string {
	m := make(map[string][]string)
	for _, l := range detected {
		for w := range stopWords(l) {
			m[w] = append(m[w], l)
		}
	}
	return m
}()

// FunctionWord reports whether a normalized word is a function word of a language.
func FunctionWord(language, word string) bool { return slices.Contains(languageOf[word], language) }

// ScriptLanguage names the language where the script decides it. Latin script
// decides nothing (ok is false).
func ScriptLanguage(s string) (language string, ok bool) {
	var latin, han, kana, hangul, cyrillic, ukrainian, greek, arabic, hebrew, thai, devanagari int
	for _, r := range s {
		switch {
		case r < 0x0250:
			if unicode.IsLetter(r) {
				latin++
			}
		case r >= 0x0370 && r <= 0x03FF:
			greek++
		case r >= 0x0400 && r <= 0x04FF:
			cyrillic++
			if r == 'і' || r == 'ї' || r == 'є' || r == 'ґ' {
				ukrainian++
			}
		case r >= 0x0590 && r <= 0x05FF:
			hebrew++
		case r >= 0x0600 && r <= 0x06FF:
			arabic++
		case r >= 0x0900 && r <= 0x097F:
			devanagari++
		case r >= 0x0E00 && r <= 0x0E7F:
			thai++
		case r >= 0x3040 && r <= 0x30FF:
			kana++
		case r >= 0xAC00 && r <= 0xD7AF:
			hangul++
		case unicode.Is(unicode.Han, r):
			han++
		}
	}
	// One character of a script without spaces says as much as three letters.
	most := max(3*(han+kana), 3*hangul, cyrillic, greek, arabic, hebrew, thai, devanagari)
	switch {
	case most <= latin || most == 0:
		return "", false
	case most == 3*(han+kana):
		if kana*10 > han {
			return "ja", true
		}
		return "zh", true
	case most == 3*hangul:
		return "ko", true
	case most == cyrillic:
		if ukrainian*50 > cyrillic {
			return "uk", true
		}
		return "ru", true
	case most == greek:
		return "el", true
	case most == arabic:
		return "ar", true
	case most == hebrew:
		return "he", true
	case most == thai:
		return "th", true
	}
	return "hi", true
}
