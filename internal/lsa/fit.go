package lsa

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"ibid"
	"ibid/internal/text"
)

// Config sets up a fit. The zero Config suits everyone.
type Config struct {
	Dimensions int    // length of the vectors; 0: 300. Small corpora get fewer
	Seed       uint64 // of the randomised decomposition: same texts, same model
	MaxTexts   int    // a larger corpus is sampled; 0: 20,000
	// Each does work over all of [0,n), in ranges that may go at once, on as many
	// cores as a fit may take; nil: on all of them. The model is the same to the
	// bit.
	Each func(n int, work func(from, to int))
}

const (
	// minTexts is the smallest corpus worth a fit.
	minTexts = 10
	// maxTerms bounds the vocabulary; the terms in the fewest texts go first.
	maxTerms = 40_000
	// A term must stand in this many texts: what occurs once ties nothing.
	minFrequency = 2
	oversample   = 20
	iterations   = 2
)

// Fit learns a model from the texts of a corpus, each given as
// text.Passage writes it, reading them once. A corpus of fewer than ten texts,
// or without repeated words, is a NO_DOCUMENTS error: search goes on without
// vectors until there is more.
func Fit(ctx context.Context, texts iter.Seq[string], cfg Config) (*Model, error) {
	cfg.Dimensions = cmp.Or(cfg.Dimensions, 300)
	cfg.MaxTexts = cmp.Or(cfg.MaxTexts, 20_000)
	c := newCorpus(cfg)
	for s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("fit the built-in embedder: %w", err)
		}
		c.add(s)
	}
	vocabulary := c.vocabulary()
	k := min(cfg.Dimensions, rank(len(c.sample)), len(vocabulary)/2)
	if len(c.sample) < minTexts || k < 2 {
		return nil, &ibid.Error{Code: ibid.CodeNoDocuments,
			Message: fmt.Sprintf("%d passages are too few to fit the built-in embedder", c.seen),
			Hint:    "search works by words until more documents are added"}
	}
	d := decomposition{each: cfg.Each}
	if d.each == nil {
		d.each = parallel
	}
	var m *Model
	var a, t *sparse
	d.each(1, func(int, int) {
		m = c.model(vocabulary)
		a = c.matrix(m)
		t = a.transpose()
	})
	v, err := d.rightSingular(ctx, a, t, k, oversample, iterations, cfg.Seed)
	if err != nil {
		return nil, fmt.Errorf("fit the built-in embedder: %w", err)
	}
	m.setProjection(v)
	return m, nil
}

// rank is how many dimensions a corpus of n texts bears: fewer generalise better
// where there is little to learn from. 2,500 texts bear 300.
func rank(n int) int { return min(n/3, int(6*math.Sqrt(float64(n)))) }

// count is how often a term, by its number, stands in a text.
type count struct {
	term int32
	n    int32
}

// corpus collects the texts of a fit as bags of words, keeping a uniform sample
// of them.
type corpus struct {
	cfg       Config
	rng       *rand.Rand
	reader    *bagger
	number    map[string]int32
	terms     []string
	seen      int
	sample    [][]count
	languages map[string]int
}

func newCorpus(cfg Config) *corpus {
	return &corpus{cfg: cfg, rng: rand.New(rand.NewPCG(cfg.Seed, 1)), reader: newBagger(),
		number: make(map[string]int32), languages: make(map[string]int)}
}

// add counts the words of a text; beyond MaxTexts it replaces a random earlier
// one (Vitter's algorithm R).
func (c *corpus) add(s string) {
	at := c.seen
	c.seen++
	if at >= c.cfg.MaxTexts {
		if at = c.rng.IntN(c.seen); at >= c.cfg.MaxTexts {
			return
		}
	}
	language := text.Language(s)
	c.languages[language]++
	bag := make(map[int32]int32)
	c.reader.each(s, []string{language}, func(term string) {
		id, ok := c.number[term]
		if !ok {
			id = int32(len(c.terms))
			c.number[term] = id
			c.terms = append(c.terms, term)
		}
		bag[id]++
	})
	counts := make([]count, 0, len(bag))
	for id, n := range bag {
		counts = append(counts, count{id, n})
	}
	slices.SortFunc(counts, func(a, b count) int { return cmp.Compare(a.term, b.term) })
	if at == len(c.sample) {
		c.sample = append(c.sample, counts)
	} else {
		c.sample[at] = counts
	}
}

// entry is a term that the model keeps, with the number of texts it stands in.
type entry struct {
	id        int32
	frequency int
}

// vocabulary chooses the terms of the model, ordered by the term itself.
func (c *corpus) vocabulary() []entry {
	frequency := make([]int, len(c.terms))
	for _, counts := range c.sample {
		for _, x := range counts {
			frequency[x.term]++
		}
	}
	var keep []entry
	for id, f := range frequency {
		if f >= minFrequency {
			keep = append(keep, entry{int32(id), f})
		}
	}
	if len(keep) > maxTerms {
		slices.SortFunc(keep, func(a, b entry) int {
			return cmp.Or(cmp.Compare(b.frequency, a.frequency), cmp.Compare(c.terms[a.id], c.terms[b.id]))
		})
		keep = keep[:maxTerms]
	}
	slices.SortFunc(keep, func(a, b entry) int { return cmp.Compare(c.terms[a.id], c.terms[b.id]) })
	return keep
}

// model returns a model that knows the vocabulary but has no projection yet.
func (c *corpus) model(vocabulary []entry) *Model {
	m := &Model{fitted: c.seen, languages: commonest(c.languages, 4), terms: make([]string, len(vocabulary)),
		idf: make([]float32, len(vocabulary))}
	n := float64(len(c.sample))
	for i, e := range vocabulary {
		m.terms[i] = c.terms[e.id]
		m.idf[i] = float32(math.Log(1 + n/float64(e.frequency)))
	}
	m.index()
	return m
}

// matrix returns the weighted (texts × terms) matrix with rows of length 1.
func (c *corpus) matrix(m *Model) *sparse {
	a := &sparse{rows: len(c.sample), columns: len(m.terms), start: make([]int, 1, len(c.sample)+1)}
	to := make([]int32, len(c.terms))
	for id, term := range c.terms {
		to[id] = -1
		if i, ok := m.number[term]; ok {
			to[id] = i
		}
	}
	for _, counts := range c.sample {
		from := len(a.vals)
		for _, x := range counts {
			if col := to[x.term]; col >= 0 {
				a.cols = append(a.cols, col)
				a.vals = append(a.vals, weight(x.n, m.idf[col]))
			}
		}
		normalise(a.vals[from:])
		a.start = append(a.start, len(a.vals))
	}
	return a
}

// weight is (1 + ln tf) · idf.
func weight(n int32, idf float32) float32 {
	return (1 + float32(math.Log(float64(n)))) * idf
}

// normalise scales v to length 1, unless it is zero.
func normalise(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
}

// commonest returns at most n keys with the highest counts.
func commonest(counts map[string]int, n int) []string {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return keys[:min(n, len(keys))]
}
