package ibidtest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// GraphStore is what every store of what passages name can do. Documents are taken in
// and removed as by the pipeline.
type GraphStore interface {
	DocumentStore
	PutNamings(ctx context.Context, namings []ibid.Naming, by ibid.NamedBy) error
	MarkNamed(ctx context.Context, chunkIDs []string, by ibid.NamedBy) error
	PassagesNamedBy(ctx context.Context, by ibid.NamedBy, limit int) ([]ibid.Chunk, error)
	NamingCounts(ctx context.Context) (passages map[ibid.NamedBy]int, entities int, err error)
	Namings(ctx context.Context, view access.View, documentID string, page ibid.Page) (namings []ibid.Naming, next string, err error)
	EntityKeys(ctx context.Context, view access.View, key string, limit int) ([]string, error)
	PassagesNaming(ctx context.Context, view access.View, keys []string, scope ibid.Scope, each int) (map[string][]string, error)
	Neighbours(ctx context.Context, view access.View, chunkIDs []string) (near []ibid.Neighbour, passages int, err error)
}

// DocumentStore takes documents in and removes them.
type DocumentStore interface {
	PutDocument(ctx context.Context, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error)
	ClaimDocument(ctx context.Context, owner string, lease time.Duration, maxCrashes int) (d ibid.Document, l ibid.DocumentLease, a ibid.Attempts, ok bool, err error)
	FinishDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document, x ibid.Extract, chunks []ibid.Chunk, named []ibid.Naming, at time.Time) (stored ibid.Document, change int64, err error)
	RemoveDocument(ctx context.Context, view access.View, id string, at time.Time) (removed []string, change int64, err error)
}

// GraphCases is what every GraphStore must do, for one opening of it and for two.
var GraphCases = []Case[GraphStore]{
	{"what passages name is what a look at each finds", testNamedAsByLooking},
	{"whoever looks last is believed", testNamedAnew},
	{"passages are handed out by who looked", testNamedBy},
	{"what is removed is named no more", testNamedRemoved},
	{"two openings name at once", testNamedAtOnce},
}

// graphTest is a graph, and beside it all that it should hold.
type graphTest struct {
	a, b   GraphStore // two openings
	t      *testing.T
	random *rand.Rand
	docs   map[string]ibid.Document
	chunks map[string]ibid.Chunk
	named  map[string]map[string]int // chunk → key → count
	by     map[string]ibid.NamedBy
}

func newGraphTest(t *testing.T, open Opener[GraphStore]) *graphTest {
	return &graphTest{a: open(t), b: open(t), t: t, random: rand.New(rand.NewPCG(1, 3)), docs: map[string]ibid.Document{},
		chunks: map[string]ibid.Chunk{}, named: map[string]map[string]int{}, by: map[string]ibid.NamedBy{}}
}

// either is one of the openings.
func (g *graphTest) either() GraphStore {
	if g.random.IntN(2) == 0 {
		return g.a
	}
	return g.b
}

// claiming is held while a document is added and claimed, so that of several that are
// taken in at once each is claimed by who added it.
var claiming sync.Mutex

func claimNew(t testing.TB, s DocumentStore, d ibid.Document, version string) ibid.DocumentLease {
	t.Helper()
	claiming.Lock()
	defer claiming.Unlock()
	if _, _, err := s.PutDocument(t.Context(), d, version); err != nil {
		t.Fatalf("add %s: %v", d.ID, err)
	}
	_, l, _, ok, err := s.ClaimDocument(t.Context(), "p", time.Minute, 0)
	if err != nil || !ok || l.DocumentID != d.ID {
		t.Fatalf("claimed %+v, %v, %v instead of %s", l, ok, err, d.ID)
	}
	return l
}

// takeIn takes a document of some passages in, as the pipeline does.
func takeIn(t testing.TB, s DocumentStore, d ibid.Document, passages int, named func(chunk string) []ibid.Entity) (ibid.Document, []ibid.Chunk) {
	t.Helper()
	at := ibid.At(time.UnixMilli(1_700_000_000_000))
	d.Name, d.Source, d.AddedAt, d.ChangeAt = d.ID+".txt", "/files/"+d.ID, at, at
	version := "v-" + d.ID
	l := claimNew(t, s, d, version)
	d.Version, d.Status, d.Chunks = version, ibid.DocumentReady, passages
	var chunks []ibid.Chunk
	var namings []ibid.Naming
	var text string
	for n := range passages {
		line := fmt.Sprintf("Passage %d of %s.\n", n, d.ID)
		id := fmt.Sprintf("c_%s%02d", d.ID, n)
		chunks = append(chunks, ibid.Chunk{ID: id, DocumentID: d.ID, Version: version, Ordinal: n, Level: 2, Text: line, Start: len(text), End: len(text) + len(line)})
		text += line
		if named != nil {
			namings = append(namings, ibid.Naming{ChunkID: id, Entities: named(id)})
		}
	}
	stored, _, err := s.FinishDocument(t.Context(), l, d, ibid.Extract{Format: "text", Text: text}, chunks, namings, at.Time)
	if err != nil {
		t.Fatalf("finish %s: %v", d.ID, err)
	}
	return stored, chunks
}

