package cite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/agent/markdown"
)

const (
	// markerLimit bounds, in bytes, what stands between the brackets of a
	// marker, and so how much is held off the wire.
	markerLimit = 160
	// linkLimit bounds the target of a link that a marker is dressed up as.
	linkLimit = 200
	// tailLength is how much of the text before a marker is remembered.
	tailLength = 64
	// rangeLimit bounds how many passages "[c1-c9]" may stand for.
	rangeLimit = 20
	// spaceLimit bounds how many spaces are held off the wire, since a marker that is
	// dropped takes those before it along.
	spaceLimit = 64
)

// Resolver finds the citation markers of an answer and what they name, however the
// text is cut into chunks. Only passages of this run are resolved. What a marker
// becomes in the text is the Placer's affair.
//
// Inside brackets ([ ], [[ ]], \[ \], 【 】, ［ ］, ( ), （ ）) a marker is a list of
// references with words around them that say so ("see", "source", "and") or that
// say where in the passage ("p. 4", "§ 2"). A reference is a handle (c3), a
// range of handles (c1-c3), a chunk id, or a number.
//
//   - With a handle or a chunk id it is a marker whatever follows: what does not
//     resolve is dropped and counted. In round brackets it must not follow a
//     word directly, f(c3), and some passage must be known.
//   - A list of bare numbers, [3] or [1, 2], is a marker only in square brackets,
//     only if every number is that of a known passage, and not where it reads as
//     something else: an index (a[3], m[1][2]: directly after a name that mixes
//     letters and digits or is shorter than four letters), a link [3](url), a
//     link's definition [3]: at the start of a line, part of a word [3]x.
//   - Code is left alone, and so is everything else in brackets.
//
// A marker that is dropped takes the space before it along. A link's target
// after a marker, [c3](url), is dropped too: no link of the model's passes as a
// footnote.
type Resolver struct {
	ledger *Ledger
	buf    string
	md     markdown.Scanner
	tail   string // the end of what was passed on
	after  bool   // the last thing passed on was a marker

	Cited   []string // chunk ids, each once, in order
	Dropped int      // references that resolved to nothing
}

// NewResolver returns a resolver of the passages of a ledger.
func NewResolver(l *Ledger) Resolver { return Resolver{ledger: l} }

// segment is a piece of an answer: words, or a marker.
type segment struct {
	text string
	code bool     // the words are code
	ids  []string // of a marker: the chunks that it names
}

// Segments are the pieces of an answer, in order.
type Segments []segment

// write adds words.
func (s *Segments) write(text string, code bool) {
	if n := len(*s); n > 0 && (*s)[n-1].ids == nil && (*s)[n-1].code == code {
		(*s)[n-1].text += text
	} else if text != "" {
		*s = append(*s, segment{text: text, code: code})
	}
}

// Write takes the next piece of the answer, cut between characters, and returns
// what may be shown.
func (r *Resolver) Write(s string) Segments {
	r.buf += s
	return r.run(false)
}

// Close returns what is left to show.
func (r *Resolver) Close() Segments { return r.run(true) }

func (r *Resolver) run(final bool) Segments {
	var out Segments
	for r.buf != "" {
		n, more := r.md.Verbatim(r.buf, final)
		if n > 0 {
			out.write(r.take(n), true)
			continue
		}
		if more || r.plain(&out, final) {
			break
		}
	}
	return out
}

// plain handles what stands at the start of buf outside code.
func (r *Resolver) plain(out *Segments, final bool) (more bool) {
	spaces := 0
	for spaces < len(r.buf) && r.buf[spaces] == ' ' {
		spaces++
	}
	if spaces == len(r.buf) && spaces < spaceLimit && !final {
		return true // a dropped marker may follow
	}
	if spaces >= spaceLimit {
		r.pass(out, spaceLimit)
		return false
	}
	open, more := openerOf(r.buf[spaces:], final)
	switch {
	case more:
		return true
	case open.text == "" && spaces > 0:
		r.pass(out, spaces)
		return false
	case open.text == "":
		r.pass(out, plainLength(r.buf))
		return false
	}
	m, verdict := r.match(r.buf[spaces:], open, spaces, final)
	switch verdict {
	case unsure:
		return true
	case noMarker:
		if open.text == "[[" {
			open.text = "[" // the second one may still open a marker
		}
		r.pass(out, spaces+len(open.text))
		return false
	}
	if len(m.ids) == 0 {
		return r.drop(out, spaces, m, final)
	}
	r.Dropped += m.unknown
	out.write(r.buf[:spaces], false)
	*out = append(*out, segment{ids: m.ids})
	for _, id := range m.ids {
		if !slices.Contains(r.Cited, id) {
			r.Cited = append(r.Cited, id)
		}
	}
	r.remember("]")
	r.md.MidLine, r.after = true, true
	r.buf = r.buf[spaces+m.size:]
	return false
}

// drop leaves a marker out that resolved to nothing. The spaces before it stay
// where they part two words.
func (r *Resolver) drop(out *Segments, spaces int, m match, final bool) (more bool) {
	rest := r.buf[spaces+m.size:]
	if rest == "" && !final {
		return true
	}
	r.Dropped += m.unknown
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "" || unicode.IsSpace(next) || strings.ContainsRune(".,;:!?)]}…。，、；：！？", next):
		r.buf = rest
	default: // spaces, and then perhaps another marker
		r.buf = r.buf[:spaces] + rest
	}
	return false
}

// pass hands on n bytes of plain text.
func (r *Resolver) pass(out *Segments, n int) {
	r.md.Pass(r.buf[:n])
	out.write(r.take(n), false)
}

