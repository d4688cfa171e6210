package ibidtest

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
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

// Lists, with what fills them.

// putAs adds a document of a folder, a category and a tag, which are called like it.
func putAs(t testing.TB, s DocumentStore, id string) {
	t.Helper()
	at := ibid.At(viewTime)
	d := ibid.Document{Principal: ibid.Owner, ID: id, Name: id, Source: "/files/" + id, Folder: "in/" + id + "/deep", Category: id, Tags: []string{id, "red"}, AddedAt: at, ChangeAt: at}
	must(t)(s.PutDocument(t.Context(), d, "v-"+id))
	d.ID, d.Name, d.Source, d.Category, d.Tags = "beside-"+id, "beside-"+id, "/beside/"+id, "", nil
	d.Folder = "beside/" + id // not in the scope, and not in the folder
	must(t)(s.PutDocument(t.Context(), d, "v-"+d.ID))
}

func labelsList(t *testing.T, s PageStore, read func(view access.View, page ibid.Page) ([]string, string, error)) pagedList {
	add := numbered("f", func(id string) { putAs(t, s, id) })
	return pagedList{read: read, fill: filledBy(add), add: add, remove: func(name string) { removeFrom(t, s, path.Base(strings.TrimSuffix(name, "/deep"))) }}
}

func foldersList(q ibid.FolderQuery) func(*testing.T, PageStore) pagedList {
	return func(t *testing.T, s PageStore) pagedList {
		return labelsList(t, s, func(view access.View, page ibid.Page) ([]string, string, error) {
			return namesOf(func(f ibid.FolderCount) string { return f.Path })(s.Folders(t.Context(), view, q, page))
		})
	}
}

var labelNames = namesOf(func(l ibid.LabelCount) string { return l.Name })

func categoriesList(t *testing.T, s PageStore) pagedList {
	return labelsList(t, s, func(view access.View, page ibid.Page) ([]string, string, error) {
		return labelNames(s.Categories(t.Context(), view, "", page))
	})
}

func tagsList(t *testing.T, s PageStore) pagedList {
	return labelsList(t, s, func(view access.View, page ibid.Page) ([]string, string, error) {
		return labelNames(s.Tags(t.Context(), view, "F", page)) // not "red"
	})
}

// must returns what ends a test where the last result of a call is an error.
func must(t testing.TB) func(results ...any) {
	return func(results ...any) {
		t.Helper()
		if err, failed := results[len(results)-1].(error); failed {
			t.Fatal(err)
		}
	}
}

func passagesList(t *testing.T, s PageStore) pagedList {
	return pagedList{
		read: func(view access.View, page ibid.Page) ([]string, string, error) {
			return namesOf(func(c ibid.Chunk) string { return c.ID })(s.DocumentChunks(t.Context(), view, "d1", page))
		},
		fill: func(n int) {
			takeIn(t, s, ibid.Document{Principal: ibid.Owner, ID: "d0"}, 3, nil)
			takeIn(t, s, ibid.Document{Principal: ibid.Owner, ID: "d1"}, n, nil)
		},
	}
}

func namingsList(t *testing.T, s PageStore) pagedList {
	return pagedList{
		read: func(view access.View, page ibid.Page) ([]string, string, error) {
			return namesOf(func(n ibid.Naming) string { return fmt.Sprint(n.ChunkID, len(n.Entities)) })(s.Namings(t.Context(), view, "d1", page))
		},
		fill: func(n int) {
			passages := 0
			takeIn(t, s, ibid.Document{Principal: ibid.Owner, ID: "d1"}, 2*n, func(string) []ibid.Entity {
				passages++
				all := []ibid.Entity{{Key: "acme", Name: "Acme", Count: 1}, {Key: "paris", Name: "Paris", Count: 2}, {Key: "rhine", Name: "Rhine", Count: 1}}
				if passages%2 == 0 {
					return nil // it names nothing, and is not listed
				}
				return all[:1+passages%3]
			})
		},
	}
}

func filesList(t *testing.T, s PageStore) pagedList {
	messages := []string{"q-1", "a-1", "q-2", "a-2", "q-3", "a-3"}
	added := 0
	add := func() { // files of several messages of one time
		added++
		must(t)(s.AddFile(t.Context(), messages[added%len(messages)], ibid.Attachment{Name: fmt.Sprint(added), MIME: "text/plain", Data: []byte("x")}))
	}
	return pagedList{
		read: func(view access.View, page ibid.Page) ([]string, string, error) {
			return namesOf(func(f ibid.File) string { return f.ID() })(s.Files(t.Context(), view, "t", page))
		},
		fill: func(n int) {

			for _, n := range []string{"1", "2", "3"} { // each question comes with a file
				must(t)(startForView(s, ibid.Owner, "t", "q-"+n, "a-"+n))
				run, err := s.ClaimQueued(t.Context(), "a-"+n, "p", time.Hour)
				must(t)(err)
				answer := ibid.Message{ID: "a-" + n, ThreadID: "t", ParentID: "q-" + n, Role: ibid.RoleAssistant, Status: ibid.StatusCompleted, CreatedAt: ibid.At(viewTime)}
				must(t)(s.FinishRun(t.Context(), ibid.Lease{RunID: run.ID, Owner: "p", Fence: run.Fence}, nil, answer, viewTime))
			}
			for range n - 3 {
				add()
			}
		},
		add: add,
	}
}

