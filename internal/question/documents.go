package question

import (
	"regexp"
	"strings"

	"ibid/internal/text"
)

// wrapping is what may stand around a name.
const wrapping = " \t\"“”'`"

var (
	comparisons = []pattern{
		form(`^(?:please |can you )*{compare}\s+(?P<a>.+?)\s+(?:{and}|{with})\s+(?P<b>.+?)(?:\s+{on}\s+(?P<topic>.+?))?[?.!\s]*$`),
		form(`^(?:what (?:is|are) )?(?:the )?(?:differences?)\s+(?:in (?P<topic>.+?) )?between\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)(?:\s+{on}\s+(?P<topic>.+?))?[?.!]*$`),
		form(`^how (?:does|do|did) (?P<a>.+?) (?:differ from|compare (?:to|with))\s+(?P<b>.+?)(?:\s+{on}\s+(?P<topic>.+?))?[?.!]*$`),
		form(`^(?P<a>.+?)\s+{vs}\s+(?P<b>.+?)[?.!]*$`),
		form(`{difference}\s+(?P<a>.+?)\s+{and}\s+(?P<b>.+?)[?.!\s]*$`),
	}
	// aside is a comparison that is asked for somewhere in a message. It would take
	// many questions for one that compare nothing, so it counts for documents alone.
	aside = form(`\b(?:{compare}|{difference}|compare between|how do(?:es)?)\s+(?:the\s+)?(?P<a>.+?)\s+(?:{and}|{with}|differ from)\s+(?:the\s+)?(?P<b>.+?)(?:\s+(?:{on}|for|differ|compare)\b.*)?[?.!]*$`)
)

// compares are the words of comparing, wherever they stand.
var compares = form(`\b{comparing}\b`)

// Comparison returns the sides of what a question compares, and in which respect.
func Comparison(s string) (a, b, topic string, ok bool) {
	for _, form := range comparisons {
		if m := form.FindStringSubmatch(s); m != nil {
			a, b, topic := named(form, m, "a"), named(form, m, "b"), named(form, m, "topic")
			return a, b, topic, true
		}
	}
	return "", "", "", false
}

// WithoutComparing takes the words of a comparison out of a question: they are in no
// document for that.
func WithoutComparing(s string) string { return compares.ReplaceAllString(s, " ") }

// named are the groups of a name, joined.
func named(form pattern, match []string, name string) string {
	var said string
	for i, n := range form.SubexpNames() {
		if n == name {
			said += match[i]
		}
	}
	return said
}

// ComparedNames returns the names of two things that are to be compared, which may be
// documents.
func ComparedNames(s string) (a, b string, ok bool) {
	for _, form := range []pattern{aside, comparisons[3]} {
		if m := form.FindStringSubmatch(s); m != nil {
			return strings.Trim(named(form, m, "a"), wrapping), strings.Trim(named(form, m, "b"), wrapping), true
		}
	}
	return "", "", false
}

var (
	summarises = form(`\b(?:{summarise}|{about}|{what is})\s+(?:for me\s+)?(?:the\s+|my\s+)?(?:document\s+|file\s+|paper\s+|report\s+)?(.+?)(?:\s+about)?[?.!]*$`)
	// whatIs asks for a document as a whole only where a file is named.
	whatIs = form(`\b(?:{what is}|{about})\b`)
	// contents asks what is in a document, or what it is about.
	contents = regexp.MustCompile(`(?i)^\W*what(?:['’]s| is)(?: (?:in|inside) (?:the|my|our|your) (.+?)| (?:the |my )?(.+) about)\W*$`)
	// this asks about the one document that is meant without a name.
	this = form(`\b(?:{summarise}|{what is})\s+(?:this|it|the|my)(?:\s+(?:one|document|file|paper|report|pdf|article|book))?(?:\s+about)?[?.!]*$`)
)

// Whole reports whether a question asks for a document as a whole: to sum it up, or
// what it is about. name is what it calls it.
func Whole(q string) (name string, ok bool) {
	if m := summarises.FindStringSubmatch(q); m != nil {
		name = strings.Trim(m[1], wrapping)
		if !whatIs.MatchString(q) || text.IsFileName(name) {
			return name, true
		}
	}
	if file := FileNamed(q); file != "" {
		return file, asksOnly(q, file)
	}
	if m := contents.FindStringSubmatch(q); m != nil {
		return strings.Trim(m[1]+m[2], wrapping), true
	}
	return "", false
}

// ThisDocument reports whether a question asks for the one document that is meant
// without a name: "Summarise this."
func ThisDocument(q string) bool { return this.MatchString(q) }

// AboutAll reports whether a question may be about a document as a whole, so that
// no search of some words answers it: "What's in q3.md?"
func AboutAll(s string) bool {
	file := FileNamed(s)
	if file == "" {
		return contents.MatchString(s)
	}
	return asksOnly(s, file)
}

var (
	library = regexp.MustCompile(`(?i)^\W*(please )?(can you )?((what|which) (documents|files|sources|books|papers)( (do (i|you|we) have|are (there|available|loaded|stored|in [\w ]+)|have (i|we) (added|uploaded)|did (i|we) (add|upload)|do you know|can you (see|search|read)))?|(list|show)( me)?( all)?( of)?( the| my| our| your)? (documents|files|sources|library)|how many (documents|files) (do (i|you|we) have|are there)[\w ]*|what('s| is) in (my|the|your) (library|knowledge base|collection|vault))( now| here| so far)?\W*$`)
	web     = regexp.MustCompile(`(?i)\b(search|look|find( it| out)?) (it up )?(on|in) the (web|internet)( for)?\b|\b(search|google) the (web|internet)( for)?\b|\bon the (web|internet)\b`)
	address = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"“”]+`)
)

// Library reports whether a question is about what the library holds.
func Library(q string) bool { return library.MatchString(q) }

// Web returns what a question wants looked for in the web, where it says so.
func Web(q string) (query string, ok bool) {
	if !web.MatchString(q) {
		return "", false
	}
	return strings.Join(strings.Fields(web.ReplaceAllString(q, " ")), " "), true
}

// Address returns the address of a web page that a question names.
func Address(q string) (url string, ok bool) {
	url = strings.TrimRight(address.FindString(q), ".,;:!?)")
	return url, url != ""
}
