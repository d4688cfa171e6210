package ibid

import (
	"strconv"
	"strings"
)

// Chunk is the unit of search: a span of one version's text that respects
// headings and sentences. Its ID is made from the document and the content, so
// a chunk that a new version leaves unchanged keeps its ID and its embedding.
type Chunk struct {
	ID         string   `json:"chunk_id"`
	DocumentID string   `json:"document_id"`
	Version    string   `json:"version"`
	Ordinal    int      `json:"ordinal"` // position in the document among those of its level, of a sentence in its passage, from 0
	Level      int      `json:"level"`   // 1 section, 2 passage, 3 sentence
	ParentID   string   `json:"parent_id,omitempty"`
	Heading    []string `json:"heading,omitempty"`
	Text       string   `json:"text"` // == Extract.Text[Start:End]
	Start      int      `json:"start"`
	End        int      `json:"end"`
	Pages      []int    `json:"pages,omitempty"` // pages the span touches, ascending
}

// SentenceID is the id of a passage's sentence n, counted from 0. It needs no
// table to be found again.
func SentenceID(passageID string, n int) string { return passageID + "s" + strconv.Itoa(n+1) }

// SentencePlace takes the id of a sentence apart. ok is false for other ids: a
// passage's own has no s behind its prefix, as it is hexadecimal.
func SentencePlace(id string) (passageID string, n int, ok bool) {
	at := strings.LastIndexByte(id, 's')
	if at < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(id[at+1:])
	return id[:at], n - 1, err == nil && n > 0 && id == SentenceID(id[:at], n-1)
}

// ChunkSet is a fingerprint of a set of chunk ids, whatever their order: how two
// places that should hold the same chunks are compared without listing them.
type ChunkSet struct {
	Count int
	Sum   uint64 // of the ids' FNV-1a hashes, modulo 2^64
}

// With returns the fingerprint of the set and one more id.
func (s ChunkSet) With(id string) ChunkSet {
	const offset, prime = 14695981039346656037, 1099511628211 // of FNV-1a, 64 bits
	h := uint64(offset)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * prime
	}
	return ChunkSet{s.Count + 1, s.Sum + h}
}
