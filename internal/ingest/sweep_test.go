package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

// later is a clock that the test moves on.
type later struct{ by atomic.Int64 }

func (l *later) now() time.Time       { return time.Now().Add(time.Duration(l.by.Load())) }
func (l *later) pass(d time.Duration) { l.by.Add(int64(d)) }
func (l *later) use(c *Config)        { c.Now = l.now }
func week(part float64) time.Duration { return time.Duration(part * float64(7*24*time.Hour)) }

// kept returns the originals that are on disk.
func (s *shop) kept() map[string]bool {
	s.t.Helper()
	names := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join(s.cfg.Dir, "files", "??", "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, path := range paths {
		names[filepath.Base(path)] = true
	}
	return names
}

func (s *shop) sweep() Swept {
	s.t.Helper()
	swept, err := s.Sweep(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return swept
}

// cite saves an answer that cites a version, or begins one.
func (s *shop) cite(id string, d ibid.Document, finished bool) {
	s.t.Helper()
	now := time.Now()
	user := ibid.Message{ID: "u" + id, ThreadID: "t" + id, Role: ibid.RoleUser, Text: "?", Status: ibid.StatusCompleted, CreatedAt: ibid.At(now)}
	answer := ibid.Message{ID: id, ThreadID: "t" + id, ParentID: user.ID, Role: ibid.RoleAssistant, Status: ibid.StatusQueued, CreatedAt: ibid.At(now)}
	run := ibid.Run{Principal: ibid.Owner, ID: id, ThreadID: "t" + id, UserMessageID: user.ID, Status: ibid.StatusQueued, AcceptedAt: now}
	started := ibid.Event{Seq: 1, Run: id, At: now, Data: ibid.RunStarted{MessageID: id, Attempt: 1}}
	err := s.db.StartRun(s.t.Context(), ibid.Thread{Principal: ibid.Owner, ID: "t" + id, CreatedAt: ibid.At(now), UpdatedAt: ibid.At(now)}, user, answer, run, []ibid.Event{started}, 100)
	if err != nil {
		s.t.Fatal(err)
	}
	claimed, err := s.db.ClaimQueued(s.t.Context(), id, "test", time.Hour)
	if err != nil || claimed == nil {
		s.t.Fatalf("claim: %v, %v", claimed, err)
	}
	lease := ibid.Lease{RunID: id, Fence: claimed.Fence}
	citation := ibid.Citation{N: 1, ChunkID: "c", DocumentID: d.ID, Version: d.Version}
	cited := ibid.Event{Seq: 2, Run: id, At: now, Data: ibid.CitationAdded{Citation: citation}}
	if err := s.db.AppendEvents(s.t.Context(), lease, []ibid.Event{cited}); err != nil {
		s.t.Fatal(err)
	}
	if !finished {
		return
	}
	answer.Status, answer.Citations = ibid.StatusCompleted, []ibid.Citation{citation, citation}
	end := ibid.Event{Seq: 3, Run: id, At: now, Data: ibid.RunFinished{Finished: ibid.Finished{Status: ibid.StatusCompleted}}}
	if err := s.db.FinishRun(s.t.Context(), lease, []ibid.Event{end}, answer, now); err != nil {
		s.t.Fatal(err)
	}
}

func TestSweepLetsGoOfWhatNobodyNeeds(t *testing.T) {
	var clock later
	s := openShop(t, t.TempDir(), newParagraphs(), clock.use)
	first := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	second := s.settled(s.add("a.txt", "The giraffe eats.").ID)
	removed := s.settled(s.add("b.txt", "The pelican flies.").ID)
	if err := s.Remove(t.Context(), access.For(ibid.Owner), removed.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.index.Keep(); err != nil {
		t.Fatal(err)
	}
	clock.pass(week(0.9))
	if swept := s.sweep(); swept != (Swept{}) || len(s.kept()) != 3 {
		t.Fatalf("within the week %+v went, %v stay", swept, s.kept())
	}
	clock.pass(week(0.2))
	if swept := s.sweep(); swept.Versions != 2 || swept.Files != 2 || swept.Bytes != int64(len("The walrus sleeps."+"The pelican flies.")) {
		t.Fatalf("after it %+v went", swept)
	}
	if kept := s.kept(); len(kept) != 1 || !kept[second.Version] {
		t.Errorf("kept %v, want %s", kept, second.Version)
	}
	if _, err := s.db.Extract(t.Context(), access.For(ibid.Owner), first.ID, first.Version); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("the old text: %v", err)
	}
	if s.finds("giraffe") == "" {
		t.Error("what is searched went too")
	}
	s.agrees(1)
	// The swept version comes back like any new one.
	if back := s.settled(s.add("a.txt", "The walrus sleeps.").ID); back.Status != ibid.DocumentReady || s.finds("walrus") == "" {
		t.Errorf("the old bytes again: %+v", back)
	}
}

// While a backup copies what its copy of the database lists, no original goes;
// afterwards it does.
func TestSweepWaitsForABackup(t *testing.T) {
	var clock later
	s := openShop(t, t.TempDir(), newParagraphs(), clock.use)
	gone := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	if err := s.Remove(t.Context(), access.For(ibid.Owner), gone.ID); err != nil {
		t.Fatal(err)
	}
	first, second := s.HoldOriginals(), s.HoldOriginals()
	clock.pass(week(1.1))
	for _, release := range []func(){first, second} {
		if swept := s.sweep(); swept.Files != 0 || !s.kept()[gone.Version] {
			t.Fatalf("%+v went while originals were held", swept)
		}
		release()
		release() // only once
	}
	if swept := s.sweep(); swept.Files != 1 || s.kept()[gone.Version] {
		t.Errorf("then %+v went", swept)
	}
}

func TestSweepKeepsWhatIsCited(t *testing.T) {
	var clock later
	s := openShop(t, t.TempDir(), newParagraphs(), clock.use)
	cited := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	s.settled(s.add("a.txt", "The giraffe eats.").ID)
	beingCited := s.settled(s.add("b.txt", "The pelican flies.").ID)
	s.cite("m1", cited, true)
	s.cite("m2", beingCited, false)
	for _, id := range []string{cited.ID, beingCited.ID} {
		if err := s.Remove(t.Context(), access.For(ibid.Owner), id); err != nil {
			t.Fatal(err)
		}
	}
	clock.pass(week(2))
	if swept := s.sweep(); swept.Versions != 1 || swept.Files != 1 { // the giraffe, which nobody cites
		t.Fatalf("%+v went", swept)
	}
	for _, d := range []ibid.Document{cited, beingCited} {
		if x, err := s.db.Extract(t.Context(), access.For(ibid.Owner), d.ID, d.Version); err != nil || x.Text == "" {
			t.Errorf("the cited text of %s: %q, %v", d.Name, x.Text, err)
		}
		if _, err := s.Original(t.Context(), access.For(ibid.Owner), d.ID, d.Version); err != nil {
			t.Errorf("the cited bytes of %s: %v", d.Name, err)
		}
	}
	// With the conversation goes the need, once that cannot be restored any more.
	if err := s.db.RemoveThread(t.Context(), access.For(ibid.Owner), "tm1", clock.now()); err != nil {
		t.Fatal(err)
	}
	if swept := s.sweep(); swept != (Swept{}) {
		t.Errorf("while the conversation can be restored: %+v", swept)
	}
	clock.pass(week(1.1))
	if swept := s.sweep(); swept.Versions != 1 || swept.Files != 1 {
		t.Errorf("after the conversation went: %+v", swept)
	}
}

func TestSweepLeavesWhatWaitsOrFailed(t *testing.T) {
	var clock later
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files, clock.use)
	failed := s.settled(s.add("bad.txt", "bad file").ID)
	waits := s.add("a.txt", "wait for the walrus.")
	<-files.waiting
	orphan := strings.Repeat("ab", 16)
	write := filepath.Join(s.cfg.Dir, "files", "ab", orphan)
	if err := os.MkdirAll(filepath.Dir(write), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(write, []byte("left by a process that died"), 0o600); err != nil {
		t.Fatal(err)
	}
	clock.pass(week(2))
	if swept := s.sweep(); swept != (Swept{}) {
		t.Errorf("%+v went", swept)
	}
	if n, unknown, err := s.Unknown(t.Context()); err != nil || n != 1 || filepath.Base(unknown) != orphan {
		t.Errorf("unknown: %d, %s, %v", n, unknown, err)
	}
	close(files.block)
	if d := s.settled(waits.ID); d.Status != ibid.DocumentReady {
		t.Errorf("what was being read: %+v", d)
	}
	if kept := s.kept(); len(kept) != 3 || !kept[orphan] {
		t.Errorf("kept %v, want those of %s and %s, and the one that nobody knows", kept, failed.Name, waits.Name)
	}
}

// What was replaced or removed before it was read has never been a version; its
// bytes go all the same.
func TestSweepLetsGoOfWhatWasNeverRead(t *testing.T) {
	var clock later
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files, clock.use)
	s.add("a.txt", "wait for the walrus.")
	<-files.waiting
	s.add("a.txt", "The giraffe eats.")
	s.add("bad.txt", "bad file")
	again := s.settled(s.add("b.txt", "bad too").ID)
	if err := s.Remove(t.Context(), access.For(ibid.Owner), again.ID); err != nil {
		t.Fatal(err)
	}
	close(files.block)
	s.settled(s.add("c.txt", "The pelican flies.").ID)
	clock.pass(week(2))
	if swept := s.sweep(); swept.Files != 2 || len(s.kept()) != 3 {
		t.Errorf("%+v went, %d stay", swept, len(s.kept()))
	}
	// The list is empty now, and a hash on it that came back stays.
	if left, err := ibidtest.Whole(s.db.Discarded(t.Context(), ibidtest.Everything)); err != nil || len(left) != 0 {
		t.Errorf("still to be deleted: %v, %v", left, err)
	}
	s.settled(s.add("b.txt", "bad too").ID)
	clock.pass(week(2))
	if swept := s.sweep(); swept != (Swept{}) || len(s.kept()) != 4 {
		t.Errorf("%+v went, %d stay", swept, len(s.kept()))
	}
}

