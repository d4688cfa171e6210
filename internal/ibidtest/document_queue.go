package ibidtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// DocumentQueue is what processes that share a library ask of its store, to take
// documents in.
type DocumentQueue interface {
	Join() (Process, error)
	PutDocument(ctx context.Context, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error)
	Document(ctx context.Context, view access.View, id string) (ibid.Document, error)
	RemoveDocument(ctx context.Context, view access.View, id string, at time.Time) (removed []string, change int64, err error)
	CancelDocument(ctx context.Context, view access.View, id string) (ibid.Document, error)
	ClaimDocument(ctx context.Context, owner string, lease time.Duration, maxCrashes int) (d ibid.Document, l ibid.DocumentLease, a ibid.Attempts, ok bool, err error)
	RenewDocument(ctx context.Context, l ibid.DocumentLease, lease time.Duration) error
	SetProgress(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error
	FinishDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document, x ibid.Extract, chunks []ibid.Chunk, named []ibid.Naming, at time.Time) (stored ibid.Document, change int64, err error)
	SettleDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error
	PutBackDocument(ctx context.Context, l ibid.DocumentLease) error
	NoteWorkerKilled(ctx context.Context, l ibid.DocumentLease) error
	ReleaseDocuments(ctx context.Context, owner string) error
	ReleaseLostDocuments(ctx context.Context, maxCrashes int, giveUp string) (documentIDs []string, failed int, err error)
	HoldVersion(ctx context.Context, owner, version string) error
	ReleaseVersion(ctx context.Context, owner, version string) error
}

// QueueCases is what every store of documents must do for several processes. A lease of
// no length is over as soon as it is given, so no case waits.
var QueueCases = []Case[DocumentQueue]{
	{"forty documents are handed out once each", testDocumentsOnce},
	{"work under an older lease changes nothing", testOlderLease},
	{"a document's lease that is over can be taken, a renewed one not", testDocumentLeaseOver},
	{"no document is taken from the living", testDocumentsOfLiving},
	{"documents of the dead go behind the rest, and fail in the end", testDocumentsOfDead},
	{"an orderly end is not counted, and nobody else's", testOrderlyEnd},
	{"what is published is ready whoever dies", testPublished},
	{"another version, a cancel and a removal end the work", testWorkOfNoUse},
	{"kills of workers are counted", testWorkerKills},
	{"a file with a password is left to who has it", testHeldVersion},
	{"a document ends once", testDocumentEndsOnce},
}

type queueTest struct {
	t      *testing.T
	a, b   DocumentQueue
	pa, pb Process
	made   int
}

func openQueue(t *testing.T, open Opener[DocumentQueue]) *queueTest {
	s := &queueTest{t: t, a: open(t), b: open(t)}
	s.pa, s.pb = join(t, s.a), join(t, s.b)
	return s
}

var everyone = access.For(ibid.Owner)

// crashLimit is how many ends of processes a document may see in these cases.
const crashLimit = 3

// put adds a document, each a second later than the one before, and returns its id.
func (s *queueTest) put() string {
	s.t.Helper()
	s.made++
	at := ibid.At(time.UnixMilli(1_700_000_000_000 + int64(s.made)*1000))
	id := fmt.Sprintf("d%02d", s.made)
	s.putVersion(ibid.Document{Principal: ibid.Owner, ID: id, Name: id + ".txt", Source: "/" + id, AddedAt: at, ChangeAt: at}, "v-"+id)
	return id
}

func (s *queueTest) putVersion(d ibid.Document, version string) {
	s.t.Helper()
	if _, _, err := s.a.PutDocument(s.t.Context(), d, version); err != nil {
		s.t.Fatal(err)
	}
}

func (s *queueTest) tryClaim(by DocumentQueue, p Process, lease time.Duration, crashes int) (ibid.Document, ibid.DocumentLease, ibid.Attempts, bool) {
	s.t.Helper()
	d, l, a, ok, err := by.ClaimDocument(s.t.Context(), p.Owner(), lease, crashes)
	if err != nil {
		s.t.Fatal(err)
	}
	return d, l, a, ok
}

