package ibidtest

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// The lists of PageCases, with what fills them.

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
