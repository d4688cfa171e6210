package ibid

// Change is a document that has changed in what is searched of it. The library
// numbers its changes; a document has the number of its last one. Numbers become
// visible in order: whoever has read number n never sees a lower one appear.
type Change struct {
	Number   int64
	Document Document // only its ID where it was removed
	Removed  bool
}

// DocumentChunkSet says which passages a document of the library has. An engine
// must hold the same.
type DocumentChunkSet struct {
	DocumentID string
	Number     int64 // of its last change
	Chunks     ChunkSet
}
