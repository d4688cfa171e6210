package ingest

import (
	"context"
	"fmt"
	"time"

	"ibid"
	"ibid/internal/engine"
)

// Engine is what is searched (see package engine). It may be another process, which
// can be slow or away.
type Engine interface {
	Apply(ctx context.Context, changes []engine.Change) error
	State(ctx context.Context) (engine.State, error)
	Lacking(ctx context.Context, space string, page ibid.Page) (chunkIDs []string, next string, err error)
	// Compare holds the engine against the library. The pipeline tells it of no
	// change meanwhile.
	Compare(ctx context.Context) (engine.Agreement, error)
}

// feed is how far the engine was told of the library's changes. All of it is guarded
// by Pipeline.publish.
type feed struct {
	told int64 // every change up to this one has been applied
	away bool  // the last attempt failed
}

const (
	// feedPage is how many changes are read from the library at once.
	feedPage = 100
	// feedPassages is from how many passages on no more is told at once.
	feedPassages = 1000
	// feedEvery bounds how long a change of another process waits whose hint was lost,
	// and one that the engine could not take.
	feedEvery = 5 * time.Second
	// feedAgain is how long a document waits before the engine is asked again to
	// take it; it doubles, up to feedEvery.
	feedAgain = 50 * time.Millisecond
)

// openFeed asks the engine how far it is, tells it of the rest, and mends what it
// holds otherwise than the library. There should be nothing to mend: that something
// is found is a fault, and is logged.
func (p *Pipeline) openFeed(ctx context.Context) error {
	p.publish.Lock()
	defer p.publish.Unlock()
	state, err := p.cfg.Engine.State(ctx)
	if err != nil {
		return fmt.Errorf("ask the search engine how far it is: %w", err)
	}
	last, err := p.cfg.Library.LastNumber(ctx)
	if err != nil {
		return err
	}
	if p.feed.told = state.Applied; p.feed.told > last {
		// The database was put back to an earlier state beside it.
		p.cfg.Log.Warn("the search engine holds a later state than the database; filling it anew")
		if err := p.apply(ctx, engine.Reset{}); err != nil {
			return err
		}
		p.feed.told = 0
	}
	if err := p.tell(ctx); err != nil {
		return fmt.Errorf("bring the index up to date: %w", err)
	}
	a, err := p.cfg.Engine.Compare(ctx)
	if err != nil {
		return fmt.Errorf("compare the index with the database: %w", err)
	}
	if len(a.Differ) > 0 {
		p.cfg.Log.Warn("the index and the database disagreed; mended", "documents", len(a.Differ))
	}
	return p.mend(ctx, a.Differ)
}

// feedLoop tells the engine what other processes have changed, and what it could not
// take when it was changed.
func (p *Pipeline) feedLoop() {
	tick := time.NewTicker(p.feedEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.base.Done():
			return
		case <-tick.C:
			p.lookForFit()
		case <-p.changed:
		}
		p.publish.Lock()
		p.tellLater()
		p.publish.Unlock()
	}
}

// lookForFit lets embedLoop take over the fit of another process, if there is one.
func (p *Pipeline) lookForFit() {
	if fit := p.fitted(); fit != nil {
		if name, err := p.cfg.Embeddings.FitName(p.base); err == nil && name != fit.Name() {
			p.nudgeEmbed()
		}
	}
}

// nudgeFeed lets feedLoop look for changes of other processes now.
func (p *Pipeline) nudgeFeed() { nudge(p.changed) }

// tell tells the engine of all changes that it was not told of. The caller holds
// publish.
func (p *Pipeline) tell(ctx context.Context) error {
	for {
		changes, err := p.cfg.Library.Changes(ctx, p.feed.told, feedPage)
		if err != nil || len(changes) == 0 {
			return err
		}
		for len(changes) > 0 {
			batch, n, err := p.batch(ctx, changes)
			if err != nil {
				return err
			}
			if err := p.apply(ctx, batch...); err != nil {
				return err
			}
			p.feed.told = changes[n-1].Number
			changes = changes[n:]
		}
	}
}

// batch returns the first n changes as an engine is told of them: few enough to be
// held in memory and sent in one go.
func (p *Pipeline) batch(ctx context.Context, changes []ibid.Change) (batch []engine.Change, n int, err error) {
	passages := 0
	for _, c := range changes {
		change, err := p.engineChange(ctx, c)
		if err != nil {
			return nil, 0, err
		}
		batch = append(batch, change)
		if put, ok := change.(engine.Put); ok {
			passages += len(put.Passages)
		}
		if passages >= feedPassages {
			break
		}
	}
	return batch, len(batch), nil
}

