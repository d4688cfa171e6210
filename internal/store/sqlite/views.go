package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"ibid"
	"ibid/internal/access"
)

// What a view sees is decided here, in SQL: a thing is seen by the principal whose
// it is, and by the system. Each condition takes the number n of the parameter that
// says who looks, which is who(view).

// who is the principal that looks, "" for the system and for nobody.
func who(view access.View) string { return string(view.Principal()) }

// seen is true of a row whose principal, in a column, is seen.
func seen(view access.View, column string, n int) string {
	switch {
	case view.All():
		return "true"
	case view.Principal() == "":
		return "false"
	}
	return fmt.Sprintf("%s = ?%d", column, n)
}

// ofPrincipals is seen for indexes that begin with the principal: the system asks
// them for one after the other, and nobody asks them for what is no principal.
func ofPrincipals(view access.View, column string, n int) string {
	switch {
	case view.All():
		return column + " IN (SELECT principal FROM library)"
	case view.Principal() == "":
		return column + " = NULL"
	}
	return seen(view, column, n)
}

// seenMessage is true of a message or a run m that is seen, also one of a removed
// thread.
func seenMessage(view access.View, n int) string {
	if view.All() {
		return "true"
	}
	return `EXISTS (SELECT 1 FROM threads t WHERE t.id = m.thread_id AND ` + seen(view, "t.principal", n) + `)`
}

// inThread is true of a message or a run m that is seen and whose thread is not
// removed.
func inThread(view access.View, n int) string {
	return `EXISTS (SELECT 1 FROM threads t WHERE t.id = m.thread_id AND t.removed_at IS NULL AND ` + seen(view, "t.principal", n) + `)`
}

// seenRun is true where the run ?1 is seen.
func seenRun(view access.View, n int) string {
	if view.All() {
		return "true"
	}
	return `(SELECT ` + seen(view, "t.principal", n) + ` FROM runs r JOIN threads t ON t.id = r.thread_id WHERE r.id = ?1)`
}

// ofSeen is true of a row of chunks whose document is seen.
func ofSeen(view access.View, n int) string {
	if view.All() {
		return "true"
	}
	return `EXISTS (SELECT 1 FROM documents d WHERE d.id = chunks.document_id AND ` + seen(view, "d.principal", n) + `)`
}

// principals returns whose documents a view sees, for lists that are kept for each
// principal: the system sees everybody's.
func (db *DB) principals(ctx context.Context, view access.View) ([]string, error) {
	if !view.All() {
		if view.Principal() == "" {
			return nil, nil
		}
		return []string{who(view)}, nil
	}
	rows, err := db.readers.QueryContext(ctx, `SELECT principal FROM library WHERE principal <> '' ORDER BY principal`)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (p string, err error) { return p, r.Scan(&p) })
}

// nobodys is the error about something that is to be kept and is nobody's: no view
// but the system's would ever see it.
func nobodys(what, id string) error {
	return ibid.Errorf(ibid.CodeInternal, "%s %s is nobody's", what, id)
}
