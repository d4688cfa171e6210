// Package lsa is the built-in embedder: latent semantic analysis (Deerwester et
// al., 1990) fitted on the user's own corpus, so that words used in the same
// passages lie close together. It needs no download and no server.
//
// A text is weighted by (1 + ln tf)·idf over stemmed terms and projected on the
// leading right singular vectors of the corpus.
package lsa

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"

	"ibid"
	"ibid/internal/text"
)

// Model embeds texts by the fit of one corpus. It is immutable and safe for
// concurrent use. It implements ibid.Embedder.
type Model struct {
	dimensions int
	fitted     int      // texts in the corpus at the time of the fit
	languages  []string // of the corpus, the commonest first; "" is unknown
	terms      []string // ascending
	idf        []float32
	// Term i's row of the projection is codes[i*dimensions:] · scales[i]. 8 bits
	// cost less than .001 nDCG.
	codes  []int8
	scales []float32

	name    string
	number  map[string]int32
	baggers sync.Pool // of *bagger
}

// Name identifies the fit: "lsa-300@" and a hash of everything that decides the
// vectors.
func (m *Model) Name() string { return m.name }

// Dimensions is the length of the vectors.
func (m *Model) Dimensions() int { return m.dimensions }

// Fitted is the number of texts of the corpus at the time of the fit.
func (m *Model) Fitted() int { return m.fitted }

// Stale reports whether the corpus has outgrown the fit by a quarter, which is
// when a new fit begins to pay. Until then an old fit, mixed at 0.2, costs less
// than .003 nDCG.
func (m *Model) Stale(texts int) bool { return 4*texts >= 5*m.fitted || 2*texts <= m.fitted }

// Embed returns one vector of length 1 per text; a text without any known word
// has the zero vector, which is near to nothing.
func (m *Model) Embed(ctx context.Context, texts []string, use ibid.EmbedUse) ([][]float32, error) {
	b := m.baggers.Get().(*bagger)
	defer m.baggers.Put(b)
	vecs := make([][]float32, len(texts))
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed with %s: %w", m.name, err)
		}
		languages := m.languages
		if use == ibid.EmbedPassage {
			languages = []string{text.Language(s)}
		}
		vecs[i] = m.embed(b, s, languages)
	}
	return vecs, nil
}

func (m *Model) embed(b *bagger, s string, languages []string) []float32 {
	clear(b.bag)
	b.order = b.order[:0]
	b.each(s, languages, func(term string) {
		id, ok := m.number[term]
		if !ok {
			return
		}
		if b.bag[id] == 0 {
			b.order = append(b.order, id) // sums in a fixed order give the same bits every time
		}
		b.bag[id]++
	})
	v := make([]float32, m.dimensions)
	for _, id := range b.order {
		w := weight(b.bag[id], m.idf[id]) * m.scales[id]
		row := m.codes[int(id)*m.dimensions:][:len(v)]
		for j, c := range row {
			v[j] += w * float32(c)
		}
	}
	normalise(v)
	return v
}

// setProjection stores the right singular vectors as 8-bit rows and names the
// model.
func (m *Model) setProjection(v blas32.General) {
	m.dimensions = v.Cols
	m.codes = make([]int8, v.Rows*v.Cols)
	m.scales = make([]float32, v.Rows)
	for i := range v.Rows {
		row := v.Data[i*v.Stride : i*v.Stride+v.Cols]
		var most float32
		for _, x := range row {
			most = max(most, float32(math.Abs(float64(x))))
		}
		if most == 0 {
			continue
		}
		m.scales[i] = most / 127
		for j, x := range row {
			m.codes[i*v.Cols+j] = int8(math.Round(float64(x / m.scales[i])))
		}
	}
	m.setName()
}

// index makes what is derived from the terms.
func (m *Model) index() {
	m.number = make(map[string]int32, len(m.terms))
	for i, t := range m.terms {
		m.number[t] = int32(i)
	}
	m.baggers.New = func() any { return newBagger() }
}

func (m *Model) setName() {
	h := sha256.New()
	for i, t := range m.terms {
		fmt.Fprintf(h, "%s\x00", t)
		binary.Write(h, binary.LittleEndian, [2]float32{m.idf[i], m.scales[i]}) // a hash never fails
	}
	binary.Write(h, binary.LittleEndian, m.codes)
	m.name = fmt.Sprintf("lsa-%d@%x", m.dimensions, h.Sum(nil)[:6])
}

// bagger cuts texts into terms, remembering stems. It serves one goroutine at a
// time.
type bagger struct {
	memos map[string]*text.Memo
	bag   map[int32]int32
	order []int32
	seen  map[string]bool
}

func newBagger() *bagger {
	return &bagger{memos: make(map[string]*text.Memo), bag: make(map[int32]int32), seen: make(map[string]bool)}
}

// each calls f for every term of s in each of the languages, once per word
// where languages agree on the term.
func (b *bagger) each(s string, languages []string, f func(term string)) {
	for w := range text.Words(s) {
		if w.Joined {
			continue
		}
		if len(languages) == 1 {
			if t, ok := b.memo(languages[0]).Term(w.Text); ok {
				f(t)
			}
			continue
		}
		clear(b.seen)
		for _, l := range languages {
			if t, ok := b.memo(l).Term(w.Text); ok && !b.seen[t] {
				b.seen[t] = true
				f(t)
			}
		}
	}
}

func (b *bagger) memo(language string) *text.Memo {
	m := b.memos[language]
	if m == nil {
		// Where no language was recognised, the default is English.
		l := language
		if l == "" {
			l = "en"
		}
		m = text.NewMemo(text.NewAnalyzer(l))
		b.memos[language] = m
	}
	return m
}
