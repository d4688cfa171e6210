package ibidtest

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/question"
	"ibid/internal/text"
)

// LibraryStore is what every store of documents can be asked.
type LibraryStore interface {
	PutDocument(ctx context.Context, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error)
	ClaimDocument(ctx context.Context, owner string, lease time.Duration, maxCrashes int) (d ibid.Document, l ibid.DocumentLease, a ibid.Attempts, ok bool, err error)
	SettleDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error
	ChangeDocument(ctx context.Context, view access.View, id string, change func(*ibid.Document) error) (ibid.Document, error)
	RemoveDocument(ctx context.Context, view access.View, id string, at time.Time) (removed []string, change int64, err error)
	Documents(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) (docs []ibid.Document, next string, err error)
	CountDocuments(ctx context.Context, view access.View, q ibid.DocumentQuery) (n int, exact bool, err error)
	KnownCount(ctx context.Context, view access.View, q ibid.DocumentQuery) (n int, known bool, err error)
	Called(ctx context.Context, view access.View, scope ibid.Scope, how ibid.NameMatch, name string) ([]ibid.Document, error)
	Mentioned(ctx context.Context, view access.View, scope ibid.Scope, question string) (candidates []ibid.Document, of int, err error)
	Alike(ctx context.Context, view access.View, scope ibid.Scope, folded string, limit int) ([]ibid.Document, error)
	Totals(ctx context.Context, view access.View) (ibid.LibraryCounts, error)
	Folders(ctx context.Context, view access.View, q ibid.FolderQuery, page ibid.Page) (folders []ibid.FolderCount, next string, err error)
	Categories(ctx context.Context, view access.View, called string, page ibid.Page) (categories []ibid.LabelCount, next string, err error)
	Tags(ctx context.Context, view access.View, called string, page ibid.Page) (tags []ibid.LabelCount, next string, err error)
	QueueCounts(ctx context.Context, view access.View) (ibid.QueueCounts, error)
	LibraryVersion(ctx context.Context, view access.View) (int64, error)
}

// LibraryCases is what every LibraryStore must do, for one opening of it and for two.
var LibraryCases = []Case[LibraryStore]{
	{"queries are what a look at every document finds", alone(testQueries)},
	{"pages hold while documents come and go", alone(testPages)},
	{"bad cursors and orders are refused", alone(testBadPages)},
	{"counts are what counting finds", alone(testCounts)},
	{"the version grows with what answers depend on", alone(testVersion)},
	{"names are found as by looking at each", alone(testNames)},
	{"questions name what they name among all", alone(testMentioned)},
	{"a source added twice at once is one document", testAddedAtOnce},
	{"changes at once all count", testChangedAtOnce},
	{"what is removed twice at once is removed once", testRemovedAtOnce},
	{"either opening sees what the other did", testEitherSees},
	{"counts hold while both write", testCountsAtOnce},
}

// alone is a case with one opening.
func alone(test func(*testing.T, *libraryTest)) func(*testing.T, Opener[LibraryStore]) {
	return func(t *testing.T, open Opener[LibraryStore]) {
		test(t, &libraryTest{LibraryStore: open(t), t: t, random: rand.New(rand.NewPCG(1, 2)), there: map[string]ibid.Document{}})
	}
}

func testQueries(t *testing.T, s *libraryTest) {
	s.mix(200)
	for range 800 {
		q := s.query()
		got := s.list(q, 1+s.random.IntN(30))
		sorted := slices.IsSortedFunc(got, func(a, b ibid.Document) int {
			switch q.Sort {
			case ibid.SortAdded:
				return b.AddedAt.Compare(a.AddedAt.Time)
			case ibid.SortChanged:
				return b.ChangeAt.Compare(a.ChangeAt.Time)
			}
			return strings.Compare(a.Name, b.Name)
		})
		if !sorted {
			t.Errorf("%s is not in order: %v", shown(q), idsIn(got))
		}
		have, want := slices.Sorted(slices.Values(idsIn(got))), idsIn(s.all(q))
		if !slices.Equal(have, want) {
			t.Fatalf("%s finds %v, want %v", shown(q), have, want)
		}
		if n, exact, err := s.CountDocuments(t.Context(), access.For(ibid.Owner), q); err != nil || !exact || n != len(want) {
			t.Fatalf("%s: counted %d (exact %v, %v), want %d", shown(q), n, exact, err, len(want))
		}
		if n, known, err := s.KnownCount(t.Context(), access.For(ibid.Owner), q); err != nil || known && n != len(want) {
			t.Fatalf("%s: known to be %d (%v), want %d", shown(q), n, err, len(want))
		}
	}
	if docs, _, err := s.Documents(t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{Scope: ibid.Scope{Databases: []string{"b"}}}, ibid.Page{}); err != nil || len(docs) > 0 {
		t.Errorf("a scope of databases alone has %v, %v", idsIn(docs), err)
	}
}

