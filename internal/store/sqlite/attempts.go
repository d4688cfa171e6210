package sqlite

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/seen"
)

// oldWorkerKilled is what ibid.WorkerKilled said before. Notices that hold it stay as
// they were written.
const oldWorkerKilled = "its reader was killed from outside"

// RetryDocument lets a document that failed, or of which something is missing
// because its worker was killed, be read again, as if for the first time. The
// error is a CONFLICT when it is neither.
func (db *DB) RetryDocument(ctx context.Context, view access.View, id string, at time.Time) (ibid.Document, error) {
	var d ibid.Document
	err := db.write(ctx, func(q querier) error {
		d = ibid.Document{}
		var pending string
		var err error
		d, err = scanDocument(q.QueryRowContext(ctx, `SELECT principal, data, pending FROM documents
			WHERE id = ?1 AND removed_at IS NULL AND `+seen.By(view, "principal", 2), id, seen.Who(view)), &pending)
		if err != nil {
			return gone(err, id)
		}
		short := d.Status == ibid.DocumentReady && (strings.Contains(d.Notice, ibid.WorkerKilled) || strings.Contains(d.Notice, oldWorkerKilled))
		if d.Status != ibid.DocumentFailed && !short {
			return &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("%s has not failed", d.Name), Hint: "only what failed is read again; a file that has changed is added again"}
		}
		if pending == "" {
			pending = d.Version
		}
		if pending == "" {
			return &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("the file of %s is not kept any more", d.Name), Hint: "add it again"}
		}
		d.Status, d.Stage, d.Progress, d.Error, d.ChangeAt = ibid.DocumentQueued, "", 0, "", ibid.At(at)
		if err := endLease(ctx, q, id); err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, `UPDATE documents SET pending = ?, reader_kills = 0, crashes = 0 WHERE id = ?`, pending, id); err != nil {
			return err
		}
		return updateDocument(ctx, q, d)
	})
	return d, err
}