func (s *queueTest) claim(by DocumentQueue, p Process, lease time.Duration) (ibid.Document, ibid.DocumentLease) {
	s.t.Helper()
	d, l, _, ok := s.tryClaim(by, p, lease, crashLimit)
	if !ok || l.DocumentID != d.ID || l.Version == "" || d.Status != ibid.DocumentProcessing {
		s.t.Fatalf("claimed %+v, %+v, %v", d, l, ok)
	}
	return d, l
}

func (s *queueTest) none(by DocumentQueue, p Process) {
	s.t.Helper()
	if d, _, _, ok := s.tryClaim(by, p, time.Minute, crashLimit); ok {
		s.t.Fatalf("claimed %s", d.ID)
	}
}

// release puts back what is lost, and fails the test when that are not these documents.
func (s *queueTest) release(by DocumentQueue, failed int, want ...string) {
	s.t.Helper()
	ids, n, err := by.ReleaseLostDocuments(s.t.Context(), crashLimit, "given up")
	slices.Sort(ids)
	if err != nil || n != failed || !slices.Equal(ids, want) {
		s.t.Fatalf("released %v, %d failed, %v; want %v and %d", ids, n, err, want, failed)
	}
}

func (s *queueTest) is(id string, want ibid.DocumentStatus) ibid.Document {
	s.t.Helper()
	d, err := s.b.Document(s.t.Context(), everyone, id)
	if err != nil || d.Status != want {
		s.t.Fatalf("%s is %s, not %s: %v", id, d.Status, want, err)
	}
	return d
}

func (s *queueTest) tryFinish(by DocumentQueue, d ibid.Document, l ibid.DocumentLease) error {
	d.Version = l.Version
	chunk := ibid.Chunk{ID: "c-" + l.Version, DocumentID: d.ID, Version: l.Version, Level: 2, End: 5, Text: "words"}
	_, _, err := by.FinishDocument(s.t.Context(), l, d, ibid.Extract{Text: "words"}, []ibid.Chunk{chunk}, nil, d.AddedAt.Time)
	return err
}

func (s *queueTest) settle(by DocumentQueue, d ibid.Document, l ibid.DocumentLease, status ibid.DocumentStatus) error {
	d.Status, d.Version = status, l.Version
	return by.SettleDocument(s.t.Context(), l, d)
}

// refused fails the test unless every write of the work is refused.
func (s *queueTest) refused(by DocumentQueue, d ibid.Document, l ibid.DocumentLease, what string) {
	s.t.Helper()
	progress := d
	progress.Progress = 0.77
	for write, err := range map[string]error{
		"renew":    by.RenewDocument(s.t.Context(), l, time.Hour),
		"progress": by.SetProgress(s.t.Context(), l, progress),
		"finish":   s.tryFinish(by, d, l),
		"settle":   s.settle(by, d, l, ibid.DocumentFailed),
		"put back": by.PutBackDocument(s.t.Context(), l),
		"kill":     by.NoteWorkerKilled(s.t.Context(), l),
	} {
		if !errors.Is(err, ibid.ErrLeaseLost) && (err == nil || ibid.CodeOf(err) != ibid.CodeNotFound || write == "renew") {
			s.t.Errorf("%s: %s gave %v", what, write, err)
		}
	}
}