var entityKeys = []string{"ada lovelace", "ada", "lovelace", "rhine", "bank of the rhine", "paris", "k-220", "合同"}

func (g *graphTest) entities() []ibid.Entity {
	var all []ibid.Entity
	for _, key := range entityKeys {
		if g.random.IntN(3) == 0 {
			all = append(all, ibid.Entity{Key: key, Name: "The " + key, Count: 1 + g.random.IntN(4)})
		}
	}
	return all
}

// note keeps what was said of a passage.
func (g *graphTest) note(chunk string, entities []ibid.Entity, by ibid.NamedBy) {
	g.named[chunk], g.by[chunk] = map[string]int{}, by
	for _, e := range entities {
		g.named[chunk][e.Key] = e.Count
	}
}

func (g *graphTest) add() {
	g.t.Helper()
	d := ibid.Document{Principal: ibid.Owner, ID: fmt.Sprintf("d%03d", len(g.docs)), Folder: pick(g.random, []string{"", "a", "a/b", "c"})}
	said := map[string][]ibid.Entity{}
	stored, chunks := takeIn(g.t, g.either(), d, 1+g.random.IntN(5), func(chunk string) []ibid.Entity {
		said[chunk] = g.entities()
		return said[chunk]
	})
	g.docs[d.ID] = stored
	for _, c := range chunks {
		g.chunks[c.ID] = c
		g.note(c.ID, said[c.ID], ibid.NamedByHeuristic)
	}
}

func (g *graphTest) remove(id string) {
	g.t.Helper()
	if _, _, err := g.either().RemoveDocument(g.t.Context(), access.For(ibid.Owner), id, removedAt); err != nil {
		g.t.Fatal(err)
	}
	maps.DeleteFunc(g.chunks, func(_ string, c ibid.Chunk) bool { return c.DocumentID == id })
	maps.DeleteFunc(g.named, func(chunk string, _ map[string]int) bool { _, there := g.chunks[chunk]; return !there })
	delete(g.docs, id)
}

// check compares everything that can be asked with a look at every passage, at both
// openings.
func (g *graphTest) check() {
	g.t.Helper()
	ctx := g.t.Context()
	counts, keys := map[ibid.NamedBy]int{}, map[string]bool{}
	for chunk, named := range g.named {
		counts[g.by[chunk]]++
		for key := range named {
			keys[key] = true
		}
	}
	for _, s := range []GraphStore{g.a, g.b} {
		passages, entities, err := s.NamingCounts(ctx)
		if err != nil || !maps.Equal(passages, counts) || entities != len(keys) {
			g.t.Errorf("counted %v and %d entities, %v; want %v and %d", passages, entities, err, counts, len(keys))
		}
		for id := range g.docs {
			g.checkNamings(s, id)
		}
		for _, scope := range []ibid.Scope{{}, {Folder: "a"}, {Folder: "c"}} {
			g.checkPassages(s, scope)
		}
		some := slices.Sorted(maps.Keys(g.chunks))
		g.checkNeighbours(s, some[:min(len(some), 4)])
	}
}

func (g *graphTest) checkNamings(s GraphStore, document string) {
	g.t.Helper()
	got, err := Whole(s.Namings(g.t.Context(), access.For(ibid.Owner), document, Everything))
	if err != nil {
		g.t.Fatal(err)
	}
	said := map[string]map[string]int{}
	last := -1
	for _, n := range got {
		said[n.ChunkID] = map[string]int{}
		for _, e := range n.Entities {
			said[n.ChunkID][e.Key] = e.Count
		}
		if g.chunks[n.ChunkID].Ordinal <= last {
			g.t.Errorf("the passages of %s are not in their order", document)
		}
		last = g.chunks[n.ChunkID].Ordinal
	}
	for id, c := range g.chunks {
		if c.DocumentID == document && len(g.named[id]) > 0 && !maps.Equal(said[id], g.named[id]) {
			g.t.Errorf("%s names %v, want %v", id, said[id], g.named[id])
		}
		if c.DocumentID == document && len(g.named[id]) == 0 && len(said[id]) > 0 {
			g.t.Errorf("%s names %v, want nothing", id, said[id])
		}
	}
}

