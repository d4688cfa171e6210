package llm

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"ibid"
)

// embedder turns texts into vectors over HTTP. The protocols differ in one call
// only.
type embedder struct {
	origin
	name     string
	ask      func(ctx context.Context, texts []string, use ibid.EmbedUse) ([][]float32, *failure)
	missing  func(ctx context.Context, f *failure) // explains an unknown model, where the server can
	size     atomic.Int64
	prefixes prefixes
}

// maxEmbedBatch and maxEmbedBytes bound one request. A batch that is larger is
// slower to fail, not faster to finish.
const (
	maxEmbedBatch = 64
	maxEmbedBytes = 256 << 10
)

func newOllamaEmbedder(cfg Config, s spec) *embedder {
	m := newOllama(cfg, s)
	e := &embedder{origin: m.origin, name: spaceName("ollama/"+s.model, cfg.Dimensions), prefixes: prefixesOf(s.model), missing: m.explainMissing}
	e.ask = func(ctx context.Context, texts []string, _ ibid.EmbedUse) ([][]float32, *failure) {
		body := map[string]any{"model": s.model, "input": texts, "truncate": true}
		if cfg.Dimensions > 0 {
			body["dimensions"] = cfg.Dimensions
		}
		if cfg.KeepAlive > 0 {
			body["keep_alive"] = cfg.KeepAlive.String()
		}
		resp, f := m.post(ctx, m.base+"/api/embed", body)
		if f != nil {
			return nil, f
		}
		defer resp.Body.Close()
		var out struct {
			Embeddings [][]float32 `json:"embeddings"`
		}
		if f := m.decode(resp.Body, &out); f != nil {
			return nil, f
		}
		return out.Embeddings, nil
	}
	return e
}

func newOpenAIEmbedder(cfg Config, s spec) *embedder {
	cfg = cfg.withDefaults()
	o := openAIOrigin(cfg, s)
	service := openai.NewEmbeddingService(clientOptions(o, s)...)
	e := &embedder{origin: o, name: spaceName("openai/"+s.model, cfg.Dimensions), prefixes: prefixesOf(s.model)}
	e.ask = func(ctx context.Context, texts []string, _ ibid.EmbedUse) ([][]float32, *failure) {
		params := openai.EmbeddingNewParams{Model: s.model,
			Input:          openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts},
			EncodingFormat: openai.EmbeddingNewParamsEncodingFormatFloat}
		if cfg.Dimensions > 0 {
			params.Dimensions = openai.Int(int64(cfg.Dimensions))
		}
		var answer *http.Response
		out, err := service.New(ctx, params, option.WithResponseInto(&answer))
		if err != nil {
			return nil, o.refusedOrFailed(answer, err)
		}
		vectors := make([][]float32, len(texts))
		for _, d := range out.Data {
			if d.Index < 0 || int(d.Index) >= len(vectors) {
				return nil, o.garbled(fmt.Errorf("embedding %d of %d", d.Index, len(vectors)))
			}
			vectors[d.Index] = narrow(d.Embedding)
		}
		return vectors, nil
	}
	return e
}

// refusedOrFailed is the failure of a request with an answer that the client
// refused, or with none.
func (o origin) refusedOrFailed(answer *http.Response, err error) *failure {
	if answer == nil || answer.StatusCode < 400 {
		return o.failed(err)
	}
	body, readErr := io.ReadAll(io.LimitReader(answer.Body, maxErrorBody))
	if readErr != nil {
		return o.failed(readErr)
	}
	return o.refused(answer.StatusCode, answer.Header, body)
}

// spaceName names a vector space: shortened vectors make one of their own.
func spaceName(model string, dimensions int) string {
	if dimensions > 0 {
		return fmt.Sprintf("%s-%d", model, dimensions)
	}
	return model
}

func narrow(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

// Name implements ibid.Embedder.
func (e *embedder) Name() string { return e.name }

// Dimensions implements ibid.Embedder.
func (e *embedder) Dimensions() int { return int(e.size.Load()) }

// Embed implements ibid.Embedder. Texts go out in batches; one that is too long
// for the model is cut at its end until it fits.
func (e *embedder) Embed(ctx context.Context, texts []string, use ibid.EmbedUse) ([][]float32, error) {
	all := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := batchLen(texts)
		batch := make([]string, n)
		for i, t := range texts[:n] {
			batch[i] = e.prefixes.of(use) + orSpace(t)
		}
		vectors, f := e.batch(ctx, batch, use)
		if f != nil {
			if f.status == http.StatusNotFound && e.missing != nil && ctx.Err() == nil {
				e.missing(ctx, f)
			}
			return nil, result(ctx, f)
		}
		all = append(all, vectors...)
		texts = texts[n:]
	}
	return all, nil
}

