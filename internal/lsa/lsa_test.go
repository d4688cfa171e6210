package lsa

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ibid"
)

// topics are sets of words that are used together. The two words for a car are
// never in one text.
var topics = [][]string{
	strings.Fields("engine wheel road driver fuel brake motor traffic"),
	strings.Fields("bread flour oven yeast dough baker crust butter"),
	strings.Fields("river boat harbour sail anchor captain wave island"),
}

func corpusOf(n int) []string {
	rng := rand.New(rand.NewPCG(1, 1))
	texts := make([]string, n)
	for i := range texts {
		words := topics[i%len(topics)]
		var b strings.Builder
		for range 12 {
			b.WriteString(words[rng.IntN(len(words))] + " ")
		}
		switch {
		case i%6 == 0:
			b.WriteString("automobile")
		case i%6 == 3:
			b.WriteString("car")
		}
		texts[i] = b.String()
	}
	return texts
}

func fit(t testing.TB, texts []string, cfg Config) *Model {
	t.Helper()
	m, err := Fit(context.Background(), slices.Values(texts), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func embed(t testing.TB, m *Model, use ibid.EmbedUse, texts ...string) [][]float32 {
	t.Helper()
	vecs, err := m.Embed(context.Background(), texts, use)
	if err != nil {
		t.Fatal(err)
	}
	return vecs
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestWordsOfOneContextAreNear(t *testing.T) {
	m := fit(t, corpusOf(120), Config{Dimensions: len(topics)})
	v := embed(t, m, ibid.EmbedQuery, "car", "automobile", "bread", "Cars!")
	if c := cosine(v[0], v[1]); c < 0.7 {
		t.Errorf("car and automobile: %.3f", c)
	}
	if c := cosine(v[0], v[2]); c > 0.3 {
		t.Errorf("car and bread: %.3f", c)
	}
	if c := cosine(v[0], v[3]); c < 0.999 {
		t.Errorf("car and Cars: %.3f", c)
	}
	for _, x := range v {
		if n := cosine(x, x); math.Abs(n-1) > 1e-5 {
			t.Errorf("length² %v", n)
		}
	}
}

func TestUnknownWordsHaveTheZeroVector(t *testing.T) {
	m := fit(t, corpusOf(60), Config{})
	for _, v := range embed(t, m, ibid.EmbedPassage, "", "xyzzy", "the of and") {
		if len(v) != m.Dimensions() || cosine(v, v) != 0 {
			t.Errorf("vector %v", v)
		}
	}
}

func TestFitDependsOnTextsAndSeedOnly(t *testing.T) {
	texts := corpusOf(90)
	one := fit(t, texts, Config{Seed: 3})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if again := fit(t, texts, Config{Seed: 3}); again.Name() != one.Name() {
		t.Errorf("%s on several cores, %s on one", one.Name(), again.Name())
	}
	if other := fit(t, texts[1:], Config{Seed: 3}); other.Name() == one.Name() {
		t.Error("another corpus, the same name")
	}
	if want := fmt.Sprintf("lsa-%d@", one.Dimensions()); !strings.HasPrefix(one.Name(), want) {
		t.Errorf("name %s, want %s…", one.Name(), want)
	}
}

func TestSmallCorpora(t *testing.T) {
	for name, texts := range map[string][]string{
		"none": nil, "nine": corpusOf(9), "no repeated word": strings.Fields("a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1"), "empty": make([]string, 50),
	} {
		if _, err := Fit(context.Background(), slices.Values(texts), Config{}); ibid.CodeOf(err) != ibid.CodeNoDocuments {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := fit(t, corpusOf(10), Config{})
	if m.Dimensions() != 3 {
		t.Errorf("%d dimensions for 10 texts", m.Dimensions())
	}
	same := make([]string, 20)
	for i := range same {
		same[i] = "engine wheel road driver"
	}
	for _, v := range embed(t, fit(t, same, Config{}), ibid.EmbedPassage, same[0]) {
		if n := cosine(v, v); math.Abs(n-1) > 1e-5 {
			t.Errorf("length² %v of a text of a corpus of rank 1", n)
		}
	}
}

func TestLargeCorporaAreSampled(t *testing.T) {
	m := fit(t, corpusOf(300), Config{MaxTexts: 60, Dimensions: len(topics)})
	if m.Fitted() != 300 {
		t.Errorf("fitted on %d", m.Fitted())
	}
	if v := embed(t, m, ibid.EmbedQuery, "engine", "motor"); cosine(v[0], v[1]) < 0.5 {
		t.Error("the sample lost the topics")
	}
}

func TestStale(t *testing.T) {
	m := &Model{fitted: 100}
	for n, want := range map[int]bool{100: false, 124: false, 125: true, 1000: true, 51: false, 50: true, 0: true} {
		if got := m.Stale(n); got != want {
			t.Errorf("Stale(%d) = %v", n, got)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, slices.Values(corpusOf(30)), Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Fit: %v", err)
	}
	if _, err := fit(t, corpusOf(30), Config{}).Embed(ctx, []string{"x"}, ibid.EmbedQuery); !errors.Is(err, context.Canceled) {
		t.Errorf("Embed: %v", err)
	}
}

func TestSaveAndLoad(t *testing.T) {
	m := fit(t, corpusOf(60), Config{})
	var saved bytes.Buffer
	if err := m.Save(&saved); err != nil {
		t.Fatal(err)
	}
	l, err := Load(bytes.NewReader(saved.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if l.Name() != m.Name() || l.Fitted() != m.Fitted() || l.Dimensions() != m.Dimensions() {
		t.Errorf("loaded %s, saved %s", l.Name(), m.Name())
	}
	a, b := embed(t, m, ibid.EmbedQuery, "engine oven"), embed(t, l, ibid.EmbedQuery, "engine oven")
	if !slices.Equal(a[0], b[0]) {
		t.Error("the loaded model embeds otherwise")
	}
	for n := range saved.Len() {
		if n%7 == 0 {
			if _, err := Load(bytes.NewReader(saved.Bytes()[:n])); !errors.Is(err, ErrDamaged) {
				t.Errorf("cut at %d: %v", n, err)
			}
		}
		broken := bytes.Clone(saved.Bytes())
		broken[n] ^= 1
		if _, err := Load(bytes.NewReader(broken)); !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d: %v", n, err)
		}
	}
}

func TestConcurrentEmbed(t *testing.T) {
	m := fit(t, corpusOf(60), Config{})
	want := embed(t, m, ibid.EmbedPassage, "engine oven river")[0]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if got := embed(t, m, ibid.EmbedPassage, "engine oven river")[0]; !slices.Equal(got, want) {
					t.Error("another vector")
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestLanguagesOfTheCorpus(t *testing.T) {
	var texts []string
	for i := range 40 {
		texts = append(texts, fmt.Sprintf("Die Häuser der Bürger und der Garten sind nicht weit von dem Fluss, in dem das Boot %d ist.", i%4))
	}
	m := fit(t, texts, Config{})
	v := embed(t, m, ibid.EmbedQuery, "Haus", "Häuser")
	if c := cosine(v[0], v[1]); c < 0.999 {
		t.Errorf("Haus and Häuser: %v", c)
	}
}

// TestSingularVectors compares with a full decomposition.
func TestSingularVectors(t *testing.T) {
	const rows, columns, k = 60, 40, 8
	rng := rand.New(rand.NewPCG(5, 5))
	full := mat.NewDense(rows, columns, nil)
	a := &sparse{rows: rows, columns: columns, start: []int{0}}
	for i := range rows {
		for j := range columns {
			// Entries fall off from left to right, so that singular values do.
			if v := rng.NormFloat64() * math.Pow(0.8, float64(j)); rng.IntN(3) > 0 {
				full.Set(i, j, float64(float32(v)))
				a.cols, a.vals = append(a.cols, int32(j)), append(a.vals, float32(v))
			}
		}
		a.start = append(a.start, len(a.vals))
	}
	v, err := decomposition{each: parallel}.rightSingular(context.Background(), a, a.transpose(), k, 10, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	var svd mat.SVD
	if !svd.Factorize(full, mat.SVDThin) {
		t.Fatal("the reference does not converge")
	}
	var want mat.Dense
	svd.VTo(&want)
	for j := range k {
		var dot, length float64
		for i := range columns {
			x := float64(v.Data[i*v.Stride+j])
			dot += x * want.At(i, j)
			length += x * x
		}
		if math.Abs(math.Abs(dot)-1) > 1e-3 || math.Abs(length-1) > 1e-3 {
			t.Errorf("vector %d: |cosine| %.5f, length² %.5f", j, math.Abs(dot), length)
		}
	}
}

func BenchmarkFit2000(b *testing.B) {
	texts := benchmarkTexts(2000)
	for b.Loop() {
		fit(b, texts, Config{})
	}
}

func BenchmarkEmbed(b *testing.B) {
	texts := benchmarkTexts(2000)
	m := fit(b, texts, Config{})
	i := 0
	for b.Loop() {
		embed(b, m, ibid.EmbedPassage, texts[i%len(texts)])
		i++
	}
}

// benchmarkTexts have 120 words, of some 20,000 by Zipf's law.
func benchmarkTexts(n int) []string {
	rng := rand.New(rand.NewPCG(2, 2))
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range 120 {
			fmt.Fprintf(&b, "word%c%c%c ", 'a'+rune(rng.IntN(3)), 'a'+rune(math.Pow(26, rng.Float64())-1), 'a'+rune(math.Pow(26, rng.Float64())-1))
		}
		texts[i] = b.String()
	}
	return texts
}
