package sqlite

import "context"

// OpenWith is Open with another driver.
var OpenWith = open

// SetFew says how many documents are few, so that a small library takes the ways
// of a large one. It is called before the database is used.
func (db *DB) SetFew(n int) { db.few = n }

// Exec writes what a mutant writes, in a transaction of its own.
func (db *DB) Exec(statement string, args ...any) error {
	return db.write(context.Background(), func(q querier) error {
		_, err := q.ExecContext(context.Background(), statement, args...)
		return err
	})
}

// Get reads one value.
func (db *DB) Get(value any, query string, args ...any) error {
	return db.readOnly.QueryRow(query, args...).Scan(value)
}
