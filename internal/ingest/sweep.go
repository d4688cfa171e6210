package ingest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ibid"
	"ibid/internal/blob"
)

// sweepEvery is how often the house looks for what it may let go.
const sweepEvery = time.Hour

// Swept is what a sweep let go.
type Swept struct {
	Versions int   // texts
	Files    int   // originals
	Bytes    int64 // of the originals
}

func (p *Pipeline) sweepLoop() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		swept, err := p.Sweep(p.base)
		switch {
		case p.base.Err() != nil:
			return
		case err != nil:
			p.cfg.Log.Warn("cannot sweep what is not needed any more", "error", err)
		case swept != Swept{}:
			p.cfg.Log.Info("let go of what was removed or replaced", "texts", swept.Versions, "files", swept.Files, "bytes", swept.Bytes)
		}
		p.mergeNames(0)
		select {
		case <-p.base.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep lets go of the threads and of the texts and bytes of documents that were
// removed, and of versions that were replaced, once Config.KeepRemoved has passed. What a
// message cites stays, so that its footnotes still open. Only originals that the
// database itself lists as let go of are deleted: a file that it does not know
// may belong to a database that was lost.
func (p *Pipeline) Sweep(ctx context.Context) (Swept, error) {
	before := p.cfg.Now().Add(-p.cfg.KeepRemoved)
	var swept Swept
	_, err := p.cfg.Sweeper.SweepThreads(ctx, before) // first: what they alone cite goes as well
	if err != nil {
		return swept, err
	}
	if swept.Versions, err = p.cfg.Sweeper.SweepVersions(ctx, before); err != nil {
		return swept, err
	}
	state, err := p.cfg.Engine.State(ctx)
	if err != nil {
		return swept, fmt.Errorf("ask the search engine how far it is: %w", err)
	}
	if err := p.cfg.Sweeper.SweepTombstones(ctx, before, state.Saved); err != nil {
		return swept, err
	}
	discarded := ibid.Each(func(page ibid.Page) ([]string, string, error) { return p.cfg.Sweeper.Discarded(ctx, page) })
	for hash, err := range discarded {
		if err != nil {
			return swept, err
		}
		size, gone, err := p.sweepOriginal(ctx, hash, before)
		if err != nil {
			return swept, err
		}
		if gone {
			swept.Files++
			swept.Bytes += size // 0 when the file was not there any more
		}
	}
	return swept, nil
}

// sweepOriginal deletes a discarded original that was put in its place before a
// time, and takes it off the list.
func (p *Pipeline) sweepOriginal(ctx context.Context, hash string, before time.Time) (size int64, gone bool, err error) {
	info, err := p.cfg.Blobs.Stat(ctx, hash)
	there := err == nil
	if err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
		return 0, false, err
	}
	if there && !info.Put.Before(before) {
		return 0, false, nil
	}
	gone, err = p.discard(ctx, hash, before)
	if err != nil || !gone {
		return 0, false, err
	}
	return info.Bytes, there, p.cfg.Sweeper.ForgetDiscarded(ctx, hash)
}

// discard removes the bytes of a version that nothing refers to, if they were put
// before a time. Nobody in this process can come to refer to them in between; another
// process puts them again before it does.
func (p *Pipeline) discard(ctx context.Context, hash string, before time.Time) (gone bool, err error) {
	p.bytes.Lock()
	defer p.bytes.Unlock()
	used, err := p.cfg.Sweeper.VersionInUse(ctx, hash)
	if err != nil || used || p.held > 0 {
		return false, err
	}
	gone, err = p.cfg.Blobs.Delete(ctx, hash, before)
	if ibid.CodeOf(err) == ibid.CodeNotFound { // no bytes can have that name
		return true, nil
	}
	return gone, err
}

// HoldOriginals keeps originals from being deleted until release is called: a
// backup copies those that its copy of the database lists. What is discarded
// meanwhile stays on the list, and a later sweep deletes it.
func (p *Pipeline) HoldOriginals() (release func()) {
	hold := func(n int) {
		p.bytes.Lock()
		defer p.bytes.Unlock()
		p.held += n
	}
	hold(1)
	return sync.OnceFunc(func() { hold(-1) })
}

// Unknown counts the files among the originals that the database does not list, and
// names the place of one. They are left by a crash between two steps of an addition, or
// belong to another database. They are never deleted.
func (p *Pipeline) Unknown(ctx context.Context) (files int, first string, err error) {
	note := func(place string) error {
		if files++; first == "" || place < first {
			first = place
		}
		return nil
	}
	if kept, ok := p.cfg.Blobs.(interface {
		Foreign(ctx context.Context, each func(place string) error) error
	}); ok {
		if err := kept.Foreign(ctx, note); err != nil {
			return 0, "", err
		}
	}
	for original, err := range blob.All(ctx, p.cfg.Blobs) {
		if err != nil {
			return 0, "", err
		}
		listed, err := p.lists(ctx, original.Hash)
		if err == nil && !listed {
			err = note(original.Place)
		}
		if err != nil {
			return 0, "", err
		}
	}
	return files, first, nil
}

// lists reports whether the database lists an original. An addition under way,
// which has its file in place before its document is stored, is waited for.
func (p *Pipeline) lists(ctx context.Context, hash string) (bool, error) {
	listed, err := p.cfg.Sweeper.ListsVersion(ctx, hash)
	if err != nil || listed {
		return listed, err
	}
	p.bytes.Lock()
	defer p.bytes.Unlock()
	return p.cfg.Sweeper.ListsVersion(ctx, hash)
}
