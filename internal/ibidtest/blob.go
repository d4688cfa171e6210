package ibidtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"ibid"
	"ibid/internal/blob"
)

// Blobs is what every store of bytes by their hash can do.
type Blobs interface {
	Receive(ctx context.Context, content io.Reader) (blob.Upload, error)
	File(ctx context.Context, hash string) (path string, release func(), err error)
	Open(ctx context.Context, hash string, from, n int64) (io.ReadCloser, error)
	Stat(ctx context.Context, hash string) (blob.Info, error)
	Delete(ctx context.Context, hash string, before time.Time) (gone bool, err error)
	List(ctx context.Context, page ibid.Page) (list []blob.Info, next string, err error)

	// What tests do to a store behind its back, from any opening for all of them:

	Damage(hash, content string) error // other bytes are kept under a hash now
	SetAway(away bool) error           // the store cannot be reached, or can be again
}

// BlobCases are what every store of bytes must pass. They hold it to the contract in
// package blob.
var BlobCases = []Case[Blobs]{
	{"what was put is read back, whole and in parts", blobRead},
	{"nothing is there before it is put", blobUnput},
	{"what breaks off is not kept", blobBroken},
	{"the same bytes again are put anew", blobAgain},
	{"what is deleted is gone", blobDelete},
	{"what was put since is not deleted", blobDeleteBefore},
	{"what is there is listed by pages", blobList},
	{"what is not there, or is no hash, is NOT_FOUND", blobMissing},
	{"a reader reads from any place", blobSeek},
	{"bytes stay whole while several put and read them", blobContention},
	{"who puts while another deletes keeps what it put last", blobPutAndDelete},
	{"what was put is fresh once, and its time is known", blobFresh},
	{"who takes back what was fresh takes nothing that others have put", blobTakeBack},
	{"putting bytes mends what is damaged", blobMend},
	{"pages neither repeat nor hide what stays while others come and go", blobListContention},
	{"what cannot be reached is STORE_AWAY, and is not lost", blobAway},
}

