package sqlite

import (
	"context"
	"database/sql"
)

// TableSize is what one table or index takes in the database file.
type TableSize struct {
	Name  string
	Table string // the table that an index belongs to; its own name for a table
	Bytes int64
	Rows  int64 // of a table; 0 for an index
}

// Sizes returns what every table and index takes in the database file, and how
// much of the file is free for what comes next. There are as many as the schema has,
// however much they hold. It reads the whole file.
func (db *DB) Sizes(ctx context.Context) (tables []TableSize, free int64, err error) {
	rows, err := db.readOnly.QueryContext(ctx, `SELECT s.name, coalesce(m.tbl_name, s.name), sum(s.pgsize)
		FROM dbstat s LEFT JOIN sqlite_schema m ON m.name = s.name GROUP BY s.name ORDER BY 2, s.name`)
	if err != nil {
		return nil, 0, translate(err)
	}
	tables, err = collect(rows, func(r *sql.Rows) (t TableSize, err error) {
		return t, r.Scan(&t.Name, &t.Table, &t.Bytes)
	})
	if err != nil {
		return nil, 0, err
	}
	for i := range tables {
		if t := &tables[i]; t.Name == t.Table && t.Name != "sqlite_schema" {
			// The name is the schema's own, quoted as SQL wants it.
			if err := db.readOnly.QueryRowContext(ctx, `SELECT count(*) FROM "`+t.Name+`"`).Scan(&t.Rows); err != nil {
				return nil, 0, translate(err)
			}
		}
	}
	err = db.readOnly.QueryRowContext(ctx, `SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size`).Scan(&free)
	return tables, free, translate(err)
}