// orSpace replaces a text that servers refuse.
func orSpace(t string) string {
	if strings.TrimSpace(t) == "" {
		return "."
	}
	return t
}

// batchLen returns how many of the texts go into the next request.
func batchLen(texts []string) int {
	size := 0
	for i, t := range texts {
		if size += len(t); i == maxEmbedBatch || i > 0 && size > maxEmbedBytes {
			return i
		}
	}
	return len(texts)
}

// minEmbedText is the length, in bytes, below which a text is not cut further.
const minEmbedText = 64

// batch embeds texts in one request. When one of them is too long, the batch is
// split until it stands alone, and that one is cut.
func (e *embedder) batch(ctx context.Context, texts []string, use ibid.EmbedUse) ([][]float32, *failure) {
	vectors, f := e.ask(ctx, texts, use)
	switch {
	case f == nil:
		return vectors, e.check(vectors, len(texts))
	case f.Code != ibid.CodeContextOverflow || ctx.Err() != nil:
		return nil, f
	case len(texts) > 1:
		first, f := e.batch(ctx, texts[:len(texts)/2], use)
		if f != nil {
			return nil, f
		}
		second, f := e.batch(ctx, texts[len(texts)/2:], use)
		return append(first, second...), f
	case len(texts[0]) <= minEmbedText:
		return nil, f
	}
	return e.batch(ctx, []string{cutText(texts[0], len(texts[0])*2/3)}, use)
}

// cutText returns at most n bytes of s, up to the end of a word where there is
// one.
func cutText(s string, n int) string {
	s = strings.ToValidUTF8(s[:n], "")
	if i := strings.LastIndexAny(s, " \n\t"); i > n/2 {
		s = s[:i]
	}
	return s
}

// check makes sure that the answer is n vectors of one size, and gives each the
// length 1.
func (e *embedder) check(vectors [][]float32, n int) *failure {
	if len(vectors) != n {
		return e.garbled(fmt.Errorf("%d embeddings for %d texts", len(vectors), n))
	}
	for i, v := range vectors {
		e.size.CompareAndSwap(0, int64(len(v)))
		if len(v) == 0 || int64(len(v)) != e.size.Load() {
			return e.garbled(fmt.Errorf("embedding %d has %d dimensions instead of %d", i, len(v), e.size.Load()))
		}
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
			return e.garbled(fmt.Errorf("embedding %d has no length", i))
		}
		scale := float32(1 / math.Sqrt(sum))
		for j := range v {
			v[j] *= scale
		}
	}
	return nil
}

// prefixes are what a model wants in front of questions and of passages.
type prefixes struct{ query, passage string }

func (p prefixes) of(use ibid.EmbedUse) string {
	if use == ibid.EmbedQuery {
		return p.query
	}
	return p.passage
}

// prefixesOf returns the prefixes that the model cards of well-known embedding
// models ask for. Leaving them out costs several points of recall.
func prefixesOf(model string) prefixes {
	const search = "Represent this sentence for searching relevant passages: "
	name := strings.ToLower(model)
	for _, known := range []struct {
		part string
		prefixes
	}{
		{"nomic-embed", prefixes{"search_query: ", "search_document: "}},
		{"embeddinggemma", prefixes{"task: search result | query: ", "title: none | text: "}},
		{"multilingual-e5-large-instruct", prefixes{"Instruct: Given a question, retrieve passages that answer it\nQuery: ", ""}},
		{"e5-", prefixes{"query: ", "passage: "}},
		{"qwen3-embedding", prefixes{"Instruct: Given a question, retrieve passages that answer it\nQuery: ", ""}},
		{"mxbai-embed-large", prefixes{search, ""}},
		{"snowflake-arctic-embed2", prefixes{"query: ", ""}},
		{"snowflake-arctic-embed", prefixes{search, ""}},
		{"bge-m3", prefixes{}},
		{"bge-", prefixes{search, ""}},
	} {
		if strings.Contains(name, known.part) {
			return known.prefixes
		}
	}
	return prefixes{}
}
