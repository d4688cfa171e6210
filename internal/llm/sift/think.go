// Package sift tells apart what servers mix into the text of a model's answer:
// thinking (ThinkSplitter), and calls of tools that came out as words (Calls). Text
// comes in pieces of any size and goes on as soon as it is certain what it is.
package sift

import "strings"

// PieceKind says what a piece of a model's stream is.
type PieceKind int

// What a ThinkSplitter hands on.
const (
	PieceText      PieceKind = iota // of the visible answer
	PieceReasoning                  // of the thinking
	PieceVoid                       // no text: all PieceText so far was thinking after all
)

// Piece is a part of a stream, told apart.
type Piece struct {
	Kind PieceKind
	Text string
}

// thinkTags are the names of the tags that models wrap their thinking in.
var thinkTags = []string{"think", "thinking", "reasoning"}

// maxHeldLine bounds, in bytes, how much of a line is held back while it is
// unclear whether a tag inside an answer opens a block of thinking.
const maxHeldLine = 4096

// ThinkSplitter tells a model's thinking apart from its answer where a server
// leaves both in one text. However the text is cut into chunks, the pieces
// joined come out the same.
//
//	        <think>                     </think>
//	start ───────────▶ thinking ──────────────────▶ start
//	  │ anything else                                 │ anything else
//	  ▼                                               ▼
//	text ── <think> alone at the start of a line ──▶ thinking
//
// Before visible text has begun, an opening tag always counts. After that a tag
// counts only at the start of a line, outside code, and when it either ends its
// line or is closed at the end of the same line: an answer may talk about tags.
//
// Thinking that is never closed stays thinking to the end of the stream, and
// there is no visible text then; the caller treats that as an empty turn.
//
// A closing tag with no opening one means that the prompt's template had opened
// it. If visible text went out already, a PieceVoid declares it thinking. A
// caller that knows in advance uses NewOpenThinkSplitter, and if in that case no
// closing tag comes at all, what was handed on as thinking is handed on once
// more as text: an answer that is seen twice is better than none.
type ThinkSplitter struct {
	state  thinkState
	tag    string // the name that opened the thinking; "" when the template did
	buf    string // what is not decided yet
	opened bool   // a block of thinking has been seen
	last   byte   // the byte before buf, while thinking
	fresh  bool   // thinking has begun, nothing of it but space was seen
	code   codeTracker
	unsure strings.Builder // thinking that may turn out to be the answer
}

type thinkState int

const (
	thinkStart thinkState = iota
	thinkInside
	thinkText
)

// NewOpenThinkSplitter returns a splitter for a stream that begins inside a
// block of thinking, because the prompt ended with the opening tag.
func NewOpenThinkSplitter() *ThinkSplitter {
	return &ThinkSplitter{state: thinkInside, opened: true, fresh: true}
}

// Write takes the next chunk and hands on what can be told already.
func (s *ThinkSplitter) Write(chunk string, emit func(Piece)) {
	s.buf += chunk
	s.run(false, emit)
}

// Close ends the stream and hands on the rest.
func (s *ThinkSplitter) Close(emit func(Piece)) {
	s.run(true, emit)
	if s.Unclosed() {
		emit(Piece{PieceText, s.unsure.String()})
	}
}

// Unclosed reports whether all of the stream lay in a block of thinking that
// only the template can have opened.
func (s *ThinkSplitter) Unclosed() bool {
	return s.state == thinkInside && s.tag == "" && s.unsure.Len() > 0
}

// run consumes buf until it is empty or a decision needs bytes that have not
// come yet. With final set, no more bytes will come.
func (s *ThinkSplitter) run(final bool, emit func(Piece)) {
	for s.buf != "" {
		var more bool
		switch s.state {
		case thinkStart:
			more = s.stepStart(final)
		case thinkInside:
			more = s.stepInside(final, emit)
		case thinkText:
			more = s.stepText(final, emit)
		}
		if more {
			return
		}
	}
}

// stepStart drops space until a tag or visible text begins.
func (s *ThinkSplitter) stepStart(final bool) (more bool) {
	s.buf = strings.TrimLeft(s.buf, " \t\r\n")
	if s.buf == "" {
		return true
	}
	tag := matchTag(s.buf)
	if tag.partial && !final {
		return true
	}
	switch {
	case tag.name == "":
		s.state = thinkText
		s.code = codeTracker{lineStart: true}
	case tag.closing: // an empty block that the template opened, or a second closing tag
		s.opened = true
		s.buf = s.buf[tag.size:]
	default:
		s.open(tag)
	}
	return false
}

func (s *ThinkSplitter) open(tag tagMatch) {
	s.state, s.tag, s.opened, s.fresh, s.last = thinkInside, tag.name, true, true, 0
	s.buf = s.buf[tag.size:]
}

// stepInside hands on thinking up to the tag that closes it.
func (s *ThinkSplitter) stepInside(final bool, emit func(Piece)) (more bool) {
	if s.fresh {
		s.buf = strings.TrimLeft(s.buf, " \t\r\n")
		if s.buf == "" {
			return true
		}
	}
	if s.buf[0] != '<' {
		n := strings.IndexByte(s.buf, '<')
		if n < 0 {
			n = len(s.buf)
		}
		s.reason(n, emit)
		return false
	}
	tag := matchTag(s.buf)
	if tag.partial && !final {
		return true
	}
	if !tag.closing || s.tag != "" && tag.name != s.tag {
		s.reason(1, emit)
		return false
	}
	if s.last == '`' { // `</think>` in code is only talked about
		if len(s.buf) == tag.size && !final {
			return true
		}
		if len(s.buf) > tag.size && s.buf[tag.size] == '`' {
			s.reason(tag.size, emit)
			return false
		}
	}
	s.state = thinkStart
	s.buf = s.buf[tag.size:]
	s.unsure.Reset()
	return false
}

