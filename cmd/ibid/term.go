package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"ibid/internal/app/config"
	"ibid/internal/say"
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
func newTerminal(w io.Writer, e config.Environment) *terminal {
	t := &terminal{w: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return t
	}
	t.tty = true
	t.colour = e.Get("NO_COLOR") == "" && e.Get("TERM") != "dumb"
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

// wrap breaks a text into lines of at most width columns at its spaces, each
// behind indent. Words longer than a line stay whole. With width 0 it stays
// one line.
func wrap(s, indent string, width int) string {
	words := strings.Fields(say.Safe(s))
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
