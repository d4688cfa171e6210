package ibidtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// A probe calls one method of a ViewStore for all things that there are, anna's and
// ben's, and says what it was told.
type probe struct {
	method string
	// do returns what it was told of everybody's things. Their names are in it.
	do func(s asked) any
	// counts are the answers for nobody, anna, ben and the system, where these are no
	// names.
	counts []any
	// changes: it changes ben's things, where it may. Then do returns an error.
	changes bool
}

// asked is a store that is asked through one view.
type asked struct {
	ViewStore
	ctx  context.Context
	view access.View
}

// people are whose things there are. Each has one document more than the one before.
var people = []ibid.Principal{"anna", "ben"}

// each puts together what a method says of a thing of everybody's; what is refused is
// left out.
func each[T any](get func(who string) (T, error)) any {
	var all []T
	for _, p := range people {
		if got, err := get(string(p)); err == nil {
			all = append(all, got)
		}
	}
	return all
}

// told is what a method says, nothing when it refuses.
func told[T any](got T, err error) any {
	if err != nil {
		return nil
	}
	return got
}

var everyChunk = []string{"p-d-anna-0", "p-d-ben-0", "p-d-ben-1"}

var probes = []probe{
	{method: "Answered", do: func(s asked) any { return told(s.Answered(s.ctx, s.view, "key", "", 9)) }},
	{method: "Members", do: func(s asked) any {
		return each(func(who string) (any, error) { return Whole(s.Members(s.ctx, s.view, "d-"+who+"-0", Everything)) })
	}},
	{method: "Below", do: func(s asked) any {
		n, bytes, err := s.Below(s.ctx, s.view, "/files/same")
		return told(fmt.Sprint(n, bytes), err)
	}, counts: []any{"0 0", "1 5", "1 6", "2 11"}},
	{method: "Branch", do: func(s asked) any {
		return each(func(who string) (any, error) {
			m, _, err := s.Branch(s.ctx, s.view, "t-"+who, "a-t-"+who, ibid.Page{})
			return m, err
		})
	}},
	{method: "BranchAround", do: func(s asked) any {
		return each(func(who string) (any, error) {
			m, _, _, err := s.BranchAround(s.ctx, s.view, "t-"+who, "a-t-"+who, "q-t-"+who, 9)
			return m, err
		})
	}},
	{method: "BranchAfter", do: func(s asked) any {
		return each(func(who string) (any, error) {
			m, _, err := s.BranchAfter(s.ctx, s.view, "t-"+who, ibid.Page{Cursor: ibid.EncodeCursor("a-t-"+who, "q-t-"+who)})
			return m, err
		})
	}},
	{method: "Siblings", do: func(s asked) any {
		return told(s.Siblings(s.ctx, s.view, []string{"q-u-anna", "q-u-ben"}))
	}},
	{method: "Questions", do: func(s asked) any {
		sum := 0
		for i, p := range people {
			n, err := s.Questions(s.ctx, s.view, "q-t-"+string(p))
			if err != nil {
				return err
			}
			sum += n * (i + 1)
		}
		return sum
	}, counts: []any{0, 1, 2, 3}},
	{method: "Chunks", do: func(s asked) any { return told(s.Chunks(s.ctx, s.view, everyChunk)) }},
	{method: "Chunks", do: func(s asked) any { // sections
		return told(s.Chunks(s.ctx, s.view, []string{"x-d-anna-0", "x-d-ben-0"}))
	}},
	{method: "DocumentChunks", do: func(s asked) any {
		return each(func(who string) (any, error) {
			return Whole(s.DocumentChunks(s.ctx, s.view, "d-"+who+"-0", Everything))
		})
	}},
	{method: "Parents", do: func(s asked) any { return told(s.Parents(s.ctx, s.view, everyChunk)) }},
	{method: "Around", do: func(s asked) any { return told(s.Around(s.ctx, s.view, everyChunk)) }},
	{method: "Sentences", do: func(s asked) any { return told(s.Sentences(s.ctx, s.view, everyChunk)) }},
	{method: "NamesOfVersions", do: func(s asked) any {
		return told(s.NamesOfVersions(s.ctx, s.view, []string{"v-d-anna-0", "v-d-ben-0"}))
	}},
	{method: "Totals", do: func(s asked) any { return told(s.Totals(s.ctx, s.view)) },
		counts: []any{ibid.LibraryCounts{}, ibid.LibraryCounts{Documents: 4, Chunks: 1}, ibid.LibraryCounts{Documents: 6, Chunks: 2}, ibid.LibraryCounts{Documents: 10, Chunks: 3}}},
	{method: "Counts", do: func(s asked) any {
		documents, chunks, threads, err := s.Counts(s.ctx, s.view)
		return told(fmt.Sprint(documents, chunks, threads), err)
	}, counts: []any{"0 0 0", "4 1 2", "6 2 2", "10 3 4"}},
	{method: "LibraryVersion", do: func(s asked) any {
		n, err := s.LibraryVersion(s.ctx, s.view)
		return told(n > 1, err) // 1 is that of a new library
	}, counts: []any{false, true, true, true}},
	{method: "Folders", do: func(s asked) any {
		var all []any
		shared := "shared"
		for _, q := range []ibid.FolderQuery{{}, {In: &shared}, {Scope: ibid.Scope{Tags: []string{"both"}}, In: &shared}, {Called: "shared/"}} {
			folders, _, err := s.Folders(s.ctx, s.view, q, Everything)
			all = append(all, told(folders, err))
		}
		return all
	}},
	{method: "Categories", do: func(s asked) any { return told(Whole(s.Categories(s.ctx, s.view, "", Everything))) }},
	{method: "Tags", do: func(s asked) any { return told(Whole(s.Tags(s.ctx, s.view, "", Everything))) }},
	{method: "FolderCalled", do: func(s asked) any {
		return each(func(who string) (any, error) {
			folder, ok, err := s.FolderCalled(s.ctx, s.view, ibid.Scope{}, "SHARED/"+who)
			if !ok {
				return nil, errors.Join(err, errors.New("there is none"))
			}
			return folder, err
		})
	}},
	{method: "Databases", do: func(s asked) any { return told(Whole(s.Databases(s.ctx, s.view, Everything))) }},
	{method: "Files", do: func(s asked) any {
		return each(func(who string) (any, error) { return Whole(s.Files(s.ctx, s.view, "t-"+who, Everything)) })
	}},
	{method: "File", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.File(s.ctx, s.view, "q-t-"+who, 0) })
	}},
	{method: "FileText", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.FileText(s.ctx, s.view, "q-t-"+who, 0) })
	}},
	{method: "Namings", do: func(s asked) any {
		return each(func(who string) (any, error) { return Whole(s.Namings(s.ctx, s.view, "d-"+who+"-0", Everything)) })
	}},
	{method: "EntityKeys", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.EntityKeys(s.ctx, s.view, "key "+who, 9) })
	}},
	{method: "EntityKeys", do: func(s asked) any { return told(s.EntityKeys(s.ctx, s.view, "key", 9)) }}, // parts of keys
	{method: "PassagesNaming", do: func(s asked) any {
		return told(s.PassagesNaming(s.ctx, s.view, []string{"acme"}, ibid.Scope{}, 9))
	}},
	{method: "PassagesNaming", do: func(s asked) any {
		return told(s.PassagesNaming(s.ctx, s.view, []string{"acme"}, ibid.Scope{Folder: "shared"}, 9))
	}},
	{method: "Neighbours", do: func(s asked) any {
		near, _, err := s.Neighbours(s.ctx, s.view, everyChunk)
		return told(near, err)
	}},
	{method: "Document", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.Document(s.ctx, s.view, "d-"+who+"-0") })
	}},
	{method: "DocumentsByID", do: func(s asked) any {
		return told(s.DocumentsByID(s.ctx, s.view, []string{"d-anna-0", "d-ben-0", "d-ben-1"}))
	}},
	{method: "HasVersion", do: func(s asked) any {
		return each(func(who string) (any, error) {
			for _, id := range []string{"d-" + who + "-0", "r-" + who, "m-" + who} { // searched, removed, waiting
				if has, err := s.HasVersion(s.ctx, s.view, id, "v-"+id); err != nil || !has {
					return nil, errors.Join(err, errors.New("it has not"))
				}
			}
			has, err := s.HasVersion(s.ctx, s.view, "d-"+who+"-0", "v-s-anna") // of another document
			return fmt.Sprint(who, has), err
		})
	}},
	{method: "Known", do: func(s asked) any {
		return told(s.Known(s.ctx, s.view, []string{"d-anna-0", "r-anna", "d-ben-0", "r-ben"}))
	}},
	{method: "Extract", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.Extract(s.ctx, s.view, "d-"+who+"-0", "") })
	}},
	{method: "Extract", do: func(s asked) any { // of removed documents, for footnotes
		return each(func(who string) (any, error) { return s.Extract(s.ctx, s.view, "r-"+who, "v-r-"+who) })
	}},
	{method: "Messages", do: func(s asked) any {
		return each(func(who string) (any, error) {
			m, _, err := s.Messages(s.ctx, s.view, "t-"+who, ibid.Page{})
			return m, err
		})
	}},
	{method: "Message", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.Message(s.ctx, s.view, "a-t-"+who) })
	}},
	{method: "Called", do: func(s asked) any {
		var all []any
		for how := ibid.NameSame; how <= ibid.NameContains; how++ {
			for _, name := range []string{"d-anna-0.txt", "d-ben-0.txt"} {
				all = append(all, told(s.Called(s.ctx, s.view, ibid.Scope{}, how, name)))
			}
		}
		return all
	}},
	{method: "Mentioned", do: func(s asked) any {
		found, _, err := s.Mentioned(s.ctx, s.view, ibid.Scope{}, "What is in d-anna-0.txt and in d-ben-0.txt?")
		return told(found, err)
	}},
	{method: "Alike", do: func(s asked) any { return told(s.Alike(s.ctx, s.view, ibid.Scope{}, "d-ann", 9)) }},
	{method: "Documents", do: func(s asked) any {
		var all []any
		for _, sort := range []ibid.DocumentSort{ibid.SortName, ibid.SortAdded, ibid.SortChanged} {
			for _, scope := range []ibid.Scope{{}, {Folder: "shared"}, {Tags: []string{"both"}}, {Documents: []string{"d-anna-0", "d-ben-0"}}} {
				docs, _, err := s.Documents(s.ctx, s.view, ibid.DocumentQuery{Scope: scope, Sort: sort}, ibid.Page{})
				all = append(all, told(docs, err))
			}
		}
		for _, q := range []ibid.DocumentQuery{{Called: "d-"}, {Status: []ibid.DocumentStatus{ibid.DocumentQueued}}, {Source: "/files/same"}, {Name: "same"}, {ID: "d-"},
			{Status: []ibid.DocumentStatus{ibid.DocumentQueued, ibid.DocumentReady}}} {
			docs, _, err := s.Documents(s.ctx, s.view, q, ibid.Page{})
			all = append(all, told(docs, err))
		}
		return all
	}},
	{method: "CountDocuments", do: func(s asked) any {
		n, _, err := s.CountDocuments(s.ctx, s.view, ibid.DocumentQuery{Scope: ibid.Scope{Tags: []string{"both"}}})
		return told(n, err)
	}, counts: []any{0, 1, 2, 3}},
	{method: "KnownCount", do: func(s asked) any {
		n, _, err := s.KnownCount(s.ctx, s.view, ibid.DocumentQuery{})
		return told(n, err)
	}, counts: []any{0, 4, 6, 10}},
	{method: "QueueCounts", do: func(s asked) any {
		n, err := s.QueueCounts(s.ctx, s.view)
		return told(n.Waiting, err)
	}, counts: []any{0, 3, 4, 7}},
	{method: "Removed", do: func(s asked) any {
		all, _, err := s.Removed(s.ctx, s.view, time.Time{}, ibid.Page{})
		return told(all, err)
	}},
	{method: "RemovedWith", do: func(s asked) any {
		return each(func(who string) (any, error) {
			return Whole(s.RemovedWith(s.ctx, s.view, "r-"+who, time.Time{}, Everything))
		})
	}},
	{method: "Run", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.Run(s.ctx, s.view, "a-t-"+who) })
	}},
	{method: "LiveRun", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.LiveRun(s.ctx, s.view, "t-"+who) })
	}},
	{method: "LatestRun", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.LatestRun(s.ctx, s.view, "u-"+who) })
	}},
	{method: "Events", do: func(s asked) any {
		return each(func(who string) (any, error) {
			events, err := s.Events(s.ctx, s.view, "a-t-"+who, 0, 9)
			return fmt.Sprint(events), err
		})
	}},
	{method: "DocumentsBySource", do: func(s asked) any {
		return told(s.DocumentsBySource(s.ctx, s.view, []string{"/files/same", "/files/d-anna-0", "/files/d-ben-0"}))
	}},
	{method: "DocumentsFrom", do: func(s asked) any {
		docs, _, err := s.DocumentsFrom(s.ctx, s.view, "/files/", ibid.Page{})
		return told(docs, err)
	}},
	{method: "Threads", do: func(s asked) any {
		var all []any
		for _, q := range []ibid.ThreadQuery{{}, {Text: "about"}, {ID: "t-"}} {
			threads, _, err := s.Threads(s.ctx, s.view, q, ibid.Page{})
			all = append(all, told(threads, err))
		}
		return all
	}},
	{method: "Thread", do: func(s asked) any {
		return each(func(who string) (any, error) { return s.Thread(s.ctx, s.view, "t-"+who) })
	}},

	{method: "SetThread", changes: true, do: func(s asked) any { return s.SetThread(s.ctx, s.view, "t-ben", "new", "") }},
	{method: "ShowBranch", changes: true, do: func(s asked) any { return s.ShowBranch(s.ctx, s.view, "t-ben", "a-t-ben") }},
	{method: "DeleteMessage", changes: true, do: func(s asked) any { return s.DeleteMessage(s.ctx, s.view, "q-u-ben") }},
	{method: "RemoveThread", changes: true, do: func(s asked) any { return s.RemoveThread(s.ctx, s.view, "u-ben", viewTime) }},
	{method: "RestoreThread", changes: true, do: func(s asked) any { return s.RestoreThread(s.ctx, s.view, "x-ben", time.Time{}) }},
	{method: "RemoveDatabase", changes: true, do: func(s asked) any { return s.RemoveDatabase(s.ctx, s.view, "db-ben", viewTime) }},
	{method: "RestoreDatabase", changes: true, do: func(s asked) any { _, err := s.RestoreDatabase(s.ctx, s.view, "dbx-ben"); return err }},
	{method: "ChangeDocument", changes: true, do: func(s asked) any {
		_, err := s.ChangeDocument(s.ctx, s.view, "d-ben-0", func(d *ibid.Document) error { d.Title = "new"; return nil })
		return err
	}},
	{method: "CancelDocument", changes: true, do: func(s asked) any { _, err := s.CancelDocument(s.ctx, s.view, "w-ben"); return err }},
	{method: "RetryDocument", changes: true, do: func(s asked) any {
		_, err := s.CancelDocument(s.ctx, access.For("ben"), "w-ben")
		if err != nil && ibid.CodeOf(err) != ibid.CodeConflict {
			return nil // it counts as done, and nobody may
		}
		_, err = s.RetryDocument(s.ctx, s.view, "w-ben", viewTime)
		return err
	}},
	{method: "RestoreDocument", changes: true, do: func(s asked) any {
		_, _, _, err := s.RestoreDocument(s.ctx, s.view, "r-ben", time.Time{}, nil, nil)
		return err
	}},
	{method: "RemoveDocument", changes: true, do: func(s asked) any {
		_, _, err := s.RemoveDocument(s.ctx, s.view, "d-ben-0", viewTime)
		return err
	}},
}

