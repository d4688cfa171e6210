package ingest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"ibid/internal/disk"
)

func (p *Pipeline) snapshotPath() string { return filepath.Join(p.cfg.Dir, "index.snapshot") }

// loadIndex reads the snapshot where there is a good one, and replays what the
// library has changed since; without one it reads the whole library.
func (p *Pipeline) loadIndex(ctx context.Context) error {
	var have int64
	f, err := p.cfg.Disk.Open(p.snapshotPath())
	switch {
	case err == nil:
		have, err = p.cfg.Index.Load(bufio.NewReaderSize(f, 1<<20))
		f.Close()
		if err != nil {
			p.cfg.Log.Warn("the index snapshot is no good; rebuilding from the database", "error", err)
			have = 0
		}
	case !errors.Is(err, fs.ErrNotExist):
		p.cfg.Log.Warn("cannot open the index snapshot; rebuilding from the database", "error", err)
	}
	changed, removed, last, err := p.cfg.Library.ChangedDocuments(ctx, have)
	if err != nil {
		return err
	}
	for _, id := range removed {
		p.cfg.Index.Delete(id)
	}
	for _, d := range changed {
		chunks, err := p.cfg.Library.DocumentChunks(ctx, system, d.ID)
		if err != nil {
			return err
		}
		p.cfg.Index.Put(d, chunks)
	}
	p.change, p.saved = last, have
	return nil
}

// saveIndex writes a snapshot where something has changed since the last one.
func (p *Pipeline) saveIndex() error {
	p.saving.Lock()
	defer p.saving.Unlock()
	p.publish.Lock()
	change := p.change
	unchanged := change == p.saved
	p.publish.Unlock()
	if unchanged {
		return nil
	}
	// What is published while the snapshot is written may or may not be in it;
	// replaying it again does no harm.
	err := disk.Replace(p.cfg.Disk, p.snapshotPath(), func(w io.Writer) error {
		defer p.turns.take()()
		return p.cfg.Index.Save(w, change)
	})
	if err != nil {
		return fmt.Errorf("write the index snapshot: %w", err)
	}
	p.publish.Lock()
	p.saved = change
	p.publish.Unlock()
	return nil
}

// saveVectors writes a snapshot though the library has not changed, but all of its
// vectors have: a start that finds others embeds every chunk anew.
func (p *Pipeline) saveVectors() error {
	p.publish.Lock()
	p.saved = -1
	p.publish.Unlock()
	return p.saveIndex()
}

// snapshotEvery is how long a crash can make the next start replay.
const snapshotEvery = 5 * time.Minute

func (p *Pipeline) snapshotLoop() {
	tick := time.NewTicker(snapshotEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.base.Done():
			return
		case <-tick.C:
			if err := p.saveIndex(); err != nil {
				p.cfg.Log.Warn("cannot write the index snapshot", "error", err)
			}
		}
	}
}