func testPages(t *testing.T, s *libraryTest) {
	s.mix(120)
	for _, q := range []ibid.DocumentQuery{{}, {Sort: ibid.SortAdded}, {Sort: ibid.SortChanged}, {Scope: ibid.Scope{Folder: "a"}}, {Called: "re"}, {Status: []ibid.DocumentStatus{ibid.DocumentReady}}} {
		stays := s.all(q)
		seen := map[string]int{}
		page := ibid.Page{Limit: 7}
		for {
			docs, next, err := s.Documents(t.Context(), access.For(ibid.Owner), q, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range docs {
				seen[d.ID]++
			}
			if page.Cursor = next; next == "" {
				break
			}
			s.add()
			s.remove()
			stays = slices.DeleteFunc(stays, func(d ibid.Document) bool { _, there := s.there[d.ID]; return !there })
		}
		for _, d := range stays {
			if seen[d.ID] != 1 {
				t.Errorf("%s lists %s, which was there all the time, %d times", shown(q), d.ID, seen[d.ID])
			}
		}
	}
}

func testBadPages(t *testing.T, s *libraryTest) {
	s.mix(100)
	_, next, err := s.Documents(t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{}, ibid.Page{Limit: 1})
	if err != nil || next == "" {
		t.Fatal(next, err)
	}
	for _, bad := range []struct {
		sort   ibid.DocumentSort
		cursor string
	}{{ibid.SortAdded, next}, {ibid.SortName, "x"}, {ibid.SortName, ibid.EncodeCursor("name", 1, 2)}, {ibid.SortName, ibid.EncodeCursor("a")}, {"size", ""}} {
		if _, _, err := s.Documents(t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{Sort: bad.sort}, ibid.Page{Cursor: bad.cursor}); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("%+v: %v, want a BAD_REQUEST", bad, err)
		}
	}
	for limit, want := range map[int]int{0: ibid.DefaultLimit, -1: ibid.DefaultLimit, 3: 3} {
		docs, _, err := s.Documents(t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{}, ibid.Page{Limit: limit})
		if err != nil || len(docs) != min(want, len(s.there)) {
			t.Errorf("limit %d: %d documents, %v", limit, len(docs), err)
		}
	}
}

