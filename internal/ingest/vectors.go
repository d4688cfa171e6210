package ingest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ibid"
	"ibid/internal/disk"
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

func (p *Pipeline) fitPath() string { return filepath.Join(p.cfg.Dir, "lsa.model") }

// openVectors makes the vector half searchable as far as it was.
func (p *Pipeline) openVectors() {
	defer p.nudgeEmbed()
	if p.cfg.Embedder != nil && p.openEmbedder(p.cfg.Embedder) {
		return
	}
	raw, err := os.ReadFile(p.fitPath())
	if err == nil {
		var fit *lsa.Model
		if fit, err = lsa.Load(bytes.NewReader(raw)); err == nil {
			p.adopt(fit)
		}
	}
	if err != nil && !os.IsNotExist(err) {
		p.cfg.Log.Warn("the fitted embedder is no good; fitting anew", "error", err)
	}
}

func (p *Pipeline) adopt(fit *lsa.Model) {
	p.vectors.mu.Lock()
	p.vectors.fit = fit
	p.vectors.mu.Unlock()
	p.useEmbedder(fit)
}

func (p *Pipeline) useEmbedder(e ibid.Embedder) {
	if err := p.cfg.Vectors.UseSpace(e.Name()); err != nil {
		p.cfg.Log.Warn("vector search is off for now", "embedder", e.Name(), "error", err)
	}
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
	if fit := p.fitted(); fit != nil {
		p.cfg.Vectors.DropSpace(fit.Name())
	}
	if p.cfg.Embedder == nil {
		return nil
	}
	name := p.cfg.Embedder.Name()
	p.vectors.mu.Lock()
	stale := isMismatch(p.vectors.err)
	p.vectors.mu.Unlock()
	if stale {
		if err := p.cfg.Embeddings.DropEmbeddings(ctx, name); err != nil {
			return fmt.Errorf("forget the vectors of %s: %w", name, err)
		}
	}
	p.cfg.Vectors.DropSpace(name)
	return nil
}

func (p *Pipeline) nudgeEmbed() {
	select {
	case p.embed <- struct{}{}:
	default:
	}
}

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
// The old fit serves until every chunk has a vector of the new one.
func (p *Pipeline) refit(ctx context.Context) error {
	old := p.fitted()
	n := p.cfg.Index.Len()
	if n < fitMinimum {
		return nil
	}
	if old != nil && !old.Stale(n) {
		err := p.fillMissing(ctx, old)
		if err == nil && p.cfg.Embedder == nil {
			p.keepOnly(old.Name()) // those of an embedder that was given up
		}
		return err
	}
	var reading error
	fit, err := lsa.Fit(ctx, p.allTexts(ctx, &reading), lsa.Config{Each: p.turns.each})
	if err = cmp.Or(reading, err); err != nil {
		return fmt.Errorf("fit the built-in embedder: %w", err)
	}
	if err := p.fill(ctx, fit); err != nil {
		return err
	}
	p.adopt(fit)
	if err := p.fillMissing(ctx, fit); err != nil { // came in meanwhile
		return err
	}
	switch {
	case p.cfg.Embedder == nil:
		p.keepOnly(fit.Name())
	case old != nil && old.Name() != fit.Name():
		p.cfg.Vectors.DropSpace(old.Name())
	}
	if err := disk.Replace(p.cfg.Disk, p.fitPath(), fit.Save); err != nil {
		return err
	}
	return p.saveVectors()
}

// allTexts yields every chunk of the library as it is embedded, a document in
// memory at a time. *failed is why it ended early.
func (p *Pipeline) allTexts(ctx context.Context, failed *error) iter.Seq[string] {
	return func(yield func(string) bool) {
		docs, _, _, err := p.cfg.Library.ChangedDocuments(ctx, 0)
		if err != nil {
			*failed = err
			return
		}
		for _, d := range docs {
			if more, err := p.documentTexts(ctx, d.ID, yield); err != nil || !more {
				*failed = err
				return
			}
		}
	}
}

func (p *Pipeline) documentTexts(ctx context.Context, documentID string, yield func(string) bool) (more bool, err error) {
	defer p.turns.take()()
	chunks, err := p.cfg.Library.DocumentChunks(ctx, system, documentID)
	if err != nil {
		return false, err
	}
	for _, c := range chunks {
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

// fittedBatch is how many chunks the built-in embedder embeds in a turn.
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
	defer p.turns.take()()
	ids, texts := make([]string, len(chunks)), make([]string, len(chunks))
	for i, c := range chunks {
		ids[i], texts[i] = c.ID, embedText(c)
	}
	vecs, err := e.Embed(ctx, texts, ibid.EmbedPassage)
	if err != nil {
		return err
	}
	return p.cfg.Vectors.PutVectors(e.Name(), ids, vecs)
}

// fillMissing embeds the chunks that have no vector in the embedder's space,
// which queries use then.
func (p *Pipeline) fillMissing(ctx context.Context, e ibid.Embedder) error {
	if err := p.fill(ctx, e); err != nil {
		return err
	}
	return p.cfg.Vectors.UseSpace(e.Name())
}

func (p *Pipeline) fill(ctx context.Context, e ibid.Embedder) error {
	missing := p.cfg.Vectors.Missing(e.Name())
	for len(missing) > 0 {
		n := min(len(missing), 1000)
		chunks, err := p.cfg.Library.Chunks(ctx, system, missing[:n])
		if err != nil {
			return err
		}
		if fit, builtIn := e.(*lsa.Model); builtIn {
			err = p.putVectors(ctx, fit, chunks)
		} else {
			err = p.embedStored(ctx, e, chunks, func(int) {})
		}
		if err != nil {
			return err
		}
		missing = missing[n:]
	}
	return nil
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
	if err := p.cfg.Vectors.PutVectors(e.Name(), haveIDs, have); err != nil {
		return err
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
		// First into the index, which refuses what does not fit the others.
		if err := p.cfg.Vectors.PutVectors(e.Name(), batchIDs, vecs); err != nil {
			return err
		}
		if err := p.cfg.Embeddings.PutEmbeddings(ctx, e.Name(), batchIDs, vecs); err != nil {
			return err
		}
		progress(len(haveIDs) + start + len(batch))
	}
	return nil
}
