package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"ibid"
)

// DocumentsBySource returns the documents that were added from any of these paths
// and URLs, in any order.
func (db *DB) DocumentsBySource(ctx context.Context, sources []string) ([]ibid.Document, error) {
	list, err := json.Marshal(sources)
	if err != nil {
		return nil, err
	}
	rows, err := db.readers.QueryContext(ctx, `SELECT d.data FROM json_each(?) j CROSS JOIN documents d ON d.source = j.value
		WHERE d.removed_at IS NULL AND d.source <> ''`, string(list))
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
}