// putIn adds a document that waits to be read.
func putIn(t testing.TB, s DocumentStore, id, partOf string) {
	t.Helper()
	at := ibid.At(viewTime)
	d := ibid.Document{Principal: ibid.Owner, ID: id, Name: id, Source: "/files/" + id, PartOf: partOf, AddedAt: at, ChangeAt: at}
	if partOf != "" {
		d.Source = "/files/" + partOf + "!/" + id
	}
	must(t)(s.PutDocument(t.Context(), d, ibid.VersionOf([]byte(id))))
}

// removeFrom removes a document now.
func removeFrom(t testing.TB, s DocumentStore, id string) {
	t.Helper()
	must(t)(s.RemoveDocument(t.Context(), access.For(ibid.Owner), id, viewTime))
}

// restoreIn takes the removal of one document back.
func restoreIn(t testing.TB, s PageStore, id string) {
	t.Helper()
	must(t)(s.RestoreDocument(t.Context(), access.For(ibid.Owner), id, time.Time{}, nil, nil))
}

// numbered returns a function that adds something with a new id each time, in an order
// that is not that of the ids.
func numbered(prefix string, add func(id string)) func() {
	n := 0
	return func() {
		n++
		add(fmt.Sprintf("%s%02d", prefix, n*37%97))
	}
}

func filledBy(add func()) func(int) {
	return func(n int) {
		for range n {
			add()
		}
	}
}

func membersList(t *testing.T, s PageStore) pagedList {
	putIn(t, s, "z", "")
	putIn(t, s, "other", "")
	putIn(t, s, "o1", "other")
	add := numbered("m", func(id string) { putIn(t, s, id, "z") })
	return pagedList{
		read: func(view access.View, page ibid.Page) ([]string, string, error) {
			return documentNames(s.Members(t.Context(), view, "z", page))
		},
		fill: filledBy(add), add: add,
		remove: func(id string) { removeFrom(t, s, id) },
	}
}

func removedWithList(t *testing.T, s PageStore) pagedList {
	back := false
	return pagedList{
		read: func(view access.View, page ibid.Page) ([]string, string, error) {
			return documentNames(s.RemovedWith(t.Context(), view, "z", time.Time{}, page))
		},
		fill: func(n int) {
			putIn(t, s, "z", "")
			add := numbered("m", func(id string) { putIn(t, s, id, "z") })
			for range n - 1 {
				add()
			}
			removeFrom(t, s, "z")
		},
		remove: func(id string) {
			if !back {
				restoreIn(t, s, "z") // before what lay in it
			}
			if back = true; id != "z" {
				restoreIn(t, s, id)
			}
		},
	}
}

func halfRestoredList(t *testing.T, s PageStore) pagedList {
	add := numbered("z", func(id string) {
		putIn(t, s, id, "")
		putIn(t, s, "a-"+id, id)
		putIn(t, s, "b-"+id, id)
		removeFrom(t, s, id)
		restoreIn(t, s, id)
	})
	return pagedList{
		read: func(_ access.View, page ibid.Page) ([]string, string, error) {
			return s.HalfRestored(t.Context(), page)
		},
		fill: filledBy(add), add: add,
		remove: func(id string) {
			restoreIn(t, s, "a-"+id)
			restoreIn(t, s, "b-"+id)
		},
		whole: true,
	}
}

func originalsList(t *testing.T, s PageStore) pagedList {
	ids := map[string]string{} // hash → document
	put := func(id string) {
		putIn(t, s, id, "")
		ids[ibid.VersionOf([]byte(id))] = id
	}
	add := numbered("d", put)
	return pagedList{
		read: func(_ access.View, page ibid.Page) ([]string, string, error) { return s.Originals(t.Context(), page) },
		fill: func(n int) {
			takeIn(t, s, ibid.Document{Principal: ibid.Owner, ID: "read"}, 1, nil)
			takeIn(t, s, ibid.Document{Principal: ibid.Owner, ID: "read too"}, 1, nil)
			for range n - 2 {
				add()
			}
		},
		add: add,
		remove: func(hash string) {
			id := ids[hash]
			if id == "" {
				id = hash[len("v-"):]
			}
			removeFrom(t, s, id)
			must(t)(s.SweepVersions(t.Context(), viewTime.Add(time.Hour)))
		},
		whole: true,
	}
}

