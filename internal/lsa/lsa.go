// Package lsa is the built-in embedder: latent semantic analysis fitted on the
// user's own corpus.
package lsa

import (
	"context"
	"errors"
	"io"
	"iter"

	"ibid"
)

// Config sets up a fit. The zero Config suits everyone.
type Config struct {
	Dimensions int // 0: 300
	Seed       uint64
}

// Model embeds texts by the fit of one corpus. It is immutable and safe for
// concurrent use. It implements ibid.Embedder.
type Model struct{}

var errUnfinished = errors.New("lsa: not built yet")

// Fit learns a model from the texts of a corpus, which it reads once.
func Fit(ctx context.Context, texts iter.Seq[string], cfg Config) (*Model, error) {
	return nil, errUnfinished
}

// Name identifies the fit: "lsa-300@" and a hash.
func (m *Model) Name() string { return "" }

// Dimensions is the length of the vectors.
func (m *Model) Dimensions() int { return 0 }

// Embed returns one vector of length 1 per text; a text without any known word
// has a zero vector.
func (m *Model) Embed(ctx context.Context, texts []string, use ibid.EmbedUse) ([][]float32, error) {
	return nil, errUnfinished
}

// Fitted is the number of texts the model was fitted on.
func (m *Model) Fitted() int { return 0 }

// Save writes the model.
func (m *Model) Save(w io.Writer) error { return errUnfinished }

// Load reads a model that Save wrote.
func Load(r io.Reader) (*Model, error) { return nil, errUnfinished }
