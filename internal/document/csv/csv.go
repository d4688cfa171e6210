// Package csv reads tables of values divided by commas, semicolons, tabs or bars,
// however their author's program writes them (RFC 4180 is one of its ways). It never
// refuses a text: quotes that are not closed are characters.
package csv

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// Extensions are what names of such files end with.
var Extensions = []string{".csv", ".tsv", ".tab"}

// Reader cuts a text into rows. The sign that divides the values is found out by
// the first rows, unless the text declares it as Excel does: "sep=;".
type Reader struct {
	text    *bufio.Reader
	comma   byte
	longest int
	value   []byte // that is being read
	err     error  // of reading the text, but for io.EOF
}

// sampleBytes of the text tell what divides its values.
const sampleBytes = 16 << 10

// NewReader reads a text in UTF-8. longest bounds a value in quotes: where no quote
// closes it within so many bytes, the one that opens it is a character.
func NewReader(text io.Reader, longest int) *Reader {
	r := &Reader{text: bufio.NewReaderSize(text, max(longest+1, sampleBytes)), longest: longest}
	if mark, _ := r.text.Peek(len("\uFEFF")); string(mark) == "\uFEFF" {
		_, _ = r.text.Discard(len(mark))
	}
	head, _ := r.text.Peek(sampleBytes) // an error comes again when the rows are read
	var declared int
	if r.comma, declared = declaredComma(head); declared > 0 {
		_, _ = r.text.Discard(declared)
	} else {
		r.comma = findComma(head)
	}
	return r
}

// declaredComma recognises a first line "sep=;" and returns its length.
func declaredComma(head []byte) (comma byte, length int) {
	line, _, _ := strings.Cut(string(head[:min(len(head), 100)]), "\n")
	sign, ok := strings.CutPrefix(strings.Trim(strings.TrimRight(line, "\r"), `"`), "sep=")
	if !ok || len(sign) != 1 {
		return 0, 0
	}
	return sign[0], min(len(line)+1, len(head))
}

// findComma returns what divides the values: the sign that the first lines have
// in the most equal number. Of two that are as regular it is not the comma, which
// divides the digits of many countries, too.
func findComma(head []byte) byte {
	const most = 20 // lines
	const signs = "\t;|,"
	var counts [][len(signs)]int
	for len(head) > 0 && len(counts) < most {
		var n [len(signs)]int
		quoted, end := false, len(head)
		for i, c := range head {
			if c == '\n' || c == '\r' {
				end = i
				break
			}
			if c == '"' {
				quoted = !quoted
			} else if k := strings.IndexByte(signs, c); k >= 0 && !quoted {
				n[k]++
			}
		}
		counts = append(counts, n)
		if strings.HasPrefix(string(head[end:min(end+2, len(head))]), "\r\n") {
			end++
		}
		head = head[min(end+1, len(head)):]
	}
	best, bestLines := byte(','), 0 // a single column
	for k := range len(signs) {
		equal := make(map[int]int)
		for _, n := range counts {
			if n[k] > 0 {
				equal[n[k]]++
			}
		}
		for _, lines := range equal {
			if lines > bestLines {
				best, bestLines = signs[k], lines
			}
		}
	}
	return best
}

// Row returns the next row, or a piece of it when it has more than most values;
// io.EOF at the end.
func (r *Reader) Row(most int) ([]string, error) {
	if _, err := r.text.Peek(1); err != nil {
		return nil, err
	}
	var row []string
	for len(row) < most {
		value, end := r.next()
		row = append(row, value)
		if end {
			break
		}
	}
	return row, r.err
}

// next returns the next value and whether it is the last of its row.
func (r *Reader) next() (value string, end bool) {
	r.value = r.value[:0]
	r.quoted()
	// What stands behind the closing quote belongs to the value.
	for {
		c, err := r.text.ReadByte()
		switch {
		case err != nil:
			if !errors.Is(err, io.EOF) {
				r.err = err
			}
			return string(r.value), true
		case c == r.comma:
			return string(r.value), false
		case c == '\n':
			return string(r.value), true
		case c == '\r':
			if after, _ := r.text.Peek(1); len(after) > 0 && after[0] == '\n' {
				_, _ = r.text.Discard(1)
			}
			return string(r.value), true
		}
		r.value = append(r.value, c)
	}
}

// quoted takes a value in quotes, in which two quotes stand for one. It takes
// nothing where no quote opens, or where none closes it nearby.
func (r *Reader) quoted() {
	if first, _ := r.text.Peek(1); len(first) == 0 || first[0] != '"' {
		return
	}
	for size := 512; ; size *= 2 { // most values are short: do not look further than needed
		size = min(size, r.longest)
		near, err := r.text.Peek(size + 1) // and the byte behind, which may be a second quote
		if n := closingQuote(near[:min(len(near), size)], near); n > 0 {
			r.value = append(r.value, strings.ReplaceAll(string(near[1:n]), `""`, `"`)...)
			_, _ = r.text.Discard(n + 1)
			return
		}
		if err != nil || size == r.longest {
			return
		}
	}
}

// closingQuote returns where in near the quote stands that closes the value at its
// beginning, 0 where none does. all is near and the byte behind it.
func closingQuote(near, all []byte) int {
	for i := 1; i < len(near); i++ {
		switch {
		case near[i] != '"':
		case i+1 < len(all) && all[i+1] == '"':
			i++
		default:
			return i
		}
	}
	return 0
}