func testCounts(t *testing.T, s *libraryTest) {
	for range 4 {
		s.mix(40)
		var total ibid.LibraryCounts
		folders, categories, tags := map[string]int{}, map[string]int{}, map[string]int{}
		var queue ibid.QueueCounts
		for _, d := range s.there {
			total.Documents++
			total.Chunks += d.Chunks
			folders[d.Folder]++
			if d.Category != "" {
				categories[d.Category]++
			}
			for _, tag := range d.Tags {
				tags[tag]++
			}
			switch d.Status {
			case ibid.DocumentQueued:
				queue.Waiting++
			case ibid.DocumentProcessing:
				queue.Processing++
			}
		}
		if got, err := s.Totals(t.Context(), access.For(ibid.Owner)); err != nil || got != total {
			t.Fatalf("totals are %+v, %v; counted %+v", got, err, total)
		}
		if got, err := s.QueueCounts(t.Context(), access.For(ibid.Owner)); err != nil || got != queue {
			t.Fatalf("the queue is %+v, %v; counted %+v", got, err, queue)
		}
		for what, of := range map[string]struct {
			list func(context.Context, access.View, string, ibid.Page) ([]ibid.LabelCount, string, error)
			want map[string]int
		}{"categories": {s.Categories, categories}, "tags": {s.Tags, tags}} {
			for _, called := range []string{"", "e", "LEGAL", "none such"} {
				want := map[string]int{}
				for name, n := range of.want {
					if strings.Contains(text.NormalizeName(name), text.NormalizeName(called)) {
						want[name] = n
					}
				}
				list, err := Whole(of.list(t.Context(), access.For(ibid.Owner), called, Everything))
				got := map[string]int{}
				for _, l := range list {
					got[l.Name] = l.Documents
				}
				if err != nil || !maps.Equal(got, want) {
					t.Fatalf("%s with %q in them are %v, %v; counted %v", what, called, got, err, want)
				}
			}
		}
		for _, scope := range []ibid.Scope{{}, {Folder: "a"}, {Folder: "a/b"}, {Tags: []string{"x"}}, {Folder: "a", Category: "legal"}} {
			for _, q := range []ibid.FolderQuery{{}, {In: new(string)}, {In: pointer("a")}, {In: pointer("a/b")}, {In: pointer("Über")}, {Called: "ÜBER"}, {Called: "b", In: pointer("a")}} {
				q.Scope = scope
				want := s.foldersOf(q)
				list, err := Whole(s.Folders(t.Context(), access.For(ibid.Owner), q, Everything))
				got := map[string]ibid.FolderCount{}
				for _, f := range list {
					got[f.Path] = f
				}
				if err != nil || !maps.Equal(got, want) {
					t.Fatalf("%s are %v, %v; want %v", shownFolders(q), got, err, want)
				}
			}
		}
	}
}

func pointer(s string) *string { return &s }

func shownFolders(q ibid.FolderQuery) string {
	if q.In == nil {
		return fmt.Sprintf("folders called %q of %+v", q.Called, q.Scope)
	}
	return fmt.Sprintf("folders called %q in %q of %+v", q.Called, *q.In, q.Scope)
}

// foldersOf returns the folders that a query asks for, by a look at every document.
func (s *libraryTest) foldersOf(q ibid.FolderQuery) map[string]ibid.FolderCount {
	all := map[string]ibid.FolderCount{}
	for _, d := range s.there {
		if !q.Scope.Includes(d) {
			continue
		}
		for at := d.Folder; at != ""; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
			f := ibid.FolderCount{Path: at, Documents: all[at].Documents, Total: all[at].Total + 1}
			if at == d.Folder {
				f.Documents++
			}
			parent := at[:max(0, strings.LastIndexByte(at, '/'))]
			if strings.Contains(text.NormalizeName(at), text.NormalizeName(q.Called)) && (q.In == nil || *q.In == parent) {
				all[at] = f
			}
		}
	}
	return all
}

func testVersion(t *testing.T, s *libraryTest) {
	last := int64(-1)
	grew := func(what string, want bool) {
		t.Helper()
		now, err := s.LibraryVersion(t.Context(), access.For(ibid.Owner))
		if err != nil || (now > last) != want || now < last {
			t.Errorf("%s: the version goes from %d to %d, %v; want it to grow: %v", what, last, now, err, want)
		}
		last = now
	}
	grew("at first", true)
	d := s.add()
	grew("adding", true)
	for _, change := range []func(*ibid.Document) error{
		func(d *ibid.Document) error { d.Title += "x"; return nil },
		func(d *ibid.Document) error { d.Tags = []string{"new"}; return nil },
		func(d *ibid.Document) error { d.Metadata = ibid.Metadata{"new": "field"}; return nil },
	} {
		if _, err := s.ChangeDocument(t.Context(), access.For(ibid.Owner), d.ID, change); err != nil {
			t.Fatal(err)
		}
		grew("describing", true)
	}
	grew("nothing", false)
	if _, _, err := s.RemoveDocument(t.Context(), access.For(ibid.Owner), d.ID, time.UnixMilli(1_800_000_000_000)); err != nil {
		t.Fatal(err)
	}
	grew("removing", true)
}

