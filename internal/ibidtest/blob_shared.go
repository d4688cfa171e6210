package ibidtest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ibid"
	"ibid/internal/blob"
)

// tryPut puts content; it may be called by any goroutine.
func tryPut(t testing.TB, s Blobs, content string) (hash string, put time.Time, fresh, ok bool) {
	u, err := s.Receive(t.Context(), strings.NewReader(content))
	if err != nil {
		t.Error(err)
		return "", put, false, false
	}
	defer u.Drop()
	if put, fresh, err = u.Put(t.Context()); err != nil {
		t.Error(err)
	}
	return u.Hash(), put, fresh, err == nil
}

func blobFresh(t *testing.T, open Opener[Blobs]) {
	stores := []Blobs{open(t), open(t)}
	for round, deleter := range stores {
		var last time.Time
		for i, s := range []Blobs{stores[0], stores[1], stores[0]} {
			hash, put, fresh, ok := tryPut(t, s, "The walrus sleeps.")
			if !ok {
				return
			}
			if fresh != (i == 0) {
				t.Errorf("round %d: put %d is fresh: %v", round, i, fresh)
			}
			if !put.After(last) {
				t.Errorf("round %d: put at %v, after %v", round, put, last)
			}
			if info, err := stores[1].Stat(t.Context(), hash); err != nil || !info.Put.Equal(put) {
				t.Errorf("round %d: put at %v, known is %v, %v", round, put, info.Put, err)
			}
			if i > 0 {
				if gone, err := deleter.Delete(t.Context(), hash, last.Add(1)); err != nil || gone {
					t.Errorf("round %d: what was put again is deleted as what was before: %v, %v", round, gone, err)
				}
			}
			last = put
		}
		if gone, err := deleter.Delete(t.Context(), blobHash("The walrus sleeps."), last.Add(1)); err != nil || !gone {
			t.Errorf("round %d: deleted: %v, %v", round, gone, err)
		}
	}
}

func blobHash(content string) string {
	hash, _ := blob.HashOf(strings.NewReader(content)) // a string gives no error
	return hash
}

// blobTakeBack: several put the same bytes, find that they do not want them and delete
// what was fresh. One of them wants them, and has them.
func blobTakeBack(t *testing.T, open Opener[Blobs]) {
	const content, rounds = "The walrus sleeps.", 100
	var wanting sync.Mutex
	var wanted atomic.Int64
	Contend(t, []Blobs{open(t), open(t)}, 2, func(s Blobs, _ int) bool {
		if !wanting.TryLock() { // somebody else wants them
			hash, put, fresh, ok := tryPut(t, s, content)
			if ok && fresh {
				spin(rand.N(200 * time.Microsecond))
				if _, err := s.Delete(t.Context(), hash, put.Add(1)); err != nil {
					t.Error(err)
				}
			}
			return ok && wanted.Load() < rounds
		}
		defer wanting.Unlock()
		u, err := s.Receive(t.Context(), strings.NewReader(content))
		if err != nil {
			t.Error(err)
			return false
		}
		defer u.Drop()
		hash := u.Hash()
		for range 200 { // until somebody else has put it, who is about to delete it
			if _, err := s.Stat(t.Context(), hash); err == nil {
				break
			}
		}
		put, _, err := u.Put(t.Context())
		if err != nil {
			t.Error(err)
			return false
		}
		spin(time.Millisecond)
		if _, err := s.Stat(t.Context(), hash); err != nil {
			t.Errorf("what was put is taken back by somebody else: %v", err)
			return false
		}
		info, err := s.Stat(t.Context(), hash)
		if err == nil && !info.Put.Before(put) { // so that the next is fresh again
			_, err = s.Delete(t.Context(), hash, info.Put.Add(1))
		}
		if err != nil {
			t.Error(err)
		}
		return err == nil && wanted.Add(1) < rounds
	})
}

func blobMend(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	const content = "The walrus sleeps."
	for _, damaged := range []string{"The walrus sneezes", "The wal", ""} { // one of the same length
		hash := putBlob(t, a, content)
		if err := a.Damage(hash, damaged); err != nil {
			t.Fatal(err)
		}
		if got := readBlob(t, b, hash, 0, blob.Whole); got != damaged {
			t.Fatalf("damaged it is %q", got)
		}
		putBlob(t, b, content)
		for _, s := range []Blobs{a, b} {
			if got := readBlob(t, s, hash, 0, blob.Whole); got != content {
				t.Errorf("%q put again is %q", damaged, got)
			}
		}
	}
}

