package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"ibid"
)

// uploadMark begins the source of a file that came without a path or URL. The
// rest is its folder and name when it came, and a mark where that is taken: the
// source of an upload only has to be unique. What people see is its name in its
// folder, and by that the same file is known when it comes again.
const uploadMark = "upload:"

// place is what documents_by_place is ordered by: principal, folder, name.
const place = `principal = ? AND coalesce(json_extract(data, '$.folder'), '') = ? AND json_extract(data, '$.name')`

// PutUpload takes in a file that came without a path or URL. on says what becomes
// of it where a document of its folder has its name and other bytes; same is that
// document, nil for none and where the file is a version of it. The very bytes that are there already, under this name or
// one that KeepBoth has numbered, are not taken in again. Of two uploads at the
// same time the second meets the first.
func (db *DB) PutUpload(ctx context.Context, d ibid.Document, version string, on ibid.OnSameName) (stored ibid.Document, unchanged bool, same *ibid.SameName, err error) {
	err = db.write(ctx, func(q querier) error {
		stored, unchanged, same = d, false, nil
		there, err := withBytes(ctx, q, d, version)
		if err != nil {
			return err
		}
		if there != nil {
			d := d
			d.Source, d.Name = there.Source, there.Name // it may be a numbered one
			stored, unchanged, err = putVersion(ctx, q, d, version)
			return err
		}
		other, err := named(ctx, q, d.Principal, d.Folder, d.Name)
		if err != nil {
			return err
		}
		d := d
		if other != nil {
			if on == ibid.NewVersion {
				d.Source = other.Source
				stored, unchanged, err = putVersion(ctx, q, d, version)
				return err
			}
			same = &ibid.SameName{ID: other.ID, Name: other.Name}
			if on == ibid.Refuse {
				return &ibid.Error{Code: ibid.CodeConflict, Message: fmt.Sprintf("there is another %s in this folder already", d.Name),
					Hint: "add it under another name, or say on_same_name: new_version or keep_both"}
			}
			if d.Name, err = freeName(ctx, q, d); err != nil {
				return err
			}
		}
		if d.Source, err = freeSource(ctx, q, d); err != nil {
			return err
		}
		stored, unchanged, err = putVersion(ctx, q, d, version)
		return err
	})
	return stored, unchanged, same, err
}

// withBytes returns the document of an upload's folder that has its name, or a
// number of it, and its very bytes, or waits to be read with them; nil for none.
// The + keeps SQLite from looking through the whole folder: documents are found by
// their bytes.
func withBytes(ctx context.Context, q querier, d ibid.Document, version string) (*ibid.Document, error) {
	rows, err := q.QueryContext(ctx, `SELECT principal, data FROM documents WHERE removed_at IS NULL AND +principal = ?3
		AND id IN (SELECT document_id FROM versions WHERE hash = ?1 UNION SELECT id FROM documents WHERE pending = ?1 AND pending <> '')
		AND CASE pending WHEN '' THEN json_extract(data, '$.version') ELSE pending END = ?1
		AND +coalesce(json_extract(data, '$.folder'), '') = ?2 ORDER BY added_at, id`, version, d.Folder, d.Principal)
	if err != nil {
		return nil, err
	}
	all, err := collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
	var numbered *ibid.Document
	for i, there := range all {
		if there.Name == d.Name {
			return &all[i], err
		}
		if numbered == nil && ibid.IsNumberedName(there.Name, d.Name) {
			numbered = &all[i]
		}
	}
	return numbered, err
}

// named returns the document that has a name in a folder, nil for none. Where
// there are several, an upload is preferred, as a path or URL brings versions of
// its own; then the oldest.
func named(ctx context.Context, q querier, principal ibid.Principal, folder, name string) (*ibid.Document, error) {
	d, err := scanDocument(q.QueryRowContext(ctx, `SELECT principal, data FROM documents WHERE removed_at IS NULL AND `+place+` = ?
		ORDER BY source NOT LIKE 'upload:%', added_at, id LIMIT 1`, principal, folder, name))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &d, err
}

// freeName returns a numbered name that no document of the folder has. It asks
// for some thirty names at most: doubling finds a free number, and halving one
// whose predecessor is taken.
func freeName(ctx context.Context, q querier, d ibid.Document) (string, error) {
	taken := func(n int) (yes bool, err error) {
		err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM documents WHERE removed_at IS NULL AND `+place+` = ?)`,
			d.Principal, d.Folder, ibid.NumberedName(d.Name, n)).Scan(&yes)
		return yes, err
	}
	low, high := 1, 2 // low is taken: it stands for the name without a number
	for {
		yes, err := taken(high)
		if err != nil {
			return "", err
		}
		if !yes {
			break
		}
		low, high = high, 2*high
	}
	for high-low > 1 {
		mid := (low + high) / 2
		yes, err := taken(mid)
		if err != nil {
			return "", err
		}
		if yes {
			low = mid
		} else {
			high = mid
		}
	}
	return ibid.NumberedName(d.Name, high), nil
}

// freeSource returns a source for an upload that no other document has. Another
// one may have it though its name is free: it was renamed since.
func freeSource(ctx context.Context, q querier, d ibid.Document) (string, error) {
	source := uploadMark + d.Folder + "/" + d.Name
	var taken bool
	err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM documents WHERE principal = ? AND source = ? AND removed_at IS NULL AND id <> ?)`,
		d.Principal, source, d.ID).Scan(&taken)
	if taken {
		source += "#" + d.ID
	}
	return source, err
}
