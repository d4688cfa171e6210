package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/schema"
	"ibid/internal/store/sqlite/seen"
	"ibid/internal/text"
)

// Totals returns how many documents and passages the library holds.
func (db *DB) Totals(ctx context.Context, view access.View) (c ibid.LibraryCounts, err error) {
	whose, err := db.principals(ctx, view)
	if err != nil {
		return c, err
	}
	return db.totals(ctx, whose)
}

func (db *DB) totals(ctx context.Context, whose []string) (c ibid.LibraryCounts, err error) {
	err = db.readOnly.QueryRowContext(ctx, `SELECT coalesce(sum(documents), 0), coalesce(sum(chunks), 0) FROM library
		WHERE principal IN (SELECT value FROM json_each(?))`, jsonList(whose)).Scan(&c.Documents, &c.Chunks)
	return c, translate(err)
}

// Counts returns how many documents, passages and threads there are.
func (db *DB) Counts(ctx context.Context, view access.View) (documents, chunks, threads int, err error) {
	library, err := db.Totals(ctx, view)
	if err != nil {
		return 0, 0, 0, err
	}
	err = db.readOnly.QueryRowContext(ctx, `SELECT count(*) FROM threads WHERE removed_at IS NULL AND `+seen.By(view, "principal", 1), seen.Who(view)).Scan(&threads)
	return library.Documents, library.Chunks, threads, translate(err)
}

// LibraryVersion returns a number that grows with every change of a document that
// an answer could depend on.
func (db *DB) LibraryVersion(ctx context.Context, view access.View) (version int64, err error) {
	err = db.readOnly.QueryRowContext(ctx, `SELECT coalesce(sum(version), 0) FROM library WHERE principal <> '' AND `+seen.By(view, "principal", 1), seen.Who(view)).Scan(&version)
	return version, translate(err)
}

// Folders returns a page of the folders that a query asks for, by path.
func (db *DB) Folders(ctx context.Context, view access.View, q ibid.FolderQuery, page ibid.Page) (folders []ibid.FolderCount, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	whose, err := db.principals(ctx, view)
	if err != nil {
		return nil, "", err
	}
	for len(folders) <= page.Size() {
		wanted := page.Size() + 1 - len(folders)
		some, err := db.foldersAfter(ctx, whose, q, after, wanted)
		if err != nil {
			return nil, "", err
		}
		for _, f := range some {
			after = f.Path
			if !q.Scope.IsZero() {
				if f, err = db.folderWithin(ctx, view, q.Scope, f.Path); err != nil {
					return nil, "", err
				}
			}
			if f.Total > 0 {
				folders = append(folders, f)
			}
		}
		if len(some) < wanted {
			break
		}
	}
	folders, next = file.CutPage(folders, page, func(f ibid.FolderCount) []any { return []any{f.Path} })
	return folders, next, nil
}

