package sqlite

import (
	"context"
	"database/sql"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/schema"
	"ibid/internal/store/sqlite/seen"
)

// A member's source is that of its archive, the mark "!/" and its path there.
// All that lies below a source is a range of documents_by_source, as '0' comes
// right behind '/'.
const belowSource = `removed_at IS NULL AND source >= ?1 || '!/' AND source < ?1 || '!0'`

// Members returns a page of the documents that came out of an archive, by id.
func (db *DB) Members(ctx context.Context, view access.View, archiveID string, page ibid.Page) (documents []ibid.Document, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	// The plus keeps SQLite from walking all documents by id.
	rows, err := db.readOnly.QueryContext(ctx, `SELECT principal, data FROM documents
		WHERE json_extract(data, '$.part_of') = ?1 AND removed_at IS NULL AND +id > ?3 AND `+seen.By(view, "principal", 2)+` ORDER BY +id LIMIT ?4`,
		archiveID, seen.Who(view), after, page.Size()+1)
	if err != nil {
		return nil, "", translate(err)
	}
	documents, err = collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
	documents, next = file.CutPage(documents, page, func(d ibid.Document) []any { return []any{d.ID} })
	return documents, next, err
}

// Below counts the documents below a source, those in archives within it
// included, and their bytes.
func (db *DB) Below(ctx context.Context, view access.View, source string) (files int, bytes int64, err error) {
	err = db.readOnly.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(json_extract(data, '$.bytes')), 0) FROM documents
		WHERE `+belowSource+` AND `+seen.OfPrincipals(view, "principal", 2), source, seen.Who(view)).Scan(&files, &bytes)
	return files, bytes, translate(err)
}

// hasArchive holds that the archive which a new document came out of is still
// there: it may be removed while it is unpacked. It holds, too, that no archive has
// more than twice ibid.MaxMembers of them: those of the version before stay until the
// new one is unpacked. So what one transaction removes with an archive has a bound.
func hasArchive(ctx context.Context, q querier, d ibid.Document) error {
	if d.PartOf == "" {
		return nil
	}
	var one int
	err := q.QueryRowContext(ctx, `SELECT 1 FROM documents WHERE id = ? AND principal = ? AND removed_at IS NULL`, d.PartOf, d.Principal).Scan(&one)
	if err != nil {
		return gone(err, d.PartOf)
	}
	var full bool
	err = q.QueryRowContext(ctx, `SELECT coalesce(sum(documents), 0) >= ? FROM labels WHERE principal = ? AND kind = ? AND value = ?`,
		2*ibid.MaxMembers, d.Principal, schema.LabelPartOf, d.PartOf).Scan(&full)
	if err == nil && full {
		err = ibid.Errorf(ibid.CodeConflict, "more files came out of archive %s than one may bring", d.PartOf)
	}
	return err
}

// moveSource gives a document another source, and what lies below it as well.
func moveSource(ctx context.Context, q querier, id, to string) error {
	var from, principal string
	if err := q.QueryRowContext(ctx, `SELECT source, principal FROM documents WHERE id = ?`, id).Scan(&from, &principal); err != nil || from == to {
		return err
	}
	_, err := q.ExecContext(ctx, `UPDATE documents SET source = ? WHERE id = ?`, to, id)
	if err == nil {
		_, err = q.ExecContext(ctx, `UPDATE documents SET source = ?2 || substr(source, length(?1) + 1),
			data = json_set(data, '$.source', ?2 || substr(source, length(?1) + 1)) WHERE `+belowSource+` AND principal = ?3`, from, to, principal)
	}
	if file.IsConstraint(err) {
		return ibid.Errorf(ibid.CodeConflict, "another document is added from %s", to)
	}
	return err
}