// engineChange is a change of the library as an engine is told of it.
func (p *Pipeline) engineChange(ctx context.Context, c ibid.Change) (engine.Change, error) {
	if c.Removed {
		return engine.Remove{Number: c.Number, DocumentID: c.Document.ID}, nil
	}
	passages, err := p.allPassages(ctx, c.Document.ID)
	if err != nil {
		return nil, err
	}
	return engine.Put{Number: c.Number, Document: c.Document, Passages: passages}, nil
}

func (p *Pipeline) apply(ctx context.Context, changes ...engine.Change) error {
	err := p.cfg.Engine.Apply(ctx, changes)
	if err != nil {
		return fmt.Errorf("tell the search engine of a change: %w", err)
	}
	return nil
}

// tellOf is tellLater after a change that put is all of: what it says need not be
// read from the library. The caller holds publish.
func (p *Pipeline) tellOf(put engine.Put) {
	if put.Number != p.feed.told+1 { // other processes have changed something, too
		p.tellLater()
		return
	}
	err := p.apply(p.base, put)
	if err == nil {
		p.feed.told = put.Number
	}
	p.note(err)
}

// tellLater tells the engine of what was changed; where it cannot take it now,
// feedLoop does later. The change is made in any case: search asks the library before
// it shows a passage. The caller holds publish.
func (p *Pipeline) tellLater() { p.note(p.tell(p.base)) }

// note writes down that the engine is away, or back, once. The caller holds publish.
func (p *Pipeline) note(err error) {
	switch {
	case p.base.Err() != nil:
	case err != nil && !p.feed.away:
		p.cfg.Log.Warn("the search engine lags behind the library; trying again", "error", err)
	case err == nil && p.feed.away:
		p.cfg.Log.Info("the search engine is up to date again")
	}
	p.feed.away = err != nil
}

// untilTold waits until the engine has a change.
func (p *Pipeline) untilTold(ctx context.Context, number int64) error {
	for wait := feedAgain; ; wait = min(2*wait, feedEvery) {
		p.publish.Lock()
		if p.feed.told < number {
			p.tellLater()
		}
		told := p.feed.told
		p.publish.Unlock()
		if told >= number {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// mend tells the engine anew of documents that it holds otherwise than the library.
// The caller holds publish.
func (p *Pipeline) mend(ctx context.Context, documentIDs []string) error {
	for _, id := range documentIDs {
		last, err := p.cfg.Library.LastChange(ctx, id)
		if ibid.CodeOf(err) == ibid.CodeNotFound { // only the engine knows it
			last, err = ibid.Change{Number: p.feed.told, Document: ibid.Document{ID: id}, Removed: true}, nil
		}
		if err != nil {
			return err
		}
		change, err := p.engineChange(ctx, last)
		if err != nil {
			return err
		}
		if err := p.apply(ctx, change); err != nil {
			return err
		}
	}
	return nil
}

// Compare holds the engine against the library, document by document: both must
// have the very same passages. Nothing is published meanwhile, so what it finds is no
// matter of timing.
func (p *Pipeline) Compare(ctx context.Context) (engine.Agreement, error) {
	p.publish.Lock()
	defer p.publish.Unlock()
	return p.cfg.Engine.Compare(ctx)
}

// Rebuild tells the engine everything anew, document by document, while searches go
// on, and says what was wrong before. Vectors follow in the background.
func (p *Pipeline) Rebuild(ctx context.Context) (engine.Agreement, error) {
	before, err := p.Compare(ctx)
	if err != nil {
		return before, err
	}
	for _, id := range before.Differ { // some of them only the engine knows
		if err := p.mendAlone(ctx, id); err != nil {
			return before, fmt.Errorf("rebuild the index: document %s: %w", id, err)
		}
	}
	var after int64
	for {
		changes, err := p.cfg.Library.Changes(ctx, after, feedPage)
		if err != nil {
			return before, err
		}
		if len(changes) == 0 {
			return before, p.dropVectors(ctx)
		}
		for _, c := range changes {
			if err := p.mendAlone(ctx, c.Document.ID); err != nil {
				return before, fmt.Errorf("rebuild the index: document %s: %w", c.Document.ID, err)
			}
			after = c.Number
		}
	}
}

func (p *Pipeline) mendAlone(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer p.slots.take()()
	p.publish.Lock()
	defer p.publish.Unlock()
	return p.mend(ctx, []string{id})
}