// checkPassages: the passages that name an entity, those that name it most often first,
// and no more than are wanted.
func (g *graphTest) checkPassages(s GraphStore, scope ibid.Scope) {
	g.t.Helper()
	for _, each := range []int{2, 1000} {
		found, err := s.PassagesNaming(g.t.Context(), access.For(ibid.Owner), entityKeys, scope, each)
		if err != nil {
			g.t.Fatal(err)
		}
		for _, key := range entityKeys {
			var fit []int // how often the passages in the scope name it
			for id, named := range g.named {
				if n := named[key]; n > 0 && scope.Includes(g.docs[g.chunks[id].DocumentID]) {
					fit = append(fit, n)
				}
			}
			slices.SortFunc(fit, func(a, b int) int { return cmp.Compare(b, a) })
			var got []int
			for _, id := range found[key] {
				got = append(got, g.named[id][key])
				if !scope.Includes(g.docs[g.chunks[id].DocumentID]) {
					g.t.Errorf("%q in %+v: %s is outside", key, scope, id)
				}
			}
			if want := fit[:min(each, len(fit))]; !slices.Equal(got, want) {
				g.t.Errorf("%q in %+v is named %v times, want %v", key, scope, got, want)
			}
		}
	}
}

func (g *graphTest) checkNeighbours(s GraphStore, chunks []string) {
	g.t.Helper()
	near, passages, err := s.Neighbours(g.t.Context(), access.For(ibid.Owner), chunks)
	if err != nil || passages != len(g.named) {
		g.t.Errorf("%d passages were looked at, %v; want %d", passages, err, len(g.named))
	}
	want := map[string]ibid.Neighbour{}
	for id, named := range g.named {
		for key := range named {
			n := want[key]
			n.Key, n.Name = key, "The "+key
			n.Passages++
			if slices.Contains(chunks, id) {
				n.Together++
			}
			want[key] = n
		}
	}
	maps.DeleteFunc(want, func(_ string, n ibid.Neighbour) bool { return n.Together == 0 })
	got := map[string]ibid.Neighbour{}
	for i, n := range near {
		got[n.Key] = n
		if i > 0 && n.Together > near[i-1].Together {
			g.t.Errorf("neighbours are not in order: %+v", near)
		}
	}
	if !maps.Equal(got, want) {
		g.t.Errorf("neighbours of %v are %v, want %v", chunks, got, want)
	}
}

func testNamedAsByLooking(t *testing.T, open Opener[GraphStore]) {
	g := newGraphTest(t, open)
	for range 25 {
		g.add()
	}
	g.check()
	for key, want := range map[string][]string{"ada lovelace": {"ada lovelace"}, "ada": {"ada"}, "": nil, "nobody": nil,
		"bank": {"bank of the rhine"}, "river rhine": {"rhine"}} {
		for _, s := range []GraphStore{g.a, g.b} {
			if got, err := s.EntityKeys(t.Context(), access.For(ibid.Owner), key, 10); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q may mean %v, %v; want %v", key, got, err, want)
			}
		}
	}
	if got, err := g.a.EntityKeys(t.Context(), access.For(ibid.Owner), "ada lovelace rhine", 2); err != nil || len(got) != 2 {
		t.Errorf("of many two were wanted: %v, %v", got, err)
	}
}

func testNamedAnew(t *testing.T, open Opener[GraphStore]) {
	g := newGraphTest(t, open)
	for range 10 {
		g.add()
	}
	for i, id := range slices.Sorted(maps.Keys(g.chunks)) {
		if i%3 == 0 {
			continue
		}
		entities := g.entities()
		if err := g.either().PutNamings(t.Context(), []ibid.Naming{{ChunkID: id, Entities: entities}}, ibid.NamedByModel); err != nil {
			t.Fatal(err)
		}
		g.note(id, entities, ibid.NamedByModel)
	}
	g.check()
}

