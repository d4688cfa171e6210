package question

import (
	"regexp"
	"strings"
	"unicode"
)

// Talk is what a message says that asks for nothing in the documents.
type Talk int

// Small talk of each sort. Word is a word on its own: yes, no, goodbye.
const (
	NoTalk Talk = iota
	Nothing
	Greeting
	Thanks
	Identity // who are you, what can you do?
	Word
)

var (
	greets     = form(`^{greeting}(?:[ ,!.]+{address})?$`)
	thanks     = form(`^{thanks}(?: {much})?(?: for [\w ]+)?$`)
	twice      = form(`^(?:{greeting}|{thanks})[ ,!.]+(?:{greeting}|{thanks}|{word}|{identity})$`)
	whoAreYou  = form(`^{identity}$`)
	word       = form(`^{word}$`)
	apostrophe = strings.NewReplacer("’", "'")
)

// SmallTalk tells whether a message is small talk, and of what sort.
func SmallTalk(message string) Talk {
	s := plain(message)
	switch {
	case s == "":
		return Nothing
	case greets.MatchString(s):
		return Greeting
	case thanks.MatchString(s):
		return Thanks
	case whoAreYou.MatchString(s):
		return Identity
	case word.MatchString(s), twice.MatchString(s):
		return Word
	}
	return NoTalk
}

// plain is a message in lower case without the marks around it.
func plain(message string) string {
	s := strings.Join(strings.Fields(apostrophe.Replace(strings.ToLower(message))), " ")
	return strings.TrimSpace(strings.TrimFunc(s, func(c rune) bool {
		return unicode.IsPunct(c) && !strings.ContainsRune("()%", c) || unicode.IsSymbol(c)
	}))
}

var clock = form(`^(?:please )?(?:can you )?{clock}(?: {zone} ([\p{L} /_]+?))?(?: now| right now)?$`)

// Clock reports whether a message asks for the time or the date, and where: "" for
// here.
func Clock(message string) (zone string, ok bool) {
	s := plain(message)
	at := clock.FindStringSubmatchIndex(s)
	if at == nil {
		return "", false
	}
	if at[2] >= 0 {
		zone = s[at[2]:at[3]]
		if i := strings.Index(strings.ToLower(message), zone); i >= 0 {
			zone = message[i : i+len(zone)] // as it was written
		}
	}
	return zone, true
}

var (
	calculates   = form(`^(?:please )?(?:can you )?{calculate}?\s*{result}?\s*`)
	plus         = form(`\s+{plus}\s+`)
	minus        = form(`\s+{minus}\s+`)
	times        = form(`\s+{times}\s+`)
	over         = form(`\s+{over}\s+`)
	power        = form(`\s+{power}\s+`)
	squared      = form(`\s+{squared}`)
	cubed        = form(`\s+{cubed}`)
	percentOf    = form(`([\d.]+)\s*{percent} ([\d.]+)`)
	rootOf       = form(`{root} ([\d.]+)`)
	thousands    = regexp.MustCompile(`(\d),(\d{3})\b`)
	xTimes       = regexp.MustCompile(`(\d)\s*x\s*(\d)`)
	hasOperation = regexp.MustCompile(`\d\s*[)%]?\s*([+\-*/^%]|\*\*)\s*[(\-]*\s*[\d.s]|sqrt\(\d`)
	datelike     = regexp.MustCompile(`^\d{1,4}\s*[-/.]\s*\d{1,2}\s*[-/.]\s*\d{1,4}$|^\d{4}\s*[-–/]\s*\d{2,4}$`)
	signs        = strings.NewReplacer("−", "-", "–", "-", "÷", "/", "×", "*", "·", "*")
)

// Arithmetic returns the expression in a message that is nothing but one.
func Arithmetic(message string) (expression string, ok bool) {
	s := strings.TrimLeftFunc(strings.ToLower(apostrophe.Replace(message)), func(c rune) bool { return unicode.IsSpace(c) || c == '¿' || c == '"' || c == '“' })
	asked := calculates.FindString(s)
	e := strings.TrimRight(strings.TrimSpace(s[len(asked):]), " ?=.!")
	for range 4 { // 1,234,567 has commas that overlap
		e = thousands.ReplaceAllString(e, "$1$2")
	}
	e = percentOf.ReplaceAllString(e, "$1 / 100 * $2")
	e = rootOf.ReplaceAllString(e, "sqrt($1)")
	for _, o := range []struct {
		word pattern
		sign string
	}{{plus, " + "}, {minus, " - "}, {times, " * "}, {over, " / "}, {power, " ^ "}, {squared, "^2"}, {cubed, "^3"}} {
		e = o.word.ReplaceAllString(e, o.sign)
	}
	e = signs.Replace(e)
	for range 2 {
		e = xTimes.ReplaceAllString(e, "$1 * $2")
	}
	e = strings.TrimSpace(e)
	if !onlyArithmetic(e) || !hasOperation.MatchString(e) || strings.TrimSpace(asked) == "" && datelike.MatchString(e) {
		return "", false
	}
	return e, true
}

// onlyArithmetic reports whether a text has nothing but figures, operators, brackets and
// square roots.
func onlyArithmetic(s string) bool {
	s = strings.ReplaceAll(s, "sqrt(", "0")
	return s != "" && strings.Trim(s, "0123456789. \t\n\f\r+-*/^%()") == ""
}

// Trivial reports whether a message needs no thought: small talk, arithmetic or a
// figure, the time, nothing at all.
func Trivial(message string) bool {
	if SmallTalk(message) != NoTalk {
		return true
	}
	if _, ok := Clock(message); ok {
		return true
	}
	if _, ok := Arithmetic(message); ok {
		return true
	}
	return onlyFigures(message)
}

// onlyFigures reports whether a message has figures and no words.
func onlyFigures(s string) bool {
	return strings.ContainsFunc(s, unicode.IsDigit) && !strings.ContainsFunc(s, unicode.IsLetter)
}
