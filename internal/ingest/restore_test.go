package ingest

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

func (s *shop) remove(id string) {
	s.t.Helper()
	if err := s.Remove(s.t.Context(), access.For(ibid.Owner), id); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) restored(id string) ibid.Document {
	s.t.Helper()
	d, err := s.Restore(s.t.Context(), access.For(ibid.Owner), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func TestARemovedDocumentComesBackAsItWas(t *testing.T) {
	var clock later
	dir, files := t.TempDir(), newParagraphs()
	s := openShop(t, dir, files, clock.use)
	s.settled(s.add("a.txt", long("walrus")+long("giraffe")).ID)
	d := s.settled(s.add("a.txt", long("walrus")+long("pelican")).ID)
	title, folder, tags := "Animals", "zoo/2024", []string{"red"}
	if _, err := s.Describe(t.Context(), access.For(ibid.Owner), d.ID, Description{Title: &title, Folder: &folder, Tags: &tags}); err != nil {
		t.Fatal(err)
	}
	before, err := s.db.Document(t.Context(), access.For(ibid.Owner), d.ID)
	if err != nil {
		t.Fatal(err)
	}
	chunks, err := ibidtest.Whole(s.db.DocumentChunks(t.Context(), access.For(ibid.Owner), d.ID, ibidtest.Everything))
	if err != nil || len(chunks) == 0 {
		t.Fatalf("chunks %v, %v", chunks, err)
	}
	named, _ := ibidtest.Whole(s.db.Namings(t.Context(), access.For(ibid.Owner), d.ID, ibidtest.Everything))
	reads := files.read["a.txt"]
	same := func(when string) {
		t.Helper()
		after, err := s.db.Document(t.Context(), access.For(ibid.Owner), d.ID)
		if err != nil || !reflect.DeepEqual(after, before) {
			t.Errorf("%s: the document is\n%+v, was\n%+v, %v", when, after, before, err)
		}
		if now, err := ibidtest.Whole(s.db.DocumentChunks(t.Context(), access.For(ibid.Owner), d.ID, ibidtest.Everything)); err != nil || !reflect.DeepEqual(now, chunks) {
			t.Errorf("%s: the chunks are %v, %v", when, now, err)
		}
		if now, err := ibidtest.Whole(s.db.Namings(t.Context(), access.For(ibid.Owner), d.ID, ibidtest.Everything)); err != nil || !reflect.DeepEqual(now, named) {
			t.Errorf("%s: the passages name %v, %v", when, now, err)
		}
		if s.finds("pelican") == "" || s.finds("giraffe") != "" {
			t.Errorf("%s: it is not searched", when)
		}
		s.agrees(1)
	}

	s.remove(d.ID)
	if s.finds("pelican") != "" {
		t.Fatal("a removed document is found")
	}
	clock.pass(week(0.9))
	s.sweep()
	if back := s.restored(d.ID); !reflect.DeepEqual(back, before) {
		t.Errorf("restored as %+v", back)
	}
	same("restored")
	if files.read["a.txt"] != reads {
		t.Error("the file was read again")
	}
	if again := s.restored(d.ID); !reflect.DeepEqual(again, before) { // nothing to do
		t.Errorf("restored twice: %+v", again)
	}
	clock.pass(week(2))
	s.sweep() // the version that is searched again is no rest any more
	same("after a sweep")

	// With a snapshot from while it was removed, and from before.
	s.remove(d.ID)
	if err := s.index.Keep(); err != nil {
		t.Fatal(err)
	}
	snapshot, err := os.ReadFile(filepath.Join(dir, "index.snapshot"))
	if err != nil {
		t.Fatal(err)
	}
	s.restored(d.ID)
	s.stop()
	if err := os.WriteFile(filepath.Join(dir, "index.snapshot"), snapshot, 0o600); err != nil { // as after a crash
		t.Fatal(err)
	}
	var log warnings
	s = openShop(t, dir, files, clock.use, func(c *Config) { c.Log = slog.New(&log) })
	if len(log.lines) > 0 {
		t.Errorf("the snapshot was not brought up to date by the changes alone: %v", log.lines)
	}
	same("after a restart")
	if s.add("a.txt", "The octopus waits.").ID != d.ID {
		t.Error("its source is another document's now")
	}
}

// What waited to be read, or could not be, is restored to that, and its bytes stay
// as long as it can be.
func TestWhatWasNotReadComesBack(t *testing.T) {
	var clock later
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files, clock.use)
	waits := s.add("a.txt", "wait for the walrus.")
	<-files.waiting
	failed := s.settled(s.add("bad.txt", "bad file").ID)
	cancelled := s.add("b.txt", "wait for the giraffe.")
	<-files.waiting
	if _, err := s.Cancel(t.Context(), access.For(ibid.Owner), cancelled.ID); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{waits.ID, failed.ID, cancelled.ID} {
		s.remove(id)
	}
	clock.pass(week(0.9))
	s.sweep()
	close(files.block)
	if d := s.restored(waits.ID); d.Status != ibid.DocumentQueued && d.Status != ibid.DocumentProcessing && d.Status != ibid.DocumentReady {
		t.Errorf("what waited is %+v", d)
	}
	if d := s.settled(waits.ID); d.Status != ibid.DocumentReady || s.finds("walrus") == "" {
		t.Errorf("what waited became %+v", d)
	}
	if d := s.restored(failed.ID); d.Status != ibid.DocumentFailed || d.Error != failed.Error {
		t.Errorf("what had failed is %+v", d)
	}
	if d := s.restored(cancelled.ID); d.Status != ibid.DocumentFailed || !strings.Contains(d.Error, "cancelled") {
		t.Errorf("what was cancelled is %+v", d)
	}
	// The failed one can be read once more: its bytes are kept.
	if again := s.add("bad.txt", "bad file"); again.ID != failed.ID {
		t.Errorf("added again as %+v", again)
	}

	// After the week its bytes go.
	s.settled(failed.ID)
	s.remove(failed.ID)
	clock.pass(week(1.1))
	files0 := len(s.kept())
	if swept := s.sweep(); swept.Files != 1 || len(s.kept()) != files0-1 {
		t.Errorf("swept %+v", swept)
	}
	if _, err := s.Restore(t.Context(), access.For(ibid.Owner), failed.ID); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("restored after it was swept: %v", err)
	}
}

