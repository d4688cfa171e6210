package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/schema"
	"ibid/internal/store/sqlite/seen"
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

// Folders returns the folders that documents lie directly in, "" among them where
// some lie in none, with how many they are, by path.
func (db *DB) Folders(ctx context.Context, view access.View) ([]ibid.LabelCount, error) {
	return db.labelCounts(ctx, view, schema.LabelInFolder)
}

// Categories returns the categories in use, by name.
func (db *DB) Categories(ctx context.Context, view access.View) ([]ibid.LabelCount, error) {
	return db.labelCounts(ctx, view, schema.LabelCategory)
}

// Tags returns the tags in use, by name.
func (db *DB) Tags(ctx context.Context, view access.View) ([]ibid.LabelCount, error) {
	return db.labelCounts(ctx, view, schema.LabelTag)
}

func (db *DB) labelCounts(ctx context.Context, view access.View, kind string) ([]ibid.LabelCount, error) {
	whose, err := db.principals(ctx, view)
	if err != nil {
		return nil, err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT value, sum(documents) FROM labels
		WHERE principal IN (SELECT value FROM json_each(?)) AND kind = ? GROUP BY value ORDER BY value`, jsonList(whose), kind)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (l ibid.LabelCount, err error) { return l, r.Scan(&l.Name, &l.Documents) })
}

// Subfolders returns the names of the folders directly in a folder that have
// documents of a scope in or below them, with how many, by name.
func (db *DB) Subfolders(ctx context.Context, view access.View, scope ibid.Scope, folder string) ([]ibid.LabelCount, error) {
	below := folder
	if below != "" {
		below += "/"
	}
	whose, err := db.principals(ctx, view)
	if err != nil {
		return nil, err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT substr(value, length(?1) + 1), sum(documents) FROM labels
		WHERE principal IN (SELECT value FROM json_each(?2)) AND kind = 'folder' AND value > ?1 AND value < ?1 || char(0x10FFFF) AND instr(substr(value, length(?1) + 1), '/') = 0
		GROUP BY value ORDER BY value`, below, jsonList(whose))
	if err != nil {
		return nil, translate(err)
	}
	all, err := collect(rows, func(r *sql.Rows) (l ibid.LabelCount, err error) { return l, r.Scan(&l.Name, &l.Documents) })
	if err != nil || scope.IsZero() {
		return all, translate(err)
	}
	in := all[:0]
	for _, sub := range all {
		inside := scope
		switch path := below + sub.Name; {
		case scope.Folder == "" || strings.HasPrefix(path+"/", scope.Folder+"/"):
			inside.Folder = path
		case !strings.HasPrefix(scope.Folder+"/", path+"/"):
			continue // beside the scope's folder
		}
		if sub.Documents, _, err = db.CountDocuments(ctx, view, ibid.DocumentQuery{Scope: inside}); err != nil {
			return nil, err
		}
		if sub.Documents > 0 {
			in = append(in, sub)
		}
	}
	return in, nil
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
		inside := scope
		switch {
		case scope.Folder == "" || strings.HasPrefix(f+"/", scope.Folder+"/"):
			inside.Folder = f
		case !strings.HasPrefix(scope.Folder+"/", f+"/"):
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
