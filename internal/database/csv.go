package database

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"ibid"
)

// loadCSV loads a file of values divided by commas, semicolons, tabs or bars.
// Its first row names the columns, unless there is a number in it.
func loadCSV(ctx context.Context, from, to, table string) error {
	f, err := os.Open(from)
	if err != nil {
		return unreadable(err)
	}
	defer f.Close()
	text, err := decoded(f)
	if err != nil {
		return err
	}
	l, err := newLoader(ctx, to)
	if err != nil {
		return err
	}
	return l.close(loadRows(l, text, table))
}

func loadRows(l *loader, text *bufio.Reader, table string) error {
	head, _ := text.Peek(sampleSize)
	r := csv.NewReader(text)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = comma(head), true, -1, true
	first, err := r.Read()
	if errors.Is(err, io.EOF) {
		return ibid.Errorf(ibid.CodeBadRequest, "the file is empty")
	}
	if err != nil {
		return ibid.Errorf(ibid.CodeBadRequest, "the file is no CSV: %v", err)
	}
	header := append([]string(nil), first...)
	if hasHeader := isHeader(header); !hasHeader {
		if err := l.begin(table, make([]string, len(header))); err != nil {
			return err
		}
		if err := l.row(header); err != nil {
			return err
		}
	} else if err := l.begin(table, header); err != nil {
		return err
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return l.end()
		}
		if err != nil {
			return ibid.Errorf(ibid.CodeBadRequest, "the file is no CSV: %v", err)
		}
		if err := l.row(row); err != nil {
			return err
		}
	}
}

// isHeader reports whether a row names columns: there is a text in it and no
// number or date.
func isHeader(row []string) bool {
	texts := 0
	for _, cell := range row {
		switch cell = strings.TrimSpace(cell); {
		case cell == "":
		case kindOfValue(cell) == textColumn:
			texts++
		case len(cell) == 4 && kindOfValue(cell) == integerColumn: // a year may head a column
		default:
			return false
		}
	}
	return texts > 0
}

// sampleSize is how much of a file is looked at to tell how it is written, in
// bytes.
const sampleSize = 64 << 10

// decoded returns the text of a file: UTF-8, UTF-16 with its mark, or else
// Windows-1252.
func decoded(f io.Reader) (*bufio.Reader, error) {
	raw := bufio.NewReaderSize(f, sampleSize)
	head, err := raw.Peek(sampleSize)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, ibid.Errorf(ibid.CodeBadRequest, "the file cannot be read: %v", err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return bufio.NewReaderSize(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(raw), sampleSize), nil
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = raw.Discard(3)
	case bytes.IndexByte(head, 0) >= 0:
		return nil, ibid.Errorf(ibid.CodeBadRequest, "the file is no text")
	case !validStart(head):
		return bufio.NewReaderSize(charmap.Windows1252.NewDecoder().Reader(raw), sampleSize), nil
	}
	return raw, nil
}

// validStart reports whether the beginning of a text is UTF-8; its last
// character may be cut.
func validStart(head []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut <= len(head); cut++ {
		if utf8.Valid(head[:len(head)-cut]) {
			return true
		}
	}
	return false
}

// comma returns the sign that the first lines have outside quotes in the most
// equal number.
func comma(head []byte) rune {
	best, most := ',', 0
	for _, sign := range ",;\t|" {
		equal := map[int]int{}
		for i, line := range strings.Split(string(head), "\n") {
			if i == 20 {
				break
			}
			n, quoted := 0, false
			for _, c := range line {
				if c == '"' {
					quoted = !quoted
				} else if c == sign && !quoted {
					n++
				}
			}
			if n > 0 {
				equal[n]++
			}
		}
		for _, lines := range equal {
			if lines > most {
				best, most = sign, lines
			}
		}
	}
	return best
}
