// Package seen says in SQL what a view sees.
package seen

import (
	"fmt"

	"ibid"
	"ibid/internal/access"
)

// What a view sees is decided here, in SQL: a thing is seen by the principal whose
// it is, and by the system. Each condition takes the number n of the parameter that
// says who looks, which is Who(view).

// Who is the principal that looks, "" for the system and for nobody.
func Who(view access.View) string { return string(view.Principal()) }

// By is true of a row whose principal, in a column, is seen.
func By(view access.View, column string, n int) string {
	switch {
	case view.All():
		return "true"
	case view.Principal() == "":
		return "false"
	}
	return fmt.Sprintf("%s = ?%d", column, n)
}

// OfPrincipals is By for indexes that begin with the principal: the system asks
// them for one after the other, and nobody asks them for what is no principal.
func OfPrincipals(view access.View, column string, n int) string {
	switch {
	case view.All():
		return column + " IN (SELECT principal FROM library)"
	case view.Principal() == "":
		return column + " = NULL"
	}
	return By(view, column, n)
}

// Message is true of a message or a run m that is seen, also one of a removed
// thread.
func Message(view access.View, n int) string {
	if view.All() {
		return "true"
	}
	return `EXISTS (SELECT 1 FROM threads t WHERE t.id = m.thread_id AND ` + By(view, "t.principal", n) + `)`
}

// InThread is true of a message or a run m that is seen and whose thread is not
// removed.
func InThread(view access.View, n int) string {
	return `EXISTS (SELECT 1 FROM threads t WHERE t.id = m.thread_id AND t.removed_at IS NULL AND ` + By(view, "t.principal", n) + `)`
}

// Run is true where the run ?1 is seen.
func Run(view access.View, n int) string {
	if view.All() {
		return "true"
	}
	return `(SELECT ` + By(view, "t.principal", n) + ` FROM runs r JOIN threads t ON t.id = r.thread_id WHERE r.id = ?1)`
}

// Document is true of a row of chunks whose document is seen.
func Document(view access.View, n int) string {
	if view.All() {
		return "true"
	}
	return `EXISTS (SELECT 1 FROM documents d WHERE d.id = chunks.document_id AND ` + By(view, "d.principal", n) + `)`
}

// Nobodys is the error about something that is to be kept and is nobody's: no view
// but the system's would ever see it.
func Nobodys(what, id string) error {
	return ibid.Errorf(ibid.CodeInternal, "%s %s is nobody's", what, id)
}
