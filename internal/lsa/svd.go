package lsa

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// sparse is a matrix in compressed rows: row i holds the columns
// cols[start[i]:start[i+1]] with the values beside them.
type sparse struct {
	rows, columns int
	start         []int
	cols          []int32
	vals          []float32
}

// transpose returns the matrix with rows and columns exchanged.
func (a *sparse) transpose() *sparse {
	t := &sparse{rows: a.columns, columns: a.rows, start: make([]int, a.columns+1),
		cols: make([]int32, len(a.cols)), vals: make([]float32, len(a.vals))}
	for _, c := range a.cols {
		t.start[c+1]++
	}
	for i := range t.rows {
		t.start[i+1] += t.start[i]
	}
	next := slices.Clone(t.start)
	for r := range a.rows {
		for p := a.start[r]; p < a.start[r+1]; p++ {
			c := a.cols[p]
			t.cols[next[c]], t.vals[next[c]] = int32(r), a.vals[p]
			next[c]++
		}
	}
	return t
}

// decomposition works in ranges that each may spread over the cores. Every row or
// tile of a product is summed by one goroutine in one order, so the result does
// not depend on the ranges.
type decomposition struct {
	each func(n int, work func(from, to int))
}

// mul returns the dense product a·b.
func (d decomposition) mul(a *sparse, b blas32.General) blas32.General {
	y := dense(a.rows, b.Cols)
	d.each(a.rows, func(from, to int) {
		for i := from; i < to; i++ {
			row := y.Data[i*y.Stride : i*y.Stride+y.Cols]
			for p := a.start[i]; p < a.start[i+1]; p++ {
				at := int(a.cols[p]) * b.Stride
				gonum.Implementation{}.Saxpy(b.Cols, a.vals[p], b.Data[at:at+b.Cols], 1, row, 1)
			}
		}
	})
	return y
}

func dense(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float32, rows*cols)}
}

// parallel cuts [0,n) into one range per core and waits for all.
func parallel(n int, work func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n)
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() { work(p*n/parts, (p+1)*n/parts) })
	}
	wg.Wait()
}

// rightSingular returns the k leading right singular vectors of a, whose
// transpose is t, as the columns of a (columns × k) matrix, by randomised subspace iteration (Halko,
// Martinsson & Tropp, "Finding structure with randomness", SIAM Review 53(2),
// 2011, algorithms 4.4 and 5.1).
func (d decomposition) rightSingular(ctx context.Context, a, t *sparse, k, oversample, iterations int, seed uint64) (blas32.General, error) {
	l := min(k+oversample, a.rows, a.columns)
	k = min(k, l)
	rng := rand.New(rand.NewPCG(seed, 0))
	omega := dense(a.columns, l)
	for i := range omega.Data {
		omega.Data[i] = float32(rng.NormFloat64())
	}
	y := d.mul(a, omega)
	for range iterations {
		if err := ctx.Err(); err != nil {
			return blas32.General{}, err
		}
		y = d.mul(a, d.mul(t, d.orthonormal(y)))
	}
	if err := ctx.Err(); err != nil {
		return blas32.General{}, err
	}
	// aᵀ·Q = V·S·Uᵀ; V comes from the eigenvectors of its small Gram matrix.
	z := d.mul(t, d.orthonormal(y))
	values, vectors := d.eigen(z)
	return d.rotate(z, values, vectors, k), nil
}

// orthonormal returns a basis of the columns of y. Directions that carry
// nothing become zero columns.
func (d decomposition) orthonormal(y blas32.General) blas32.General {
	values, vectors := d.eigen(y)
	return d.rotate(y, values, vectors, y.Cols)
}

// eigen decomposes the Gram matrix yᵀ·y. Eigenvalues ascend; eigenvectors are
// columns.
func (d decomposition) eigen(y blas32.General) ([]float64, *mat.Dense) {
	g := d.gram(y)
	sym := mat.NewSymDense(y.Cols, nil)
	for i := range y.Cols {
		for j := i; j < y.Cols; j++ {
			sym.SetSym(i, j, float64(g.Data[i*g.Stride+j]))
		}
	}
	var e mat.EigenSym
	d.each(1, func(int, int) {
		if !e.Factorize(sym, true) {
			panic("lsa: the eigenvalues of a Gram matrix did not converge") // only NaN can do that
		}
	})
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	return e.Values(nil), &vectors
}

// rotate returns y times the k leading eigenvectors, scaled to length 1,
// strongest first.
func (d decomposition) rotate(y blas32.General, values []float64, vectors *mat.Dense, k int) blas32.General {
	l := y.Cols
	w := dense(l, k)
	for j := range k {
		c := l - 1 - j
		if values[c] <= 1e-7*values[l-1] || values[c] <= 0 { // float32 noise
			continue
		}
		scale := 1 / math.Sqrt(values[c])
		for i := range l {
			w.Data[i*k+j] = float32(vectors.At(i, c) * scale)
		}
	}
	out := dense(y.Rows, k)
	d.each((y.Rows+tile-1)/tile, func(from, to int) {
		for i := from * tile; i < min(to*tile, y.Rows); i += tile {
			for j := 0; j < k; j += tile {
				blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, part(y, i, 0, tile, l), part(w, 0, j, l, tile), 0, part(out, i, j, tile, tile))
			}
		}
	})
	return out
}

// tile is how many rows and columns of a product are made in one call: so few
// that gonum, which asks nobody, takes no more cores for it.
const tile = 64

// gram returns yᵀ·y.
func (d decomposition) gram(y blas32.General) blas32.General {
	g := dense(y.Cols, y.Cols)
	tiles := (y.Cols + tile - 1) / tile
	d.each(tiles*tiles, func(from, to int) {
		for t := from; t < to; t++ {
			i, j := t/tiles*tile, t%tiles*tile
			blas32.Gemm(blas.Trans, blas.NoTrans, 1, part(y, 0, i, y.Rows, tile), part(y, 0, j, y.Rows, tile), 0, part(g, i, j, tile, tile))
		}
	})
	return g
}

// part is a window on a matrix, of so many rows and columns where there are as
// many.
func part(m blas32.General, row, col, rows, cols int) blas32.General {
	rows, cols = min(rows, m.Rows-row), min(cols, m.Cols-col)
	at := row*m.Stride + col
	return blas32.General{Rows: rows, Cols: cols, Stride: m.Stride, Data: m.Data[at : at+(rows-1)*m.Stride+cols]}
}
