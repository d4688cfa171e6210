package database

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"strings"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/csv"
)

// loadCSV loads a file of values divided by commas, semicolons, tabs or bars,
// however it is written. Its first row names the columns, unless there is a number
// in it.
func loadCSV(ctx context.Context, from, to, table string) error {
	f, err := os.Open(from)
	if err != nil {
		return unreadable(err)
	}
	defer f.Close()
	encoding, err := charset.Detect(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return notRead(err)
	}
	l, err := newLoader(ctx, to)
	if err != nil {
		return err
	}
	return l.close(loadRows(l, encoding.NewReader(f), table))
}

// longestQuoted bounds a value in quotes. Of longer ones than maxLoadCell the rest
// is cut off.
const longestQuoted = 4 * maxLoadCell

func loadRows(l *loader, text io.Reader, table string) error {
	r := csv.NewReader(text, longestQuoted)
	next := func() ([]string, error) {
		for {
			row, err := r.Row(math.MaxInt)
			if err != nil || len(row) > 1 || row[0] != "" { // an empty line is no row
				return row, err
			}
		}
	}
	header, err := next()
	if errors.Is(err, io.EOF) {
		return ibid.Errorf(ibid.CodeBadRequest, "the file is empty")
	}
	if err != nil {
		return notRead(err)
	}
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
		row, err := next()
		if errors.Is(err, io.EOF) {
			return l.end()
		}
		if err != nil {
			return notRead(err)
		}
		if err := l.row(row); err != nil {
			return err
		}
	}
}

// notRead is the error of a file that cannot be read as text.
func notRead(err error) error {
	if errors.Is(err, charset.ErrBinary) {
		return ibid.Errorf(ibid.CodeBadRequest, "%v", err)
	}
	return ibid.Errorf(ibid.CodeBadRequest, "the file cannot be read: %v", err)
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
