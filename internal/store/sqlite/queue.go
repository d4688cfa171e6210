package sqlite

import (
	"context"

	"ibid"
	"ibid/internal/access"
)

// QueueCounts counts what the pipeline has before it.
func (db *DB) QueueCounts(ctx context.Context, view access.View) (ibid.QueueCounts, error) {
	var q ibid.QueueCounts
	whose, err := db.principals(ctx, view)
	if err != nil {
		return q, err
	}
	err = db.readOnly.QueryRowContext(ctx, `SELECT
		coalesce((SELECT sum(documents) FROM labels WHERE principal IN (SELECT value FROM json_each(?1)) AND kind = 'status' AND value = 'queued'), 0),
		count(*), coalesce(sum(json_extract(d.data, '$.pages')), 0), coalesce(sum(json_extract(d.data, '$.pages_done')), 0)
		FROM document_keys k INDEXED BY document_keys_by_status CROSS JOIN documents d ON d.id = k.id
		WHERE k.principal IN (SELECT value FROM json_each(?1)) AND k.status = 'processing'`, jsonList(whose)).
		Scan(&q.Waiting, &q.Processing, &q.Pages, &q.PagesDone)
	return q, translate(err)
}
