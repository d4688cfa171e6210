package ibidtest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// What several processes do to one library.

// removedAt is when the documents of these cases are removed.
var removedAt = time.UnixMilli(1_800_000_000_000)

// put adds a document.
func put(t testing.TB, s LibraryStore, id, source string) (ibid.Document, bool) {
	t.Helper()
	at := ibid.At(time.UnixMilli(1_700_000_000_000))
	d, _, err := s.PutDocument(t.Context(), ibid.Document{Principal: ibid.Owner, ID: id, Name: id + ".txt", Source: source, AddedAt: at, ChangeAt: at}, "v-"+source)
	if err != nil {
		t.Errorf("add %s: %v", id, err)
	}
	return d, err == nil
}

func testAddedAtOnce(t *testing.T, open Opener[LibraryStore]) {
	const sources, each = 20, 4
	stores := []LibraryStore{open(t), open(t)}
	var mu sync.Mutex
	named := map[string]string{} // source → id
	Contend(t, stores, 2, func(s LibraryStore, n int) bool {
		if n >= sources*each {
			return false
		}
		source := fmt.Sprintf("/files/%d", n/each)
		d, ok := put(t, s, fmt.Sprintf("d%03d", n), source)
		mu.Lock()
		defer mu.Unlock()
		if other := named[source]; ok && other != "" && other != d.ID {
			t.Errorf("%s is document %s, and %s", source, other, d.ID)
		}
		named[source] = d.ID
		return ok
	})
	for _, s := range stores {
		if n, _, err := s.CountDocuments(t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{}); err != nil || n != sources {
			t.Errorf("%d documents of %d sources, %v", n, sources, err)
		}
	}
}

func testChangedAtOnce(t *testing.T, open Opener[LibraryStore]) {
	const changes = 60
	stores := []LibraryStore{open(t), open(t)}
	put(t, stores[0], "d", "/files/d")
	Contend(t, stores, 2, func(s LibraryStore, n int) bool {
		if n >= changes {
			return false
		}
		_, err := s.ChangeDocument(t.Context(), access.For(ibid.Owner), "d", func(d *ibid.Document) error {
			d.Tags = append(slices.Clone(d.Tags), fmt.Sprintf("tag %02d", n))
			return nil
		})
		if err != nil {
			t.Errorf("change %d: %v", n, err)
		}
		return err == nil
	})
	docs, _, err := stores[1].Documents(t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{}, ibid.Page{})
	if err != nil || len(docs) != 1 || len(docs[0].Tags) != changes {
		t.Fatalf("of %d changes these are left: %+v, %v", changes, docs, err)
	}
}

func testRemovedAtOnce(t *testing.T, open Opener[LibraryStore]) {
	const documents, each = 20, 3
	stores := []LibraryStore{open(t), open(t)}
	for n := range documents {
		put(t, stores[0], fmt.Sprintf("d%03d", n), fmt.Sprintf("/files/%d", n))
	}
	var mu sync.Mutex
	removals := map[string]int{}
	Contend(t, stores, 2, func(s LibraryStore, n int) bool {
		if n >= documents*each {
			return false
		}
		id := fmt.Sprintf("d%03d", n/each)
		removed, _, err := s.RemoveDocument(t.Context(), access.For(ibid.Owner), id, removedAt)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil && slices.Equal(removed, []string{id}):
			removals[id]++
		case err == nil || ibid.CodeOf(err) != ibid.CodeNotFound:
			t.Errorf("remove %s: %v, %v", id, removed, err)
		}
		return true
	})
	for n := range documents {
		if id := fmt.Sprintf("d%03d", n); removals[id] != 1 {
			t.Errorf("%s was removed %d times", id, removals[id])
		}
	}
}

