package file

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"sync"
)

// packers reuses writers: each takes some 800 KB to set up.
var packers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is no such level
	}
	return z
}}

// Pack encodes a value as compressed JSON.
func Pack(v any) ([]byte, error) {
	var buf bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&buf)
	if err := json.NewEncoder(z).Encode(v); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Unpack reads what Pack wrote.
func Unpack(b []byte, v any) error {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("unpack a version: %w", err)
	}
	defer z.Close()
	if err := json.NewDecoder(z).Decode(v); err != nil {
		return fmt.Errorf("unpack a version: %w", err)
	}
	return nil
}
