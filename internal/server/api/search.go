package api

import (
	"ibid"
	"ibid/internal/search"
)

// SearchResult is GET /v1/search.
type SearchResult struct {
	Query          string         `json:"query"`
	Mode           search.Mode    `json:"mode"` // the one that was used, never auto
	Passages       []ibid.Passage `json:"passages"`
	TookMS         float64        `json:"took_ms"`
	ChunksSearched int            `json:"chunks_searched"`
	Latency        SearchLatency  `json:"latency"`
	Rerank         *Reranking     `json:"rerank,omitempty"`  // what put the passages in a new order
	Warning        string         `json:"warning,omitempty"` // why the vector half or the reranker is missing
}

// SearchLatency is how long the last searches of the server took.
type SearchLatency struct {
	P50MS    float64 `json:"p50_ms"`
	P99MS    float64 `json:"p99_ms"`
	Searches int     `json:"searches"`
}

// Reranking says what a reranker did.
type Reranking struct {
	Method   string  `json:"method"`
	Input    int     `json:"input_count"`
	TopScore float64 `json:"top_score"`
	TookMS   float64 `json:"took_ms"`
}
