package search

import (
	"cmp"
	"math"
	"slices"

	"ibid"
	"ibid/internal/evidence"
	"ibid/internal/question"
	"ibid/internal/text"
)

// likeliestBeside is how many passages that stand in no index are compared with what
// was found.
const likeliestBeside = 64

// Beside puts passages that stand in no index, those of a conversation's files, in
// their places among those that were found in the library. One ranking of the
// sentences of both says where: a passage of a file comes behind those of the library
// whose best sentence fits the query at least as well, and the library's keep their
// order. Scores are those of the neighbour, so that they stay comparable.
func Beside(found Result, query string, files []ibid.Passage, limit int) Result {
	beside := likeliest(query, files, likeliestBeside)
	if len(beside) == 0 {
		return found
	}
	union := Alternating(found.Passages, beside)
	fits := map[string]evidence.Choice{} // the best sentence of each passage
	for _, c := range Sentences(query, union) {
		if id := union[c.Passage].ID; fits[id].End == 0 {
			fits[id] = c
		}
	}
	beside = slices.DeleteFunc(beside, func(p ibid.Passage) bool { return fits[p.ID].Within == 0 })
	slices.SortStableFunc(beside, func(a, b ibid.Passage) int { return cmp.Compare(fits[b.ID].Score, fits[a.ID].Score) })
	found.ChunksSearched += len(files)
	found.Passages = placed(found.Passages, beside, fits)
	found.Passages = found.Passages[:min(len(found.Passages), limit)]
	return found
}

// placed merges the passages of files, best first, into those of the library.
func placed(library, files []ibid.Passage, fits map[string]evidence.Choice) []ibid.Passage {
	merged := slices.Clone(library)
	for i, p := range files {
		fit := fits[p.ID]
		p.Quote = QuoteOf(p, fit.Span)
		ahead := 0 // passages of the library that fit at least as well
		for _, l := range library {
			if fits[l.ID].Score >= fit.Score {
				ahead++
			}
		}
		switch {
		case len(library) > 0:
			p.Score = library[min(ahead, len(library)-1)].Score
		default: // the scores of sentences are logits
			p.Score = math.Exp(fit.Score - fits[files[0].ID].Score)
		}
		p.Match.Fused = p.Score
		merged = slices.Insert(merged, ahead+i, p)
	}
	return merged
}

// Alternating takes passages of both by turns, so that neither is ahead where what
// comes first is preferred or the end is cut off.
func Alternating(a, b []ibid.Passage) []ibid.Passage {
	var both []ibid.Passage
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			both = append(both, a[i])
		}
		if i < len(b) {
			both = append(both, b[i])
		}
	}
	return both
}

// likeliest returns at most n passages, those that hold most of the query's words
// first; the fewer passages have a word, the more it counts.
func likeliest(query string, passages []ibid.Passage, n int) []ibid.Passage {
	a := text.NewMemo(text.NewAnalyzer(cmp.Or(question.Language(query), "en")))
	wanted := map[string]int{} // place among the query's words
	for w := range text.Words(query) {
		if term, ok := a.Term(w.Text); ok && !question.Asking(w.Text) {
			if _, known := wanted[term]; !known && len(wanted) < 64 {
				wanted[term] = len(wanted)
			}
		}
	}
	held := make([]uint64, len(passages)) // a bit for each word
	count := make([]float64, len(wanted))
	for i, s := range evidence.Passages(passages) {
		for w := range text.Words(s.Under + s.Text) {
			term, ok := a.Term(w.Text)
			at, asked := wanted[term]
			if ok && asked && held[i]&(1<<at) == 0 {
				held[i] |= 1 << at
				count[at]++
			}
		}
	}
	weight := make([]float64, len(passages))
	var order []int
	for i := range passages {
		for at, n := range count {
			if held[i]&(1<<at) != 0 {
				weight[i] += math.Log(1 + float64(len(passages))/n)
			}
		}
		if held[i] != 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(weight[k], weight[i]) })
	best := make([]ibid.Passage, min(n, len(order)))
	for i := range best {
		best[i] = passages[order[i]]
	}
	return best
}