func testDocumentsOnce(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	const documents = 40
	for range documents {
		s.put()
	}
	owners := map[DocumentQueue]Process{s.a: s.pa, s.b: s.pb}
	var mu sync.Mutex
	handed := map[string][]int64{}
	fences := map[int64]bool{}
	Contend(t, []DocumentQueue{s.a, s.b}, 3, func(by DocumentQueue, _ int) bool {
		_, l, _, ok, err := by.ClaimDocument(t.Context(), owners[by].Owner(), time.Minute, crashLimit)
		if err != nil {
			t.Error(err)
		}
		if !ok {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		handed[l.DocumentID] = append(handed[l.DocumentID], l.Fence)
		fences[l.Fence] = true
		return len(handed[l.DocumentID]) < 10
	})
	if len(handed) != documents || len(fences) != documents {
		t.Errorf("%d of %d documents were handed out, with %d fences", len(handed), documents, len(fences))
	}
	for id, fences := range handed {
		if len(fences) != 1 {
			t.Errorf("%s was handed out with fences %v", id, fences)
		}
	}
}

func testOlderLease(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	id := s.put()
	d, old := s.claim(s.a, s.pa, 0)
	s.release(s.b, 0, id)
	_, fresh := s.claim(s.b, s.pb, time.Minute)
	if fresh.Fence == old.Fence {
		t.Fatalf("%+v after %+v", fresh, old)
	}
	s.refused(s.a, d, old, "an older lease")
	if now := s.is(id, ibid.DocumentProcessing); now.Progress != 0 {
		t.Errorf("it has come to %v", now.Progress)
	}
	if err := s.b.SetProgress(t.Context(), fresh, d); err != nil {
		t.Fatal(err)
	}
	if err := s.tryFinish(s.b, d, fresh); err != nil {
		t.Fatal(err)
	}
	if err := s.settle(s.b, d, fresh, ibid.DocumentReady); err != nil {
		t.Fatal(err)
	}
	s.refused(s.b, d, fresh, "after the end")
	s.is(id, ibid.DocumentReady)
}

func testDocumentLeaseOver(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	id := s.put()
	_, l := s.claim(s.a, s.pa, 0)
	if err := s.a.RenewDocument(t.Context(), l, time.Hour); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 0)
	s.none(s.b, s.pb)
	if err := s.a.RenewDocument(t.Context(), l, 0); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 0, id)
	s.claim(s.b, s.pb, time.Minute)
}

func testDocumentsOfLiving(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	s.put()
	d, l := s.claim(s.a, s.pa, time.Minute)
	third := open(t) // another process starts
	p := join(s.t, third)
	s.release(third, 0)
	s.none(third, p)
	if err := third.ReleaseDocuments(t.Context(), p.Owner()); err != nil { // and ends
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 0)
	if err := s.tryFinish(s.a, d, l); err != nil {
		t.Fatal(err)
	}
}

