package local

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
)

// heldPerChunk is what a chunk of 80 words with a vector of 300 dimensions may
// take of the heap, in bytes: 664 for the vector and its code, 4 for each
// occurrence of a term, some 200 for ids, lengths and the dictionary. docs/using.md says so ("How
// big").
const heldPerChunk = 1300

// TestBytesPerChunk measures the heap itself, not an estimate, for an index as
// it was built and as it was read from its snapshot.
func TestBytesPerChunk(t *testing.T) {
	ibidtest.WithoutRace(t, "measures with one goroutine")
	const chunks, words = 20_480, 80 // whole blocks of vectors
	rng := rand.New(rand.NewPCG(8, 8))
	zipf := rand.NewZipf(rng, 1.1, 3, 20_000)
	before := heap()
	x := New(Config{SegmentChunks: chunks / 2})
	for d := range chunks / 64 {
		doc, made := ibid.Document{ID: fmt.Sprint("document", d), Title: fmt.Sprint("Report ", d)}, make([]ibid.Chunk, 64)
		ids, vecs := make([]string, 64), make([][]float32, 64)
		for i := range made {
			var b strings.Builder
			for range words {
				b.WriteString(letters(zipf.Uint64()))
				b.WriteByte(' ')
			}
			made[i] = ibid.Chunk{ID: fmt.Sprintf("%016d-%015d", d, i), Text: b.String()}
			ids[i], vecs[i] = made[i].ID, randomVector(rng, 300)
		}
		x.put(0, doc, made)
		if err := x.putVectors("test", ids, vecs); err != nil {
			t.Fatal(err)
		}
	}
	hold := func(what string, bytes int64) {
		t.Helper()
		if per := bytes / chunks; per < 700 || per > heldPerChunk {
			t.Errorf("%s, a chunk takes %d bytes of the heap, at most %d are promised", what, per, heldPerChunk)
		} else {
			t.Logf("%s, a chunk takes %d bytes of the heap; Stats estimates %d", what, per, x.Stats().Bytes/chunks)
		}
	}
	hold("built", heap()-before)
	var saved bytes.Buffer
	if err := x.Save(&saved); err != nil {
		t.Fatal(err)
	}
	x = nil
	before = heap()
	x = New(Config{})
	if err := x.Load(&saved); err != nil {
		t.Fatal(err)
	}
	hold("loaded", heap()-before)
	runtime.KeepAlive(x)
	runtime.KeepAlive(&saved)
}

// letters is a word for n.
func letters(n uint64) string {
	word := []byte("qx")
	for ; n > 0; n /= 20 {
		word = append(word, "bcdfghjklmnpqrstvwxz"[n%20])
	}
	return string(word)
}

// heap is what lives on the heap after a collection, in bytes. Pools are empty
// after the second.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