// testEitherSees: what one opening did, the other knows at once, whatever it had read
// before.
func testEitherSees(t *testing.T, open Opener[LibraryStore]) {
	a, b := open(t), open(t)
	version := int64(-1)
	look := func(what string, documents, folders int) {
		t.Helper()
		for _, s := range []LibraryStore{a, b} {
			ctx, view := t.Context(), access.For(ibid.Owner)
			docs, _, err := s.Documents(ctx, view, ibid.DocumentQuery{}, ibid.Page{})
			if err != nil || len(docs) != documents {
				t.Errorf("%s: listed %v, %v; want %d", what, idsIn(docs), err, documents)
			}
			if n, _, err := s.CountDocuments(ctx, view, ibid.DocumentQuery{}); err != nil || n != documents {
				t.Errorf("%s: counted %d, %v; want %d", what, n, err, documents)
			}
			if total, err := s.Totals(ctx, view); err != nil || total.Documents != documents {
				t.Errorf("%s: in total %+v, %v; want %d", what, total, err, documents)
			}
			if list, err := Whole(s.Folders(ctx, view, ibid.FolderQuery{}, Everything)); err != nil || len(list) != folders {
				t.Errorf("%s: folders %v, %v; want %d", what, list, err, folders)
			}
		}
		va, errA := a.LibraryVersion(t.Context(), access.For(ibid.Owner))
		vb, errB := b.LibraryVersion(t.Context(), access.For(ibid.Owner))
		if errA != nil || errB != nil || va != vb || va <= version {
			t.Errorf("%s: versions %d and %d after %d, %v, %v", what, va, vb, version, errA, errB)
		}
		if again, err := a.LibraryVersion(t.Context(), access.For(ibid.Owner)); err != nil || again != va {
			t.Errorf("%s: the version goes from %d to %d by looking, %v", what, va, again, err)
		}
		version = va
	}
	look("at first", 0, 0)
	put(t, a, "d1", "/files/1")
	look("the one added", 1, 0)
	put(t, b, "d2", "/files/2")
	look("the other added", 2, 0)
	if _, err := b.ChangeDocument(t.Context(), access.For(ibid.Owner), "d1", func(d *ibid.Document) error { d.Folder = "a"; return nil }); err != nil {
		t.Fatal(err)
	}
	look("the other changed what the one added", 2, 1)
	if _, _, err := a.RemoveDocument(t.Context(), access.For(ibid.Owner), "d2", removedAt); err != nil {
		t.Fatal(err)
	}
	look("the one removed what the other added", 1, 1)
}

func testCountsAtOnce(t *testing.T, open Opener[LibraryStore]) {
	const steps = 200
	stores := []LibraryStore{open(t), open(t)}
	Contend(t, stores, 2, func(s LibraryStore, n int) bool {
		if n >= steps {
			return false
		}
		id := fmt.Sprintf("d%03d", n)
		if _, ok := put(t, s, id, "/files/"+id); !ok {
			return false
		}
		_, err := s.ChangeDocument(t.Context(), access.For(ibid.Owner), id, func(d *ibid.Document) error {
			d.Folder, d.Tags = fmt.Sprint("folder ", n%3), []string{fmt.Sprint("tag ", n%5)}
			return nil
		})
		if err == nil && n%4 == 0 {
			_, _, err = s.RemoveDocument(t.Context(), access.For(ibid.Owner), id, removedAt)
		}
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		return err == nil
	})
	folders, tags := map[string]int{}, map[string]int{}
	for n := range steps {
		if n%4 > 0 {
			folders[fmt.Sprint("folder ", n%3)]++
			tags[fmt.Sprint("tag ", n%5)]++
		}
	}
	for _, s := range stores {
		total, err := s.Totals(t.Context(), access.For(ibid.Owner))
		if err != nil || total.Documents != steps*3/4 {
			t.Errorf("in total %+v, %v; want %d", total, err, steps*3/4)
		}
		for what, of := range map[string]struct {
			list func() ([]ibid.LabelCount, error)
			want map[string]int
		}{
			"folders": {func() (list []ibid.LabelCount, err error) {
				all, err := Whole(s.Folders(t.Context(), access.For(ibid.Owner), ibid.FolderQuery{}, Everything))
				for _, f := range all {
					list = append(list, ibid.LabelCount{Name: f.Path, Documents: f.Total})
				}
				return list, err
			}, folders},
			"tags": {func() ([]ibid.LabelCount, error) {
				return Whole(s.Tags(t.Context(), access.For(ibid.Owner), "", Everything))
			}, tags},
		} {
			list, err := of.list()
			if err != nil || len(list) != len(of.want) {
				t.Errorf("%s are %v, %v; want %v", what, list, err, of.want)
			}
			for _, l := range list {
				if l.Documents != of.want[l.Name] {
					t.Errorf("%s %q has %d documents, want %d", what, l.Name, l.Documents, of.want[l.Name])
				}
			}
		}
	}
}
