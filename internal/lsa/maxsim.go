package lsa

import (
	"context"
	"fmt"
	"math"

	"ibid/internal/text"
)

// The words of a query are looked for in the whole text and in each stretch of
// window words, one beginning every hop: words that stand together say more.
const (
	window = 20
	hop    = 10
)

// MaxSim judges texts against a query by late interaction: every word of the
// query looks for the word of the text that is most like it, and what the best
// are like is added up. It is the sum over the query's words of the largest
// cosine to a word of the text, of Khattab & Zaharia, "ColBERT: Efficient and
// Effective Passage Search via Contextualized Late Interaction over BERT", SIGIR
// 2020, with three differences: the vectors of words are this model's rows, which
// know the corpus but not the sentence; a word counts by its idf; and the sum is
// the mean of that over the text and that over its best stretch of 20 words. A
// score is from 0, nothing alike, to 1, every word of the query close together.
func (m *Model) MaxSim(ctx context.Context, query string, texts []string) ([]float64, error) {
	b := m.baggers.Get().(*bagger)
	defer m.baggers.Put(b)
	q := m.ask(b, query)
	scores := make([]float64, len(texts))
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("rerank with %s: %w", m.name, err)
		}
		var words []string
		b.each(s, []string{text.Language(s)}, func(term string) { words = append(words, term) })
		scores[i] = q.score(words)
	}
	return scores, nil
}

// asked is a query and what is known of how words are like its own.
type asked struct {
	model   *Model
	terms   []string
	weights []float64            // of terms; their sum is 1
	likes   map[string][]float64 // word of a text → its cosines to terms, not below 0
	best    []float64            // buffer of score
}

func (m *Model) ask(b *bagger, query string) *asked {
	q := &asked{model: m, likes: make(map[string][]float64)}
	known := make(map[string]bool)
	total := 0.0
	b.each(query, m.languages, func(term string) {
		if known[term] {
			return
		}
		known[term] = true
		weight := math.Log(1 + float64(m.fitted)) // a word that the model does not know is rare
		if id, ok := m.number[term]; ok {
			weight = float64(m.idf[id])
		}
		q.terms, q.weights = append(q.terms, term), append(q.weights, weight)
		total += weight
	})
	for i := range q.weights {
		q.weights[i] /= total
	}
	q.best = make([]float64, len(q.terms))
	return q
}

// score judges one text by its words.
func (q *asked) score(words []string) float64 {
	stretch := q.within(words[:min(window, len(words))])
	for from := hop; from+window-hop < len(words); from += hop {
		stretch = max(stretch, q.within(words[from:min(from+window, len(words))]))
	}
	return (q.within(words) + stretch) / 2
}

// within is the weighted sum, over the words of the query, of the largest cosine
// to one of these.
func (q *asked) within(words []string) float64 {
	clear(q.best)
	for _, w := range words {
		for i, like := range q.like(w) {
			q.best[i] = max(q.best[i], like)
		}
	}
	sum := 0.0
	for i, like := range q.best {
		sum += q.weights[i] * like
	}
	return sum
}

// like returns how a word is like each word of the query.
func (q *asked) like(word string) []float64 {
	likes, known := q.likes[word]
	if known {
		return likes
	}
	likes = make([]float64, len(q.terms))
	for i, term := range q.terms {
		likes[i] = q.model.like(term, word)
	}
	q.likes[word] = likes
	return likes
}

// like is the cosine of the vectors of two terms, not below 0; that of a term to
// itself is 1 even where it has no vector.
func (m *Model) like(s, t string) float64 {
	if s == t {
		return 1
	}
	a, knowsA := m.number[s]
	b, knowsB := m.number[t]
	if !knowsA || !knowsB {
		return 0
	}
	x := m.codes[int(a)*m.dimensions:][:m.dimensions]
	y := m.codes[int(b)*m.dimensions:][:m.dimensions]
	var xy, xx, yy int32 // the scale of a row does not matter to a cosine
	for i, c := range x {
		c, d := int32(c), int32(y[i])
		xy += c * d
		xx += c * c
		yy += d * d
	}
	if xy <= 0 {
		return 0
	}
	return float64(xy) / math.Sqrt(float64(xx)*float64(yy))
}