// ViewCases hold that every method of a store shows and changes what its view sees:
// nobody's view nothing, a principal's view what is his, the system's all.
var ViewCases = []Case[ViewStore]{
	{"every method is asked", testEveryMethodIsAsked},
	{"views show what is seen, and nothing else", func(t *testing.T, open Opener[ViewStore]) {
		s := fillForViews(t, open(t))
		for _, p := range probes {
			for _, fault := range p.faults(s, func(v access.View) access.View { return v }) {
				t.Error(fault)
			}
		}
	}},
	{"a thread of somebody else's takes no question", testOthersThread},
	{"what is nobody's is not kept", testNobodysThings},
}

// ViewMutants are ways in which a method can get its view wrong: it sees through
// another one than it was given.
var ViewMutants = map[string]func(access.View) access.View{
	"it sees everything":                      func(access.View) access.View { return access.System("a mutant") },
	"it sees nothing":                         func(access.View) access.View { return access.View{} },
	"it sees what ben sees":                   func(access.View) access.View { return access.For("ben") },
	"the system sees what the owner sees":     func(v access.View) access.View { return orIf(v.All(), access.For(ibid.Owner), v) },
	"nobody sees everything":                  func(v access.View) access.View { return orIf(v == access.View{}, access.System("a mutant"), v) },
	"who has nothing sees everything":         func(v access.View) access.View { return orIf(v == access.For("chris"), access.System("a mutant"), v) },
	"whoever looks sees as the first of them": func(v access.View) access.View { return orIf(v == access.For("ben"), access.For("anna"), v) },
}

