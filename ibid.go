// Package ibid holds the words of the house: what a document, a chunk, a
// passage, a citation, a thread, a message, a run and an event are, and the two
// interfaces that everything outside the process is reached through, Model and
// Embedder. It imports nothing of ours and does no I/O.
//
// Offsets named Start and End are bytes into the UTF-8 text that was extracted
// from one version of a document, half open. Pages are counted from 1.
package ibid

import (
	"slices"
	"strconv"
	"strings"
)

// Document is one file, page or note of the user's. Its ID never changes;
// Version does whenever its content does.
type Document struct {
	Owner     Principal      `json:"-"` // to whom it belongs
	ID        string         `json:"id"`
	Title     string         `json:"title"`              // from the content, else the file name
	Name      string         `json:"name"`               // file name, "report.pdf"
	Source    string         `json:"source,omitempty"`   // path or URL it was added from; identifies it when it is added again
	PartOf    string         `json:"part_of,omitempty"`  // id of the archive or message that it lay in
	Folder    string         `json:"folder,omitempty"`   // "contracts/2024", no leading or trailing slash
	Category  string         `json:"category,omitempty"` // one free word or phrase
	Tags      []string       `json:"tags,omitempty"`     // free words or phrases, ascending, each once
	Metadata  Metadata       `json:"metadata,omitempty"` // free fields: author, project…
	Format    string         `json:"format"`             // "pdf", "markdown", "html", "text", "code"…
	Version   string         `json:"version,omitempty"`  // content hash of the version that is searched
	Language  string         `json:"language,omitempty"` // ISO 639-1, "" when unknown
	Bytes     int64          `json:"bytes"`
	Pages     int            `json:"pages,omitempty"` // 0 for formats without pages
	Chunks    int            `json:"chunks"`
	Status    DocumentStatus `json:"status"`
	Stage     string         `json:"stage,omitempty"`       // extract, chunk, embed, index while Status is processing
	Progress  float64        `json:"progress,omitempty"`    // 0 to 1 within the whole pipeline
	PagesDone int            `json:"pages_done,omitempty"`  // of Pages, while it is read
	ETA       float64        `json:"eta_seconds,omitempty"` // until it is ready, while Status is processing; 0 when unknown
	Error     string         `json:"error,omitempty"`       // one clear line when Status is failed
	Notice    string         `json:"notice,omitempty"`      // one clear line when something was lost, "pages 4-5 could not be read"
	Embedded  int            `json:"chunks_embedded"`       // chunks of this version that had to be embedded
	Kept      int            `json:"chunks_kept"`           // chunks taken over from the version before
	AddedAt   Time           `json:"added_at"`
	ChangeAt  Time           `json:"changed_at"`
}

// Metadata are free fields of a document, by name.
type Metadata map[string]string

// DocumentStatus is where a document stands in the pipeline.
type DocumentStatus string

// A document is queued, then processing, then ready or failed.
const (
	DocumentQueued     DocumentStatus = "queued"
	DocumentProcessing DocumentStatus = "processing"
	DocumentReady      DocumentStatus = "ready"
	DocumentFailed     DocumentStatus = "failed"
)

// QueueCounts are how much the pipeline has before it.
type QueueCounts struct {
	Waiting    int `json:"waiting"`    // documents
	Processing int `json:"processing"` // documents
	Pages      int `json:"pages"`      // of those that are processed
	PagesDone  int `json:"pages_done"`
}

// BlockKind says what a block of extracted text is.
type BlockKind string

// The kinds of block that every format is read into.
const (
	BlockHeading   BlockKind = "heading"
	BlockParagraph BlockKind = "paragraph"
	BlockList      BlockKind = "list"
	BlockTable     BlockKind = "table" // rows by newline, cells by tab or " | "
	BlockCode      BlockKind = "code"
	BlockImage     BlockKind = "image" // Start==End when the image has no text
)

// Block is a run of extracted text that belongs together. Its text is
// Extract.Text[Start:End].
type Block struct {
	Kind    BlockKind `json:"kind"`
	Start   int       `json:"start"`
	End     int       `json:"end"`
	Page    int       `json:"page,omitempty"`    // page, slide or sheet; 0 where the format has none
	Level   int       `json:"level,omitempty"`   // heading depth from 1; 0 for others
	Heading []string  `json:"heading,omitempty"` // path of headings above the block, outermost first
}

