package search

import (
	"cmp"
	"slices"

	"ibid"
)

const (
	// rrfK dampens the lead of the first ranks: Cormack, Clarke & Büttcher,
	// "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning
	// methods", SIGIR 2009.
	rrfK = 60
	// mixVector is the vector half's share when scores are mixed, against 1 for
	// the lexical half.
	mixVector = 0.2
	// A vector hit is very weak, and dropped, when its cosine is under this
	// share of the best hit's, or under weakCosine whatever the best is.
	weakShare  = 0.3
	weakCosine = 0.05
)

// dropWeak cuts off the tail of very weak vector hits. A chunk that the words
// found too stays, for its words.
func dropWeak(found []ibid.Candidate) []ibid.Candidate {
	for i, c := range found {
		if c.Score < weakCosine || c.Score < weakShare*found[0].Score {
			return found[:i]
		}
	}
	return found
}

// fuse merges both lists, each best first, into one with fused scores from 0
// to 1, best first.
func fuse(mode Mode, lexical, vector []ibid.Candidate) []Ranked {
	at := make(map[string]int, len(lexical)+len(vector))
	ranked := make([]Ranked, 0, len(lexical)+len(vector))
	entry := func(id string) *ibid.Match {
		i, known := at[id]
		if !known {
			i = len(ranked)
			at[id] = i
			ranked = append(ranked, Ranked{ChunkID: id})
		}
		return &ranked[i].Match
	}
	for i, c := range lexical {
		m := entry(c.ChunkID)
		m.LexicalRank, m.LexicalScore = i+1, c.Score
		m.Fused += lexicalShare(mode, i+1, c.Score, lexical)
	}
	for i, c := range vector {
		m := entry(c.ChunkID)
		m.VectorRank, m.VectorScore = i+1, c.Score
		m.Fused += vectorShare(mode, i+1, c.Score, vector)
	}
	slices.SortFunc(ranked, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Match.Fused, a.Match.Fused), cmp.Compare(a.ChunkID, b.ChunkID))
	})
	return ranked
}

// cut keeps the best limit of a ranking. The best lexical hit is among them:
// what holds the query's very words is not pushed out by what is merely like
// them.
func cut[T any](ranked []T, limit int, match func(T) ibid.Match) []T {
	if len(ranked) <= limit {
		return ranked
	}
	for _, r := range ranked[limit:] {
		if match(r).LexicalRank == 1 {
			ranked[limit-1] = r
		}
	}
	return ranked[:limit]
}

func lexicalShare(mode Mode, rank int, score float64, list []ibid.Candidate) float64 {
	switch mode {
	case ModeLexical:
		return score / list[0].Score
	case ModeRRF:
		return reciprocal(rank)
	case ModeMix:
		return minMax(score, list) / (1 + mixVector)
	}
	return 0
}

func vectorShare(mode Mode, rank int, score float64, list []ibid.Candidate) float64 {
	switch mode {
	case ModeVector:
		return min(max(score, 0), 1)
	case ModeRRF:
		return reciprocal(rank)
	case ModeMix:
		return mixVector * minMax(score, list) / (1 + mixVector)
	}
	return 0
}

// reciprocal is 1/(k+rank), scaled so that two first ranks make 1.
func reciprocal(rank int) float64 { return (rrfK + 1) / 2.0 / float64(rrfK+rank) }

// minMax maps the scores of a list, best first, to 0…1. A lone hit is a best.
func minMax(score float64, list []ibid.Candidate) float64 {
	best, least := list[0].Score, list[len(list)-1].Score
	if best == least {
		return 1
	}
	return (score - least) / (best - least)
}