func testNames(t *testing.T, s *libraryTest) {
	s.mix(120)
	rules := map[ibid.NameMatch]func(name, wanted string) bool{
		ibid.NameExact: func(name, wanted string) bool { return name == wanted },
		ibid.NameSame:  func(name, wanted string) bool { return text.NormalizeName(name) == text.NormalizeName(wanted) },
		ibid.NameStem: func(name, wanted string) bool {
			return text.NameStem(text.NormalizeName(name)) == text.NameStem(text.NormalizeName(wanted))
		},
		ibid.NameBegins: func(name, wanted string) bool {
			return strings.HasPrefix(text.NormalizeName(name), text.NormalizeName(wanted))
		},
		ibid.NameContains: func(name, wanted string) bool {
			return strings.Contains(text.NormalizeName(name), text.NormalizeName(wanted))
		},
	}
	wanted := append(append([]string{"a/b/report.pdf", "report", "REPORT-2023.docx", "合", "年合", "i", "é", "Σ", "ß", "a", "B C", "q"}, testFileNames...), testTitles...)
	for _, scope := range []ibid.Scope{{}, {Folder: "a"}, {Tags: []string{"x", "y"}}, {Documents: []string{"d0001", "d0002", "d0003", "d0004", "d0005", "d0006"}}} {
		for _, w := range wanted {
			for how, rule := range rules {
				if text.NormalizeName(w) == "" {
					continue
				}
				var want []string
				for _, d := range s.there {
					if scope.Includes(d) && slices.ContainsFunc(d.Names(), func(name string) bool { return rule(name, w) }) {
						want = append(want, d.ID)
					}
				}
				slices.Sort(want)
				found, err := s.Called(t.Context(), access.For(ibid.Owner), scope, how, w)
				if how == ibid.NameStem { // a few more may be returned
					found = slices.DeleteFunc(found, func(d ibid.Document) bool {
						return !slices.ContainsFunc(d.Names(), func(name string) bool { return rule(name, w) })
					})
				}
				got := idsIn(found)
				slices.Sort(got)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%q by rule %d in %+v is %v, %v; want %v", w, how, scope, got, err, want)
				}
			}
		}
	}
	near, err := s.Alike(t.Context(), access.For(ibid.Owner), ibid.Scope{}, "annual reprot 2023", 3)
	if err != nil || len(near) != 3 || !slices.Contains(near[0].Names(), "Annual Report 2023") {
		t.Errorf("the nearest are %v, %v", idsIn(near), err)
	}
}

func testMentioned(t *testing.T, s *libraryTest) {
	s.mix(150)
	var all []ibid.Document
	for _, id := range slices.Sorted(maps.Keys(s.there)) {
		all = append(all, s.there[id])
	}
	for _, scope := range []ibid.Scope{{}, {Folder: "a"}, {Documents: []string{"d0001", "d0002", "d0003", "d0004"}}} {
		var inside []ibid.Document
		for _, d := range all {
			if scope.Includes(d) {
				inside = append(inside, d)
			}
		}
		for _, asked := range []string{
			"What does report-2023.pdf say about margins?", "According to the annual report 2023, what were the margins?", "summarise README",
			"what is in 合同.pdf", "Summarise the harbour office lease", "fasse Überblick.txt zusammen", "what does x say about y?", "compare notes.md and report_2023.docx",
			"What is 2 + 2?", "according to émigré list, who left?", "summarise the leases", "what is in l'été.md", "",
		} {
			candidates, of, err := s.Mentioned(t.Context(), access.For(ibid.Owner), scope, asked)
			if err != nil {
				t.Fatal(err)
			}
			got, rest := question.MentionsAmong(asked, calledOf(candidates), of)
			want, wantRest := question.Mentions(asked, calledOf(inside))
			have, wanted := []string{}, []string{}
			for _, i := range got {
				have = append(have, candidates[i].ID)
			}
			for _, i := range want {
				wanted = append(wanted, inside[i].ID)
			}
			slices.Sort(have)
			if !slices.Equal(have, wanted) || rest != wantRest {
				t.Errorf("%q in %+v names %v (rest %q), want %v (%q)", asked, scope, have, rest, wanted, wantRest)
			}
		}
	}
}

func calledOf(docs []ibid.Document) [][]string {
	called := make([][]string, len(docs))
	for i, d := range docs {
		called[i] = d.Names()
	}
	return called
}
