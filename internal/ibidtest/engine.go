package ibidtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
)

// Engine is what every search engine can do.
type Engine interface {
	Apply(ctx context.Context, changes []engine.Change) error
	Lexical(ctx context.Context, view access.View, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error)
	Vector(ctx context.Context, view access.View, space string, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error)
	State(ctx context.Context) (engine.State, error)
	Lacking(ctx context.Context, space string, page ibid.Page) (chunkIDs []string, next string, err error)
}

// EngineCases are what every Engine must pass. They hold it to the contract in package
// engine, and to nothing that an engine in another process could not keep.
var EngineCases = []Case[Engine]{
	{"what is put is found by words, best first", engineWords},
	{"a document that is put again has its new passages alone", engineReplace},
	{"what is removed is not found", engineRemove},
	{"a scope narrows both halves", engineScope},
	{"a view narrows both halves", engineView},
	{"a late change does not undo a newer one", engineLate},
	{"the same changes again do no harm", engineTwice},
	{"the state says how far the engine is", engineState},
	{"the nearest vectors come first, each space for itself", engineVectors},
	{"a passage keeps its vectors as long as it is there", engineKeepsVectors},
	{"vectors that do not fit are refused whole", engineBadVectors},
	{"passages without a vector are listed by pages", engineLacking},
	{"a space that is forgotten is gone", engineForget},
	{"a reset empties it", engineReset},
	{"nothing begins once its context is done", engineContext},
	{"a document that is put again is never missing", engineNeverMissing},
	{"what several put at once is all there", engineContention},
	{"of changes of one document at once the newest stays", engineNewest},
}

// engineTest is one opening of an engine.
type engineTest struct {
	Engine
	t *testing.T
}

func openEngine(t *testing.T, open Opener[Engine]) engineTest {
	return engineTest{open(t), t}
}

func (e engineTest) apply(changes ...engine.Change) {
	e.t.Helper()
	if err := e.Apply(e.t.Context(), changes); err != nil {
		e.t.Fatal(err)
	}
}

