package api

import (
	"ibid"
)

// SearchResult is what GET /v1/search answers.
type SearchResult struct {
	Query          string         `json:"query"`
	Mode           string         `json:"mode"`
	Passages       []ibid.Passage `json:"passages"`
	TookMS         float64        `json:"took_ms"`
	ChunksSearched int            `json:"chunks_searched"`
	Latency        struct {
		P50MS    float64 `json:"p50_ms"`
		P99MS    float64 `json:"p99_ms"`
		Searches int     `json:"searches"`
	} `json:"latency"`
	Rerank *struct {
		Method string `json:"method"`
	} `json:"rerank"`
	Warning string `json:"warning"` // why the vector half or the reranker is missing
}
