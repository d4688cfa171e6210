package sqlite

// OpenWith is Open with another driver.
var OpenWith = open

// SetFew says how many documents are few, so that a small library takes the ways
// of a large one. It is called before the database is used.
func (db *DB) SetFew(n int) { db.few = n }