func (e engineTest) state() engine.State {
	e.t.Helper()
	s, err := e.State(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	return s
}

// words are the ids of the passages that a search by words finds, in order.
func (e engineTest) words(query string, scope ibid.Scope) string {
	e.t.Helper()
	found, err := e.Lexical(e.t.Context(), access.For(ibid.Owner), query, 20, scope)
	if err != nil {
		e.t.Fatal(err)
	}
	return inOrder(e.t, found)
}

func (e engineTest) near(space string, vec []float32, scope ibid.Scope) string {
	e.t.Helper()
	found, err := e.Vector(e.t.Context(), access.For(ibid.Owner), space, vec, 20, scope)
	if err != nil {
		e.t.Fatal(err)
	}
	return inOrder(e.t, found)
}

func inOrder(t *testing.T, found []ibid.Candidate) string {
	t.Helper()
	ids := make([]string, len(found))
	for i, c := range found {
		ids[i] = c.ChunkID
		if i > 0 && c.Score > found[i-1].Score {
			t.Errorf("%s scores more than %s, which comes before it", c.ChunkID, found[i-1].ChunkID)
		}
	}
	return strings.Join(ids, " ")
}

func (e engineTest) want(what, got, want string) {
	e.t.Helper()
	if got != want {
		e.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// putText makes a Put of a document of the owner, whose passages have the ids
// <document>-<n> and the texts.
func putText(number int64, id string, texts ...string) engine.Put {
	p := engine.Put{Number: number, Document: ibid.Document{ID: id, Principal: ibid.Owner, Language: "en"}}
	for i, text := range texts {
		p.Passages = append(p.Passages, ibid.Chunk{ID: fmt.Sprintf("%s-%d", id, i+1), DocumentID: id, Level: 2, Ordinal: i, Text: text, End: len(text)})
	}
	return p
}

// at is a vector that stands at an angle, in degrees.
func at(degrees float64) []float32 {
	v := make([]float32, 8)
	v[0], v[1] = float32(math.Cos(degrees*math.Pi/180)), float32(math.Sin(degrees*math.Pi/180))
	return v
}

func vectorsAt(space string, degrees map[string]float64) engine.Vectors {
	v := engine.Vectors{Space: space}
	for id, d := range degrees {
		v.IDs, v.Vectors = append(v.IDs, id), append(v.Vectors, at(d))
	}
	return v
}

func engineWords(t *testing.T, open Opener[Engine]) {
	a, b := openEngine(t, open), openEngine(t, open)
	a.apply(putText(1, "a", "The walrus sleeps on the ice, and another walrus sleeps beside it.", "Pelicans fly over the pond."),
		putText(2, "b", "A walrus was seen once in a very long and otherwise rather dull report about ponds, boats and the weather."))
	for _, e := range []engineTest{a, b} {
		e.want("walrus", e.words("walrus", ibid.Scope{}), "a-1 b-1")
		e.want("pelican", e.words("pelican", ibid.Scope{}), "a-2")
		e.want("what nobody says", e.words("giraffe", ibid.Scope{}), "")
	}
	if found, err := a.Lexical(t.Context(), access.For(ibid.Owner), "walrus", 1, ibid.Scope{}); err != nil || len(found) != 1 || found[0].ChunkID != "a-1" {
		t.Errorf("the best one is %v, %v", found, err)
	}
}

func engineReplace(t *testing.T, open Opener[Engine]) {
	a, b := openEngine(t, open), openEngine(t, open)
	a.apply(putText(1, "a", "The walrus sleeps.", "The giraffe eats."), putText(2, "b", "The otter swims."))
	next := putText(3, "a", "The walrus sleeps.", "The pelican flies.")
	next.Passages[1].ID = "a-9"
	a.apply(next)
	for _, e := range []engineTest{a, b} {
		e.want("what stayed", e.words("walrus", ibid.Scope{}), "a-1")
		e.want("what went", e.words("giraffe", ibid.Scope{}), "")
		e.want("what came", e.words("pelican", ibid.Scope{}), "a-9")
		e.want("what is another's", e.words("otter", ibid.Scope{}), "b-1")
		if s := e.state(); s.Chunks != 3 {
			t.Errorf("%d passages, want 3", s.Chunks)
		}
	}
}

func engineRemove(t *testing.T, open Opener[Engine]) {
	a, b := openEngine(t, open), openEngine(t, open)
	a.apply(putText(1, "a", "The walrus sleeps."), putText(2, "b", "The walrus wakes."),
		vectorsAt("s", map[string]float64{"a-1": 10, "b-1": 20}))
	a.apply(engine.Remove{Number: 3, DocumentID: "a"}, engine.Remove{Number: 4, DocumentID: "never there"})
	for _, e := range []engineTest{a, b} {
		e.want("by words", e.words("walrus", ibid.Scope{}), "b-1")
		e.want("by vectors", e.near("s", at(0), ibid.Scope{}), "b-1")
		if s := e.state(); s.Chunks != 1 || s.Vectors["s"] != 1 {
			t.Errorf("state %+v", s)
		}
	}
}

func engineScope(t *testing.T, open Opener[Engine]) {
	e := openEngine(t, open)
	put := func(id string, change func(*ibid.Document)) {
		p := putText(0, id, "The walrus sleeps.")
		change(&p.Document)
		e.apply(p, vectorsAt("s", map[string]float64{id + "-1": float64(len(id))}))
	}
	put("a", func(d *ibid.Document) { d.Folder, d.Category, d.Tags = "sea/ice", "animals", []string{"big", "fat"} })
	put("bb", func(d *ibid.Document) {
		d.Folder, d.Tags, d.Metadata = "sea", []string{"big"}, ibid.Metadata{"author": "Ann"}
	})
	put("ccc", func(d *ibid.Document) { d.Folder, d.Category = "seaside", "boats" })
	for _, c := range []struct {
		scope ibid.Scope
		want  string
	}{
		{ibid.Scope{}, "a-1 bb-1 ccc-1"},
		{ibid.Scope{Folder: "sea"}, "a-1 bb-1"},
		{ibid.Scope{Folder: "sea/ice"}, "a-1"},
		{ibid.Scope{Category: "boats"}, "ccc-1"},
		{ibid.Scope{Tags: []string{"big"}}, "a-1 bb-1"},
		{ibid.Scope{Tags: []string{"big", "fat"}}, "a-1"},
		{ibid.Scope{Metadata: ibid.Metadata{"author": "Ann"}}, "bb-1"},
		{ibid.Scope{Documents: []string{"a", "ccc", "none"}}, "a-1 ccc-1"},
		{ibid.Scope{Documents: []string{"ccc"}, Folder: "sea"}, ""},
		{ibid.Scope{Databases: []string{"db"}}, ""},
	} {
		e.want(fmt.Sprintf("by words in %+v", c.scope), sorted(e.words("walrus", c.scope)), c.want)
		e.want(fmt.Sprintf("by vectors in %+v", c.scope), e.near("s", at(0), c.scope), c.want)
	}
	// What people say of a document can change without its passages.
	put("ccc", func(d *ibid.Document) { d.Folder = "sea" })
	e.want("after a move", sorted(e.words("walrus", ibid.Scope{Folder: "sea"})), "a-1 bb-1 ccc-1")
}

func sorted(ids string) string {
	list := strings.Fields(ids)
	slices.Sort(list)
	return strings.Join(list, " ")
}

func engineView(t *testing.T, open Opener[Engine]) {
	e := openEngine(t, open)
	hers := putText(2, "hers", "The walrus wakes.")
	hers.Document.Principal = "anna"
	e.apply(putText(1, "his", "The walrus sleeps."), hers, vectorsAt("s", map[string]float64{"his-1": 10, "hers-1": 20}))
	for _, c := range []struct {
		view access.View
		want string
	}{{access.View{}, ""}, {access.For("anna"), "hers-1"}, {access.For(ibid.Owner), "his-1"}, {access.System("a test"), "hers-1 his-1"}} {
		words, err := e.Lexical(t.Context(), c.view, "walrus", 9, ibid.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		near, err := e.Vector(t.Context(), c.view, "s", at(0), 9, ibid.Scope{})
		if err != nil {
			t.Fatal(err)
		}
		e.want(fmt.Sprintf("words for %v", c.view), sorted(inOrder(t, words)), c.want)
		e.want(fmt.Sprintf("vectors for %v", c.view), sorted(inOrder(t, near)), c.want)
	}
}

func engineLate(t *testing.T, open Opener[Engine]) {
	a, b := openEngine(t, open), openEngine(t, open)
	a.apply(putText(10, "a", "The walrus sleeps."), putText(11, "b", "The otter swims."))
	a.apply(engine.Remove{Number: 12, DocumentID: "b"})
	b.apply(putText(9, "a", "The giraffe eats."), putText(8, "b", "The otter dives."), engine.Remove{Number: 7, DocumentID: "a"})
	for _, e := range []engineTest{a, b} {
		e.want("the newer version", e.words("walrus", ibid.Scope{}), "a-1")
		e.want("an older version", e.words("giraffe", ibid.Scope{}), "")
		e.want("what was removed since", e.words("otter", ibid.Scope{}), "")
	}
	b.apply(putText(13, "b", "The otter is back."))
	a.want("what came back", a.words("otter", ibid.Scope{}), "b-1")
}

func engineTwice(t *testing.T, open Opener[Engine]) {
	a, b := openEngine(t, open), openEngine(t, open)
	changes := []engine.Change{putText(1, "a", "The walrus sleeps.", "The pond is cold."), putText(2, "b", "The otter swims."),
		vectorsAt("s", map[string]float64{"a-1": 10, "a-2": 30}), engine.Remove{Number: 3, DocumentID: "b"}}
	a.apply(changes...)
	before := fmt.Sprint(a.state(), a.words("walrus pond otter", ibid.Scope{}), a.near("s", at(0), ibid.Scope{}))
	b.apply(changes...)
	b.apply(putText(1, "a", "The walrus sleeps.", "The pond is cold."))
	if after := fmt.Sprint(b.state(), b.words("walrus pond otter", ibid.Scope{}), b.near("s", at(0), ibid.Scope{})); after != before {
		t.Errorf("told twice: %s\nfirst:      %s", after, before)
	}
}

func engineState(t *testing.T, open Opener[Engine]) {
	e := openEngine(t, open)
	if s := e.state(); s.Applied != 0 || s.Saved != 0 || s.Chunks != 0 || len(s.Vectors) != 0 || !s.Whole("s") {
		t.Errorf("an empty engine says %+v", s)
	}
	e.apply(putText(4, "a", "The walrus sleeps.", "The pond is cold."))
	if s := e.state(); s.Applied != 4 || s.Chunks != 2 || s.Whole("s") {
		t.Errorf("after change 4: %+v", s)
	}
	e.apply(vectorsAt("s", map[string]float64{"a-1": 10, "a-2": 30, "nobody's": 50}))
	if s := e.state(); s.Vectors["s"] != 2 || !s.Whole("s") || s.Whole("other") {
		t.Errorf("with vectors: %+v", s)
	}
	e.apply(engine.Remove{Number: 6, DocumentID: "a"}, putText(5, "b", "late, of another document"))
	if s := openEngine(t, open).state(); s.Applied != 6 || s.Saved > 6 || s.Chunks != 1 || s.Vectors["s"] != 0 {
		t.Errorf("after change 6: %+v", s)
	}
}

func engineVectors(t *testing.T, open Opener[Engine]) {
	a, b := openEngine(t, open), openEngine(t, open)
	a.apply(putText(1, "a", "one", "two", "three", "four"))
	if _, err := a.Vector(t.Context(), access.For(ibid.Owner), "s", at(0), 5, ibid.Scope{}); ibid.CodeOf(err) != ibid.CodeVectorDB || err == nil {
		t.Errorf("a space that is not there: %v", err)
	}
	a.apply(vectorsAt("s", map[string]float64{"a-1": 60, "a-2": 20, "a-3": 40, "a-4": 170, "nobody's": 0}),
		vectorsAt("t", map[string]float64{"a-1": 1, "a-2": 2}))
	for _, e := range []engineTest{a, b} {
		e.want("in s", e.near("s", at(0), ibid.Scope{}), "a-2 a-3 a-1") // 170° is no hit
		e.want("in t", e.near("t", at(0), ibid.Scope{}), "a-1 a-2")
		best, err := e.Vector(t.Context(), access.For(ibid.Owner), "s", at(0), 2, ibid.Scope{})
		if err != nil || len(best) != 2 || math.Abs(best[0].Score-math.Cos(20*math.Pi/180)) > 1e-3 {
			t.Errorf("the best two: %v, %v", best, err)
		}
	}
	a.apply(vectorsAt("s", map[string]float64{"a-1": 5})) // in the place of the old one
	b.want("after one has changed", b.near("s", at(0), ibid.Scope{}), "a-1 a-2 a-3")
}

func engineKeepsVectors(t *testing.T, open Opener[Engine]) {
	e := openEngine(t, open)
	e.apply(putText(1, "a", "one", "two"), vectorsAt("s", map[string]float64{"a-1": 10, "a-2": 20}))
	e.apply(putText(2, "a", "one"))
	e.want("a passage that stayed", e.near("s", at(0), ibid.Scope{}), "a-1")
	e.apply(putText(3, "a", "one", "two, again"))
	e.want("one that came back has none", e.near("s", at(0), ibid.Scope{}), "a-1")
}

func engineBadVectors(t *testing.T, open Opener[Engine]) {
	e := openEngine(t, open)
	e.apply(putText(1, "a", "one", "two"), vectorsAt("s", map[string]float64{"a-1": 10}))
	for name, bad := range map[string]engine.Vectors{
		"of other dimensions": {Space: "s", IDs: []string{"a-2", "a-1"}, Vectors: [][]float32{at(1), {1, 0}}},
		"fewer than ids":      {Space: "s", IDs: []string{"a-2", "a-1"}, Vectors: [][]float32{at(1)}},
		"of no dimensions":    {Space: "new", IDs: []string{"a-2"}, Vectors: [][]float32{{}}},
	} {
		if err := e.Apply(t.Context(), []engine.Change{bad}); err == nil || ibid.CodeOf(err) != ibid.CodeVectorDB {
			t.Errorf("vectors %s: %v", name, err)
		}
		e.want("after vectors "+name, e.near("s", at(0), ibid.Scope{}), "a-1")
	}
	if _, err := e.Vector(t.Context(), access.For(ibid.Owner), "s", []float32{1, 0}, 5, ibid.Scope{}); err == nil {
		t.Error("a query of other dimensions is answered")
	}
}

func engineLacking(t *testing.T, open Opener[Engine]) {
	e := openEngine(t, open)
	var texts []string
	for i := range 25 {
		texts = append(texts, fmt.Sprint("passage ", i))
	}
	e.apply(putText(1, "a", texts...))
	lacking := func(space string, limit int) (all []string) {
		for page := (ibid.Page{Limit: limit}); ; {
			ids, next, err := e.Lacking(t.Context(), space, page)
			if err != nil || len(ids) > limit || len(ids) == 0 && next != "" {
				t.Fatalf("%d of %d, %q, %v", len(ids), limit, next, err)
			}
			if all = append(all, ids...); next == "" {
				slices.Sort(all)
				return all
			}
			page.Cursor = next
		}
	}
	if n := len(slices.Compact(lacking("s", 4))); n != 25 {
		t.Errorf("%d lack a vector in a space that is not there", n)
	}
	e.apply(vectorsAt("s", map[string]float64{"a-3": 1, "a-25": 2}))
	left := lacking("s", 10)
	if len(left) != 23 || slices.Contains(left, "a-3") || slices.Contains(left, "a-25") {
		t.Errorf("lacking %v", left)
	}
	if _, _, err := e.Lacking(t.Context(), "s", ibid.Page{Cursor: "x"}); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("a bad cursor: %v", err)
	}
	all := map[string]float64{}
	for _, id := range left {
		all[id] = 3
	}
	e.apply(vectorsAt("s", all))
	if left := lacking("s", 10); len(left) != 0 {
		t.Errorf("lacking %v though all have one", left)
	}
}

func engineForget(t *testing.T, open Opener[Engine]) {
	a, b := openEngine(t, open), openEngine(t, open)
	a.apply(putText(1, "a", "one"), vectorsAt("s", map[string]float64{"a-1": 10}), vectorsAt("t", map[string]float64{"a-1": 10}))
	a.apply(engine.Forget{Space: "s"}, engine.Forget{Space: "never there"})
	if s := b.state(); s.Vectors["s"] != 0 || s.Vectors["t"] != 1 {
		t.Errorf("state %+v", s)
	}
	if _, err := b.Vector(t.Context(), access.For(ibid.Owner), "s", at(0), 5, ibid.Scope{}); err == nil {
		t.Error("a forgotten space is searched")
	}
	a.apply(engine.Vectors{Space: "s", IDs: []string{"a-1"}, Vectors: [][]float32{{1, 0, 0}}}) // may have other dimensions
	b.want("a space that began anew", b.near("s", []float32{1, 0, 0}, ibid.Scope{}), "a-1")
}

func engineReset(t *testing.T, open Opener[Engine]) {
	a, b := openEngine(t, open), openEngine(t, open)
	a.apply(putText(9, "a", "The walrus sleeps."), vectorsAt("s", map[string]float64{"a-1": 10}))
	a.apply(engine.Reset{})
	if s := b.state(); s.Applied != 0 || s.Chunks != 0 || len(s.Vectors) != 0 {
		t.Errorf("state %+v", s)
	}
	b.apply(putText(1, "a", "The walrus wakes.")) // numbers begin anew
	a.want("what came since", a.words("walrus", ibid.Scope{}), "a-1")
}

func engineContext(t *testing.T, open Opener[Engine]) {
	e := openEngine(t, open)
	e.apply(putText(1, "a", "The walrus sleeps."), vectorsAt("s", map[string]float64{"a-1": 10}))
	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, words := e.Lexical(done, access.For(ibid.Owner), "walrus", 5, ibid.Scope{})
	_, near := e.Vector(done, access.For(ibid.Owner), "s", at(0), 5, ibid.Scope{})
	_, _, lacking := e.Lacking(done, "s", ibid.Page{})
	for what, err := range map[string]error{"a search by words": words, "a search by vectors": near, "a list": lacking,
		"a change": e.Apply(done, []engine.Change{putText(2, "b", "The walrus wakes.")})} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	e.want("what was not told", e.words("wakes", ibid.Scope{}), "")
}
