package local

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/access"
)

// library is what an index should hold.
type library map[string]stored

type stored struct {
	doc    ibid.Document
	chunks []ibid.Chunk
}

var vocabulary = strings.Fields(`river water bank money house garden tree mountain winter summer engine wheel light window
	paper letter FY2018 E-1042 max_retry 404B the of and runs running runner Häuser maison`)

func randomText(rng *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		// Squared: some words are common, others rare.
		f := rng.Float64()
		b.WriteString(vocabulary[int(f*f*float64(len(vocabulary)))])
		b.WriteByte(" .,"[rng.IntN(3)])
		b.WriteByte(' ')
	}
	return b.String()
}

func randomDocument(rng *rand.Rand, id string) stored {
	s := stored{doc: ibid.Document{ID: id, Title: randomText(rng, rng.IntN(4)), Name: randomText(rng, 1) + ".pdf",
		Category: []string{"", "a", "b"}[rng.IntN(3)], Folder: []string{"", "x", "x/y", "xy"}[rng.IntN(4)],
		Tags: [][]string{nil, {"red"}, {"blue", "red"}}[rng.IntN(3)], Metadata: []ibid.Metadata{nil, {"author": "a"}, {"author": "b", "year": "a"}}[rng.IntN(3)],
		Language: []string{"", "en", "de"}[rng.IntN(3)]}}
	for i := range rng.IntN(6) {
		c := ibid.Chunk{ID: fmt.Sprintf("%s-%d-%d", id, i, rng.IntN(2)), DocumentID: id, Ordinal: i, Text: randomText(rng, 1+rng.IntN(40))}
		for range rng.IntN(3) {
			c.Heading = append(c.Heading, randomText(rng, 1+rng.IntN(2)))
		}
		s.chunks = append(s.chunks, c)
	}
	return s
}

func randomVector(rng *rand.Rand, dimensions int) []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(rng.NormFloat64() + 0.3)
	}
	return v
}

// vectorOf is the same for a chunk at all times.
func vectorOf(id string) []float32 {
	var seed uint64
	for _, b := range []byte(id) {
		seed = seed*31 + uint64(b)
	}
	return randomVector(rand.New(rand.NewPCG(seed, 0)), 70)
}

func putVectors(t testing.TB, x *Index, chunks []ibid.Chunk) {
	t.Helper()
	ids, vecs := make([]string, len(chunks)), make([][]float32, len(chunks))
	for i, c := range chunks {
		ids[i], vecs[i] = c.ID, vectorOf(c.ID)
	}
	if err := x.putVectors("test", ids, vecs); err != nil {
		t.Fatal(err)
	}
}

// change puts or deletes at random.
func (l library) change(t testing.TB, rng *rand.Rand, x *Index) {
	id := fmt.Sprintf("d%d", rng.IntN(25))
	switch rng.IntN(4) {
	case 0:
		x.remove(0, id)
		delete(l, id)
	default:
		s := randomDocument(rng, id)
		x.put(0, s.doc, s.chunks)
		putVectors(t, x, s.chunks)
		l[id] = s
	}
}

// index builds an index of the library at once.
func (l library) index(t testing.TB) *Index {
	x := New(Config{})
	for _, id := range slices.Sorted(maps.Keys(l)) {
		x.put(0, l[id].doc, l[id].chunks)
		putVectors(t, x, l[id].chunks)
	}
	return x
}

var scopes = []ibid.Scope{{}, {Documents: []string{"d1", "d2", "d3", "gone"}}, {Category: "a"}, {Folder: "x"},
	{Folder: "x", Category: "b", Documents: []string{"d1", "d4", "d5", "d6", "d7"}}, {Category: "nowhere"},
	{Tags: []string{"red"}}, {Tags: []string{"red", "blue"}, Folder: "x"}, {Tags: []string{"a"}}, {Tags: []string{"unheard of"}},
	{Databases: []string{"db"}}, {Databases: []string{"db"}, Category: "a"},
	{Metadata: ibid.Metadata{"author": "a"}}, {Metadata: ibid.Metadata{"author": "a"}, Tags: []string{"blue"}}, {Metadata: ibid.Metadata{"author": ""}}}

var queries = []string{"river bank", "running runner in FY2018", "E-1042", "404B max_retry", `"river water" house`,
	"the of and", "Häuser", "unknownword", `"unknownword river"`, "money money money paper letter window light", "maison"}

