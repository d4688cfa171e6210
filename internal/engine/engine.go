// Package engine is the contract between ibid and what it searches. The engine in
// this process (engine/local) keeps it, and so can a search server that several
// processes share, that may be slow and that may be away.
//
//	Apply(ctx, []Change) error                    tells it what is searched from now on
//	Lexical(ctx, query, limit, scope)             the best passages by words
//	Vector(ctx, space, vector, limit, scope)      the nearest passages
//	State(ctx) (State, error)                     how far it is
//	Lacking(ctx, space, page) (ids, next, error)  passages without a vector
//
// Each consumer declares the methods that it uses; ibidtest.EngineSuite holds an
// engine to what is written here.
//
// The library is the truth. Whatever it changes of what is searched gets the next
// change number, and an engine is fed with those changes: first with all, then with
// those after State.Applied. So an engine may lose anything, and says so by a lower
// number; and whoever feeds it may tell it the same twice:
//
//   - A change of a document that is older than what the engine has of it is passed
//     over without an error, also when the document was removed since. Processes that
//     feed one engine need no lock.
//   - The same change again does no harm. It mends what the engine holds otherwise.
//
// When Apply has returned nil, every search that begins after it sees the changes.
// An error means "not now": some of the changes may have been taken, and the caller
// tells all of them again later. What can never be taken (a vector of other dimensions
// than its space has) is an error with the code VECTOR_DB, and changes nothing.
//
// A document that is put again is never missing from a search meanwhile. A search may
// find passages that the library does not have any more; who shows them asks the
// library first.
//
// Everything ends soon after its context does, with an error.
package engine

import "ibid"

// A Change is one thing that an engine is told: a Put, a Remove, Vectors, a Forget or a
// Reset.
type Change interface{ change() }

// Put says by which passages a document is searched from now on, in the place of
// those that it had. A passage whose id stays keeps its vectors. An id that another
// document has, or that comes twice, is left out.
type Put struct {
	Number   int64 // of the library's change
	Document ibid.Document
	Passages []ibid.Chunk
}

// Remove takes a document and its passages out of search. There need be no such
// document.
type Remove struct {
	Number     int64 // of the library's change
	DocumentID string
}

// Vectors gives passages their vectors in a space, which comes into being with its
// first vector. Ids that are not searched are left out: their documents went while
// they were embedded. Vectors need no particular length.
type Vectors struct {
	Space   string // the name of the embedder
	IDs     []string
	Vectors [][]float32 // one for each id
}

// Forget drops all vectors of a space.
type Forget struct{ Space string }

// Reset empties the engine: what it holds is of another library, or of a later state
// of this one. Numbers begin anew.
type Reset struct{}

func (Put) change()     {}
func (Remove) change()  {}
func (Vectors) change() {}
func (Forget) change()  {}
func (Reset) change()   {}

// State is how far an engine is. It is asked at every search: an engine behind a
// network may answer with what it knew a second ago.
type State struct {
	Applied int64          // the highest change number that searches see
	Saved   int64          // the highest change number that a crash does not take back
	Chunks  int            // passages that are searched
	Vectors map[string]int // how many of them have a vector, by space
}

// Whole reports whether every passage has a vector in a space.
func (s State) Whole(space string) bool { return s.Vectors[space] >= s.Chunks }

// Agreement is what comparing an engine with the library came to.
type Agreement struct {
	Documents int      `json:"documents"` // with passages, in the library
	Chunks    int      `json:"chunks"`    // passages of the library
	Differ    []string `json:"differ"`    // ids of documents that the engine holds otherwise, not at all, or still
}
