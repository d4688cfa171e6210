package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/seen"
)

// DocumentsBySource returns the documents that were added from any of these paths
// and URLs, in any order.
func (db *DB) DocumentsBySource(ctx context.Context, view access.View, sources []string) ([]ibid.Document, error) {
	list, err := json.Marshal(sources)
	if err != nil {
		return nil, err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT d.principal, d.data FROM json_each(?1) j CROSS JOIN documents d ON d.source = j.value
		WHERE d.removed_at IS NULL AND d.source <> '' AND `+seen.OfPrincipals(view, "d.principal", 2), string(list), seen.Who(view))
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
}

// DocumentsFrom returns a page of the documents whose path or URL begins with a
// prefix, by source.
func (db *DB) DocumentsFrom(ctx context.Context, view access.View, prefix string, page ibid.Page) (documents []ibid.Document, next string, err error) {
	after := ""
	later, err := page.DecodeCursor(&after)
	if err == nil && later && !strings.HasPrefix(after, prefix) {
		err = ibid.Errorf(ibid.CodeBadRequest, "cursor: not one that this list returned")
	}
	if err != nil {
		return nil, "", err
	}
	from := `source >= ?1`
	if later {
		from = `source > ?1`
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT principal, data FROM documents
		WHERE removed_at IS NULL AND `+from+` AND source < ?2 AND `+seen.OfPrincipals(view, "principal", 4)+` ORDER BY source LIMIT ?3`,
		max(prefix, after), prefix+string(utf8.MaxRune), page.Size()+1, seen.Who(view))
	if err != nil {
		return nil, "", translate(err)
	}
	documents, err = collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
	if err != nil || len(documents) <= page.Size() {
		return documents, "", err
	}
	documents = documents[:page.Size()]
	return documents, ibid.EncodeCursor(documents[len(documents)-1].Source), nil
}