func lexical(t testing.TB, x *Index, query string, limit int, scope ibid.Scope) []ibid.Candidate {
	t.Helper()
	found, err := x.Lexical(context.Background(), access.System("a test"), query, limit, scope)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func vector(t testing.TB, x *Index, vec []float32, limit int, scope ibid.Scope) []ibid.Candidate {
	t.Helper()
	found, err := x.Vector(context.Background(), access.System("a test"), "test", vec, limit, scope)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func compare(t *testing.T, want, got *Index) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	for _, scope := range scopes {
		for _, q := range queries {
			if d := cmp.Diff(lexical(t, want, q, 20, scope), lexical(t, got, q, 20, scope)); d != "" {
				t.Fatalf("%q in %+v:\n%s", q, scope, d)
			}
		}
		v := randomVector(rng, 70)
		if d := cmp.Diff(vector(t, want, v, 20, scope), vector(t, got, v, 20, scope)); d != "" {
			t.Fatalf("vector in %+v:\n%s", scope, d)
		}
	}
	if want.titles.shared != got.titles.shared || want.titles.postingN != got.titles.postingN {
		t.Fatalf("titles %+v, want %+v", got.titles, want.titles)
	}
	if a, b := want.totals.chunks, got.totals.chunks; a != b {
		t.Fatalf("%d chunks, want %d", b, a)
	}
}

func TestUpdatedIndexEqualsOneBuiltFromScratch(t *testing.T) {
	for _, size := range []int{3, 16, 0} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(size)))
			x, l := New(Config{SegmentChunks: size}), library{}
			for round := range 400 {
				l.change(t, rng, x)
				if round%20 == 0 || round < 5 {
					compare(t, l.index(t), x)
				}
			}
			for id := range l {
				x.remove(0, id)
			}
			if s := x.Stats(); s.Documents != 0 || s.Chunks != 0 || len(x.chunks.numbers) != 0 || x.spaces["test"].rows != 0 || len(x.titles.postings) != 0 {
				t.Errorf("after everything was deleted: %+v", s)
			}
		})
	}
}

func TestSnapshotRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	x, l := New(Config{SegmentChunks: 16}), library{}
	for range 100 {
		l.change(t, rng, x)
	}
	x.put(4711, ibid.Document{ID: "last"}, []ibid.Chunk{{ID: "last", Text: "the last one"}})
	var saved bytes.Buffer
	if err := x.Save(&saved); err != nil {
		t.Fatal(err)
	}
	y := New(Config{SegmentChunks: 16})
	y.put(0, ibid.Document{ID: "before"}, []ibid.Chunk{{ID: "before", Text: "river"}})
	err := y.Load(bytes.NewReader(saved.Bytes()))
	if err != nil || y.applied.Load() != 4711 {
		t.Fatalf("applied %d, %v", y.applied.Load(), err)
	}
	y.put(4710, ibid.Document{ID: "last"}, nil) // it knows what it has
	compare(t, x, y)
	if a, b := x.Stats(), y.Stats(); a.Documents != b.Documents || a.Vectors["test"] != b.Vectors["test"] {
		t.Errorf("loaded %+v, saved %+v", b, a)
	}
	y.remove(4711, "last")
	for range 100 { // it goes on like any other
		l.change(t, rng, y)
	}
	compare(t, l.index(t), y)
}

func TestEmptySnapshot(t *testing.T) {
	var saved bytes.Buffer
	if err := New(Config{}).Save(&saved); err != nil {
		t.Fatal(err)
	}
	x := New(Config{})
	if err := x.Load(&saved); err != nil || x.totals.chunks != 0 {
		t.Errorf("%v, %d chunks", err, x.totals.chunks)
	}
}

func smallSnapshot(t testing.TB) []byte {
	x, l, rng := New(Config{}), library{}, rand.New(rand.NewPCG(3, 3))
	for range 10 {
		l.change(t, rng, x)
	}
	var saved bytes.Buffer
	if err := x.Save(&saved); err != nil {
		t.Fatal(err)
	}
	return saved.Bytes()
}

