package sqlite_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

// place makes a place for a database file and returns what opens it, as often as there
// are processes.
func place(t testing.TB) func(t testing.TB) *sqlite.DB {
	path := filepath.Join(t.TempDir(), "ibid.db")
	return func(t testing.TB) *sqlite.DB {
		t.Helper()
		db, err := sqlite.OpenWith(t.Context(), path, nil, recordedDriver)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return db
	}
}

func libraryPlace(t testing.TB) ibidtest.Opener[ibidtest.LibraryStore] {
	open := place(t)
	return func(t testing.TB) ibidtest.LibraryStore {
		db := open(t)
		db.SetFew(20) // some filters let fewer documents through, some more
		return db
	}
}

func TestLibraryStore(t *testing.T) { ibidtest.Run(t, ibidtest.LibraryCases, libraryPlace) }

// brokenLibrary is a library with methods exchanged for broken ones.
type brokenLibrary struct {
	ibidtest.LibraryStore
	put     func(ctx context.Context, d ibid.Document, version string) (ibid.Document, bool, error)
	change  func(ctx context.Context, view access.View, id string, change func(*ibid.Document) error) (ibid.Document, error)
	remove  func(ctx context.Context, view access.View, id string, at time.Time) ([]string, int64, error)
	list    func(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) ([]ibid.Document, string, error)
	called  func(ctx context.Context, view access.View, scope ibid.Scope, how ibid.NameMatch, name string) ([]ibid.Document, error)
	totals  func(ctx context.Context, view access.View) (ibid.LibraryCounts, error)
	version func(ctx context.Context, view access.View) (int64, error)
}

func (b brokenLibrary) PutDocument(ctx context.Context, d ibid.Document, version string) (ibid.Document, bool, error) {
	if b.put != nil {
		return b.put(ctx, d, version)
	}
	return b.LibraryStore.PutDocument(ctx, d, version)
}

func (b brokenLibrary) ChangeDocument(ctx context.Context, view access.View, id string, change func(*ibid.Document) error) (ibid.Document, error) {
	if b.change != nil {
		return b.change(ctx, view, id, change)
	}
	return b.LibraryStore.ChangeDocument(ctx, view, id, change)
}

func (b brokenLibrary) RemoveDocument(ctx context.Context, view access.View, id string, at time.Time) ([]string, int64, error) {
	if b.remove != nil {
		return b.remove(ctx, view, id, at)
	}
	return b.LibraryStore.RemoveDocument(ctx, view, id, at)
}

func (b brokenLibrary) Documents(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) ([]ibid.Document, string, error) {
	if b.list != nil {
		return b.list(ctx, view, q, page)
	}
	return b.LibraryStore.Documents(ctx, view, q, page)
}

func (b brokenLibrary) Called(ctx context.Context, view access.View, scope ibid.Scope, how ibid.NameMatch, name string) ([]ibid.Document, error) {
	if b.called != nil {
		return b.called(ctx, view, scope, how, name)
	}
	return b.LibraryStore.Called(ctx, view, scope, how, name)
}

func (b brokenLibrary) Totals(ctx context.Context, view access.View) (ibid.LibraryCounts, error) {
	if b.totals != nil {
		return b.totals(ctx, view)
	}
	return b.LibraryStore.Totals(ctx, view)
}

func (b brokenLibrary) LibraryVersion(ctx context.Context, view access.View) (int64, error) {
	if b.version != nil {
		return b.version(ctx, view)
	}
	return b.LibraryStore.LibraryVersion(ctx, view)
}

