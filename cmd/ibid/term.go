package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// terminal is a stream that people read.
type terminal struct {
	w      io.Writer
	tty    bool
	colour bool
	width  int // columns; 0 when it is no terminal: nothing is wrapped or cut
}

// newTerminal finds out what w is. NO_COLOR (no-color.org) and TERM=dumb turn
// colours off.
func newTerminal(w io.Writer, e environment) *terminal {
	t := &terminal{w: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return t
	}
	t.tty = true
	t.colour = e.get("NO_COLOR") == "" && e.get("TERM") != "dumb"
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		t.width = width
	}
	return t
}

// style is an ANSI "select graphic rendition" sequence.
type style string

const (
	plain style = ""
	dim   style = "\x1b[2m"
	bold  style = "\x1b[1m"
	red   style = "\x1b[31m"
	green style = "\x1b[32m"
	amber style = "\x1b[33m"
)

// paint wraps text in a style where colours are on.
func (t *terminal) paint(s style, text string) string {
	if !t.colour || s == plain || text == "" {
		return text
	}
	return string(s) + text + "\x1b[0m"
}

func (t *terminal) printf(format string, args ...any) {
	fmt.Fprintf(t.w, format, args...)
}

// safe takes out of a text whatever would let a document or a model steer the
// terminal: control characters other than newline and tab, and the marks that
// turn the direction of writing.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r):
			return -1
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
}

// oneLine makes a text fit for one line of at most most columns; 0 for any
// length.
func oneLine(s string, most int) string {
	return cut(strings.Join(strings.Fields(safe(s)), " "), most)
}

// cut shortens a text to at most most columns, marking the cut; 0 for any
// length.
func cut(s string, most int) string {
	if most <= 0 || uniseg.StringWidth(s) <= most {
		return s
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used+g.Width() > most-1 {
			break
		}
		used += g.Width()
		b.WriteString(g.Str())
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// wrap breaks a text into lines of at most width columns at its spaces, each
// behind indent. Words longer than a line stay whole. With width 0 it stays
// one line.
func wrap(s, indent string, width int) string {
	words := strings.Fields(safe(s))
	room := width - uniseg.StringWidth(indent)
	if width <= 0 {
		return indent + strings.Join(words, " ")
	}
	var b strings.Builder
	used := 0
	for i, w := range words {
		n := uniseg.StringWidth(w)
		switch {
		case i == 0:
			b.WriteString(indent)
		case used+1+n > room:
			b.WriteString("\n" + indent)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(w)
		used += n
	}
	return b.String()
}