func testNamedBy(t *testing.T, open Opener[GraphStore]) {
	g := newGraphTest(t, open)
	for range 8 {
		g.add()
	}
	total := len(g.chunks)
	for done := 0; done < total; {
		some, err := g.a.PassagesNamedBy(t.Context(), ibid.NamedByHeuristic, 3)
		if err != nil || len(some) != min(3, total-done) {
			t.Fatalf("with %d of %d done %d are handed out, %v", done, total, len(some), err)
		}
		var ids []string
		for _, c := range some {
			if g.by[c.ID] != ibid.NamedByHeuristic || c.Text != g.chunks[c.ID].Text {
				t.Errorf("handed out %+v, which is %v", c, g.by[c.ID])
			}
			ids = append(ids, c.ID)
			g.by[c.ID] = ibid.NamedInVain
		}
		if err := g.b.MarkNamed(t.Context(), ids, ibid.NamedInVain); err != nil {
			t.Fatal(err)
		}
		done += len(some)
	}
	g.check() // marking leaves what they name
	if some, err := g.a.PassagesNamedBy(t.Context(), ibid.NamedByHeuristic, 3); err != nil || len(some) != 0 {
		t.Errorf("handed out %v, %v where all were looked at", some, err)
	}
}

func testNamedRemoved(t *testing.T, open Opener[GraphStore]) {
	g := newGraphTest(t, open)
	for range 12 {
		g.add()
	}
	ids := slices.Sorted(maps.Keys(g.docs))
	var lost string
	for id, c := range g.chunks {
		if c.DocumentID == ids[0] {
			lost = id
		}
	}
	for _, id := range ids[:6] {
		g.remove(id)
	}
	// What is looked at while it is removed is passed over.
	for _, s := range []GraphStore{g.a, g.b} {
		if err := s.PutNamings(t.Context(), []ibid.Naming{{ChunkID: lost, Entities: []ibid.Entity{{Key: "ghost", Name: "The ghost", Count: 1}}}}, ibid.NamedByModel); err != nil {
			t.Fatal(err)
		}
		if err := s.MarkNamed(t.Context(), []string{lost}, ibid.NamedByModel); err != nil {
			t.Fatal(err)
		}
	}
	g.check()
	if keys, err := g.a.EntityKeys(t.Context(), access.For(ibid.Owner), "ghost", 3); err != nil || len(keys) > 0 {
		t.Errorf("something that is gone is named: %v, %v", keys, err)
	}
}

// testNamedAtOnce: both openings take documents in and look at passages at once, and
// all of them name the same things.
func testNamedAtOnce(t *testing.T, open Opener[GraphStore]) {
	const documents, passages = 24, 3
	g := newGraphTest(t, open)
	said := func(n int) func(string) []ibid.Entity {
		return func(string) []ibid.Entity {
			return []ibid.Entity{{Key: "shared", Name: "The shared", Count: 1 + n%3}, {Key: fmt.Sprint("own ", n), Name: fmt.Sprint("The own ", n), Count: 1}}
		}
	}
	var taken [documents][]ibid.Chunk
	var stored [documents]ibid.Document
	Contend(t, []GraphStore{g.a, g.b}, 2, func(s GraphStore, n int) bool {
		if n >= documents {
			return false
		}
		stored[n], taken[n] = takeIn(tolerant{t}, s, ibid.Document{Principal: ibid.Owner, ID: fmt.Sprintf("d%03d", n)}, passages, said(n))
		if n%2 == 0 && !t.Failed() {
			ids := []string{taken[n][0].ID}
			if err := s.PutNamings(t.Context(), []ibid.Naming{{ChunkID: ids[0], Entities: said(n + 1)(ids[0])}}, ibid.NamedByModel); err != nil {
				t.Error(err)
			}
		}
		return !t.Failed()
	})
	for n := range documents {
		g.docs[stored[n].ID] = stored[n]
		for i, c := range taken[n] {
			g.chunks[c.ID] = c
			if i == 0 && n%2 == 0 {
				g.note(c.ID, said(n+1)(c.ID), ibid.NamedByModel)
			} else {
				g.note(c.ID, said(n)(c.ID), ibid.NamedByHeuristic)
			}
		}
	}
	g.check()
	for _, s := range []GraphStore{g.a, g.b} {
		found, err := s.PassagesNaming(t.Context(), access.For(ibid.Owner), []string{"shared"}, ibid.Scope{}, 1000)
		if err != nil || len(found["shared"]) != documents*passages {
			t.Errorf("%d passages name what all name, %v; want %d", len(found["shared"]), err, documents*passages)
		}
	}
}

// tolerant is a test for other goroutines than its own: what would end the test fails it.
type tolerant struct{ testing.TB }

func (t tolerant) Fatalf(format string, args ...any) { t.Errorf(format, args...) }
