package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
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
	discarded, err := p.cfg.Sweeper.Discarded(ctx)
	if err != nil {
		return swept, err
	}
	for _, hash := range discarded {
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
	if path, err := p.files.path(hash); err == nil {
		info, err := os.Stat(path)
		if err != nil {
			return 0, false, err
		}
		if !info.ModTime().Before(before) {
			return 0, false, nil
		}
		if gone, err = p.discard(ctx, hash); err != nil || !gone {
			return 0, false, err
		}
		size = info.Size()
	} else if err := p.files.settle(hash); err != nil {
		return 0, false, err
	}
	return size, gone, p.cfg.Sweeper.ForgetDiscarded(ctx, hash)
}

// discard removes the bytes of a version that nothing refers to. Nobody can
// come to refer to them in between.
func (p *Pipeline) discard(ctx context.Context, hash string) (gone bool, err error) {
	p.bytes.Lock()
	defer p.bytes.Unlock()
	used, err := p.cfg.Sweeper.VersionInUse(ctx, hash)
	if err != nil || used || p.held > 0 {
		return false, err
	}
	return true, p.files.discard(hash)
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

// Unknown returns the paths, within the data directory, of the files among the
// originals that the database does not list. They are left by a crash between
// two steps of an addition, or belong to another database. They are never
// deleted.
func (p *Pipeline) Unknown(ctx context.Context) ([]string, error) {
	var unknown []string
	err := filepath.WalkDir(p.files.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != p.files.dir:
			return nil // it went while we looked
		case err != nil:
			return err
		case d.IsDir():
			return ctx.Err()
		case filepath.Dir(path) == p.files.tmp() && strings.HasPrefix(d.Name(), uploadPrefix):
			return nil
		}
		if place, err := p.files.path(d.Name()); err == nil && place == path {
			if listed, err := p.lists(ctx, d.Name()); err != nil || listed {
				return err
			}
		}
		rel, err := filepath.Rel(p.cfg.Dir, path)
		unknown = append(unknown, rel)
		return err
	})
	return unknown, err
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
