package ingest

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite"
)

// killers reads like paragraphs, but the readers of files that begin with "kill N"
// are killed N times.
type killers struct {
	*paragraphs
	mu    sync.Mutex
	tried map[string][]int // name → Original.Killed of each attempt
}

func newKillers() *killers { return &killers{newParagraphs(), sync.Mutex{}, map[string][]int{}} }

func (k *killers) Extract(ctx context.Context, o Original, progress func(page, pages int)) (ibid.Extract, error) {
	k.mu.Lock()
	k.tried[o.Name] = append(k.tried[o.Name], o.Killed)
	attempts := len(k.tried[o.Name])
	k.mu.Unlock()
	x, err := k.paragraphs.Extract(ctx, o, progress)
	var kills int
	if _, scanErr := fmt.Sscanf(x.Text, "kill %d", &kills); scanErr != nil || attempts > kills || err != nil {
		return x, err
	}
	if o.Killed >= 2 { // as extract.Alone
		return x, &ibid.Error{Code: ibid.CodeInternal, Message: ibid.WorkerKilled, Hint: "try again"}
	}
	return x, fmt.Errorf("read %s: %w", o.Name, ibid.ErrWorkerKilled)
}

func (k *killers) attempts(name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return fmt.Sprint(k.tried[name])
}

func TestADocumentWhoseWorkerIsKilledIsTriedAgain(t *testing.T) {
	files := newKillers()
	s := openShop(t, t.TempDir(), files)
	once, twice, always := s.add("once.txt", "kill 1 the otter"), s.add("twice.txt", "kill 2 the beaver"), s.add("always.txt", "kill 99 the walrus")
	beside := s.add("beside.txt", "the giraffe")
	for _, d := range []ibid.Document{once, twice, beside} {
		if now := s.settled(d.ID); now.Status != ibid.DocumentReady {
			t.Errorf("%s: %s %s", now.Name, now.Status, now.Error)
		}
	}
	if now := s.settled(always.ID); now.Status != ibid.DocumentFailed || !strings.Contains(now.Error, ibid.WorkerKilled) || !strings.Contains(now.Error, "try again") {
		t.Errorf("%s: %s %q", now.Name, now.Status, now.Error)
	}
	for name, want := range map[string]string{"once.txt": "[0 1]", "twice.txt": "[0 1 2]", "always.txt": "[0 1 2]", "beside.txt": "[0]"} {
		if got := files.attempts(name); got != want {
			t.Errorf("%s was read after %s kills, want %s", name, got, want)
		}
	}
	// A new version begins anew.
	if now := s.settled(s.add("always.txt", "the walrus sleeps").ID); now.Status != ibid.DocumentReady || files.attempts("always.txt") != "[0 1 2 0]" {
		t.Errorf("a new version: %s, read after %s kills", now.Status, files.attempts("always.txt"))
	}
}