// A file in files/tmp that is not an upload of ours outlives a start.
func TestStartDeletesOnlyItsOwnUploads(t *testing.T) {
	dir := t.TempDir()
	openShop(t, dir, newParagraphs()).stop()
	ours, foreign := filepath.Join(dir, "files", "tmp", "upload-123"), filepath.Join(dir, "files", "tmp", "thesis.txt")
	for _, path := range []string{ours, foreign} {
		if err := os.WriteFile(path, []byte("words"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := openShop(t, dir, newParagraphs())
	if _, err := os.Stat(ours); err == nil {
		t.Error("the unfinished upload is still there")
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("a file that is not ours: %v", err)
	}
	if n, unknown, err := s.Unknown(t.Context()); err != nil || n != 1 || filepath.Base(unknown) != "thesis.txt" {
		t.Errorf("unknown: %d, %s, %v", n, unknown, err)
	}
}

// A tombstone goes only when the snapshot on disk has its removal, and change
// numbers never come again.
func TestSweptTombstonesAreNotMissed(t *testing.T) {
	var clock later
	dir := t.TempDir()
	s := openShop(t, dir, newParagraphs(), clock.use)
	a, b := s.settled(s.add("a.txt", "The walrus sleeps.").ID), s.settled(s.add("b.txt", "The giraffe eats.").ID)
	if err := s.index.Keep(); err != nil { // it has both
		t.Fatal(err)
	}
	for _, d := range []ibid.Document{a, b} {
		if err := s.Remove(t.Context(), access.For(ibid.Owner), d.ID); err != nil {
			t.Fatal(err)
		}
	}
	s.settled(s.add("c.txt", "The pelican flies.").ID)
	clock.pass(week(2))
	s.sweep()
	rows := func() int {
		changes, err := s.db.Changes(t.Context(), 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		removed := 0
		for _, c := range changes {
			if c.Removed {
				removed++
			}
		}
		return removed
	}
	if n := rows(); n != 2 {
		t.Fatalf("%d tombstones while the snapshot has the documents", n)
	}
	if err := s.index.Keep(); err != nil {
		t.Fatal(err)
	}
	s.sweep()
	if n := rows(); n != 0 {
		t.Fatalf("%d tombstones stay", n)
	}
	s.stop()
	s = openShop(t, dir, newParagraphs(), clock.use)
	s.agrees(1)
	if s.finds("walrus") != "" || s.finds("pelican") == "" {
		t.Error("a removed document came back")
	}
}
