package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Metric names a measure of one ranking against what is relevant.
type Metric string

// Recall is the share of the relevant chunks among the first k; MRR@10 is one
// over the rank of the first relevant one; nDCG@10 is Järvelin & Kekäläinen's
// (2002) with linear gain, as trec_eval computes it.
const (
	NDCG10    Metric = "ndcg@10"
	MRR10     Metric = "mrr@10"
	Recall1   Metric = "recall@1"
	Recall5   Metric = "recall@5"
	Recall7   Metric = "recall@7"
	Recall20  Metric = "recall@20"
	Recall100 Metric = "recall@100"
)

// Metrics are in the order in which they are printed.
var Metrics = []Metric{NDCG10, MRR10, Recall1, Recall5, Recall7, Recall20, Recall100}

// depth is how long rankings must be for all metrics.
const depth = 100

// measure returns the values of Metrics for one ranking.
func measure(ranking []string, relevant map[string]int) []float64 {
	return []float64{ndcg(ranking, relevant, 10), reciprocalRank(ranking, relevant, 10), recall(ranking, relevant, 1),
		recall(ranking, relevant, 5), recall(ranking, relevant, 7), recall(ranking, relevant, 20), recall(ranking, relevant, 100)}
}

func ndcg(ranking []string, relevant map[string]int, k int) float64 {
	var gain, ideal float64
	for i, id := range ranking[:min(k, len(ranking))] {
		gain += float64(relevant[id]) / math.Log2(float64(i)+2)
	}
	grades := make([]int, 0, len(relevant))
	for _, g := range relevant {
		grades = append(grades, g)
	}
	slices.SortFunc(grades, func(a, b int) int { return b - a })
	for i, g := range grades[:min(k, len(grades))] {
		ideal += float64(g) / math.Log2(float64(i)+2)
	}
	if ideal == 0 {
		return 0
	}
	return gain / ideal
}

func reciprocalRank(ranking []string, relevant map[string]int, k int) float64 {
	for i, id := range ranking[:min(k, len(ranking))] {
		if relevant[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

func recall(ranking []string, relevant map[string]int, k int) float64 {
	found := 0
	for _, id := range ranking[:min(k, len(ranking))] {
		if relevant[id] > 0 {
			found++
		}
	}
	return float64(found) / float64(max(1, len(relevant)))
}

// mean returns the mean of each column.
func mean(rows [][]float64) []float64 {
	sums := make([]float64, len(Metrics))
	for _, row := range rows {
		for i, v := range row {
			sums[i] += v
		}
	}
	for i := range sums {
		sums[i] /= float64(max(1, len(rows)))
	}
	return sums
}

// resamples of the paired bootstrap.
const resamples = 2000

// bootstrap returns the mean of differences that belong to queries, and the
// bounds of its 95 % interval (Efron's percentile method, resampling queries).
func bootstrap(differences []float64, seed uint64) (mean, low, high float64) {
	n := len(differences)
	if n == 0 {
		return 0, 0, 0
	}
	for _, d := range differences {
		mean += d
	}
	mean /= float64(n)
	rng := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, resamples)
	for i := range means {
		for range n {
			means[i] += differences[rng.IntN(n)]
		}
		means[i] /= float64(n)
	}
	slices.Sort(means)
	return mean, means[resamples*25/1000], means[resamples*975/1000]
}
