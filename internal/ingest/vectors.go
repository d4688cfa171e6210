package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ibid"
	"ibid/internal/disk"
	"ibid/internal/engine"
	"ibid/internal/lsa"
)

// fitMinimum is from how many chunks on the built-in embedder is fitted on the
// library.
const fitMinimum = 10

// embedBatch is how many chunks go to an embedding server in one call.
const embedBatch = 32

// vectorKeeper knows which embedder queries use now.
type vectorKeeper struct {
	mu      sync.Mutex
	fit     *lsa.Model // of the built-in embedder; nil when there is none
	serving string     // the name of the embedder of queries; "" for none yet
	checked bool       // the user's embedder is the one that has embedded the documents
	err     error      // why the user's embedder does not serve, or chunks wait for it
	began   time.Time  // when filling its space began
	had     int        // how many chunks it had embedded by then
}

func (p *Pipeline) fitted() *lsa.Model {
	p.vectors.mu.Lock()
	defer p.vectors.mu.Unlock()
	return p.vectors.fit
}

func (p *Pipeline) serves(e ibid.Embedder) bool {
	p.vectors.mu.Lock()
	defer p.vectors.mu.Unlock()
	return p.vectors.serving == e.Name()
}

// oldFitName is where ibid kept the fit before it was stored beside the documents.
const oldFitName = "lsa.model"

// openVectors makes the vector half searchable as far as it was.
func (p *Pipeline) openVectors(ctx context.Context) error {
	defer p.nudgeEmbed()
	if err := p.takeOverFit(ctx); err != nil {
		return fmt.Errorf("take over the fitted embedder: %w", err)
	}
	if p.cfg.Embedder != nil {
		if serves, err := p.openEmbedder(ctx, p.cfg.Embedder); err != nil || serves {
			return err
		}
	}
	_, model, err := p.cfg.Embeddings.Fit(ctx)
	if err != nil || model == nil {
		return err
	}
	if fit := p.loadFit(model); fit != nil {
		p.adopt(fit)
	}
	return nil
}

// loadFit reads a stored fit, nil where it is of no use.
func (p *Pipeline) loadFit(model []byte) *lsa.Model {
	fit, err := lsa.Load(bytes.NewReader(model))
	if err != nil {
		p.cfg.Log.Warn("the fitted embedder is no good; fitting anew", "error", err)
		return nil
	}
	return fit
}

// takeOverFit stores the fit that an older ibid has left as a file.
func (p *Pipeline) takeOverFit(ctx context.Context) error {
	path := filepath.Join(p.cfg.Dir, oldFitName)
	model, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		p.cfg.Log.Warn("cannot read the fitted embedder; fitting anew", "error", err)
		return nil
	}
	stored, err := p.cfg.Embeddings.FitName(ctx)
	if err != nil {
		return err
	}
	if fit := p.loadFit(model); fit != nil && stored == "" {
		if err := p.cfg.Embeddings.PutFit(ctx, fit.Name(), model, "", p.cfg.Now()); err != nil {
			return err
		}
	}
	if err := disk.Delete(p.cfg.Disk, path); err != nil {
		p.cfg.Log.Warn("cannot delete the file of the fitted embedder, which is stored with the documents now", "error", err)
	}
	return nil
}

func (p *Pipeline) adopt(fit *lsa.Model) {
	p.vectors.mu.Lock()
	p.vectors.fit = fit
	p.vectors.mu.Unlock()
	p.useEmbedder(fit)
}

func (p *Pipeline) useEmbedder(e ibid.Embedder) {
	p.vectors.mu.Lock()
	p.vectors.serving = e.Name()
	p.vectors.mu.Unlock()
	p.cfg.SetEmbedder(e)
}

// dropVectors forgets the vectors in use; the background makes them anew. Those
// of the user's embedder are stored and come back, unless another model has come
// to go by its name: then they go for good.
func (p *Pipeline) dropVectors(ctx context.Context) error {
	defer p.nudgeEmbed()
	var spaces []engine.Change
	if fit := p.fitted(); fit != nil {
		spaces = append(spaces, engine.Forget{Space: fit.Name()})
	}
	if p.cfg.Embedder != nil {
		name := p.cfg.Embedder.Name()
		p.vectors.mu.Lock()
		stale := isMismatch(p.vectors.err)
		p.vectors.mu.Unlock()
		if stale {
			if err := p.cfg.Embeddings.DropEmbeddings(ctx, name); err != nil {
				return fmt.Errorf("forget the vectors of %s: %w", name, err)
			}
		}
		spaces = append(spaces, engine.Forget{Space: name})
	}
	return p.apply(ctx, spaces...)
}

func (p *Pipeline) nudgeEmbed() { nudge(p.embed) }

