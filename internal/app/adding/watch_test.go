package adding

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"

	"ibid/internal/ibidtest"
)

// lookout is a watched folder, looked at when the test says so.
type lookout struct {
	*watchedFolder
	t   *testing.T
	dir string
	now time.Time
}

func newLookout(t *testing.T) *lookout {
	dir := filepath.Join(t.TempDir(), "notes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := newWatchedFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &lookout{f, t, dir, time.Now()}
}

// put writes a file that was last written so long ago.
func (l *lookout) put(name, text string, age time.Duration) string {
	l.t.Helper()
	path := ibidtest.WriteFile(l.t, filepath.Join(l.dir, name), text)
	if err := os.Chtimes(path, l.now.Add(-age), l.now.Add(-age)); err != nil {
		l.t.Fatal(err)
	}
	return path
}

// look returns what is to be done, in words. Documents that are read get their
// name as id.
func (l *lookout) look() string {
	return l.take(mustCollect(l.t, []string{l.dir}, ""))
}

func (l *lookout) take(found Collection) string {
	todo := l.compare(found, l.now)
	var said []string
	for _, m := range todo.moved {
		said = append(said, fmt.Sprintf("move %s to %s", filepath.Base(m.from), filepath.Base(m.to.path)))
	}
	for _, path := range todo.gone {
		delete(l.known, path)
		said = append(said, "remove "+filepath.Base(path))
	}
	for _, it := range todo.read {
		if s := l.known[it.source()]; s.id == "" {
			s.id = filepath.Base(it.path)
		}
		said = append(said, "read "+filepath.Base(it.path))
	}
	slices.Sort(said)
	return strings.Join(said, ", ")
}

func (l *lookout) expect(want string) {
	l.t.Helper()
	if got := l.look(); got != want {
		l.t.Fatalf("a look comes to %q, want %q", got, want)
	}
}

func TestWatchReadsWhatIsStill(t *testing.T) {
	t.Parallel()
	l := newLookout(t)
	l.put("old.md", "old", time.Hour)
	l.put("being-written.md", "half", 0)
	l.expect("read old.md")
	l.expect("")
	l.now = l.now.Add(quiet)
	l.expect("read being-written.md")
	l.put("old.md", "new words", time.Minute)
	l.expect("read old.md")
	l.expect("")
}

func TestWatchWaitsBeforeItRemoves(t *testing.T) {
	t.Parallel()
	l := newLookout(t)
	path := l.put("a.md", "a", time.Hour)
	l.put("b.md", "b", time.Hour)
	l.expect("read a.md, read b.md")
	os.Remove(path) // as an editor does that saves
	l.expect("")
	l.put("a.md", "a", time.Hour)
	if got := l.look(); strings.Contains(got, "remove") {
		t.Fatalf("a file that came back: %s", got)
	}
	os.Remove(path)
	l.expect("")
	l.expect("remove a.md")
	l.expect("")
}

func TestWatchFollowsMoves(t *testing.T) {
	t.Parallel()
	l := newLookout(t)
	path := l.put("a.md", "a", time.Hour)
	l.expect("read a.md")
	if err := os.Rename(path, filepath.Join(l.dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	l.expect("move a.md to b.md")
	l.expect("")
	l.expect("")

	// Changed and moved in one breath: it stays the same document, however long
	// it takes until it is still.
	path = l.put("b.md", "changed", 0)
	if err := os.Rename(path, filepath.Join(l.dir, "c.md")); err != nil {
		t.Fatal(err)
	}
	for range 2 * goneAfter {
		l.expect("")
	}
	l.now = l.now.Add(quiet)
	l.expect("move b.md to c.md, read c.md")
	if s := l.known[filepath.Join(l.root, "c.md")]; s.id != "a.md" {
		t.Errorf("the document is %q now", s.id)
	}
}

func TestWatchRemovesNothingItCannotSee(t *testing.T) {
	t.Parallel()
	l := newLookout(t)
	l.put("sub/a.md", "a", time.Hour)
	l.put("b.md", "b", time.Hour)
	l.expect("read a.md, read b.md")
	// A part of the folder that cannot be read says nothing of its files.
	blind := mustCollect(l.t, []string{filepath.Join(l.dir, "b.md")}, "")
	blind.fail(filepath.Join(l.dir, "sub"), errors.New("permission denied"))
	for range 2 * goneAfter {
		if got := l.take(blind); got != "" {
			t.Fatalf("a look that saw only a part comes to %q", got)
		}
	}

	// Nor does a folder that is empty when watching begins: a drive may not be
	// there yet. One that was seen with files in it is believed.
	l = newLookout(t)
	l.remember(ibid.Document{ID: "d", Source: filepath.Join(l.root, "a.md")})
	l.remember(ibid.Document{ID: "e", Source: filepath.Join(filepath.Dir(l.root), "elsewhere.md")})
	for range 2 * goneAfter {
		l.expect("")
	}
	l.put("b.md", "b", time.Hour)
	l.expect("read b.md")
	l.expect("remove a.md")
	if len(l.known) != 1 {
		t.Errorf("knows of %v", l.known)
	}
}

func TestAFolderThatWasReplacedIsNotThere(t *testing.T) {
	t.Parallel()
	l := newLookout(t)
	if !l.there() {
		t.Fatal("the folder is there")
	}
	if err := os.Rename(l.dir, l.dir+"-away"); err != nil {
		t.Fatal(err)
	}
	if l.there() {
		t.Error("a folder that is gone is there")
	}
	if err := os.Mkdir(l.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if l.there() {
		t.Error("another folder in its place passes for it")
	}
}
