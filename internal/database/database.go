// Package database asks databases questions without ever changing them. It
// attaches SQLite files, PostgreSQL servers, and CSV files and workbooks, which
// it loads into SQLite files of its own.
//
// A statement that comes from a model or a person meets three walls:
//
//	check      one SELECT, parsed; functions that only compute (guard.go)
//	connection SQLite: file opened read-only, query_only, nothing can be attached
//	           PostgreSQL: READ ONLY transaction, always rolled back
//	limits     rows, bytes and time; the end of the context stops the query
//
// What a database holds, the names of its tables and columns included, is data
// and never trusted.
package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ibid"
	"ibid/internal/text"
)

// Limits bound one query.
type Limits struct {
	Rows  int           // 200
	Bytes int           // of all cells, 64 KiB
	Time  time.Duration // 10 s
}

func (l Limits) withDefaults() Limits {
	if l.Rows == 0 {
		l.Rows = 200
	}
	if l.Bytes == 0 {
		l.Bytes = 64 << 10
	}
	if l.Time == 0 {
		l.Time = 10 * time.Second
	}
	return l
}

// What a description is bounded by.
const (
	maxTables     = 200
	maxColumns    = 200
	maxCell       = 2000     // bytes that are shown of one cell
	describeBytes = 64 << 20 // of one cell that a description reads
)

// source is an open database.
type source interface {
	dialect() dialect
	// read runs a statement. A cell that is longer than longest bytes is an error.
	read(ctx context.Context, longest int, statement string, take taker, args ...any) error
	tables(ctx context.Context) ([]ibid.DatabaseTable, error)
	name(table string) string // as it is written in a statement
	placeholder(n int) string // of argument n, from 1
	asText(column string) string
	close()
}

// taker takes the rows of a result, the first time without values; it returns
// false when it has enough.
type taker func(columns []string, values []any) bool

// each is a taker of all rows.
func each(row func(values []any)) taker {
	return func(_ []string, values []any) bool {
		if values != nil {
			row(values)
		}
		return true
	}
}

// ask runs a statement of a model's or a person's.
func ask(ctx context.Context, s source, statement string, limits Limits) (ibid.Table, error) {
	table := ibid.Table{Query: strings.TrimSpace(statement), Columns: []string{}, Rows: [][]string{}}
	if err := check(statement, s.dialect()); err != nil {
		return table, &ibid.Error{Code: ibid.CodeBadRequest, Message: "the query was refused: " + err.Error(),
			Hint: "write one SELECT that only reads"}
	}
	statement = strings.TrimRight(strings.TrimSpace(statement), "; \t\r\n")
	inner, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	left := limits.Bytes
	err := s.read(inner, max(4*limits.Bytes, 1<<20), statement, func(columns []string, values []any) bool {
		if values == nil {
			for _, c := range columns {
				table.Columns = append(table.Columns, clip(printable(c), 200))
			}
			return true
		}
		if len(table.Rows) == limits.Rows {
			table.Truncated = true
			return false
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = clip(show(v), maxCell)
			left -= len(row[i])
		}
		if left < 0 {
			table.Truncated = true
			return false
		}
		table.Rows = append(table.Rows, row)
		return true
	})
	switch {
	case err == nil || table.Truncated:
		return table, nil
	case ctx.Err() != nil:
		return table, ctx.Err()
	case inner.Err() != nil:
		return table, tooSlow(limits)
	}
	return table, err
}

func tooSlow(limits Limits) error {
	return &ibid.Error{Code: ibid.CodeTimeout, Message: fmt.Sprintf("the query was stopped after %s", limits.Time),
		Hint: "ask for less: filter, aggregate, or set limits.query_time higher"}
}

// show writes a value for people and models: nothing for NULL, times without
// what they do not have, and of bytes only how many there are.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return printable(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return text.Number(v)
	case bool:
		return strconv.FormatBool(v)
	case []byte:
		if utf8.Valid(v) && !strings.ContainsFunc(string(v), func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) }) {
			return string(v)
		}
		return fmt.Sprintf("(%d bytes)", len(v))
	case time.Time:
		switch {
		case v.Hour() == 0 && v.Minute() == 0 && v.Second() == 0 && v.Nanosecond() == 0:
			return v.Format("2006-01-02")
		case v.Location() == time.UTC:
			return v.Format("2006-01-02 15:04:05.999999")
		}
		return v.Format("2006-01-02 15:04:05.999999Z07:00")
	}
	return printable(fmt.Sprint(v))
}

// printable takes control characters out of a text, but for ends of lines and
// tabs.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && c != '\t' && unicode.IsControl(c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// clip cuts s to at most limit bytes, and says so.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return text.Clip(s, limit) + "…"
}

// quoteName writes a name for a statement, whatever it holds.
func quoteName(name string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(name, "\x00", ""), `"`, `""`) + `"`
}

func unreadable(err error) error {
	why := "cannot be read"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "is not there"
	case errors.Is(err, fs.ErrPermission):
		why = "may not be read by ibid"
	}
	return ibid.Errorf(ibid.CodeBadRequest, "the file %s", why)
}
