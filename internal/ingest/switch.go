package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ibid"
	"ibid/internal/engine"
)

// When the user chooses an embedder, every chunk is embedded by it in the
// background. Until its space is whole the built-in one serves: a search over
// half of the chunks would be worse than none.

// checkTime bounds how long opening waits for the user's embedder.
const checkTime = 3 * time.Second

// openEmbedder lets the user's embedder serve where its space is whole, as it is
// at every start but the first. An embedder that is out of reach serves too, and
// queries say so.
func (p *Pipeline) openEmbedder(ctx context.Context, e ibid.Embedder) (serves bool, err error) {
	state, err := p.cfg.Engine.State(ctx)
	if err != nil || !state.Whole(e.Name()) {
		return false, err
	}
	check, cancel := context.WithTimeout(p.base, checkTime)
	defer cancel()
	err = p.checkSpace(check, e)
	p.noteEmbedder(err)
	if isMismatch(err) {
		return false, nil
	}
	p.useEmbedder(e)
	return true, p.keepOnly(ctx, e.Name())
}

// embedWith makes the space of the user's embedder whole, and then lets it serve.
func (p *Pipeline) embedWith(ctx context.Context, e ibid.Embedder) (err error) {
	defer func() { p.noteEmbedder(err) }()
	if !p.serves(e) {
		if err := p.refit(ctx); err != nil {
			return err
		}
	}
	if err := p.checkSpace(ctx, e); err != nil {
		return err
	}
	if err := p.beginFilling(ctx, e); err != nil {
		return err
	}
	if err := p.fill(ctx, e); err != nil {
		return err
	}
	if !p.serves(e) {
		p.useEmbedder(e)
		p.cfg.Log.Info("all chunks are embedded; search uses them", "embedder", e.Name())
	}
	return p.keepOnly(ctx, e.Name())
}

// keepOnly forgets the vectors of all embedders but one. What they have embedded
// stays in the database: switching back costs nothing.
func (p *Pipeline) keepOnly(ctx context.Context, name string) error {
	state, err := p.cfg.Engine.State(ctx)
	if err != nil {
		return err
	}
	var spaces []engine.Change
	for space := range state.Vectors {
		if space != name {
			spaces = append(spaces, engine.Forget{Space: space})
		}
	}
	if len(spaces) > 0 {
		if err := p.apply(ctx, spaces...); err != nil {
			return err
		}
	}
	p.vectors.mu.Lock()
	defer p.vectors.mu.Unlock()
	if p.vectors.fit != nil && p.vectors.fit.Name() != name {
		p.vectors.fit = nil
	}
	return nil
}

// errMismatch marks vectors that cannot be compared with those that are stored.
var errMismatch = errors.New("another model goes by the embedder's name")

func isMismatch(err error) bool { return errors.Is(err, errMismatch) }

// sameModel is the least cosine between two embeddings of one text by one model;
// servers round differently, and other models are near 0.
const sameModel = 0.8

// checkSpace holds the embedder against a vector that it is said to have made
// before. Another model that goes by the same name would make nonsense of every
// search.
func (p *Pipeline) checkSpace(ctx context.Context, e ibid.Embedder) error {
	p.vectors.mu.Lock()
	checked := p.vectors.checked
	p.vectors.mu.Unlock()
	if checked {
		return nil
	}
	id, stored, ok, err := p.cfg.Embeddings.AnyEmbedding(ctx, e.Name())
	if err != nil {
		return err
	}
	if ok {
		if err := p.compareModel(ctx, e, id, stored); err != nil {
			return err
		}
	}
	p.vectors.mu.Lock()
	p.vectors.checked = true
	p.vectors.mu.Unlock()
	return nil
}

// compareModel embeds a chunk again.
func (p *Pipeline) compareModel(ctx context.Context, e ibid.Embedder, chunkID string, stored []float32) error {
	chunks, err := p.cfg.Library.Chunks(ctx, system, []string{chunkID})
	if err != nil || len(chunks) == 0 {
		return err
	}
	now, err := e.Embed(ctx, []string{embedText(chunks[0])}, ibid.EmbedPassage)
	if err != nil {
		return err
	}
	return compareVectors(e.Name(), stored, now[0])
}

func compareVectors(name string, stored, now []float32) error {
	mismatch := &ibid.Error{Code: ibid.CodeVectorDB, Err: errMismatch,
		Hint: "ibid doctor --repair embeds them anew; or bring the old model back"}
	if len(stored) != len(now) {
		mismatch.Message = fmt.Sprintf("%s makes vectors of %d dimensions now, but the documents were embedded with %d", name, len(now), len(stored))
		return mismatch
	}
	var dot float64
	for i := range stored {
		dot += float64(stored[i]) * float64(now[i])
	}
	if dot < sameModel {
		mismatch.Message = fmt.Sprintf("%s is another model than the one that has embedded the documents", name)
		return mismatch
	}
	return nil
}

func (p *Pipeline) noteEmbedder(err error) {
	p.vectors.mu.Lock()
	defer p.vectors.mu.Unlock()
	p.vectors.err = err
}

func (p *Pipeline) beginFilling(ctx context.Context, e ibid.Embedder) error {
	state, err := p.cfg.Engine.State(ctx)
	if err != nil {
		return err
	}
	p.vectors.mu.Lock()
	defer p.vectors.mu.Unlock()
	p.vectors.began, p.vectors.had = p.cfg.Now(), state.Vectors[e.Name()]
	return nil
}

// Embedding says how far the chunks are embedded.
type Embedding struct {
	Embedder string  `json:"space,omitempty"`       // the embedder that is configured, as its vectors are named; "" while nothing is fitted
	Serving  string  `json:"serving,omitempty"`     // the one that queries use; "" for none yet: search goes by words
	Chunks   int     `json:"chunks"`                // that there are
	Embedded int     `json:"embedded"`              // that have a vector of Embedder
	ETA      float64 `json:"eta_seconds,omitempty"` // until all have; 0 when unknown
	Err      error   `json:"-"`                     // why they do not
}

// Embedding returns how far the chunks are embedded.
func (p *Pipeline) Embedding(ctx context.Context) Embedding {
	state, err := p.cfg.Engine.State(ctx)
	p.vectors.mu.Lock()
	s := Embedding{Serving: p.vectors.serving, Err: cmp.Or(p.vectors.err, err), Chunks: state.Chunks}
	began, had, fit := p.vectors.began, p.vectors.had, p.vectors.fit
	p.vectors.mu.Unlock()
	switch {
	case p.cfg.Embedder != nil:
		s.Embedder = p.cfg.Embedder.Name()
	case fit != nil:
		s.Embedder = fit.Name()
	default:
		return s
	}
	s.Embedded = min(state.Vectors[s.Embedder], s.Chunks)
	if made := s.Embedded - had; s.Err == nil && made > 0 && !began.IsZero() && s.Embedded < s.Chunks {
		s.ETA = p.cfg.Now().Sub(began).Seconds() / float64(made) * float64(s.Chunks-s.Embedded)
	}
	return s
}