func blobListContention(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	var stay []string
	for i := range 30 {
		stay = append(stay, putBlob(t, a, fmt.Sprint("content ", i)))
	}
	slices.Sort(stay)
	var lists atomic.Int64
	Contend(t, []Blobs{a, b}, 2, func(s Blobs, n int) bool {
		if n%2 == 0 { // others come and go
			hash, _, _, ok := tryPut(t, s, fmt.Sprint("passing ", n))
			if ok {
				if _, err := s.Delete(t.Context(), hash, later()); err != nil {
					t.Error(err)
				}
			}
			return ok && lists.Load() < 40
		}
		var got []string
		for page := (ibid.Page{Limit: 4}); ; {
			list, next, err := s.List(t.Context(), page)
			if err != nil {
				t.Error(err)
				return false
			}
			for _, info := range list {
				got = append(got, info.Hash)
			}
			if page.Cursor = next; next == "" {
				break
			}
		}
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("listed out of order, or twice: %v", got)
		}
		for _, hash := range stay {
			if _, listed := slices.BinarySearch(got, hash); !listed {
				t.Errorf("%s is not listed", hash)
			}
		}
		return lists.Add(1) < 40 && !t.Failed()
	})
}

func isAway(t testing.TB, what string, err error) {
	t.Helper()
	if err == nil || ibid.CodeOf(err) != ibid.CodeAway {
		t.Errorf("%s of a store that is away: %v", what, err)
	}
}

func blobAway(t *testing.T, open Opener[Blobs]) {
	a, b := open(t), open(t)
	const content = "The walrus sleeps."
	hash, other := putBlob(t, a, content), blobHash("The giraffe chews.")
	upload, err := b.Receive(t.Context(), strings.NewReader("The otter swims."))
	if err != nil {
		t.Fatal(err)
	}
	defer upload.Drop()
	begun, err := a.Open(t.Context(), hash, 0, blob.Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	if err := a.SetAway(true); err != nil {
		t.Fatal(err)
	}
	for _, s := range []Blobs{a, b} {
		for _, name := range []string{hash, other} {
			_, err := s.Stat(t.Context(), name)
			isAway(t, "stat", err)
			_, _, err = s.File(t.Context(), name)
			isAway(t, "file", err)
			if r, err := s.Open(t.Context(), name, 0, 1); err != nil {
				isAway(t, "open", err)
			} else {
				_, err = io.ReadAll(r)
				isAway(t, "reading", err)
				r.Close()
			}
			gone, err := s.Delete(t.Context(), name, later())
			isAway(t, "delete", err)
			if gone {
				t.Error("it is gone from a store that is away")
			}
		}
		_, _, err := s.List(t.Context(), ibid.Page{})
		isAway(t, "list", err)
		if u, err := s.Receive(t.Context(), strings.NewReader("The giraffe chews.")); err != nil {
			isAway(t, "receive", err)
		} else {
			_, _, err = u.Put(t.Context())
			isAway(t, "put", err)
			u.Drop()
		}
	}
	_, _, err = upload.Put(t.Context())
	isAway(t, "put of what was received before", err)
	if got, err := io.ReadAll(begun); err != nil {
		isAway(t, "reading on", err)
	} else if string(got) != content {
		t.Errorf("read on: %q", got)
	}
	if err := b.SetAway(false); err != nil {
		t.Fatal(err)
	}
	for _, s := range []Blobs{a, b} {
		if got := readBlob(t, s, hash, 0, blob.Whole); got != content {
			t.Errorf("back it is %q", got)
		}
		list, next, err := s.List(t.Context(), ibid.Page{})
		if err != nil || next != "" || len(list) != 1 || list[0].Hash != hash {
			t.Errorf("back are %v, %v", list, err)
		}
		if _, err := s.Stat(t.Context(), blobHash("The giraffe chews.")); err == nil {
			t.Error("what was put while it was away is there")
		}
	}
	if got := readBlob(t, a, putBlob(t, b, "The giraffe chews."), 0, blob.Whole); got != "The giraffe chews." {
		t.Errorf("put once it is back: %q", got)
	}
}
