package question

import (
	"regexp"
	"strings"
	"unicode"
)

// greetings are messages that ask for nothing.
var greetings = words(`hi hello hey hiya yo howdy greetings "good morning" "good afternoon" "good evening" "good night" "hi there" "hello there"
	thanks "thank you" "thanks a lot" "thank you very much" "many thanks" thx ty cheers great nice cool perfect ok okay "all right" alright yes no sure
	bye goodbye "see you" "good bye" "how are you" "how are you doing" "how is it going" "whats up" "what's up" "who are you" "what are you" "what can you do"
	hallo moin servus "guten morgen" "guten tag" "guten abend" danke "vielen dank" tschüss "wie geht es dir" "wer bist du" ja nein
	bonjour salut bonsoir merci "merci beaucoup" "au revoir" oui non hola gracias "buenos días" "buenas tardes" adiós ciao grazie buongiorno olá obrigado
	hej hei tack 你好 谢谢 こんにちは ありがとう привет спасибо`)

// clock asks for the date or the time.
var clock = regexp.MustCompile(`(?i)^(what(['’]s| is)( the)? (current )?(time|date|day)( is it)?( today| now| right now)?|what time is it( now| in [\p{L} ]+)?|what day is (it|today)|` +
	`wie spät ist es|welcher tag ist heute|welches datum ist heute)$`)

// sums is arithmetic: numbers and operators, with the words around them.
var (
	sumWords = regexp.MustCompile(`(?i)\b(what(['’]s| is)|whats|how much is|calculate|compute|evaluate|please|plus|minus|times|divided by|multiplied by|` +
		`percent of|percent|of|the square root of|sqrt|squared|cubed|and|mod|was ist|wie viel ist|berechne|mal|geteilt durch|prozent von)\b`)
	sum = regexp.MustCompile(`^[\d\s.,+\-*/×÷^%()=−–:]*\d[\d\s.,+\-*/×÷^%()=−–:]*$`)
)

// Trivial reports whether a message needs no thought: a greeting, arithmetic, the
// time, nothing at all.
func Trivial(message string) bool {
	text := strings.Join(strings.Fields(strings.ToLower(message)), " ")
	text = strings.TrimFunc(text, func(c rune) bool {
		return unicode.IsPunct(c) && c != ')' && c != '(' && c != '%' || unicode.IsSymbol(c)
	})
	text = strings.TrimSpace(text)
	if text == "" || greetings[text] || clock.MatchString(text) {
		return true
	}
	first, rest, _ := strings.Cut(text, " ")
	if greetings[strings.TrimRight(first, ",!.")] && greetings[rest] {
		return true
	}
	return sum.MatchString(sumWords.ReplaceAllString(text, " "))
}

// words reads a list of words and of "quoted phrases".
func words(list string) map[string]bool {
	set := map[string]bool{}
	for i, part := range strings.Split(list, `"`) {
		if i%2 == 1 {
			set[part] = true
			continue
		}
		for _, w := range strings.Fields(part) {
			set[w] = true
		}
	}
	return set
}
