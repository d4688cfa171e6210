package search

import (
	"context"
	"fmt"

	"ibid"
)

// maxSimShare is what MaxSim's score counts beside the fused one. On SQuAD it
// gains .004 nDCG@10 with it and on Cranfield it loses nothing; alone it loses on
// both, since the vectors of words are the same in every sentence (ibid eval
// retrieval shows it with intervals).
const maxSimShare = 0.1

// LateInteraction is an Embedder that has a vector for every word. The built-in
// one has.
type LateInteraction interface {
	// MaxSim returns a score for each text, higher is better.
	MaxSim(ctx context.Context, query string, texts []string) ([]float64, error)
}

// MaxSim reranks by late interaction with the vectors of the embedder in use.
type MaxSim struct{ embedder func() ibid.Embedder }

// NewMaxSim returns a reranker. embedder is asked at every search, as embedders
// are exchanged; nil is none.
func NewMaxSim(embedder func() ibid.Embedder) MaxSim { return MaxSim{embedder} }

// Name implements Reranker.
func (MaxSim) Name() string { return "maxsim" }

// Rerank implements Reranker.
func (m MaxSim) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	e := m.embedder()
	if e == nil {
		return nil, &ibid.Error{Code: ibid.CodeVectorDB, Message: "there is no embedder yet",
			Hint: "the built-in one is made from your documents once there are ten passages"}
	}
	words, ok := e.(LateInteraction)
	if !ok {
		return nil, &ibid.Error{Code: ibid.CodeVectorDB, Message: fmt.Sprintf("%s has no vectors of single words", e.Name()),
			Hint: "maxsim works with the built-in embedder, lsa; or give the URL of a reranking server"}
	}
	return words.MaxSim(ctx, query, texts)
}