func orIf(is bool, then, otherwise access.View) access.View {
	if is {
		return then
	}
	return otherwise
}

// TestViewMutants shows that each method's probe notices each mutant.
func TestViewMutants(t *testing.T, place func(t testing.TB) Opener[ViewStore]) {
	WithoutRace(t, "the suite itself runs under it; mutants are broken on purpose")
	shared := fillForViews(t, place(t)(t))
	for name, wrong := range ViewMutants {
		for _, p := range probes {
			if p.counts != nil && p.counts[1] == p.counts[2] && name == "whoever looks sees as the first of them" {
				continue // the first sees as much
			}
			s := shared
			if p.changes {
				if name != "it sees everything" && name != "it sees nothing" {
					continue // costs a store each
				}
				s = fillForViews(t, place(t)(t))
			}
			if len(p.faults(s, wrong)) == 0 {
				t.Errorf("%s: nothing is noticed when %s", p.method, name)
			}
		}
	}
}

// faults returns what is wrong with the answers of a method, when its views are
// changed by a function.
func (p probe) faults(s ViewStore, through func(access.View) access.View) (faults []string) {
	views := []access.View{{}, access.For("chris"), access.For("anna"), access.For("ben"), access.System("a test")}
	for i, view := range views {
		ask := asked{s, context.Background(), through(view)}
		if p.changes {
			if view.All() {
				continue // ben has done it
			}
			err, _ := p.do(ask).(error)
			if may := view == access.For("ben"); may != (err == nil) || !may && ibid.CodeOf(err) != ibid.CodeNotFound {
				faults = append(faults, fmt.Sprintf("%s through the view of %v: %v", p.method, view, err))
			}
			continue
		}
		got := p.do(ask)
		if p.counts != nil {
			if want := p.counts[max(0, i-1)]; !reflect.DeepEqual(got, want) {
				faults = append(faults, fmt.Sprintf("%s through the view of %v: %v, want %v", p.method, view, got, want))
			}
			continue
		}
		data, err := json.Marshal(got)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", p.method, err))
		}
		for _, who := range people {
			if has := strings.Contains(string(data), string(who)); has != view.Sees(who) {
				faults = append(faults, fmt.Sprintf("%s through the view of %v shows of %s: %v; it says %s", p.method, view, who, has, data))
			}
		}
	}
	return faults
}

