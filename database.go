package ibid

import "fmt"

// Database is a source of tables that questions can be asked of: a file or a
// server that we only read from. The ID never changes.
type Database struct {
	Principal Principal       `json:"-"` // whose it is
	ID        string          `json:"id"`
	Name      string          `json:"name"`   // what people and models call it, unique
	Kind      DatabaseKind    `json:"kind"`   // what it is read from
	Source    Secret          `json:"-"`      // path or connection string, with its password
	Place     string          `json:"source"` // Source as it may be shown
	Tables    []DatabaseTable `json:"tables"`
	AddedAt   Time            `json:"added_at"`
	Error     string          `json:"error,omitempty"` // why it could not be looked at the last time
}

// DatabaseKind says what a database is read from.
type DatabaseKind string

// A CSV file or a workbook is loaded into a SQLite file of our own when it is
// added; the others are asked where they are.
const (
	DatabaseSQLite   DatabaseKind = "sqlite"
	DatabasePostgres DatabaseKind = "postgres"
	DatabaseCSV      DatabaseKind = "csv"
	DatabaseXLSX     DatabaseKind = "xlsx"
)

// DatabaseTable is a table or a view.
type DatabaseTable struct {
	Name     string           `json:"name"` // with its schema where that is not the usual one
	Columns  []DatabaseColumn `json:"columns"`
	Rows     int64            `json:"rows"`                // counted up to a bound, -1 where counting took too long
	MoreRows bool             `json:"more_rows,omitempty"` // there are more than Rows
}

// DatabaseColumn is a column of a table. Values are data from the outside.
type DatabaseColumn struct {
	Name       string   `json:"name"`
	Type       string   `json:"type"`                 // integer, real, text, date…: as the database calls it, in small letters
	Key        bool     `json:"key,omitempty"`        // of the primary key
	References string   `json:"references,omitempty"` // "customers.id"
	Values     []string `json:"values,omitempty"`     // a few of them, bounded
}

// DatabaseMatch is a value of a database that a question names.
type DatabaseMatch struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Value  string `json:"value"`
}

// MaxDatabases bounds how many databases a principal has: questions look at all of
// those in their scope.
const MaxDatabases = 500

// TooManyDatabases is the error where there are MaxDatabases already.
func TooManyDatabases() error {
	return &Error{Code: CodeConflict, Message: fmt.Sprintf("%d databases are attached already", MaxDatabases), Hint: "remove one that is not needed"}
}
