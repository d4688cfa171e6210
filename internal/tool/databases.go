package tool

import (
	"context"
	"fmt"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/text"
)

// Databases are the attached databases.
type Databases interface {
	Databases(ctx context.Context, view access.View, scope ibid.Scope) ([]ibid.Database, error)
	// Describe looks at a database, and for the values that a question names
	// unless it is empty.
	Describe(ctx context.Context, view access.View, id, question string) (ibid.Database, []ibid.DatabaseMatch, error)
	// Query runs one statement that only reads. What the writer of the statement
	// can mend is a BAD_REQUEST or a TIMEOUT.
	Query(ctx context.Context, view access.View, id, sql string) (ibid.Table, error)
}

// databaseNamed finds the database that a model means, among those in a scope;
// where there is one only it need not be named.
func databaseNamed(ctx context.Context, view access.View, databases Databases, scope ibid.Scope, wanted string) (ibid.Database, error) {
	all, err := databases.Databases(ctx, view, scope)
	if err != nil {
		return ibid.Database{}, fmt.Errorf("list the databases: %w", err)
	}
	var names []string
	for _, d := range all {
		if d.ID == wanted || strings.EqualFold(d.Name, strings.Trim(wanted, " \t\"'`")) {
			return d, nil
		}
		names = append(names, fmt.Sprintf("%q", d.Name))
	}
	switch {
	case len(all) == 0:
		err = complain("there is no database to ask; answer from the documents")
	case len(all) == 1 && wanted == "":
		return all[0], nil
	case wanted == "":
		err = complain("name the database; there are: %s", strings.Join(names, ", "))
	default:
		err = complain("there is no database %q; there are: %s", line(wanted, 100), strings.Join(names, ", "))
	}
	return ibid.Database{}, err
}

// correctable reports whether a model can do something about an error, if only
// say it.
func correctable(err error) bool {
	switch ibid.CodeOf(err) {
	case ibid.CodeBadRequest, ibid.CodeTimeout, ibid.CodeNotFound:
		return true
	}
	return false
}

// rowSeparator stands between the cells of a row, here and in the texts of
// documents.
const rowSeparator = " | "

// tableText writes a table as text, one row a line, in at most limit bytes.
// Line ends and separators in cells are defused, so that no cell passes for a
// row of its own.
func tableText(t ibid.Table, limit int) (written string, shown int) {
	var b strings.Builder
	b.WriteString(rowText(t.Columns))
	for i, row := range t.Rows {
		s := "\n" + rowText(row)
		if b.Len()+len(s) > limit {
			return b.String(), i
		}
		b.WriteString(s)
	}
	return text.Clip(b.String(), limit), len(t.Rows)
}

func rowText(cells []string) string {
	shown := make([]string, len(cells))
	for i, c := range cells {
		shown[i] = strings.ReplaceAll(strings.Join(strings.Fields(c), " "), "|", "¦")
	}
	return strings.Join(shown, rowSeparator)
}
