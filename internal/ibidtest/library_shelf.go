package ibidtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/text"
)

// libraryTest is a store, and beside it all that it should hold.
type libraryTest struct {
	LibraryStore
	t      *testing.T
	random *rand.Rand
	there  map[string]ibid.Document
	made   int
}

var (
	testFolders    = []string{"", "a", "a/b", "a/b/c", "ab", "a-b", "a0", "Über/ä", "合同/2024"}
	testCategories = []string{"", "", "legal", "Legal", "straße"}
	testTags       = []string{"x", "y", "ÄÖ", "to do", "合"}
	testFileNames  = []string{"report.pdf", "Report-2023.PDF", "report_2023.docx", "notes.md", "Überblick.txt", "合同.pdf", "2024年合同.docx", "README",
		"a.b c.txt", "\"quoted\".md", "émigré  list.csv", "x", "l'été.md", "100%_done.txt", "İstanbul.txt", "ﬁnal.doc"}
	testTitles = []string{"", "", "Annual Report 2023", "The lease", "Übersicht – neu", "北京 合同", "Lease of the Harbour Office", "ΣΊΣΥΦΟΣ"}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func (s *libraryTest) describe(d *ibid.Document) {
	d.Name, d.Title, d.Folder, d.Category = pick(s.random, testFileNames), pick(s.random, testTitles), pick(s.random, testFolders), pick(s.random, testCategories)
	d.Tags, d.Metadata = nil, nil
	for _, tag := range testTags {
		if s.random.IntN(4) == 0 {
			d.Tags = append(d.Tags, tag)
		}
	}
	if s.random.IntN(3) == 0 {
		d.Metadata = ibid.Metadata{pick(s.random, []string{"author", "a=b"}): pick(s.random, []string{"Ann", "Zoë", ""})}
	}
}

func (s *libraryTest) add() ibid.Document {
	s.t.Helper()
	s.made++
	at := ibid.At(time.UnixMilli(1_700_000_000_000 + int64(s.random.IntN(20))*1000)) // some at the same moment
	d := ibid.Document{Principal: ibid.Owner, ID: fmt.Sprintf("d%04d", s.made), Source: fmt.Sprintf("/files/%d", s.made), AddedAt: at, ChangeAt: at, Chunks: s.random.IntN(5)}
	s.describe(&d)
	if archive, ok := s.any(); ok && s.random.IntN(10) == 0 {
		d.PartOf = archive.ID
	}
	stored, _, err := s.PutDocument(s.t.Context(), d, fmt.Sprintf("v%d", s.made))
	if err != nil {
		s.t.Fatal(err)
	}
	s.there[d.ID] = stored
	if s.random.IntN(3) > 0 { // one that waits is worked on, be it another one
		next, l, _, ok, err := s.ClaimDocument(s.t.Context(), "p", time.Minute, 0)
		if err != nil || !ok {
			s.t.Fatalf("claim: %v, %v", ok, err)
		}
		next.Status = pick(s.random, []ibid.DocumentStatus{ibid.DocumentReady, ibid.DocumentFailed, ibid.DocumentProcessing})
		if next.Status != ibid.DocumentProcessing { // else it stays in work
			if err := s.SettleDocument(s.t.Context(), l, next); err != nil {
				s.t.Fatal(err)
			}
		}
		s.there[next.ID] = next
	}
	return s.there[d.ID]
}

func (s *libraryTest) any() (ibid.Document, bool) {
	if len(s.there) == 0 {
		return ibid.Document{}, false
	}
	return s.there[pick(s.random, slices.Sorted(maps.Keys(s.there)))], true
}

func (s *libraryTest) change() {
	s.t.Helper()
	old, ok := s.any()
	if !ok {
		return
	}
	d, err := s.ChangeDocument(s.t.Context(), access.For(ibid.Owner), old.ID, func(d *ibid.Document) error { s.describe(d); return nil })
	if err != nil {
		s.t.Fatal(err)
	}
	s.there[d.ID] = d
}

func (s *libraryTest) remove() {
	s.t.Helper()
	d, ok := s.any()
	if !ok {
		return
	}
	removed, _, err := s.RemoveDocument(s.t.Context(), access.For(ibid.Owner), d.ID, time.UnixMilli(1_800_000_000_000))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, id := range removed {
		delete(s.there, id)
	}
}

// mix adds, changes and removes at random.
func (s *libraryTest) mix(n int) {
	for range n {
		switch s.random.IntN(6) {
		case 0:
			s.change()
		case 1:
			s.remove()
		default:
			s.add()
		}
	}
}

// all returns what a query asks for by looking at every document.
func (s *libraryTest) all(q ibid.DocumentQuery) []ibid.Document {
	var fit []ibid.Document
	for _, d := range s.there {
		if fits(q, d) {
			fit = append(fit, d)
		}
	}
	slices.SortFunc(fit, func(a, b ibid.Document) int { return strings.Compare(a.ID, b.ID) })
	return fit
}

func fits(q ibid.DocumentQuery, d ibid.Document) bool {
	called := text.NormalizeName(q.Called)
	parts := append(append(d.Names(), d.Folder, d.Category), d.Tags...)
	return q.Scope.Includes(d) &&
		(q.InFolder == nil || d.Folder == *q.InFolder) &&
		(q.Name == "" || d.Name == q.Name) && strings.HasPrefix(d.ID, q.ID) && (q.Source == "" || d.Source == q.Source) && (q.PartOf == "" || d.PartOf == q.PartOf) &&
		(len(q.Status) == 0 || slices.Contains(q.Status, d.Status)) &&
		(called == "" || slices.ContainsFunc(parts, func(s string) bool { return strings.Contains(text.NormalizeName(s), called) }))
}

func (s *libraryTest) query() ibid.DocumentQuery {
	var q ibid.DocumentQuery
	r := s.random
	q.Sort = pick(r, []ibid.DocumentSort{"", ibid.SortName, ibid.SortAdded, ibid.SortChanged})
	for range 1 + r.IntN(3) {
		switch r.IntN(13) {
		case 0:
			q.Scope.Folder = pick(r, append(testFolders, "none"))
		case 1:
			q.Scope.Category = pick(r, testCategories)
		case 2:
			q.Scope.Tags = append(q.Scope.Tags, pick(r, append(testTags, "none")))
		case 3:
			q.Scope.Metadata = ibid.Metadata{pick(r, []string{"author", "a=b", "none"}): pick(r, []string{"Ann", ""})}
		case 4:
			for range r.IntN(5) {
				d, _ := s.any()
				q.Scope.Documents = append(q.Scope.Documents, d.ID)
			}
		case 5:
			folder := pick(r, testFolders)
			q.InFolder = &folder
		case 6, 7:
			q.Called = pick(r, []string{"report", "REPORT 2023", "r", "é", "合", "合同", "a/b", "to do", "über", "x", ".md", "\"", "b", "o", "2", "STRASSE", "straße", "nothing here", "ﬁ", "%", "i̇s", "σ"})
		case 8:
			q.Name = pick(r, testFileNames)
		case 9:
			q.Source = fmt.Sprintf("/files/%d", 1+r.IntN(s.made))
		case 10:
			d, _ := s.any()
			q.PartOf = d.PartOf
		case 11:
			q.ID = fmt.Sprintf("d%03d", r.IntN(s.made/10+1))
		case 12:
			for range 1 + r.IntN(2) {
				q.Status = append(q.Status, pick(r, []ibid.DocumentStatus{ibid.DocumentQueued, ibid.DocumentReady, ibid.DocumentFailed, ibid.DocumentProcessing}))
			}
		}
	}
	return q
}

// list pages through a query.
func (s *libraryTest) list(q ibid.DocumentQuery, limit int) []ibid.Document {
	s.t.Helper()
	var all []ibid.Document
	page := ibid.Page{Limit: limit}
	for {
		docs, next, err := s.Documents(s.t.Context(), access.For(ibid.Owner), q, page)
		if err != nil {
			s.t.Fatalf("%+v: %v", q, err)
		}
		if all = append(all, docs...); next == "" {
			return all
		}
		if len(docs) != limit {
			s.t.Fatalf("%+v: a page of %d documents, of %d, is not the last", q, len(docs), limit)
		}
		page.Cursor = next
	}
}

func idsIn(docs []ibid.Document) []string {
	list := []string{}
	for _, d := range docs {
		list = append(list, d.ID)
	}
	return list
}

func shown(q ibid.DocumentQuery) string {
	data, _ := json.Marshal(q)
	return string(data)
}