func putBlob(t testing.TB, s Blobs, content string) string {
	t.Helper()
	u, err := s.Receive(t.Context(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer u.Drop()
	if _, _, err := u.Put(t.Context()); err != nil {
		t.Fatal(err)
	}
	return u.Hash()
}

func readBlob(t testing.TB, s Blobs, hash string, from, n int64) string {
	t.Helper()
	r, err := s.Open(t.Context(), hash, from, n)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func isMissing(t testing.TB, what string, err error) {
	t.Helper()
	if err == nil || ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("%s: %v, want NOT_FOUND", what, err)
	}
}

// later is after everything that the tests put.
func later() time.Time { return time.Now().Add(time.Hour) }

func blobRead(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	content := strings.Repeat("The walrus sleeps. ", 100_000) // more than one piece
	u, err := a.Receive(t.Context(), iotest.HalfReader(strings.NewReader(content)))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(content))
	if want := fmt.Sprintf("%x", sum)[:blob.HashDigits]; u.Hash() != want || u.Bytes() != int64(len(content)) {
		t.Errorf("received %s of %d bytes, want %s of %d", u.Hash(), u.Bytes(), want, len(content))
	}
	if _, _, err := u.Put(t.Context()); err != nil {
		t.Fatal(err)
	}
	u.Drop() // does no harm
	for _, s := range []Blobs{a, b} {
		for _, part := range [][2]int64{{0, int64(len(content))}, {4, 6}, {int64(len(content)) - 3, 100}, {int64(len(content)) + 5, 1}, {7, 0}} {
			from := min(part[0], int64(len(content)))
			want := content[from:min(from+part[1], int64(len(content)))]
			if got := readBlob(t, s, u.Hash(), part[0], part[1]); got != want {
				t.Errorf("%d bytes from %d: %d bytes, %.20q", part[1], part[0], len(got), got)
			}
		}
		if info, err := s.Stat(t.Context(), u.Hash()); err != nil || info.Hash != u.Hash() || info.Bytes != u.Bytes() || time.Since(info.Put).Abs() > time.Hour || info.Place == "" {
			t.Errorf("info %+v, %v", info, err)
		}
		path, release, err := s.File(t.Context(), u.Hash())
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(path); err != nil || string(raw) != content {
			t.Errorf("its file holds %d bytes, %v", len(raw), err)
		}
		release()
	}
}

func blobUnput(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	u, err := a.Receive(t.Context(), strings.NewReader("The walrus sleeps."))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Blobs{a, b} {
		_, err := s.Stat(t.Context(), u.Hash())
		isMissing(t, "an upload that was not put", err)
		if list, _, err := s.List(t.Context(), ibid.Page{}); err != nil || len(list) != 0 {
			t.Errorf("listed %v, %v", list, err)
		}
	}
	u.Drop()
	u.Drop()
	if _, _, err := u.Put(t.Context()); err == nil {
		t.Error("what was dropped is put")
	}
	_, err = a.Stat(t.Context(), u.Hash())
	isMissing(t, "an upload that was dropped", err)
}

func blobBroken(t *testing.T, open Opener[Blobs]) {
	s := open(t)
	broken := errors.New("the line broke")
	if _, err := s.Receive(t.Context(), io.MultiReader(strings.NewReader("The walrus"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("content that breaks off: %v", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Receive(done, strings.NewReader("The walrus")); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v", err)
	}
	if list, _, err := s.List(t.Context(), ibid.Page{}); err != nil || len(list) != 0 {
		t.Errorf("listed %v, %v", list, err)
	}
}

func blobAgain(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	hash := putBlob(t, a, "The walrus sleeps.")
	first, err := a.Stat(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 { // until the clock of the store has moved on
		if again := putBlob(t, b, "The walrus sleeps."); again != hash {
			t.Fatalf("the same bytes are %s and %s", hash, again)
		}
		now, err := a.Stat(t.Context(), hash)
		if err != nil || now.Bytes != first.Bytes || now.Put.Before(first.Put) {
			t.Fatalf("put again: %+v, first %+v, %v", now, first, err)
		}
		if now.Put.After(first.Put) {
			return
		}
	}
	t.Error("putting bytes again does not begin their time anew")
}

func blobDelete(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	hash, other := putBlob(t, a, "The walrus sleeps."), putBlob(t, a, "The otter swims.")
	for range 2 { // what is gone already is gone
		if gone, err := a.Delete(t.Context(), hash, later()); err != nil || !gone {
			t.Errorf("deleted: %v, %v", gone, err)
		}
	}
	for _, s := range []Blobs{a, b} {
		_, err := s.Stat(t.Context(), hash)
		isMissing(t, "what was deleted", err)
		_, err = s.Open(t.Context(), hash, 0, 1)
		isMissing(t, "what was deleted, opened", err)
		_, _, err = s.File(t.Context(), hash)
		isMissing(t, "the file of what was deleted", err)
	}
	if got := readBlob(t, b, other, 0, 100); got != "The otter swims." {
		t.Errorf("other bytes are %q", got)
	}
	if again := putBlob(t, b, "The walrus sleeps."); readBlob(t, a, again, 0, 100) != "The walrus sleeps." {
		t.Error("what was deleted cannot be put again")
	}
}

func blobDeleteBefore(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	hash := putBlob(t, a, "The walrus sleeps.")
	info, err := a.Stat(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []time.Time{info.Put.Add(-time.Hour), info.Put} {
		if gone, err := b.Delete(t.Context(), hash, before); err != nil || gone {
			t.Errorf("put at %v, deleted before %v: %v, %v", info.Put, before, gone, err)
		}
	}
	if got := readBlob(t, a, hash, 0, 100); got != "The walrus sleeps." {
		t.Errorf("it is %q", got)
	}
	if gone, err := b.Delete(t.Context(), hash, info.Put.Add(1)); err != nil || !gone {
		t.Errorf("put before: %v, %v", gone, err)
	}
}

func blobList(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	var want []string
	for i := range 40 {
		want = append(want, putBlob(t, a, fmt.Sprint("content ", i)))
	}
	slices.Sort(want)
	for _, limit := range []int{1, 7, 40, 500} {
		var got []string
		for page := (ibid.Page{Limit: limit}); ; {
			list, next, err := b.List(t.Context(), page)
			if err != nil || len(list) > limit {
				t.Fatalf("%d of %d, %v", len(list), limit, err)
			}
			for _, info := range list {
				got = append(got, info.Hash)
				if info.Bytes < 9 || info.Place == "" {
					t.Errorf("listed %+v", info)
				}
			}
			if page.Cursor = next; next == "" {
				break
			}
			if len(list) == 0 {
				t.Fatal("an empty page is not the last")
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %d: %v, want %v", limit, got, want)
		}
	}
	if _, _, err := b.List(t.Context(), ibid.Page{Cursor: "x"}); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("a bad cursor: %v", err)
	}
}

func blobMissing(t *testing.T, open Opener[Blobs]) {
	s := open(t)
	for _, name := range []string{strings.Repeat("0", 32), "", "a", "../../ibid.db", strings.Repeat("A", 32), strings.Repeat("0", 31), "tmp", strings.Repeat("0", 31) + "/"} {
		_, err := s.Stat(t.Context(), name)
		isMissing(t, "stat "+name, err)
		_, err = s.Open(t.Context(), name, 0, 1)
		isMissing(t, "open "+name, err)
		_, _, err = s.File(t.Context(), name)
		isMissing(t, "file "+name, err)
		if !blob.IsHash(name) {
			_, err = s.Delete(t.Context(), name, later())
			isMissing(t, "delete "+name, err)
		}
	}
}

func blobSeek(t *testing.T, open Opener[Blobs]) {
	s := open(t)
	content := "0123456789abcdefghij"
	info, err := s.Stat(t.Context(), putBlob(t, s, content))
	if err != nil {
		t.Fatal(err)
	}
	r := blob.NewReader(t.Context(), s, info)
	defer r.Close()
	if err := iotest.TestReader(r, []byte(content)); err != nil {
		t.Error(err)
	}
}

func blobContention(t *testing.T, open Opener[Blobs]) {
	contents := make([]string, 4)
	for i := range contents {
		contents[i] = strings.Repeat(fmt.Sprint("content ", i), 20_000)
	}
	Contend(t, []Blobs{open(t), open(t)}, 3, func(s Blobs, n int) bool {
		content := contents[n%len(contents)]
		u, err := s.Receive(t.Context(), strings.NewReader(content))
		if err == nil {
			_, _, err = u.Put(t.Context())
		}
		if err != nil {
			t.Error(err)
			return false
		}
		r, err := s.Open(t.Context(), u.Hash(), 0, u.Bytes())
		if err != nil {
			t.Errorf("what was put is not there: %v", err)
			return false
		}
		defer r.Close()
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, []byte(content)) {
			t.Errorf("read %d bytes of %d, %v", len(got), len(content), err)
		}
		return n < 60
	})
}

// blobPutAndDelete: a sweep deletes what was put before a time. Whoever puts the same
// bytes at that very moment has them there afterwards.
func blobPutAndDelete(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	const rounds = 100
	var puts atomic.Int64
	var old, last atomic.Int64 // when the bytes were put that may be deleted, and those that were put last; in nanoseconds
	last.Store(putBlobAt(t, a, nil))
	hash := blobHash("The walrus sleeps.")
	var putting sync.Mutex
	Contend(t, []Blobs{a, b}, 2, func(s Blobs, _ int) bool {
		more := func() bool { return puts.Load() < rounds && !t.Failed() }
		if !putting.TryLock() { // somebody else puts
			if _, err := s.Delete(t.Context(), hash, time.Unix(0, old.Load()+1)); err != nil {
				t.Error(err)
			}
			return more()
		}
		defer putting.Unlock()
		there := func() {
			if info, err := s.Stat(t.Context(), hash); err != nil || info.Put.UnixNano() != last.Load() {
				t.Errorf("what was put is deleted as something older: %v, %v", info, err)
			}
		}
		there() // also long after it was put
		// While it is put again, at some moment what was put before may be deleted.
		var allowed sync.WaitGroup
		put := putBlobAt(t, s, func() {
			allowed.Go(func() {
				spin(rand.N(400 * time.Microsecond))
				old.Store(last.Load())
			})
		})
		allowed.Wait()
		if put <= last.Load() {
			t.Errorf("put at %d, and before that at %d", put, last.Load())
		}
		last.Store(put)
		there()
		puts.Add(1)
		return more()
	})
}

// spin lets some time pass, much less than a timer could.
func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
		runtime.Gosched()
	}
}

// putBlobAt puts the walrus, and calls before just before. It returns when it was put,
// in nanoseconds; 0 when it was not.
func putBlobAt(t testing.TB, s Blobs, before func()) int64 {
	u, err := s.Receive(t.Context(), strings.NewReader("The walrus sleeps."))
	if err != nil {
		t.Error(err)
		return 0
	}
	defer u.Drop()
	if before != nil {
		before()
	}
	put, _, err := u.Put(t.Context())
	if err != nil {
		t.Error(err)
		return 0
	}
	return put.UnixNano()
}
