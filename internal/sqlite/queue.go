package sqlite

import (
	"context"

	"ibid"
)

// QueueCounts counts what the pipeline has before it.
func (db *DB) QueueCounts(ctx context.Context) (ibid.QueueCounts, error) {
	var q ibid.QueueCounts
	err := db.readers.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'processing'),
		coalesce(sum(json_extract(data, '$.pages')) FILTER (WHERE status = 'processing'), 0),
		coalesce(sum(json_extract(data, '$.pages_done')) FILTER (WHERE status = 'processing'), 0)
		FROM documents WHERE status IN ('queued', 'processing') AND removed_at IS NULL`).Scan(&q.Waiting, &q.Processing, &q.Pages, &q.PagesDone)
	return q, translate(err)
}