func discardedList(t *testing.T, s PageStore) pagedList {
	add := numbered("d", func(id string) {
		putIn(t, s, id, "")
		removeFrom(t, s, id)
		must(t)(s.SweepVersions(t.Context(), viewTime.Add(time.Hour)))
	})
	return pagedList{
		read: func(_ access.View, page ibid.Page) ([]string, string, error) { return s.Discarded(t.Context(), page) },
		fill: func(n int) {
			for range n {
				add()
			}
			for i := range 5 { // these come back into use, and are no longer listed
				id := fmt.Sprintf("back%d", i)
				putIn(t, s, id, "")
				removeFrom(t, s, id)
				must(t)(s.SweepVersions(t.Context(), viewTime.Add(time.Hour)))
				restored := ibid.Document{Principal: ibid.Owner, ID: id + " again", Name: id, Source: "/again/" + id, AddedAt: ibid.At(viewTime), ChangeAt: ibid.At(viewTime)}
				must(t)(s.PutDocument(t.Context(), restored, ibid.VersionOf([]byte(id))))
			}
		},
		add:    add,
		remove: func(hash string) { must(t)(s.ForgetDiscarded(t.Context(), hash)) },
		whole:  true,
	}
}

func waitingList(t *testing.T, s PageStore) pagedList {
	add := numbered("r", func(id string) { must(t)(startForView(s, ibid.Owner, "t-"+id, "q-"+id, id)) })
	return pagedList{
		read: func(_ access.View, page ibid.Page) ([]string, string, error) { return s.WaitingRuns(t.Context(), page) },
		fill: filledBy(add), add: add,
		remove: func(id string) { must(t)(s.ClaimQueued(t.Context(), id, "p", time.Hour)) },
		whole:  true,
	}
}

// attach keeps a database; all are of one time.
func attach(t testing.TB, s PageStore, id string) error {
	t.Helper()
	return s.PutDatabase(t.Context(), ibid.Database{Principal: ibid.Owner, ID: id, Name: id, AddedAt: ibid.At(viewTime)})
}

func databasesList(t *testing.T, s PageStore) pagedList {
	add := numbered("db", func(id string) { must(t)(attach(t, s, id)) })
	return pagedList{
		read: func(view access.View, page ibid.Page) ([]string, string, error) {
			return namesOf(func(d ibid.Database) string { return d.ID })(s.Databases(t.Context(), view, page))
		},
		fill: filledBy(add), add: add,
		remove: func(id string) { must(t)(s.RemoveDatabase(t.Context(), access.For(ibid.Owner), id, viewTime)) },
	}
}

// testTooManyDatabases: a principal has ibid.MaxDatabases at most, whichever way they
// come, and each has as many.
func testTooManyDatabases(t *testing.T, open Opener[PageStore]) {
	s, owner := open(t), access.For(ibid.Owner)
	must(t)(attach(t, s, "removed"))
	must(t)(s.RemoveDatabase(t.Context(), owner, "removed", viewTime))
	for n := range ibid.MaxDatabases {
		must(t)(attach(t, s, fmt.Sprint("db", n)))
	}
	if err := attach(t, s, "one more"); ibid.CodeOf(err) != ibid.CodeConflict {
		t.Errorf("one more than there may be: %v", err)
	}
	if _, err := s.RestoreDatabase(t.Context(), owner, "removed"); ibid.CodeOf(err) != ibid.CodeConflict {
		t.Errorf("one more is restored than there may be: %v", err)
	}
	must(t)(attach(t, s, "db7")) // again
	must(t)(s.PutDatabase(t.Context(), ibid.Database{Principal: "anna", ID: "hers", Name: "hers", AddedAt: ibid.At(viewTime)}))
	must(t)(s.RemoveDatabase(t.Context(), owner, "db3", viewTime))
	must(t)(s.RestoreDatabase(t.Context(), owner, "removed"))
}

func testForgottenDatabases(t *testing.T, open Opener[PageStore]) {
	s, owner := open(t), access.For(ibid.Owner)
	for n := range 5 {
		id := fmt.Sprint("db", n)
		must(t)(attach(t, s, id))
		must(t)(s.RemoveDatabase(t.Context(), owner, id, viewTime))
	}
	must(t)(attach(t, s, "stays"))
	var gone []string
	for _, want := range []int{2, 2, 1, 0} {
		ids, err := s.ForgetDatabases(t.Context(), viewTime.Add(time.Hour), 2)
		if err != nil || len(ids) != want {
			t.Errorf("forgotten are %v, %v; want %d", ids, err, want)
		}
		gone = append(gone, ids...)
	}
	if hasTwice(gone) || len(gone) != 5 {
		t.Errorf("forgotten are %v", gone)
	}
}