func TestDamagedSnapshot(t *testing.T) {
	saved := smallSnapshot(t)
	x := New(Config{})
	x.put(0, ibid.Document{ID: "kept"}, []ibid.Chunk{{ID: "kept", Text: "river"}})
	refuse := func(name string, data []byte) {
		t.Helper()
		if err := x.Load(bytes.NewReader(data)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := 0; n < len(saved); n += 1 + n/50 {
		refuse(fmt.Sprintf("cut at %d", n), saved[:n])
	}
	for i := 0; i < len(saved); i += 1 + i/50 {
		broken := bytes.Clone(saved)
		broken[i] ^= 0x40
		refuse(fmt.Sprintf("byte %d", i), broken)
	}
	if got := lexical(t, x, "river", 5, ibid.Scope{}); len(got) != 1 {
		t.Errorf("the index lost what it held: %v", got)
	}
}

// TestLyingSnapshot loads parts whose checksums are right and contents wrong.
func TestLyingSnapshot(t *testing.T) {
	for kind, content := range map[byte][]byte{
		frameDocuments: {0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0},
		frameSegment:   {255, 255, 255, 255},
		frameTerms:     {4, 0, 0, 0, 255, 255, 255, 255},
		frameSpace:     {0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255},
		frameBlock:     {},
		'?':            {},
	} {
		var b bytes.Buffer
		b.WriteString(magic)
		out := frameWriter{w: bufio.NewWriter(&b)}
		out.buf = content
		out.end(kind)
		out.end(frameEnd)
		if err := out.w.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := New(Config{}).Load(&b); !errors.Is(err, ErrDamaged) {
			t.Errorf("part %q: %v", kind, err)
		}
	}
}

// FuzzLoad gives Load any content under right checksums, after parts that are
// sound.
func FuzzLoad(f *testing.F) {
	x := New(Config{})
	x.put(0, ibid.Document{ID: "d", Title: "t"}, []ibid.Chunk{{ID: "c", Text: "a river"}, {ID: "e", Heading: []string{"b"}}})
	if err := x.putVectors("test", []string{"c"}, [][]float32{{1, 2}}); err != nil {
		f.Fatal(err)
	}
	var saved bytes.Buffer
	if err := x.Save(&saved); err != nil {
		f.Fatal(err)
	}
	in := frameReader{r: bufio.NewReader(bytes.NewReader(saved.Bytes()[len(magic):]))}
	for {
		kind, d, err := in.next()
		if err != nil {
			break
		}
		f.Add(kind, bytes.Clone(d.buf))
	}
	f.Fuzz(func(t *testing.T, kind byte, content []byte) {
		var b bytes.Buffer
		b.Write(saved.Bytes()[:saved.Len()-13]) // all but the end
		out := frameWriter{w: bufio.NewWriter(&b)}
		out.buf = content
		out.end(kind)
		out.end(frameEnd)
		if err := out.w.Flush(); err != nil {
			t.Fatal(err)
		}
		y := New(Config{})
		if err := y.Load(&b); err != nil {
			return
		}
		lexical(t, y, `river "a river"`, 5, ibid.Scope{Folder: "x"})
		if s := y.spaces["test"]; s != nil && s.dimensions == 2 {
			if _, err := y.Vector(context.Background(), access.System("a test"), "test", []float32{1, 1}, 3, ibid.Scope{Category: "c"}); err != nil {
				t.Fatal(err)
			}
		}
		y.put(0, ibid.Document{ID: "d"}, nil)
		y.remove(0, "d")
	})
}

func TestScopeEqualsFilteringAfterwards(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x, l := New(Config{SegmentChunks: 16}), library{}
	for range 200 {
		l.change(t, rng, x)
	}
	owner := make(map[string]ibid.Document)
	for _, s := range l {
		for _, c := range s.chunks {
			owner[c.ID] = s.doc
		}
	}
	filter := func(all []ibid.Candidate, scope ibid.Scope) []ibid.Candidate {
		kept := []ibid.Candidate{}
		for _, c := range all {
			if scope.Includes(owner[c.ChunkID]) && len(kept) < 10 {
				kept = append(kept, c)
			}
		}
		return kept
	}
	for _, scope := range scopes {
		for _, q := range queries {
			if strings.Contains(q, `"`) {
				continue // a quotation is required of what is in scope
			}
			if d := cmp.Diff(filter(lexical(t, x, q, 1000, ibid.Scope{}), scope), lexical(t, x, q, 10, scope)); d != "" {
				t.Errorf("%q in %+v:\n%s", q, scope, d)
			}
		}
		v := randomVector(rng, 70)
		if d := cmp.Diff(filter(vector(t, x, v, 1000, ibid.Scope{}), scope), vector(t, x, v, 10, scope)); d != "" {
			t.Errorf("vector in %+v:\n%s", scope, d)
		}
	}
}

// TestSearchDuringUpdates replaces a document over and over: every search must
// find all of one version of it.
func TestSearchDuringUpdates(t *testing.T) {
	x := New(Config{SegmentChunks: 50})
	version := func(n int) []ibid.Chunk {
		chunks := make([]ibid.Chunk, 2*lockedChunks+5)
		for i := range chunks {
			chunks[i] = ibid.Chunk{ID: fmt.Sprintf("v%d-%d", n, i), DocumentID: "d", Text: "river bank"}
		}
		return chunks
	}
	x.put(0, ibid.Document{ID: "d"}, version(0))
	putVectors(t, x, version(0))
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for n := 1; n <= 60; n++ {
			x.put(0, ibid.Document{ID: "d"}, version(n))
			putVectors(t, x, version(n))
			other := fmt.Sprint("other", n%5)
			x.put(0, ibid.Document{ID: other}, []ibid.Chunk{{ID: other, Text: "winter"}})
			x.remove(0, fmt.Sprint("other", (n+2)%5))
			if n%20 == 0 {
				if err := x.Save(io.Discard); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				found := lexical(t, x, "river", 1000, ibid.Scope{})
				versions := make(map[string]int)
				for _, c := range found {
					v, _, _ := strings.Cut(c.ChunkID, "-")
					versions[v]++
				}
				if len(versions) != 1 || len(found) != len(version(0)) {
					t.Errorf("a search saw %v", versions)
					return
				}
				vector(t, x, vectorOf("any"), 10, ibid.Scope{})
				x.Stats()
				x.Lacking(t.Context(), "test", ibid.Page{})
			}
		})
	}
	wg.Wait()
}
