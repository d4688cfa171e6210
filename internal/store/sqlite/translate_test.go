package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"ibid"
)

func TestWhatCannotBeWrittenIsSaid(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.readOnly.ExecContext(t.Context(), "DELETE FROM threads") // they only read
	err = translate(err)
	if ibid.CodeOf(err) != ibid.CodeInternal || !strings.Contains(err.Error(), "writable") {
		t.Errorf("the error is %v", err)
	}
}
