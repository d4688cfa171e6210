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

// mul returns the dense product a·b. Every row of the product is summed by one
// goroutine in one order, so the result does not depend on the number of cores.
func (a *sparse) mul(b blas32.General) blas32.General {
	y := dense(a.rows, b.Cols)
	parallel(a.rows, func(from, to int) {
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

// rightSingular returns the k leading right singular vectors of a as the
// columns of a (columns × k) matrix, by randomised subspace iteration (Halko,
// Martinsson & Tropp, "Finding structure with randomness", SIAM Review 53(2),
// 2011, algorithms 4.4 and 5.1).
func rightSingular(ctx context.Context, a *sparse, k, oversample, iterations int, seed uint64) (blas32.General, error) {
	l := min(k+oversample, a.rows, a.columns)
	k = min(k, l)
	t := a.transpose()
	rng := rand.New(rand.NewPCG(seed, 0))
	omega := dense(a.columns, l)
	for i := range omega.Data {
		omega.Data[i] = float32(rng.NormFloat64())
	}
	y := a.mul(omega)
	for range iterations {
		if err := ctx.Err(); err != nil {
			return blas32.General{}, err
		}
		y = a.mul(t.mul(orthonormal(y)))
	}
	if err := ctx.Err(); err != nil {
		return blas32.General{}, err
	}
	// aᵀ·Q = V·S·Uᵀ; V comes from the eigenvectors of its small Gram matrix.
	z := t.mul(orthonormal(y))
	values, vectors := eigen(z)
	return rotate(z, values, vectors, k), nil
}

// orthonormal returns a basis of the columns of y. Directions that carry
// nothing become zero columns.
func orthonormal(y blas32.General) blas32.General {
	values, vectors := eigen(y)
	return rotate(y, values, vectors, y.Cols)
}

// eigen decomposes the Gram matrix yᵀ·y. Eigenvalues ascend; eigenvectors are
// columns.
func eigen(y blas32.General) ([]float64, *mat.Dense) {
	g := dense(y.Cols, y.Cols)
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, y, y, 0, g)
	sym := mat.NewSymDense(y.Cols, nil)
	for i := range y.Cols {
		for j := i; j < y.Cols; j++ {
			sym.SetSym(i, j, float64(g.Data[i*g.Stride+j]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(sym, true) {
		panic("lsa: the eigenvalues of a Gram matrix did not converge") // only NaN can do that
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	return e.Values(nil), &vectors
}

// rotate returns y times the k leading eigenvectors, scaled to length 1,
// strongest first.
func rotate(y blas32.General, values []float64, vectors *mat.Dense, k int) blas32.General {
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
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, y, w, 0, out)
	return out
}
