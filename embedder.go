package ibid

import (
	"context"
)

// Embedder turns text into vectors. Implementations are safe for concurrent use.
type Embedder interface {
	// Name identifies the vector space: "lsa-300@3f2a", "ollama/nomic-embed-text".
	// Vectors of different names are never compared.
	Name() string
	// Dimensions is the length of every vector, 0 until the first call where
	// only the server knows.
	Dimensions() int
	// Embed returns one vector of length 1 per text, in order.
	Embed(ctx context.Context, texts []string, use EmbedUse) ([][]float32, error)
}

// EmbedUse says what a text is, for models that embed questions and passages
// differently.
type EmbedUse string

// A text is embedded to be found, or to find.
const (
	EmbedPassage EmbedUse = "passage"
	EmbedQuery   EmbedUse = "query"
)
