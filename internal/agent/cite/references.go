package cite

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// references is what stands in a pair of brackets.
type references struct {
	list    []reference
	strong  bool // at least one is a handle or a chunk id
	locator bool // numbers are pages now
}

// reference is a chunk id, or a passage's number where id is empty.
type reference struct {
	id string
	n  int
}

// references reads what stands in brackets. With closed unset s is only the
// beginning, and ok says that it may become a list of references.
func (r *Resolver) references(s string, closed bool) (refs references, ok bool) {
	whole := strings.Trim(s, " ")
	if _, known := r.ledger.Number[whole]; known && closed {
		return references{list: []reference{{id: whole}}, strong: true}, true
	}
	if !closed && whole != "" && r.ledger.begun(whole) {
		return refs, true
	}
	s = strings.TrimPrefix(s, "^")
	for s != "" {
		c, n := utf8.DecodeRuneInString(s)
		switch {
		case c == '†' && len(refs.list) > 0: // 【3†source】: the rest says where
			refs.strong = true
			return refs, true
		case c == '§':
			refs.locator = true
			s = s[n:]
			continue
		case separator(c):
			s = s[n:]
			continue
		case !tokenRune(c):
			return refs, false
		}
		n = strings.IndexFunc(s, func(c rune) bool { return !tokenRune(c) })
		if n < 0 {
			n = len(s)
		}
		if n == len(s) && !closed {
			return refs, r.mayBecome(s)
		}
		if !r.token(&refs, s[:n]) {
			return refs, false
		}
		s = s[n:]
	}
	return refs, !closed || len(refs.list) > 0
}

func separator(c rune) bool {
	return strings.ContainsRune(" \t,;:#&/|+='\"`“”‘’，、；：", c)
}

func tokenRune(c rune) bool {
	return unicode.IsLetter(c) || c >= '0' && c <= '9' || strings.ContainsRune("_.-–", c)
}

var (
	handleToken  = regexp.MustCompile(`^c-?([0-9]{1,4})$`)
	rangeToken   = regexp.MustCompile(`^c([0-9]{1,4})[-–]c?([0-9]{1,4})$`)
	chunkToken   = regexp.MustCompile(`^c_[0-9a-z]{6,}$`)
	numberToken  = regexp.MustCompile(`^[0-9]{1,4}$`)
	spanToken    = regexp.MustCompile(`^[0-9]+[-–][0-9]+$`)
	locatorToken = regexp.MustCompile(`^(p|pp|pg|page|s|l|ll)\.?[0-9]+([-–](p|pp|s|l|ll)?\.?[0-9]+)?$`)
	locatorStart = regexp.MustCompile(`^(p|pp|pg|page|s|l|ll)[-–.0-9lps]*$`)
	handleStart  = regexp.MustCompile(`^(c([-_0-9].*)?|[-–.0-9]+)$`)
)

// referWords stand around references, locatorWords before places in a document.
var (
	referWords = strings.Fields("source sources src passage passages ref refs reference references cite cited citation citations " +
		"see cf doc document documents id ids chunk chunks and or und et y quelle quellen siehe vgl voir fuente")
	locatorWords = strings.Fields("p pp pg page pages s seite seiten section sections sec ch chapter para paragraph line lines l slide sheet score")
)

// token takes one word of a marker, and reports whether it belongs into one.
func (r *Resolver) token(refs *references, word string) bool {
	if _, known := r.ledger.Number[word]; known {
		refs.strong = true
		refs.list = append(refs.list, reference{id: word})
		return true
	}
	low := strings.TrimRight(strings.ToLower(word), ".")
	switch {
	case handleToken.MatchString(low):
		refs.strong, refs.locator = true, false
		refs.list = append(refs.list, reference{n: number(handleToken.FindStringSubmatch(low)[1])})
	case rangeToken.MatchString(low):
		ends := rangeToken.FindStringSubmatch(low)
		first, last := number(ends[1]), number(ends[2])
		if last < first || last-first >= rangeLimit {
			return false
		}
		refs.strong, refs.locator = true, false
		for n := first; n <= last; n++ {
			refs.list = append(refs.list, reference{n: n})
		}
	case chunkToken.MatchString(low):
		refs.strong = true
		refs.list = append(refs.list, reference{id: low})
	case numberToken.MatchString(low):
		if !refs.locator {
			refs.list = append(refs.list, reference{n: number(low)})
		}
	case slices.Contains(referWords, low):
	case slices.Contains(locatorWords, low), locatorToken.MatchString(low):
		refs.locator = true
	case spanToken.MatchString(low):
		return refs.locator
	case strings.Trim(low, "-–") == "":
		return refs.strong // "c1 - c3"
	default:
		return false
	}
	return true
}

// number reads up to four digits.
func number(s string) int {
	n, _ := strconv.Atoi(s) // the expressions above let nothing else through
	return n
}

// mayBecome reports whether a word that may go on belongs into a marker. It may
// say yes too often, never no.
func (r *Resolver) mayBecome(word string) bool {
	if r.ledger.begun(word) {
		return true
	}
	low := strings.ToLower(word)
	begins := func(w string) bool { return strings.HasPrefix(w, strings.TrimRight(low, ".")) }
	return handleStart.MatchString(low) || locatorStart.MatchString(low) ||
		slices.ContainsFunc(referWords, begins) || slices.ContainsFunc(locatorWords, begins)
}
