// Package markdown tells code from prose in Markdown, while it is written.
package markdown

import "strings"

// codeLimit bounds, in bytes, how far apart the backticks of inline code may be.
// Text is held off the wire that long at most while it is unclear whether a
// backtick opens code.
const codeLimit = 200

// Scanner knows, while an answer goes by, where it is code: there citation
// markers and metadata are only talked about.
//
// Code is what stands in a fence of three or more backticks or tildes at the
// start of a line, up to a fence of the same kind that is at least as long; and
// what stands between two equal runs of backticks on one line, at most codeLimit
// bytes apart. A backtick without a partner is a plain character.
type Scanner struct {
	MidLine bool   // something other than space and the marks of lists and quotes has come since the line began
	fence   string // the run that opened the fence we are in; "" outside
}

// Verbatim returns how many bytes at the start of buf are code, to be passed on
// as they are; 0 means that buf begins with a plain character. more is true when
// that cannot be told before more bytes come; final says that none will.
func (m *Scanner) Verbatim(buf string, final bool) (n int, more bool) {
	if m.fence != "" {
		return m.fenced(buf, final)
	}
	c := buf[0]
	if c != '`' && (c != '~' || m.MidLine) {
		return 0, false
	}
	run := runOf(buf)
	if run == len(buf) && !final {
		return 0, true
	}
	if run >= 3 && !m.MidLine {
		line, ended := cutLine(buf[run:])
		if !ended && !final && len(line) < codeLimit {
			return 0, true
		}
		if len(line) > codeLimit {
			line = line[:codeLimit]
		}
		if c == '~' || !strings.Contains(line, "`") {
			m.fence, m.MidLine = buf[:run], true
			return run, false
		}
	}
	n = run
	if c == '`' {
		n, more = inlineCode(buf, run, final)
	}
	m.MidLine = m.MidLine || !more
	return n, more
}

// inlineCode returns the size of the code that a run of backticks opens, or of
// the run alone when nothing closes it.
func inlineCode(buf string, run int, final bool) (size int, more bool) {
	for i := run; i < len(buf) && i-run <= codeLimit && buf[i] != '\n'; {
		if buf[i] != '`' {
			i++
			continue
		}
		closing := runOf(buf[i:])
		if i+closing == len(buf) && !final {
			return 0, true
		}
		if closing == run {
			return i + closing, false
		}
		i += closing
	}
	line, ended := cutLine(buf[run:])
	if !ended && !final && len(line) <= codeLimit {
		return 0, true
	}
	return run, false
}

// fenced passes the inside of a fence, line by line, and finds its end.
func (m *Scanner) fenced(buf string, final bool) (n int, more bool) {
	if !m.MidLine {
		line, ended := cutLine(buf)
		text := strings.TrimLeft(line, " \t>")
		run := 0
		if text != "" && text[0] == m.fence[0] {
			run = runOf(text)
		}
		closes := run >= len(m.fence) && len(line) <= codeLimit && strings.TrimRight(text[run:], " \t\r") == ""
		couldClose := text == "" || run > 0 && strings.TrimRight(text[run:], " \t\r") == ""
		switch {
		case closes && (ended || final):
			m.fence, m.MidLine = "", true
			return len(line), false
		case couldClose && !ended && !final && len(line) <= codeLimit:
			return 0, true
		}
	}
	i := strings.IndexByte(buf, '\n')
	m.MidLine = i < 0
	if i < 0 {
		return len(buf), false
	}
	return i + 1, false
}

// Pass takes note of plain text that was passed on.
func (m *Scanner) Pass(s string) {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		m.MidLine = false
		s = s[i+1:]
	}
	if strings.Trim(s, lineMarks) != "" {
		m.MidLine = true
	}
}

// lineMarks may stand before a fence: space, quotes, bullets and item numbers.
const lineMarks = " \t\r>-*+.)0123456789"

// runOf returns how often the first byte of s is repeated at its start.
func runOf(s string) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// cutLine returns s up to its first line break, and whether there is one.
func cutLine(s string) (line string, ended bool) {
	line, _, ended = strings.Cut(s, "\n")
	return line, ended
}