func testDocumentsOfDead(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	id, behind := s.put(), ""
	for crashes := range crashLimit {
		q := open(t)
		p := join(s.t, q)
		d, _, a, ok := s.tryClaim(q, p, time.Hour, crashes)
		if !ok || d.ID != id || a.Crashes != crashes {
			t.Fatalf("after %d ends: %s, %+v, %v", crashes, d.ID, a, ok)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		failed := 0
		if crashes+1 == crashLimit {
			failed = 1
		}
		s.release(s.b, failed, id)
		if crashes == 0 {
			behind = s.put() // later, and first all the same
			d, l := s.claim(s.b, s.pb, time.Minute)
			if d.ID != behind {
				t.Fatalf("claimed %s before %s", d.ID, behind)
			}
			if err := s.settle(s.b, d, l, ibid.DocumentReady); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, _, ok := s.tryClaim(s.b, s.pb, time.Minute, crashes); ok {
			t.Fatalf("one that has seen %d ends is begun though %d are allowed", crashes+1, crashes)
		}
	}
	if d := s.is(id, ibid.DocumentFailed); d.Error != "given up" {
		t.Errorf("it failed with %q", d.Error)
	}
}

func testOrderlyEnd(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	id, other := s.put(), s.put()
	d, l := s.claim(s.a, s.pa, time.Minute)
	s.claim(s.b, s.pb, time.Minute)
	if err := s.a.ReleaseDocuments(t.Context(), s.pa.Owner()); err != nil {
		t.Fatal(err)
	}
	s.refused(s.a, d, l, "after an orderly end")
	s.is(other, ibid.DocumentProcessing)
	again, _, a, ok := s.tryClaim(s.b, s.pb, time.Minute, 0)
	if !ok || again.ID != id || a.Crashes != 0 {
		t.Errorf("claimed %s, %+v, %v", again.ID, a, ok)
	}
}

func testPublished(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	id := s.put()
	d, l := s.claim(s.a, s.pa, time.Minute)
	if err := s.tryFinish(s.a, d, l); err != nil {
		t.Fatal(err)
	}
	s.is(id, ibid.DocumentProcessing) // only its vectors lack
	if err := s.pa.Close(); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 0, id)
	s.is(id, ibid.DocumentReady)
	s.none(s.b, s.pb)
}

func testWorkOfNoUse(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	s.put()
	d, l := s.claim(s.a, s.pa, time.Minute)
	s.putVersion(d, "newer")
	s.refused(s.a, d, l, "another version")
	if _, newer := s.claim(s.b, s.pb, time.Minute); newer.Version != "newer" {
		t.Fatalf("claimed %+v", newer)
	}

	id := s.put()
	d, l = s.claim(s.a, s.pa, time.Minute)
	s.putVersion(d, l.Version) // the same again is no reason
	if err := s.a.SetProgress(t.Context(), l, d); err != nil {
		t.Fatal(err)
	}
	if _, err := s.b.CancelDocument(t.Context(), everyone, id); err != nil {
		t.Fatal(err)
	}
	s.refused(s.a, d, l, "a cancel")
	s.is(id, ibid.DocumentFailed)

	id = s.put()
	d, l = s.claim(s.a, s.pa, time.Minute)
	if _, _, err := s.b.RemoveDocument(t.Context(), everyone, id, d.AddedAt.Time); err != nil {
		t.Fatal(err)
	}
	s.refused(s.a, d, l, "a removal")
	s.release(s.b, 0)
}

func testWorkerKills(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	id := s.put()
	for kills := range 3 {
		d, l, a, ok := s.tryClaim(s.a, s.pa, time.Minute, 0)
		if !ok || d.ID != id || a.Killed != kills || a.Crashes != 0 {
			t.Fatalf("after %d kills: %+v, %v", kills, a, ok)
		}
		if err := s.a.NoteWorkerKilled(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		s.is(id, ibid.DocumentQueued)
	}
	_, l := s.claim(s.b, s.pb, time.Minute)
	if err := s.b.PutBackDocument(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if _, _, a, ok := s.tryClaim(s.a, s.pa, time.Minute, 0); !ok || a.Killed != 3 {
		t.Errorf("put back: %+v, %v", a, ok)
	}
}

func testHeldVersion(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	if err := s.a.HoldVersion(t.Context(), s.pa.Owner(), "v-d01"); err != nil {
		t.Fatal(err)
	}
	held, free := s.put(), s.put()
	if d, _ := s.claim(s.b, s.pb, time.Minute); d.ID != free {
		t.Fatalf("claimed %s, which another has the password of", d.ID)
	}
	s.none(s.b, s.pb)
	d, l := s.claim(s.a, s.pa, time.Minute)
	if d.ID != held {
		t.Fatalf("claimed %s", d.ID)
	}
	if err := s.a.PutBackDocument(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 0)
	s.none(s.b, s.pb) // its holder lives
	if err := s.pa.Close(); err != nil {
		t.Fatal(err)
	}
	s.release(s.b, 0)
	if d, l := s.claim(s.b, s.pb, time.Minute); d.ID != held { // it will say that a password is needed
		t.Fatalf("claimed %s, %+v", d.ID, l)
	}
	if err := s.b.HoldVersion(t.Context(), s.pb.Owner(), "v-d03"); err != nil {
		t.Fatal(err)
	}
	last := s.put()
	if err := s.b.ReleaseVersion(t.Context(), s.pb.Owner(), "v-d03"); err != nil {
		t.Fatal(err)
	}
	c := open(t)
	if d, _ := s.claim(c, join(s.t, c), time.Minute); d.ID != last {
		t.Errorf("claimed %s", d.ID)
	}
}

func testDocumentEndsOnce(t *testing.T, open Opener[DocumentQueue]) {
	s := openQueue(t, open)
	for range 10 {
		s.put()
		d, l := s.claim(s.a, s.pa, time.Minute)
		var mu sync.Mutex
		ended := 0
		Contend(t, []DocumentQueue{s.a, s.b}, 2, func(by DocumentQueue, n int) bool {
			err := s.settle(by, d, l, ibid.DocumentReady)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				ended++
			} else if !errors.Is(err, ibid.ErrLeaseLost) {
				t.Error(err)
			}
			return false
		})
		if ended != 1 {
			t.Errorf("%s ended %d times", d.ID, ended)
		}
	}
}