// The count of kills outlives the process: a file does not get three attempts
// each time ibid starts.
func TestAttemptsAreKept(t *testing.T) {
	dir := t.TempDir()
	files := newKillers()
	s := openShop(t, dir, files)
	d := s.add("a.txt", "wait for the walrus")
	<-files.waiting
	l, working := s.jobs.on(d.ID)
	if !working {
		t.Fatal("it is not in work")
	}
	if err := s.db.NoteWorkerKilled(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	s.stop()
	close(files.block)
	s = openShop(t, dir, files)
	if now := s.settled(d.ID); now.Status != ibid.DocumentReady || !strings.HasSuffix(files.attempts("a.txt"), " 1]") {
		t.Errorf("%s, read after %s kills", now.Status, files.attempts("a.txt"))
	}
}

// noticed reads files as paragraphs, and notes something of each.
type noticed struct {
	*paragraphs
	notice string
}

func (n noticed) Extract(ctx context.Context, o Original, progress func(page, pages int)) (ibid.Extract, error) {
	x, err := n.paragraphs.Extract(ctx, o, progress)
	x.Notice = n.notice
	return x, err
}

// A document of which something is missing because its worker was killed is read again
// when somebody asks for that, also where the notice is older than the word "worker".
func TestRetryOfWhatIsMissing(t *testing.T) {
	for notice, may := range map[string]bool{
		"page 3 could not be read: " + ibid.WorkerKilled:               true,
		"page 3 could not be read: its reader was killed from outside": true,
		"page 3 could not be read: it holds no words":                  false,
	} {
		s := openShop(t, t.TempDir(), noticed{newParagraphs(), notice})
		d := s.settled(s.add("a.txt", "the walrus").ID)
		if d.Status != ibid.DocumentReady || d.Notice != notice {
			t.Fatalf("%s: %q", d.Status, d.Notice)
		}
		if _, err := s.Retry(t.Context(), access.For(ibid.Owner), d.ID); (err == nil) != may {
			t.Errorf("%q: %v", notice, err)
		}
		s.stop()
	}
}

func TestRetry(t *testing.T) {
	files := newKillers()
	s := openShop(t, t.TempDir(), files)
	d := s.settled(s.add("a.txt", "kill 3 the walrus").ID)
	if d.Status != ibid.DocumentFailed {
		t.Fatalf("%+v", d)
	}
	again, err := s.Retry(t.Context(), access.For(ibid.Owner), d.ID)
	if err != nil || again.Status != ibid.DocumentQueued || again.Error != "" {
		t.Fatalf("%+v, %v", again, err)
	}
	if now := s.settled(d.ID); now.Status != ibid.DocumentReady || files.attempts("a.txt") != "[0 1 2 0]" || s.finds("walrus") == "" {
		t.Errorf("%s, read after %s kills", now.Status, files.attempts("a.txt"))
	}
	if _, err := s.Retry(t.Context(), access.For(ibid.Owner), d.ID); ibid.CodeOf(err) != ibid.CodeConflict {
		t.Errorf("a document that is ready: %v", err)
	}
	if _, err := s.Retry(t.Context(), access.For(ibid.Owner), "none"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("a document that is not there: %v", err)
	}

	// What was cancelled before it was read can be retried too, and a member of an
	// archive, and the new version of a document whose older one is searched.
	cancelled := s.add("b.txt", "wait for the giraffe")
	<-files.waiting
	if _, err := s.Cancel(t.Context(), access.For(ibid.Owner), cancelled.ID); err != nil {
		t.Fatal(err)
	}
	close(files.block)
	older := s.settled(s.add("c.txt", "the otter").ID)
	s.settled(s.add("c.txt", "kill 4 the beaver").ID)
	s.settled(s.add("box.zip", box("m.txt", "kill 3 the badger")).ID)
	member := s.settled(s.withSource("/x/box.zip!/m.txt"))
	for _, id := range []string{cancelled.ID, older.ID, member.ID} {
		if d := s.settled(id); d.Status != ibid.DocumentFailed {
			t.Errorf("%s is %s", d.Name, d.Status)
		}
		if _, err := s.Retry(t.Context(), access.For(ibid.Owner), id); err != nil {
			t.Error(err)
		}
		if d := s.settled(id); d.Status != ibid.DocumentReady {
			t.Errorf("%s is %s: %s", d.Name, d.Status, d.Error)
		}
	}
	for _, word := range []string{"giraffe", "beaver", "badger"} {
		if s.finds(word) == "" {
			t.Errorf("%s is not found", word)
		}
	}
	s.agrees(5)
}

// withSource returns the id of a document.
func (s *shop) withSource(source string) string {
	s.t.Helper()
	docs, _, err := s.db.Documents(s.t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{}, ibid.Page{Limit: ibid.MaxLimit})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, d := range docs {
		if d.Source == source {
			return d.ID
		}
	}
	s.t.Fatalf("there is no %s", source)
	return ""
}

// TestADocumentThatEndsIbid: what was in work when ibid died goes behind the rest, and
// fails in the end; an orderly end is not counted.
func TestADocumentThatEndsIbid(t *testing.T) {
	dir := t.TempDir()
	files := newKillers()
	s := openShop(t, dir, files)
	d := s.add("a.txt", "wait for the walrus")
	<-files.waiting
	s.stop()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for crashes := range maxCrashes {
		now, l, a, ok, err := db.ClaimDocument(t.Context(), "has died", time.Hour, crashes)
		if err != nil || !ok || now.ID != d.ID || l.Version == "" || a.Crashes != crashes {
			t.Fatalf("after %d ends: %+v, %+v, %v, %v", crashes, now, a, ok, err)
		}
		_, failed, err := db.ReleaseLostDocuments(t.Context(), maxCrashes, gaveUp)
		if err != nil || failed != 0 && crashes+1 < maxCrashes {
			t.Fatalf("after %d ends: %d failed, %v", crashes+1, failed, err)
		}
		if _, _, _, ok, _ := db.ClaimDocument(t.Context(), "next", time.Hour, crashes); ok {
			t.Fatalf("one that has seen %d ends is begun though %d are allowed", crashes+1, crashes)
		}
	}
	now, err := db.Document(t.Context(), access.For(ibid.Owner), d.ID)
	if err != nil || now.Status != ibid.DocumentFailed || now.Error != gaveUp {
		t.Fatalf("%+v, %v", now, err)
	}
	db.Close()
	close(files.block)
	s = openShop(t, dir, files)
	if _, err := s.Retry(t.Context(), access.For(ibid.Owner), d.ID); err != nil {
		t.Fatal(err)
	}
	if now := s.settled(d.ID); now.Status != ibid.DocumentReady {
		t.Errorf("retried: %s %s", now.Status, now.Error)
	}
}

func TestWhatSawTheEndOfIbidIsReadAlone(t *testing.T) {
	s := openShop(t, t.TempDir(), newKillers())
	usual := s.makeRoom(ibid.Attempts{Killed: 2})
	s.makeRoom(ibid.Attempts{})() // beside it
	alone := make(chan func())
	go func() { alone <- s.makeRoom(ibid.Attempts{Crashes: 1}) }()
	for s.beside.TryRLock() { // until it waits
		s.beside.RUnlock()
	}
	select {
	case <-alone:
		t.Fatal("it does not wait for what is in work")
	default:
	}
	usual()
	end := <-alone
	if s.beside.TryRLock() {
		t.Error("another is begun beside it")
	}
	end()
	s.makeRoom(ibid.Attempts{})()
}

// fullDisk is a store whose disk is full for the first few times that a document is
// finished.
type fullDisk struct {
	Leases
	left atomic.Int64
}

func (f *fullDisk) FinishDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document, x ibid.Extract, chunks []ibid.Chunk, named []ibid.Naming, at time.Time) (ibid.Document, int64, error) {
	if f.left.Add(-1) >= 0 {
		return d, 0, &ibid.Error{Code: ibid.CodeDiskFull, Message: "the disk is full"}
	}
	return f.Leases.FinishDocument(ctx, l, d, x, chunks, named, at)
}

func TestADocumentWaitsForRoom(t *testing.T) {
	full := &fullDisk{}
	full.left.Store(1)
	s := openShop(t, t.TempDir(), newParagraphs(), func(c *Config) { full.Leases, c.Leases = c.Leases, full })
	if d := s.settled(s.add("a.txt", "The walrus.").ID); d.Status != ibid.DocumentReady || s.finds("walrus") == "" {
		t.Errorf("%s: %s", d.Status, d.Error)
	}
}