// embedLoop fits the built-in embedder as the library grows, and gives vectors
// to chunks that have none, beside everything else.
func (p *Pipeline) embedLoop() {
	for {
		select {
		case <-p.base.Done():
			return
		case <-p.embed:
		case <-time.After(time.Minute): // an embedding server may be back
		}
		var err error
		if p.cfg.Embedder != nil {
			err = p.embedWith(p.base, p.cfg.Embedder)
		} else {
			err = p.refit(p.base)
		}
		if err != nil && p.base.Err() == nil {
			p.cfg.Log.Warn("chunks wait for their vectors; search by words goes on", "error", err)
		}
	}
}

// refit fits the built-in embedder when the library has outgrown the last fit.
// The old fit serves until every passage has a vector of the new one. All processes
// share one fit: whoever has made one stores it, and the others take it over.
func (p *Pipeline) refit(ctx context.Context) error {
	old, stored, err := p.latestFit(ctx)
	if err != nil {
		return err
	}
	state, err := p.cfg.Engine.State(ctx)
	if err != nil {
		return err
	}
	if state.Chunks < fitMinimum {
		return nil
	}
	if old != nil && !old.Stale(state.Chunks) {
		return p.fillFit(ctx, old)
	}
	var reading error
	fit, err := lsa.Fit(ctx, p.allTexts(ctx, state.Applied, &reading), lsa.Config{Each: p.slots.each})
	if err = cmp.Or(reading, err); err != nil {
		return fmt.Errorf("fit the built-in embedder: %w", err)
	}
	if err := p.fill(ctx, fit); err != nil {
		return err
	}
	err = p.storeFit(ctx, fit, stored)
	if err == nil {
		return p.fillFit(ctx, fit)
	}
	if forgot := p.apply(ctx, engine.Forget{Space: fit.Name()}); ibid.CodeOf(err) != ibid.CodeConflict || forgot != nil {
		return errors.Join(err, forgot)
	}
	p.nudgeEmbed() // take over the fit of the process that was faster
	return nil
}

// latestFit returns the stored fit, nil for none or a damaged one, and its name.
// Where another process has stored it, passages get their vectors of it first.
func (p *Pipeline) latestFit(ctx context.Context) (fit *lsa.Model, stored string, err error) {
	fit = p.fitted()
	stored, err = p.cfg.Embeddings.FitName(ctx)
	if err != nil || stored == "" || fit != nil && fit.Name() == stored {
		return fit, stored, err
	}
	stored, model, err := p.cfg.Embeddings.Fit(ctx)
	if err != nil {
		return nil, "", err
	}
	if other := p.loadFit(model); other != nil {
		return other, stored, p.fill(ctx, other)
	}
	return fit, stored, nil
}

// storeFit lets all processes share a new fit. The error is a CONFLICT when another
// process was faster.
func (p *Pipeline) storeFit(ctx context.Context, fit *lsa.Model, replaces string) error {
	var model bytes.Buffer
	if err := fit.Save(&model); err != nil {
		return err
	}
	return p.cfg.Embeddings.PutFit(ctx, fit.Name(), model.Bytes(), replaces, p.cfg.Now())
}

// fillFit lets a fit serve, embeds what came in meanwhile, and forgets the vectors of
// the fit before.
func (p *Pipeline) fillFit(ctx context.Context, fit *lsa.Model) error {
	old := p.fitted()
	if old != fit {
		p.adopt(fit)
	}
	if err := p.fill(ctx, fit); err != nil {
		return err
	}
	switch {
	case p.cfg.Embedder == nil:
		return p.keepOnly(ctx, fit.Name())
	case old != nil && old.Name() != fit.Name():
		return p.apply(ctx, engine.Forget{Space: old.Name()})
	}
	return nil
}

// allTexts yields every passage of the library as it is embedded, a page of a
// document in memory at a time, up to a change. *failed is why it ended early.
func (p *Pipeline) allTexts(ctx context.Context, upTo int64, failed *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		for after := int64(0); ; {
			changes, err := p.cfg.Library.Changes(ctx, after, feedPage)
			if err != nil {
				*failed = err
				return
			}
			for _, c := range changes {
				if after = c.Number; after > upTo {
					return
				}
				if c.Removed {
					continue
				}
				if more, err := p.documentTexts(ctx, c.Document.ID, yield); err != nil || !more {
					*failed = err
					return
				}
			}
			if len(changes) == 0 {
				return
			}
		}
	}
}

func (p *Pipeline) documentTexts(ctx context.Context, documentID string, yield func(string) bool) (more bool, err error) {
	defer p.slots.take()()
	for c, err := range p.passagesOf(ctx, documentID) {
		if err != nil {
			return false, err
		}
		if !yield(embedText(c)) {
			return false, nil
		}
	}
	return true, nil
}

// embedText is what of a chunk is embedded: its nearest heading says what it is
// about.
func embedText(c ibid.Chunk) string {
	if n := len(c.Heading); n > 0 {
		return c.Heading[n-1] + "\n" + c.Text
	}
	return c.Text
}