func TestLibraryMutants(t *testing.T) {
	type library = ibidtest.LibraryStore
	owner := access.For(ibid.Owner)
	ibidtest.Mutants(t, ibidtest.LibraryCases, libraryPlace, []ibidtest.Mutant[library]{
		{Name: "a change reads first and writes later", Case: "changes at once all count", Break: func(s library) library {
			return brokenLibrary{LibraryStore: s, change: func(ctx context.Context, view access.View, id string, change func(*ibid.Document) error) (ibid.Document, error) {
				docs, _, err := s.Documents(ctx, view, ibid.DocumentQuery{ID: id}, ibid.Page{})
				if err != nil || len(docs) != 1 {
					return ibid.Document{}, err
				}
				changed := docs[0]
				if err := change(&changed); err != nil {
					return changed, err
				}
				return s.ChangeDocument(ctx, view, id, func(d *ibid.Document) error { *d = changed; return nil })
			}}
		}},
		{Name: "a source is made different where it is taken", Case: "a source added twice at once is one document", Break: func(s library) library {
			return brokenLibrary{LibraryStore: s, put: func(ctx context.Context, d ibid.Document, version string) (ibid.Document, bool, error) {
				if docs, _, err := s.Documents(ctx, owner, ibid.DocumentQuery{Source: d.Source}, ibid.Page{}); err == nil && len(docs) > 0 {
					d.Source += "'"
				}
				return s.PutDocument(ctx, d, version)
			}}
		}},
		{Name: "removing what is gone is no error", Case: "what is removed twice at once is removed once", Break: func(s library) library {
			return brokenLibrary{LibraryStore: s, remove: func(ctx context.Context, view access.View, id string, at time.Time) ([]string, int64, error) {
				removed, change, err := s.RemoveDocument(ctx, view, id, at)
				if ibid.CodeOf(err) == ibid.CodeNotFound {
					return []string{id}, change, nil
				}
				return removed, change, err
			}}
		}},
		{Name: "totals are remembered", Case: "either opening sees what the other did", Break: func(s library) library {
			total := sync.OnceValues(func() (ibid.LibraryCounts, error) { return s.Totals(context.Background(), owner) })
			return brokenLibrary{LibraryStore: s, totals: func(context.Context, access.View) (ibid.LibraryCounts, error) { return total() }}
		}},
		{Name: "every opening counts versions for itself", Case: "either opening sees what the other did", Break: func(s library) library {
			n := int64(0)
			return brokenLibrary{LibraryStore: s, version: func(context.Context, access.View) (int64, error) { n++; return n, nil }}
		}},
		{Name: "the last of a page is left out", Case: "pages hold while documents come and go", Break: func(s library) library {
			return brokenLibrary{LibraryStore: s, list: func(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) ([]ibid.Document, string, error) {
				docs, next, err := s.Documents(ctx, view, q, page)
				return docs[:max(0, len(docs)-1)], next, err
			}}
		}},
		{Name: "a category is not looked at", Case: "queries are what a look at every document finds", Break: func(s library) library {
			return brokenLibrary{LibraryStore: s, list: func(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) ([]ibid.Document, string, error) {
				q.Scope.Category = ""
				return s.Documents(ctx, view, q, page)
			}}
		}},
		{Name: "an unknown cursor begins anew", Case: "bad cursors and orders are refused", Break: func(s library) library {
			return brokenLibrary{LibraryStore: s, list: func(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) ([]ibid.Document, string, error) {
				docs, next, err := s.Documents(ctx, view, q, page)
				if ibid.CodeOf(err) == ibid.CodeBadRequest {
					return s.Documents(ctx, view, q, ibid.Page{})
				}
				return docs, next, err
			}}
		}},
		{Name: "a scope is everything", Case: "names are found as by looking at each", Break: func(s library) library {
			return brokenLibrary{LibraryStore: s, called: func(ctx context.Context, view access.View, _ ibid.Scope, how ibid.NameMatch, name string) ([]ibid.Document, error) {
				return s.Called(ctx, view, ibid.Scope{}, how, name)
			}}
		}},
		{Name: "what is removed stays counted", Case: "counts hold while both write", Break: func(s library) library {
			removed := 0
			var mu sync.Mutex
			return brokenLibrary{LibraryStore: s,
				remove: func(ctx context.Context, view access.View, id string, at time.Time) ([]string, int64, error) {
					ids, change, err := s.RemoveDocument(ctx, view, id, at)
					mu.Lock()
					defer mu.Unlock()
					removed += len(ids)
					return ids, change, err
				},
				totals: func(ctx context.Context, view access.View) (ibid.LibraryCounts, error) {
					mu.Lock()
					defer mu.Unlock()
					total, err := s.Totals(ctx, view)
					total.Documents += removed
					return total, err
				}}
		}},
	})
}
