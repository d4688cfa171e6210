package ingest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
		select {
		case <-p.base.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep lets go of the texts and bytes of documents that were removed, and of
// versions that were replaced, once Config.KeepRemoved has passed. What a
// message cites stays, so that its footnotes still open. Bytes that no document
// ever came to own, because a process died in between, go as well.
func (p *Pipeline) Sweep(ctx context.Context) (Swept, error) {
	before := p.cfg.Now().Add(-p.cfg.KeepRemoved)
	var swept Swept
	var err error
	if swept.Versions, err = p.cfg.Sweeper.SweepVersions(ctx, before); err != nil {
		return swept, err
	}
	p.publish.Lock()
	saved := p.saved
	p.publish.Unlock()
	if err := p.cfg.Sweeper.SweepTombstones(ctx, before, saved); err != nil {
		return swept, err
	}
	err = p.files.each(func(hash string, info fs.FileInfo) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !info.ModTime().Before(before) {
			return nil
		}
		gone, err := p.discard(ctx, hash)
		if gone {
			swept.Files++
			swept.Bytes += info.Size()
		}
		return err
	})
	return swept, err
}

// discard removes the bytes of a version that nothing refers to. Nobody can
// come to refer to them in between.
func (p *Pipeline) discard(ctx context.Context, hash string) (gone bool, err error) {
	p.bytes.Lock()
	defer p.bytes.Unlock()
	used, err := p.cfg.Sweeper.VersionInUse(ctx, hash)
	if err != nil || used {
		return false, err
	}
	path, err := p.files.path(hash)
	if err != nil {
		return false, nil // it went by itself
	}
	return true, os.Remove(path)
}

// each calls do for every original that is kept.
func (s fileStore) each(do func(hash string, info fs.FileInfo) error) error {
	return filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && path == s.tmp():
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		if _, err := s.path(d.Name()); err != nil {
			return nil // not ours
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		return do(d.Name(), info)
	})
}
