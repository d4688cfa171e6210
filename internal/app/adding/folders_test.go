package adding

import (
	"testing"

	"ibid"
)

// Whoever reaches a server from elsewhere may not read what its user may.
func TestOnlyLocalServersFollowFolders(t *testing.T) {
	t.Parallel()
	f := &Folders{}
	if _, err := f.Watch(t.Context(), t.TempDir(), ""); ibid.CodeOf(err) != ibid.CodeForbidden {
		t.Errorf("a server on the network follows a folder: %v", err)
	}
}
