package evidence

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
)

// wordTable is made by scripts/wordvectors, which says from what and how.
//
//go:embed words.bin
var wordTable []byte

// Table holds vectors of terms that tell which of them mean nearly the same.
type Table struct {
	Dimensions int
	Terms      []string // stems as text.Analyzer makes them, ascending
	Vectors    []int8   // Dimensions for each term; 127 stands for 0.5, lengths are 1
}

// Write writes a table: numbers of terms and dimensions (uint32, little endian),
// the terms as lines, the vectors; all of it compressed (gzip).
func (t *Table) Write(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, []uint32{uint32(len(t.Terms)), uint32(t.Dimensions)}) // a buffer takes everything
	b.WriteString(strings.Join(t.Terms, "\n") + "\n")
	_ = binary.Write(&b, binary.LittleEndian, t.Vectors)
	if _, err := z.Write(b.Bytes()); err != nil {
		return err
	}
	return z.Close()
}

// ReadTable reads what Write wrote.
func ReadTable(r io.Reader) (*Table, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read the table of words: %w", err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("read the table of words: %w", err)
	}
	if len(all) < 8 {
		return nil, fmt.Errorf("the table of words is cut off")
	}
	n, d := int(binary.LittleEndian.Uint32(all)), int(binary.LittleEndian.Uint32(all[4:]))
	t := &Table{Dimensions: d, Terms: make([]string, 0, n), Vectors: make([]int8, n*d)}
	rest := all[8:]
	for range n {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return nil, fmt.Errorf("the table of words is cut off")
		}
		t.Terms = append(t.Terms, string(rest[:end]))
		rest = rest[end+1:]
	}
	if len(rest) != n*d {
		return nil, fmt.Errorf("the table of words has %d bytes of vectors, not %d", len(rest), n*d)
	}
	for i, b := range rest {
		t.Vectors[i] = int8(b)
	}
	return t, nil
}

// words is the table of the program, read when it is needed first.
var words = sync.OnceValue(func() *Table {
	t, err := ReadTable(bytes.NewReader(wordTable))
	if err != nil {
		panic(err) // the table is part of the program, and a test reads it
	}
	return t
})

// vector returns the vector of a term, nil for a term that is not there.
func (t *Table) vector(term string) []int8 {
	i, ok := slices.BinarySearch(t.Terms, term)
	if !ok {
		return nil
	}
	return t.Vectors[i*t.Dimensions : (i+1)*t.Dimensions]
}

// cosine compares two vectors of length 1.
func cosine(a, b []int8) float64 {
	sum := 0
	for i, x := range a {
		sum += int(x) * int(b[i])
	}
	return math.Max(0, float64(sum)/(254*254))
}