// Bytes that two documents have stay while one of them can be restored, also if it
// was never read.
func TestSharedBytesOfWhatWasNotRead(t *testing.T) {
	var clock later
	s := openShop(t, t.TempDir(), newParagraphs(), clock.use)
	const text = "locked: the walrus sleeps."
	open, err := s.Add(t.Context(), access.For(ibid.Owner), File{Name: "open.txt", Source: "/x/open.txt", Password: "swordfish"}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s.settled(open.ID)
	locked := s.settled(s.add("locked.txt", text).ID)
	if locked.Status != ibid.DocumentFailed {
		t.Fatalf("without a password it is %+v", locked)
	}
	s.remove(open.ID)
	clock.pass(week(0.5))
	s.remove(locked.ID)
	clock.pass(week(0.6))
	if swept := s.sweep(); swept.Versions != 1 || swept.Files != 0 || len(s.kept()) != 1 {
		t.Fatalf("swept %+v", swept)
	}
	s.restored(locked.ID)
	clock.pass(week(2))
	if swept := s.sweep(); swept.Files != 0 || len(s.kept()) != 1 {
		t.Errorf("swept once it is restored: %+v", swept)
	}
}

func TestTooLateToRestore(t *testing.T) {
	var clock later
	s := openShop(t, t.TempDir(), newParagraphs(), clock.use)
	d := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	s.cite("m1", d, true) // its text stays, and still it is gone
	s.remove(d.ID)
	clock.pass(week(1.1))
	for _, swept := range []bool{false, true} {
		if _, err := s.Restore(t.Context(), access.For(ibid.Owner), d.ID); ibid.CodeOf(err) != ibid.CodeNotFound || !strings.Contains(err.Error(), "keep_removed") {
			t.Errorf("swept %t: %v", swept, err)
		}
		s.sweep()
	}
	if _, err := s.Restore(t.Context(), access.For(ibid.Owner), "none"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("what never was: %v", err)
	}
	if x, err := s.db.Extract(t.Context(), access.For(ibid.Owner), d.ID, d.Version); err != nil || x.Text == "" {
		t.Errorf("the cited text: %q, %v", x.Text, err)
	}
}

func TestItsPlaceIsTaken(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	old := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	s.remove(old.ID)
	other := s.settled(s.add("a.txt", "The giraffe eats.").ID)
	if other.ID == old.ID {
		t.Fatal("a removed document took a new file in")
	}
	_, err := s.Restore(t.Context(), access.For(ibid.Owner), old.ID)
	if ibid.CodeOf(err) != ibid.CodeConflict || !strings.Contains(err.Error(), other.ID) {
		t.Fatalf("two documents of one source: %v", err)
	}
	s.agrees(1)
	s.remove(other.ID)
	if d := s.restored(old.ID); d.Status != ibid.DocumentReady || s.finds("walrus") == "" || s.finds("giraffe") != "" {
		t.Errorf("restored as %+v", d)
	}
}

func TestAnArchiveComesBackWhole(t *testing.T) {
	dir, files := t.TempDir(), newParagraphs()
	s := openShop(t, dir, files)
	inner := box("in.txt", "The octopus waits.")
	s.settled(s.add("a.zip", box("b.txt", "The walrus sleeps.", "c.txt", "The giraffe eats.", "d.zip", inner)).ID)
	all := []string{"/x/a.zip", "/x/a.zip!/b.txt", "/x/a.zip!/c.txt", "/x/a.zip!/d.zip", "/x/a.zip!/d.zip!/in.txt"}
	before := s.holds(all...)
	archive, b, c := before["/x/a.zip"], before["/x/a.zip!/b.txt"], before["/x/a.zip!/c.txt"]

	s.remove(b.ID) // alone, before the others
	s.remove(archive.ID)
	s.holds()
	removed, _, err := s.db.Removed(t.Context(), access.For(ibid.Owner), time.Time{}, ibid.Page{})
	if err != nil || len(removed) != 2 || removed[0].ID != archive.ID && removed[1].ID != archive.ID {
		t.Fatalf("listed as removed: %+v, %v", removed, err)
	}
	for _, id := range []string{b.ID, c.ID} {
		if _, err := s.Restore(t.Context(), access.For(ibid.Owner), id); ibid.CodeOf(err) != ibid.CodeConflict || !strings.Contains(err.Error(), archive.ID) {
			t.Errorf("a file of a removed archive: %v", err)
		}
	}
	s.restored(archive.ID)
	s.holds(all[0], all[2], all[3], all[4])
	s.restored(b.ID)
	after := s.holds(all...)
	if !maps.EqualFunc(before, after, func(a, b ibid.Document) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("restored\n%+v, were\n%+v", after, before)
	}
	for name, times := range files.read {
		if times != 1 {
			t.Errorf("%s was read %d times", name, times)
		}
	}

	// A crash after the archive itself, before what came out of it: the next start
	// restores the rest.
	s.remove(archive.ID)
	removedNow, err := ibidtest.Whole(s.db.RemovedWith(t.Context(), access.For(ibid.Owner), archive.ID, time.Time{}, ibidtest.Everything))
	if err != nil || len(removedNow) != 5 || removedNow[0].ID != archive.ID {
		t.Fatalf("removed with the archive: %+v, %v", removedNow, err)
	}
	if err := s.restoreRemoved(t.Context(), removedNow[0]); err != nil {
		t.Fatal(err)
	}
	s.stop()
	s = openShop(t, dir, files)
	if after := s.holds(all...); after[all[1]].ID != b.ID || s.finds("octopus") == "" {
		t.Errorf("after a restart: %+v", after)
	}
}

// upload takes in a file without a source and waits until it is read.
func (s *shop) upload(on ibid.OnSameName, folder, name, content string) (Added, error) {
	s.t.Helper()
	added, err := s.Add(s.t.Context(), access.For(ibid.Owner), File{Name: name, Folder: folder, OnSameName: on}, strings.NewReader(content))
	if err == nil {
		unchanged, same := added.Unchanged, added.SameName
		added = Added{s.settled(added.ID), unchanged, same}
	}
	return added, err
}

func (s *shop) names() string {
	s.t.Helper()
	var names []string
	for _, d := range s.shelf() {
		names = append(names, libraryPlace(d))
	}
	slices.Sort(names)
	return strings.Join(names, " | ")
}

func libraryPlace(d ibid.Document) string { return strings.TrimPrefix(d.Folder+"/"+d.Name, "/") }

func TestTwoFilesOfOneName(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	up := func(on ibid.OnSameName, folder, name, content string) Added {
		t.Helper()
		added, err := s.upload(on, folder, name, content)
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	first := up("", "", "report.pdf", "The walrus sleeps.")
	if first.SameName != nil || first.Name != "report.pdf" || first.Source != "upload:/report.pdf" {
		t.Fatalf("the first is %+v", first)
	}
	second := up("", "", "report.pdf", "The giraffe eats.")
	if second.ID == first.ID || second.Name != "report (2).pdf" || second.SameName == nil || *second.SameName != (ibid.SameName{ID: first.ID, Name: "report.pdf"}) {
		t.Fatalf("the second is %+v, beside %+v", second, second.SameName)
	}
	third := up(ibid.KeepBoth, "", "report.pdf", "The pelican flies.")
	up("", "other", "report.pdf", "The octopus waits.") // a folder of its own
	if names := s.names(); names != "other/report.pdf | report (2).pdf | report (3).pdf | report.pdf" {
		t.Fatalf("the library holds %s", names)
	}
	// The same bytes again, under the name they came with or their number.
	for content, want := range map[string]ibid.Document{"The walrus sleeps.": first.Document, "The giraffe eats.": second.Document, "The pelican flies.": third.Document} {
		for _, on := range []ibid.OnSameName{"", ibid.Refuse, ibid.NewVersion} {
			if again := up(on, "", "report.pdf", content); again.ID != want.ID || !again.Unchanged || again.Name != want.Name || again.SameName != nil {
				t.Errorf("%q again, %s: %+v beside %+v", content, on, again, again.SameName)
			}
		}
	}
	if again := up("", "", "report (2).pdf", "The giraffe eats."); again.ID != second.ID || !again.Unchanged {
		t.Errorf("by its number: %+v", again)
	}

	added, err := s.upload(ibid.Refuse, "", "report.pdf", "The lizard basks.")
	if ibid.CodeOf(err) != ibid.CodeConflict || added.SameName == nil || added.SameName.ID != first.ID {
		t.Errorf("refused: %+v, %v", added.SameName, err)
	}
	kept := len(s.kept())
	if kept != 4 {
		t.Errorf("%d originals are kept of 4 files", kept)
	}
	newer := up(ibid.NewVersion, "", "report.pdf", "The lizard basks.")
	if newer.ID != first.ID || newer.Name != "report.pdf" || newer.Version == first.Version || s.finds("walrus") != "" || s.finds("lizard") == "" {
		t.Errorf("as a new version: %+v", newer)
	}
	if _, err := s.upload("both", "", "report.pdf", "x"); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("no such answer: %v", err)
	}

	// A free number in between may be taken or not, one that is there never is.
	s.remove(second.ID)
	up("", "", "report.pdf", "The beaver builds.")
	s.shelf()
}

// What counts is the name that people see, whatever the source is.
func TestTheNameThatPeopleSee(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	name, folder := "final.txt", "done"
	first, err := s.upload("", "", "a.txt", "The walrus sleeps.")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Describe(t.Context(), access.For(ibid.Owner), first.ID, Description{Name: &name, Folder: &folder}); err != nil {
		t.Fatal(err)
	}
	second, err := s.upload(ibid.Refuse, "", "a.txt", "The giraffe eats.")
	if err != nil || second.ID == first.ID || second.Name != "a.txt" || second.Source == first.Source {
		t.Fatalf("the old name, which is free: %+v, %v", second, err)
	}
	third, err := s.upload("", "done", "final.txt", "The pelican flies.")
	if err != nil || third.Name != "final (2).txt" || third.SameName.ID != first.ID {
		t.Fatalf("the new name: %+v, %v", third, err)
	}
	if again, err := s.upload("", "done", "final.txt", "The walrus sleeps."); err != nil || again.ID != first.ID || !again.Unchanged {
		t.Errorf("the same bytes under its new name: %+v, %v", again, err)
	}

	// A file with a path is known by the path, and has its name in its folder.
	path := s.settled(s.add("b.txt", "The octopus waits.").ID)
	beside, err := s.upload("", "", "b.txt", "The beaver builds.")
	if err != nil || beside.Name != "b (2).txt" || beside.SameName.ID != path.ID {
		t.Errorf("beside a file with a path: %+v, %v", beside, err)
	}
	newer, err := s.upload(ibid.NewVersion, "", "b.txt", "The falcon soars.")
	if err != nil || newer.ID != path.ID || newer.Source != "/x/b.txt" {
		t.Errorf("a new version of a file with a path: %+v, %v", newer, err)
	}
	if d := s.settled(s.add("b.txt", "The octopus waits.").ID); d.ID != path.ID || d.Name != "b.txt" {
		t.Errorf("its path again: %+v", d)
	}

	// A removed upload comes back where its name is free.
	s.remove(second.ID)
	other, err := s.upload("", "", "a.txt", "The ferret hides.")
	if err != nil || other.Name != "a.txt" || other.SameName != nil {
		t.Fatalf("where the other was removed: %+v, %v", other, err)
	}
	if _, err := s.Restore(t.Context(), access.For(ibid.Owner), second.ID); ibid.CodeOf(err) != ibid.CodeConflict || !strings.Contains(err.Error(), other.ID) {
		t.Errorf("two of one name: %v", err)
	}
	name = "moved.txt"
	if _, err := s.Describe(t.Context(), access.For(ibid.Owner), other.ID, Description{Name: &name}); err != nil {
		t.Fatal(err)
	}
	if d := s.restored(second.ID); d.Name != "a.txt" || s.finds("giraffe") == "" || s.finds("ferret") == "" {
		t.Errorf("restored as %+v", d)
	}
	s.shelf()
}

// Uploads of one name at the same time are all kept, and each file once.
func TestUploadsOfOneNameAtOnce(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	const files, times = 12, 3
	done := make(chan error)
	for i := range files * times {
		go func() {
			_, err := s.Add(t.Context(), access.For(ibid.Owner), File{Name: "a.txt"}, strings.NewReader(fmt.Sprintf("Animal %d sleeps.", i%files)))
			done <- err
		}()
	}
	for range files * times {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	names, versions := map[string]bool{}, map[string]bool{}
	for _, d := range s.shelf() {
		names[d.Name], versions[d.Version] = true, true
		if d.Name != "a.txt" && !ibid.IsNumberedName(d.Name, "a.txt") {
			t.Errorf("called %q", d.Name)
		}
	}
	if len(names) != files || len(versions) != files || !names["a.txt"] {
		t.Errorf("%d names and %d contents of %d files", len(names), len(versions), files)
	}
}
