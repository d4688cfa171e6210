package ibid

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