// Extract is what one version of a document says, in reading order. Blocks are
// sorted, do not overlap, and cover all text that is searched.
type Extract struct {
	Title    string  `json:"title,omitempty"`
	Format   string  `json:"format"`
	Text     string  `json:"text"` // valid UTF-8 without NUL
	Blocks   []Block `json:"blocks"`
	Pages    int     `json:"pages,omitempty"`
	PageAt   []int   `json:"page_at,omitempty"` // PageAt[i] is the Start of page i+1 in Text; len == Pages
	Language string  `json:"language,omitempty"`
	Notice   string  `json:"notice,omitempty"` // one line about what could not be read
}

// PageOf returns the page that holds byte offset at, or 0 where the format has
// no pages.
func PageOf(pageAt []int, at int) int {
	lo, hi := 0, len(pageAt)
	for lo < hi {
		if mid := (lo + hi) / 2; pageAt[mid] <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

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

// Scope narrows what is searched. The zero Scope is everything. Where several
// fields are set, a document must satisfy all of them.
type Scope struct {
	Documents []string `json:"documents,omitempty"` // document IDs, any of them
	Category  string   `json:"category,omitempty"`
	Folder    string   `json:"folder,omitempty"`   // the folder and all below it
	Tags      []string `json:"tags,omitempty"`     // all of them
	Metadata  Metadata `json:"metadata,omitempty"` // all of these fields, with these values
	// Databases narrows which databases are asked, any of them. Where nothing else
	// is named, no document lies in the scope; see Includes and HasDatabase.
	Databases []string `json:"databases,omitempty"`
}

// IsZero reports whether the scope excludes nothing.
func (s Scope) IsZero() bool {
	return len(s.Databases) == 0 && s.allDocuments()
}

// OnlyDatabases reports whether a question is limited to databases, so that no
// document answers it.
func (s Scope) OnlyDatabases() bool {
	return len(s.Databases) > 0 && s.allDocuments()
}

func (s Scope) allDocuments() bool {
	return len(s.Documents) == 0 && s.Category == "" && s.Folder == "" && len(s.Tags) == 0 && len(s.Metadata) == 0
}

// Includes reports whether a document lies in the scope. None does where the scope
// names nothing but databases.
func (s Scope) Includes(d Document) bool {
	if s.OnlyDatabases() {
		return false
	}
	if s.Category != "" && s.Category != d.Category {
		return false
	}
	if s.Folder != "" && d.Folder != s.Folder && !hasFolderPrefix(d.Folder, s.Folder) {
		return false
	}
	for _, tag := range s.Tags {
		if !slices.Contains(d.Tags, tag) {
			return false
		}
	}
	for name, value := range s.Metadata {
		if has, ok := d.Metadata[name]; !ok || has != value {
			return false
		}
	}
	return len(s.Documents) == 0 || slices.Contains(s.Documents, d.ID)
}

func hasFolderPrefix(folder, parent string) bool {
	return len(folder) > len(parent) && folder[:len(parent)] == parent && folder[len(parent)] == '/'
}

// Passage is a chunk that a search found, with everything needed to show, cite
// and explain it.
type Passage struct {
	Chunk
	Document Document `json:"document"`
	Quote    Quote    `json:"quote"` // the words of the passage that answer the query best
	Score    float64  `json:"score"` // fused, 0 to 1, comparable within one search only
	Match    Match    `json:"match"`
	// Highlights are where the query's words stand in the passage, in order.
	Highlights []Range    `json:"highlights,omitempty"`
	Kind       SourceKind `json:"kind,omitempty"`
	URL        string     `json:"url,omitempty"` // of a web page or an attachment; documents have one of their own
}

// Range is a span of a document's extracted text.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Quote is a span of a document's extracted text.
type Quote struct {
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Page  int    `json:"page,omitempty"`
}

// Match explains why a passage was found. Ranks count from 1; 0 means that
// half of the search did not return it.
type Match struct {
	LexicalRank  int     `json:"lexical_rank,omitempty"`
	LexicalScore float64 `json:"lexical_score,omitempty"` // BM25
	VectorRank   int     `json:"vector_rank,omitempty"`
	VectorScore  float64 `json:"vector_score,omitempty"` // cosine
	Fused        float64 `json:"fused_score"`
}

// Candidate is one hit of one half of a search.
type Candidate struct {
	ChunkID string
	Score   float64
}
