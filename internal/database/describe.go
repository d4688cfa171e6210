package database

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ibid"
	"ibid/internal/text"
)

const (
	countRows    = 1_000_000 // rows are counted up to here
	sampleRows   = 500       // that values are taken from
	sampleValues = 5         // of one column
	sampleBytes  = 60        // of one value
	matchTerms   = 60        // runs of a question's words that are looked up
	maxMatches   = 20
	matchTables  = 30 // whose values are looked at
)

// describe lists tables with their columns, how many rows each has, and a few
// values. What takes too long is left out: within the time there is always an
// answer.
func describe(ctx context.Context, s source, limit time.Duration) ([]ibid.DatabaseTable, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tables, err := s.tables(ctx)
	if err != nil {
		return nil, err
	}
	for i := range tables {
		t := &tables[i]
		t.Rows = -1
		count(ctx, s, t)
		sample(ctx, s, t)
	}
	return tables, nil
}

// count counts a table's rows, up to a bound.
func count(ctx context.Context, s source, t *ibid.DatabaseTable) {
	statement := fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d) AS counted", s.name(t.Name), countRows+1)
	_ = s.read(ctx, describeBytes, statement, each(func(row []any) {
		if n, ok := row[0].(int64); ok {
			t.Rows, t.MoreRows = min(n, countRows), n > countRows
		}
	})) // what cannot be counted is not known: -1
}

// sample takes a few values of each column from the first rows.
func sample(ctx context.Context, s source, t *ibid.DatabaseTable) {
	statement := fmt.Sprintf("SELECT * FROM %s LIMIT %d", s.name(t.Name), sampleRows)
	_ = s.read(ctx, describeBytes, statement, func(columns []string, values []any) bool {
		for i, v := range values {
			if i >= len(t.Columns) || t.Columns[i].Name != columns[i] {
				continue
			}
			c := &t.Columns[i]
			if shown := clip(strings.Join(strings.Fields(show(v)), " "), sampleBytes); shown != "" && len(c.Values) < sampleValues && !slices.Contains(c.Values, shown) {
				c.Values = append(c.Values, shown)
			}
		}
		return true
	}) // values are a help, nothing more
}

// matches looks for the words of a question among the values of text columns:
// what a question calls "berlin" may stand in customers.city as "Berlin".
func matches(ctx context.Context, s source, tables []ibid.DatabaseTable, question string, limit time.Duration) []ibid.DatabaseMatch {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	terms := termsOf(question)
	if len(terms) == 0 {
		return nil
	}
	var found []ibid.DatabaseMatch
	for _, t := range tables[:min(len(tables), matchTables)] {
		for _, c := range t.Columns {
			if !isText(c) {
				continue
			}
			column := quoteName(c.Name)
			marks := make([]string, len(terms))
			args := make([]any, len(terms))
			for i, term := range terms {
				marks[i], args[i] = s.placeholder(i+1), term
			}
			statement := fmt.Sprintf("SELECT DISTINCT %s FROM %s WHERE lower(%s) IN (%s) LIMIT %d",
				column, s.name(t.Name), s.asText(column), strings.Join(marks, ", "), maxMatches)
			_ = s.read(ctx, describeBytes, statement, each(func(row []any) {
				if len(found) < maxMatches {
					found = append(found, ibid.DatabaseMatch{Table: t.Name, Column: c.Name, Value: show(row[0])})
				}
			}), args...) // values are a help, nothing more
		}
	}
	return found
}

// termsOf returns the runs of up to four words of a question, longest first.
func termsOf(question string) []string {
	words := strings.FieldsFunc(strings.ToLower(clip(question, 1000)), func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune(`?!,;:"“”()[]`, c)
	})
	var terms []string
	for n := 4; n >= 1; n-- {
		for i := 0; i+n <= len(words) && len(terms) < matchTerms; i++ {
			term := strings.Trim(strings.Join(words[i:i+n], " "), ".'’")
			term = strings.TrimSuffix(strings.TrimSuffix(term, "'s"), "’s")
			if utf8.RuneCountInString(term) > 1 && !slices.Contains(terms, term) && !(n == 1 && tooCommon[term]) {
				terms = append(terms, term)
			}
		}
	}
	return terms
}

var tooCommon = text.WordSet("the a an of in on at by for to is are was were do does did how many much what which who where when and or not with from per each all any it its there we our")

// isText reports whether values of a column may be words.
func isText(c ibid.DatabaseColumn) bool {
	for _, number := range []string{"int", "real", "doub", "floa", "num", "dec", "date", "time", "bool", "blob", "bytea", "json", "uuid"} {
		if strings.Contains(c.Type, number) {
			return false
		}
	}
	return true
}