// testEveryMethodIsAsked holds that there is a probe for each method with a view.
func testEveryMethodIsAsked(t *testing.T, _ Opener[ViewStore]) {
	asked := map[string]bool{}
	for _, p := range probes {
		asked[p.method] = true
	}
	for _, method := range methodsWithView(reflect.TypeFor[ViewStore]()) {
		if !asked[method] {
			t.Errorf("%s takes a view, and no probe asks it", method)
		}
	}
}

// TestMethodsWithView holds that a store has no method with a view beside those of
// ViewStore.
func TestMethodsWithView(t *testing.T, store reflect.Type) {
	known := strings.Join(methodsWithView(reflect.TypeFor[ViewStore]()), " ") + " "
	for _, method := range methodsWithView(store) {
		if !strings.Contains(" "+known, " "+method+" ") {
			t.Errorf("%s takes a view, and ibidtest.ViewStore does not know it", method)
		}
	}
}

func methodsWithView(of reflect.Type) (methods []string) {
	for m := range of.Methods() {
		for in := range m.Type.Ins() {
			if in == reflect.TypeFor[access.View]() {
				methods = append(methods, m.Name)
			}
		}
	}
	return methods
}

func testOthersThread(t *testing.T, open Opener[ViewStore]) {
	s := fillForViews(t, open(t))
	err := startForView(s, "chris", "u-ben", "q-new", "a-new")
	if ibid.CodeOf(err) != ibid.CodeNotFound || err == nil {
		t.Errorf("chris asks in ben's thread: %v", err)
	}
	if _, err := s.Message(t.Context(), access.System("a test"), "q-new"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("the question is kept: %v", err)
	}
}

func testNobodysThings(t *testing.T, open Opener[ViewStore]) {
	s := open(t)
	if err := startForView(s, "", "t", "q", "a"); err == nil {
		t.Error("a thread of nobody's is kept")
	}
	if _, _, err := s.PutDocument(t.Context(), ibid.Document{ID: "d", Name: "d", Source: "/d"}, "v"); err == nil {
		t.Error("a document of nobody's is kept")
	}
	if err := s.PutDatabase(t.Context(), ibid.Database{ID: "db", Name: "db"}); err == nil {
		t.Error("a database of nobody's is kept")
	}
}
