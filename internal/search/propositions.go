package search

import (
	"context"
	"math"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/evidence"
)

// propositionPassages is how many passages the sentences are taken from.
const propositionPassages = 20

// Propositions returns the sentences that answer a query best, as chunks of
// level 3 whose parents are the passages they stand in. They are those of the
// best twenty passages, ranked as the built-in model ranks what it quotes;
// scores are relative to the best.
func (s *Searcher) Propositions(ctx context.Context, view access.View, q Query) (Result, error) {
	start := time.Now()
	ranking, err := s.rank(ctx, view, q, pool)
	if err != nil {
		return Result{}, err
	}
	r := Result{Mode: ranking.Mode, ChunksSearched: ranking.ChunksSearched, VectorError: ranking.VectorError}
	found, err := s.passages(ctx, view, cut(ranking.Ranked, propositionPassages, func(r Ranked) ibid.Match { return r.Match }))
	if err != nil {
		return Result{}, err
	}
	if found, err = s.toParents(ctx, view, found); err != nil {
		return Result{}, err
	}
	r.Passages = sentences(q.Text, withoutRepetitions(found), s.limit(q))
	highlight(q.Text, r.Passages)
	r.Took = time.Since(start)
	return r, nil
}

// sentences returns the best sentences of passages, each once.
func sentences(query string, passages []ibid.Passage, limit int) []ibid.Passage {
	var best []ibid.Passage
	said := make(map[string]bool)
	top := math.Inf(-1)
	for _, c := range evidence.Choose(query, evidence.Passages(passages)) {
		p := passages[c.Passage]
		words := strings.Join(strings.Fields(p.Text[c.Start:c.End]), " ")
		if said[words] || c.Within == 0 || c.Asks || isHeading(&p, c.Span) {
			continue
		}
		said[words] = true
		top = max(top, c.Score)
		best = append(best, proposition(p, c, math.Exp(c.Score-top)))
		if len(best) == limit {
			break
		}
	}
	return best
}

// proposition is one sentence of a passage. The ranker's scores are logits: their
// differences say how many times likelier one is than another.
func proposition(p ibid.Passage, c evidence.Choice, score float64) ibid.Passage {
	passage, quoted := p.Chunk, QuoteOf(p, c.Span)
	p.ID, p.ParentID, p.Level, p.Ordinal = ibid.SentenceID(passage.ID, c.Sentence), passage.ID, sentenceLevel, c.Sentence
	p.Text, p.Start, p.End = passage.Text[c.Start:c.End], passage.Start+c.Start, passage.Start+c.End
	p.Score = score
	p.Quote = quoted
	return p
}