// reason hands on n bytes of thinking.
func (s *ThinkSplitter) reason(n int, emit func(Piece)) {
	s.fresh = false
	s.last = s.buf[n-1]
	if s.tag == "" {
		s.unsure.WriteString(s.buf[:n])
	}
	emit(Piece{PieceReasoning, s.buf[:n]})
	s.buf = s.buf[n:]
}

// stepText hands on visible text up to the next tag that counts.
func (s *ThinkSplitter) stepText(final bool, emit func(Piece)) (more bool) {
	if s.buf[0] != '<' || s.code.inCode() {
		n := s.code.take(s.buf, "<", final)
		if n == 0 {
			return true
		}
		s.show(n, emit)
		return false
	}
	tag := matchTag(s.buf)
	if tag.partial && !final {
		return true
	}
	counts, more := s.counts(tag, final)
	switch {
	case more:
		return true
	case !counts:
		s.code.lineStart = false
		s.show(1, emit)
	case !tag.closing:
		s.open(tag)
	default:
		if !s.opened {
			s.opened = true
			emit(Piece{Kind: PieceVoid})
		}
		s.state = thinkStart
		s.buf = s.buf[tag.size:]
	}
	return false
}

func (s *ThinkSplitter) show(n int, emit func(Piece)) {
	emit(Piece{PieceText, s.buf[:n]})
	s.buf = s.buf[n:]
}

// counts decides whether a tag inside visible text means what it says.
func (s *ThinkSplitter) counts(tag tagMatch, final bool) (counts, more bool) {
	if tag.name == "" {
		return false, false
	}
	rest := s.buf[tag.size:]
	line, ended := cutLine(rest)
	ended = ended || final
	if tag.closing {
		if !s.opened && s.code.lineStart {
			return true, false
		}
		if s.opened && !s.code.lineStart || strings.TrimSpace(line) != "" {
			return false, false
		}
		return ended, !ended
	}
	if !s.code.lineStart {
		return false, false
	}
	if len(line) > maxHeldLine {
		return false, false
	}
	if ended {
		line = strings.TrimRight(line, " \t\r")
		return line == "" || hasSuffixFold(line, "</"+tag.name+">"), false
	}
	return false, true
}

// cutLine returns s up to its first line break, and whether there is one.
func cutLine(s string) (line string, ended bool) {
	line, _, ended = strings.Cut(s, "\n")
	return line, ended
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// tagMatch is what stands at the start of a text that begins with '<'.
type tagMatch struct {
	name    string // "" when it is no tag of thinking
	closing bool
	size    int
	partial bool // it may become a tag when more bytes come
}

// matchTag looks for a tag of thinking at the very start of s.
func matchTag(s string) tagMatch {
	var m tagMatch
	for _, name := range thinkTags {
		for _, closing := range []bool{false, true} {
			full := "<" + name + ">"
			if closing {
				full = "</" + name + ">"
			}
			switch n := min(len(s), len(full)); {
			case !strings.EqualFold(s[:n], full[:n]):
			case n == len(full):
				return tagMatch{name: name, closing: closing, size: n}
			default:
				m.partial = true
			}
		}
	}
	return m
}

// codeTracker knows, while Markdown goes by, whether the current place is
// inside code, where tags and JSON are only talked about.
type codeTracker struct {
	lineStart bool   // nothing but space since the line began
	fence     string // the marker that opened the fenced block we are in
	inline    int    // number of backticks that opened the inline code we are in
}

func (c *codeTracker) inCode() bool { return c.fence != "" || c.inline > 0 }

// take returns how many bytes of s can be passed over before the next byte that
// the caller must look at: one of stop outside code. It returns 0 when that
// cannot be told before more bytes come.
func (c *codeTracker) take(s, stop string, final bool) int {
	i := 0
	for i < len(s) {
		switch b := s[i]; {
		case b == '\n':
			c.lineStart, c.inline = true, 0
			i++
		case b == '`' || b == '~' && c.lineStart:
			n := 1
			for i+n < len(s) && s[i+n] == b {
				n++
			}
			if i+n == len(s) && !final {
				return i
			}
			c.marker(s[i : i+n])
			i += n
		case strings.IndexByte(stop, b) >= 0 && !c.inCode():
			return i
		default:
			if b != ' ' && b != '\t' && b != '\r' {
				c.lineStart = false
			}
			i++
		}
	}
	return i
}

// marker takes a run of backticks or tildes.
func (c *codeTracker) marker(run string) {
	atStart := c.lineStart
	c.lineStart = false
	switch {
	case c.fence != "":
		if atStart && len(run) >= len(c.fence) && run[0] == c.fence[0] {
			c.fence = ""
		}
	case atStart && len(run) >= 3:
		c.fence = run
	case run[0] != '`':
	case c.inline == 0:
		c.inline = len(run)
	case c.inline == len(run):
		c.inline = 0
	}
}
