package ibidtest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// Everything is a page of lists that tests know to be short.
var Everything = ibid.Page{Limit: ibid.MaxLimit}

// Whole returns a list of which the first page is all there is; more is an error.
func Whole[T any](items []T, next string, err error) ([]T, error) {
	if err == nil && next != "" {
		err = fmt.Errorf("the list goes on after %d items", len(items))
	}
	return items, err
}

// PageStore is every list of a store that has pages and is not asked by a query of its
// own (documents and threads are, and have cases of their own), and what it takes to
// fill one.
type PageStore interface {
	ViewStore
	AddFile(ctx context.Context, messageID string, f ibid.Attachment) (n int, err error)
	SweepVersions(ctx context.Context, before time.Time) (int, error)
	ForgetDiscarded(ctx context.Context, hash string) error
	ForgetDatabases(ctx context.Context, before time.Time, limit int) (ids []string, err error)
	Discarded(ctx context.Context, page ibid.Page) (hashes []string, next string, err error)
	HalfRestored(ctx context.Context, page ibid.Page) (documentIDs []string, next string, err error)
	Originals(ctx context.Context, page ibid.Page) (hashes []string, next string, err error)
	WaitingRuns(ctx context.Context, page ibid.Page) (runIDs []string, next string, err error)
}

// PageCases are one case for each list: no page repeats what another had or leaves
// anything out while rows come and go, limits hold, and nobody's view sees nothing.
var PageCases = []Case[PageStore]{
	{"folders", ofPages(foldersList(ibid.FolderQuery{Called: "DEEP"}))},
	{"folders in a folder", ofPages(foldersList(ibid.FolderQuery{In: pointer("in")}))},
	{"folders of a scope", ofPages(foldersList(ibid.FolderQuery{Scope: ibid.Scope{Tags: []string{"red"}}, In: pointer("in")}))},
	{"categories", ofPages(categoriesList)},
	{"tags", ofPages(tagsList)},
	{"passages of a document", ofPages(passagesList)},
	{"what passages name", ofPages(namingsList)},
	{"files of a thread", ofPages(filesList)},
	{"members of an archive", ofPages(membersList)},
	{"what went with an archive", ofPages(removedWithList)},
	{"archives that are half restored", ofPages(halfRestoredList)},
	{"originals", ofPages(originalsList)},
	{"discarded originals", ofPages(discardedList)},
	{"runs that wait", ofPages(waitingList)},
	{"databases", ofPages(databasesList)},
	{"databases have a bound", testTooManyDatabases},
	{"databases are forgotten a few at a time", testForgottenDatabases},
}

// pagedList is a list of a store in a test: what it has is known by names.
type pagedList struct {
	read func(view access.View, page ibid.Page) (names []string, next string, err error)
	fill func(n int) // gives the list n items
	// add gives it one more item, and remove takes one away; nil where a list does not
	// change so.
	add    func()
	remove func(name string)
	whole  bool // the list is the program's own: it is asked without a view
}

// filled is how many items the lists of these cases have.
const filled = 23

func ofPages(list func(t *testing.T, s PageStore) pagedList) func(*testing.T, Opener[PageStore]) {
	return func(t *testing.T, open Opener[PageStore]) {
		l := list(t, open(t))
		l.fill(filled)
		owner := access.For(ibid.Owner)
		all, next, err := l.read(owner, Everything)
		if err != nil || next != "" || len(all) != filled || hasTwice(all) {
			t.Fatalf("the list has %d items, goes on at %q, %v; want %d of them: %v", len(all), next, err, filled, all)
		}
		for _, limit := range []int{1, 2, 7, filled - 1, filled, filled + 1, 0} {
			size := ibid.Page{Limit: limit}.Size()
			some, next, err := l.read(owner, ibid.Page{Limit: limit})
			if err != nil || !slices.Equal(some, all[:min(size, filled)]) || (next != "") != (size < filled) {
				t.Errorf("a page of %d is %v, goes on at %q, %v; all are %v", limit, some, next, err, all)
			}
		}
		if walked := l.walk(t, 4, func(int, []string) {}); !slices.Equal(walked, all) {
			t.Errorf("by pages of 4 the list is %v, want %v", walked, all)
		}
		for _, bad := range []string{"x", ibid.EncodeCursor(), ibid.EncodeCursor(1.5, "x", 1.5, "x", "x"), ibid.EncodeCursor([]int{1})} {
			if _, _, err := l.read(owner, ibid.Page{Cursor: bad}); ibid.CodeOf(err) != ibid.CodeBadRequest {
				t.Errorf("cursor %q: %v, want a BAD_REQUEST", bad, err)
			}
		}
		if !l.whole {
			for _, view := range []access.View{{}, access.For("somebody else")} {
				if some, next, err := l.read(view, Everything); len(some) > 0 || next != "" {
					t.Errorf("who sees nothing of it reads %v, %q, %v", some, next, err)
				}
			}
		}
		l.comeAndGo(t, all)
	}
}

// walk reads the list page by page and returns what it had; between is called behind
// each page but the last.
func (l pagedList) walk(t *testing.T, limit int, between func(page int, walked []string)) (walked []string) {
	t.Helper()
	page := ibid.Page{Limit: limit}
	for n := 0; ; n++ {
		some, next, err := l.read(access.For(ibid.Owner), page)
		if err != nil || len(some) > limit {
			t.Fatalf("page %d has %d items, %v", n, len(some), err)
		}
		walked = append(walked, some...)
		if page.Cursor = next; next == "" {
			return walked
		}
		if n > 5*filled {
			t.Fatalf("the list does not end: %v", walked)
		}
		between(n, walked)
	}
}

// comeAndGo walks the list while items are added, and while some are removed that were
// shown already and some that were not.
func (l pagedList) comeAndGo(t *testing.T, all []string) {
	gone := map[string]bool{}
	walked := l.walk(t, 4, func(n int, walked []string) {
		if l.remove != nil {
			for _, shown := range walked[len(walked)-2:] { // the cursor is made of the last
				l.remove(shown)
				gone[shown] = true
			}
			for _, name := range slices.Backward(all) {
				if n%2 == 0 && !gone[name] && !slices.Contains(walked, name) {
					l.remove(name)
					gone[name] = true
					break
				}
			}
		}
		if l.add != nil {
			l.add()
		}
	})
	if hasTwice(walked) {
		t.Errorf("something was listed twice while others came and went: %v", walked)
	}
	for _, name := range all {
		if !gone[name] && !slices.Contains(walked, name) {
			t.Errorf("%s was there all the time and was not listed: %v", name, walked)
		}
	}
	if l.remove == nil {
		return
	}
	left, err := Whole(l.read(access.For(ibid.Owner), Everything))
	if err != nil || slices.ContainsFunc(left, func(name string) bool { return gone[name] }) {
		t.Errorf("left are %v, %v; removed were %v", left, err, gone)
	}
}

func hasTwice(names []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names)
}

// namesOf is a page of a list by the names of its items.
func namesOf[T any](name func(T) string) func(items []T, next string, err error) ([]string, string, error) {
	return func(items []T, next string, err error) ([]string, string, error) {
		var names []string
		for _, item := range items {
			names = append(names, name(item))
		}
		return names, next, err
	}
}

var documentNames = namesOf(func(d ibid.Document) string { return d.ID })