// embedFitted gives new chunks vectors of the present fit at once; it costs
// some 0.05 ms a chunk.
func (p *Pipeline) embedFitted(ctx context.Context, chunks []ibid.Chunk) {
	fit := p.fitted()
	if fit == nil {
		return
	}
	if err := p.putVectors(ctx, fit, chunks); err != nil {
		p.cfg.Log.Warn("cannot embed new chunks", "error", err)
	}
}

// fittedBatch is how many chunks the built-in embedder embeds while it holds a slot.
const fittedBatch = 100

// putVectors embeds chunks by the built-in embedder.
func (p *Pipeline) putVectors(ctx context.Context, e *lsa.Model, chunks []ibid.Chunk) error {
	for batch := range slices.Chunk(chunks, fittedBatch) {
		if err := p.putBatch(ctx, e, batch); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pipeline) putBatch(ctx context.Context, e *lsa.Model, chunks []ibid.Chunk) error {
	defer p.slots.take()()
	ids, texts := make([]string, len(chunks)), make([]string, len(chunks))
	for i, c := range chunks {
		ids[i], texts[i] = c.ID, embedText(c)
	}
	vecs, err := e.Embed(ctx, texts, ibid.EmbedPassage)
	if err != nil {
		return err
	}
	return p.apply(ctx, engine.Vectors{Space: e.Name(), IDs: ids, Vectors: vecs})
}

// fill embeds the passages that have no vector in the embedder's space.
func (p *Pipeline) fill(ctx context.Context, e ibid.Embedder) error {
	for page := (ibid.Page{Limit: ibid.MaxLimit}); ; {
		ids, next, err := p.cfg.Engine.Lacking(ctx, e.Name(), page)
		if err != nil {
			return fmt.Errorf("ask the search engine which passages lack a vector: %w", err)
		}
		chunks, err := p.cfg.Library.Chunks(ctx, system, ids)
		if err != nil {
			return err
		}
		if fit, builtIn := e.(*lsa.Model); builtIn {
			err = p.putVectors(ctx, fit, chunks)
		} else {
			err = p.embedStored(ctx, e, chunks, func(int) {})
		}
		if page.Cursor = next; err != nil || next == "" {
			return err
		}
	}
}

// embedDocument gives a document's chunks vectors of the user's embedder. Where
// the embedder is out of reach the document is ready all the same: words find
// it, and the vectors follow.
func (p *Pipeline) embedDocument(ctx context.Context, l ibid.DocumentLease, d *ibid.Document, chunks []ibid.Chunk, began time.Time) error {
	err := p.embedStored(ctx, p.cfg.Embedder, chunks, func(done int) {
		d.Stage, d.Progress = "embed", cutShare+(1-cutShare)*float64(done)/float64(len(chunks))
		p.progress(ctx, l, *d, began)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		p.cfg.Log.Warn("no vectors yet for a document", "name", d.Name, "error", err)
		d.Notice = joinNotices(d.Notice, "found by words only until the embedder answers: "+oneLine(err))
	}
	return nil
}

func joinNotices(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// embedStored puts stored vectors into the index and makes those that lack.
func (p *Pipeline) embedStored(ctx context.Context, e ibid.Embedder, chunks []ibid.Chunk, progress func(done int)) error {
	ids := make([]string, len(chunks))
	for i, c := range chunks {
		ids[i] = c.ID
	}
	stored, err := p.cfg.Embeddings.Embeddings(ctx, e.Name(), ids)
	if err != nil {
		return err
	}
	var todo []ibid.Chunk
	var haveIDs []string
	var have [][]float32
	for _, c := range chunks {
		if v, ok := stored[c.ID]; ok {
			haveIDs, have = append(haveIDs, c.ID), append(have, v)
		} else {
			todo = append(todo, c)
		}
	}
	if len(have) > 0 {
		if err := p.apply(ctx, engine.Vectors{Space: e.Name(), IDs: haveIDs, Vectors: have}); err != nil {
			return err
		}
	}
	for start := 0; start < len(todo); start += embedBatch {
		batch := todo[start:min(start+embedBatch, len(todo))]
		batchIDs, texts := make([]string, len(batch)), make([]string, len(batch))
		for i, c := range batch {
			batchIDs[i], texts[i] = c.ID, embedText(c)
		}
		vecs, err := e.Embed(ctx, texts, ibid.EmbedPassage)
		if err != nil {
			return err
		}
		// First into the engine, which refuses what does not fit the others.
		if err := p.apply(ctx, engine.Vectors{Space: e.Name(), IDs: batchIDs, Vectors: vecs}); err != nil {
			return err
		}
		if err := p.cfg.Embeddings.PutEmbeddings(ctx, e.Name(), batchIDs, vecs); err != nil {
			return err
		}
		progress(len(haveIDs) + start + len(batch))
	}
	return nil
}
