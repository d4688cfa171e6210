package lsa

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A saved model is the magic line, the CRC-32C of what follows, its length, and
// a gob of file.
const magic = "ibid lsa 1\n"

type file struct {
	Dimensions, Fitted int
	Languages, Terms   []string
	IDF, Scales        []float32
	Codes              []byte
}

// ErrDamaged says that a saved model cannot be used. The corpus is fitted anew
// then.
var ErrDamaged = errors.New("the saved embedder is damaged or of another version")

// Save writes the model.
func (m *Model) Save(w io.Writer) error {
	f := file{Dimensions: m.dimensions, Fitted: m.fitted, Languages: m.languages, Terms: m.terms,
		IDF: m.idf, Scales: m.scales, Codes: make([]byte, len(m.codes))}
	for i, c := range m.codes {
		f.Codes[i] = byte(c)
	}
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(f); err != nil {
		return fmt.Errorf("save embedder: %w", err)
	}
	head := []byte(magic)
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(body.Bytes(), crc32.MakeTable(crc32.Castagnoli)))
	head = binary.LittleEndian.AppendUint64(head, uint64(body.Len()))
	if _, err := w.Write(head); err != nil {
		return fmt.Errorf("save embedder: %w", err)
	}
	if _, err := w.Write(body.Bytes()); err != nil {
		return fmt.Errorf("save embedder: %w", err)
	}
	return nil
}

// Load reads a model that Save wrote. A file that is damaged or of another
// version is an error: the corpus is fitted anew then.
func Load(r io.Reader) (*Model, error) {
	br := bufio.NewReader(r)
	head := make([]byte, len(magic)+12)
	if _, err := io.ReadFull(br, head); err != nil {
		return nil, fmt.Errorf("load embedder: %w: %w", ErrDamaged, err)
	}
	if string(head[:len(magic)]) != magic {
		return nil, fmt.Errorf("load embedder: %w: it is not of this version", ErrDamaged)
	}
	sum := binary.LittleEndian.Uint32(head[len(magic):])
	size := binary.LittleEndian.Uint64(head[len(magic)+4:])
	// Read by what comes, not by what a damaged length promises.
	body, err := io.ReadAll(io.LimitReader(br, int64(min(size, 1<<40))))
	if err != nil {
		return nil, fmt.Errorf("load embedder: %w", err)
	}
	if uint64(len(body)) != size || crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != sum {
		return nil, fmt.Errorf("load embedder: %w: its checksum is wrong", ErrDamaged)
	}
	var f file
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&f); err != nil {
		return nil, fmt.Errorf("load embedder: %w: %w", ErrDamaged, err)
	}
	n := len(f.Terms)
	if f.Dimensions <= 0 || len(f.IDF) != n || len(f.Scales) != n || len(f.Codes) != n*f.Dimensions {
		return nil, fmt.Errorf("load embedder: %w: its parts do not fit together", ErrDamaged)
	}
	m := &Model{dimensions: f.Dimensions, fitted: f.Fitted, languages: f.Languages, terms: f.Terms,
		idf: f.IDF, scales: f.Scales, codes: make([]int8, len(f.Codes))}
	for i, c := range f.Codes {
		m.codes[i] = int8(c)
	}
	m.index()
	m.setName()
	return m, nil
}