// foldersAfter returns some folders behind a path, with all their documents.
func (db *DB) foldersAfter(ctx context.Context, whose []string, q ibid.FolderQuery, after string, limit int) ([]ibid.FolderCount, error) {
	of, direct := ofOne(whose, "l.principal"), ofOne(whose, "d.principal")
	args := append(slices.Clone(direct.args), of.args...)
	where := of.where + ` AND l.kind = 'folder' AND l.value > ?`
	if q.In == nil || *q.In == "" {
		args = append(args, after)
	}
	if q.In != nil {
		below := ""
		if *q.In != "" {
			below = *q.In + "/"
			where += ` AND l.value < ? || char(0x10FFFF)`
			args = append(args, max(below, after), below)
		}
		where += ` AND instr(substr(l.value, length(?) + 1), '/') = 0`
		args = append(args, below)
	}
	if called := text.NormalizeName(q.Called); called != "" {
		where += ` AND instr(ibid_normal(l.value), ?) > 0`
		args = append(args, called)
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT l.value, (SELECT coalesce(sum(d.documents), 0) FROM labels d WHERE `+direct.where+` AND d.kind = 'in_folder' AND d.value = l.value), sum(l.documents)
		FROM labels l WHERE `+where+` GROUP BY l.value ORDER BY l.value LIMIT ?`, append(args, limit)...)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (f ibid.FolderCount, err error) { return f, r.Scan(&f.Path, &f.Documents, &f.Total) })
}

// folderWithin counts the documents of a scope in a folder. They are none where the
// folder lies beside the scope's.
func (db *DB) folderWithin(ctx context.Context, view access.View, scope ibid.Scope, path string) (f ibid.FolderCount, err error) {
	f.Path = path
	inside, ok := narrowed(scope, path)
	if !ok {
		return f, nil
	}
	if f.Total, _, err = db.CountDocuments(ctx, view, ibid.DocumentQuery{Scope: inside}); err != nil || f.Total == 0 {
		return f, err
	}
	f.Documents, _, err = db.CountDocuments(ctx, view, ibid.DocumentQuery{Scope: inside, InFolder: &path})
	return f, err
}

// narrowed is the part of a scope that lies in a folder or below it. ok is false where
// the folder lies beside the scope's.
func narrowed(scope ibid.Scope, folder string) (inside ibid.Scope, ok bool) {
	switch {
	case scope.Folder == "" || strings.HasPrefix(folder+"/", scope.Folder+"/"):
		scope.Folder = folder
	case !strings.HasPrefix(scope.Folder+"/", folder+"/"):
		return scope, false
	}
	return scope, true
}

// Categories returns a page of the categories in use, by name; called is a part of
// them, as text.NormalizeName compares them.
func (db *DB) Categories(ctx context.Context, view access.View, called string, page ibid.Page) (categories []ibid.LabelCount, next string, err error) {
	return db.labelCounts(ctx, view, schema.LabelCategory, called, page)
}

// Tags returns a page of the tags in use, as Categories does.
func (db *DB) Tags(ctx context.Context, view access.View, called string, page ibid.Page) (tags []ibid.LabelCount, next string, err error) {
	return db.labelCounts(ctx, view, schema.LabelTag, called, page)
}

func (db *DB) labelCounts(ctx context.Context, view access.View, kind, called string, page ibid.Page) (labels []ibid.LabelCount, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	whose, err := db.principals(ctx, view)
	if err != nil {
		return nil, "", err
	}
	of := ofOne(whose, "principal")
	where, args := of.where+` AND kind = ? AND value > ?`, append(slices.Clone(of.args), kind, after)
	if called = text.NormalizeName(called); called != "" {
		where += ` AND instr(ibid_normal(value), ?) > 0`
		args = append(args, called)
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT value, sum(documents) FROM labels WHERE `+where+` GROUP BY value ORDER BY value LIMIT ?`, append(args, page.Size()+1)...)
	if err != nil {
		return nil, "", translate(err)
	}
	labels, err = collect(rows, func(r *sql.Rows) (l ibid.LabelCount, err error) { return l, r.Scan(&l.Name, &l.Documents) })
	labels, next = file.CutPage(labels, page, func(l ibid.LabelCount) []any { return []any{l.Name} })
	return labels, next, err
}

// FolderCalled returns the folder that somebody means, whatever the case. ok is
// false where there is none.
func (db *DB) FolderCalled(ctx context.Context, view access.View, scope ibid.Scope, wanted string) (folder string, ok bool, err error) {
	whose, err := db.principals(ctx, view)
	if err != nil {
		return "", false, err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT DISTINCT value FROM labels
		WHERE principal IN (SELECT value FROM json_each(?)) AND kind = 'folder' AND length(value) BETWEEN ? AND ? ORDER BY value <> ?, value`,
		jsonList(whose), len([]rune(wanted)), len([]rune(wanted)), wanted)
	if err != nil {
		return "", false, translate(err)
	}
	defer rows.Close()
	var folders []string
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return "", false, err
		}
		if strings.EqualFold(value, wanted) {
			folders = append(folders, value)
		}
	}
	if err := rows.Err(); err != nil {
		return "", false, translate(err)
	}
	rows.Close()
	for _, f := range folders {
		inside, ok := narrowed(scope, f)
		if !ok {
			continue
		}
		n, _, err := db.CountDocuments(ctx, view, ibid.DocumentQuery{Scope: inside})
		if err != nil || n > 0 {
			return f, n > 0, err
		}
	}
	return "", false, nil
}

// principals returns whose documents a view sees, for lists that are kept for each
// principal: the system sees everybody's.
func (db *DB) principals(ctx context.Context, view access.View) ([]string, error) {
	if !view.All() {
		if view.Principal() == "" {
			return nil, nil
		}
		return []string{seen.Who(view)}, nil
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT principal FROM library WHERE principal <> '' ORDER BY principal`)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (p string, err error) { return p, r.Scan(&p) })
}