func (r *Resolver) take(n int) string {
	s := r.buf[:n]
	r.buf = r.buf[n:]
	r.remember(s)
	r.after = false
	return s
}

func (r *Resolver) remember(s string) {
	r.tail += s
	r.tail = r.tail[max(0, len(r.tail)-tailLength):]
}

// plainLength returns how much of s, at least one character, holds nothing that
// needs a decision.
func plainLength(s string) int {
	for i, c := range s {
		if i > 0 && strings.ContainsRune(" `~\n[(\\【［（", c) {
			return i
		}
	}
	return len(s)
}

// opener is a kind of bracket.
type opener struct {
	text, close string
	round       bool // needs a handle
	escaped     bool
}

var openers = []opener{
	{text: "[[", close: "]]"}, {text: "[", close: "]"},
	{text: `\[`, close: `\]`, escaped: true},
	{text: "【", close: "】"}, {text: "［", close: "］"},
	{text: "(", close: ")", round: true}, {text: "（", close: "）", round: true},
}

// openerOf returns the bracket at the start of s; its text is "" when there is
// none.
func openerOf(s string, final bool) (o opener, more bool) {
	if (s == "[" || s == `\`) && !final {
		return o, true
	}
	for _, o := range openers {
		if strings.HasPrefix(s, o.text) {
			return o, false
		}
	}
	return opener{}, false
}

type verdict int

const (
	noMarker verdict = iota
	isMarker
	unsure // until more bytes come
)

// match is a marker that was found.
type match struct {
	size    int // bytes, from the opening bracket on
	ids     []string
	unknown int // references that resolve to nothing
}

// match looks for a marker at the start of s, which follows spaces and r.tail.
func (r *Resolver) match(s string, open opener, spaces int, final bool) (match, verdict) {
	inner, verdict := r.inner(s[len(open.text):], open.close, final)
	if verdict != isMarker {
		return match{}, verdict
	}
	refs, ok := r.references(inner, true)
	if !ok || open.round && strings.Contains(inner, "C") { // vitamin (C3)
		return match{}, noMarker
	}
	m := match{size: len(open.text) + len(inner) + len(open.close)}
	rest := s[m.size:]
	if rest == "" && !final {
		return match{}, unsure
	}
	r.resolve(&m, refs.list)
	if !r.counts(m, refs.strong, open, spaces, rest) {
		return match{}, noMarker
	}
	if !open.round && strings.HasPrefix(rest, "(") {
		n, more := r.linkTarget(rest, final)
		if more {
			return match{}, unsure
		}
		m.size += n
	}
	return m, isMarker
}

// inner returns what stands before the closing bracket.
func (r *Resolver) inner(s, closing string, final bool) (string, verdict) {
	_, first := utf8.DecodeRuneInString(closing)
	end := strings.Index(s, closing[:first])
	if end > markerLimit || end < 0 && len(s) > markerLimit {
		return "", noMarker
	}
	if end < 0 {
		if _, ok := r.references(s, false); !ok || final {
			return "", noMarker
		}
		return "", unsure
	}
	if strings.HasPrefix(s[end:], closing) {
		return s[:end], isMarker
	}
	if len(s) < end+len(closing) && !final {
		return "", unsure
	}
	return "", noMarker
}

// counts decides whether references in brackets are a citation, by what stands
// around them.
func (r *Resolver) counts(m match, strong bool, open opener, spaces int, rest string) bool {
	before, size := utf8.DecodeLastRuneInString(r.tail)
	touching := spaces == 0 && size > 0
	if strong {
		if open.round {
			return !(touching && wordRune(before)) && (len(m.ids) > 0 || len(r.ledger.Citations) > 0)
		}
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case open.round || open.escaped || m.unknown > 0:
		return false
	case next == '(' || wordRune(next):
		return false
	case next == ':' && !r.md.MidLine:
		return false
	case touching && before == ']' && !r.after:
		return false
	case touching && wordRune(before):
		return !identifier(r.tail)
	}
	return true
}

// resolve looks references up.
func (r *Resolver) resolve(m *match, refs []reference) {
	for _, ref := range refs {
		id := ref.id
		if ref.id == "" {
			c, _ := r.ledger.At(ref.n)
			id = c.ChunkID
		} else if _, known := r.ledger.Number[id]; !known {
			id = ""
		}
		switch {
		case id == "":
			m.unknown++
		case !slices.Contains(m.ids, id):
			m.ids = append(m.ids, id)
		}
	}
}

// linkTarget returns the size of the link target at the start of s, 0 when the
// round brackets hold prose or another marker.
func (r *Resolver) linkTarget(s string, final bool) (size int, more bool) {
	end := strings.IndexAny(s, ") \n")
	switch {
	case end > linkLimit || end < 0 && len(s) > linkLimit:
		return 0, false
	case end < 0:
		return 0, !final
	case s[end] != ')':
		return 0, false
	}
	if refs, ok := r.references(s[1:end], true); ok && refs.strong {
		return 0, false
	}
	return end + 1, false
}

// wordRune reports whether c is part of a word of a script that puts spaces
// between words.
func wordRune(c rune) bool {
	return c == '_' || c < 0x2e80 && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

// identifier reports whether the word at the end of s reads as a name in a
// formula or a program rather than as a word or a number.
func identifier(s string) bool {
	letters, others := 0, 0
	for s != "" {
		c, n := utf8.DecodeLastRuneInString(s)
		if !wordRune(c) {
			break
		}
		if unicode.IsLetter(c) {
			letters++
		} else {
			others++
		}
		s = s[:len(s)-n]
	}
	return letters > 0 && (letters < 4 || others > 0)
}
