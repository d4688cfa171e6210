package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"sync"
	"time"

	"ibid/internal/disk"
)

// syncEvery is after how many written bytes a file is synced, so that no sync at
// the end keeps the disk from everybody else for long.
const syncEvery = 8 << 20

// mover copies and reads files at a pace, and tells how far it is.
type mover struct {
	ctx  context.Context
	fs   disk.FS
	pace Pace
	// moved is told of bytes that were copied or read; may be nil.
	moved func(n int64)
}

// blocks are reused: of many small files each would leave one for the collector.
var blocks = sync.Pool{New: func() any { return new([blockBytes]byte) }}

// transfer reads r to its end in blocks, into w where there is one, and returns
// the hash of what it read.
func (m mover) transfer(r io.Reader, w io.Writer) (sum string, size int64, err error) {
	digest := sha256.New()
	held := blocks.Get().(*[blockBytes]byte)
	defer blocks.Put(held)
	block := held[:]
	unsynced := int64(0)
	for {
		began := time.Now()
		n, err := io.ReadFull(r, block)
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return "", size, err
		}
		digest.Write(block[:n])
		if w != nil && n > 0 {
			if _, err := w.Write(block[:n]); err != nil {
				return "", size, err
			}
			if unsynced += int64(n); unsynced >= syncEvery {
				unsynced = 0
				if f, ok := w.(disk.File); ok {
					if err := f.Sync(); err != nil {
						return "", size, err
					}
				}
			}
		}
		size += int64(n)
		if m.moved != nil {
			m.moved(int64(n))
		}
		if end {
			return hexSum(digest), size, m.pace.rest(m.ctx, began, int64(n))
		}
		if err := m.pace.rest(m.ctx, began, int64(n)); err != nil {
			return "", size, err
		}
	}
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// write makes a synced file of what r holds, in the place of one that is there.
func (m mover) write(r io.Reader, path string) (sum string, size int64, err error) {
	f, err := m.fs.Create(path)
	if err != nil {
		return "", 0, err
	}
	sum, size, err = m.transfer(r, f)
	if err == nil {
		err = f.Sync()
		forget(f)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = m.fs.Remove(path) // what is left is overwritten by the next
	}
	return sum, size, err
}

// sum reads a file and returns its hash. A file that is not there is an error of
// kind fs.ErrNotExist.
func (m mover) sum(path string) (sum string, size int64, err error) {
	f, err := m.fs.Open(path)
	if err != nil {
		return "", 0, err
	}
	return m.readBack(f)
}

// readBack reads what is open, and closes it.
func (m mover) readBack(open io.ReadCloser) (sum string, size int64, err error) {
	defer open.Close()
	forget(open) // what is read now comes from the disk
	defer forget(open)
	return m.transfer(open, nil)
}

// forget asks the system not to keep a file's content in memory: a backup reads
// every byte once, and would push out what searches need.
func forget(f any) {
	if open, ok := f.(interface{ Fd() uintptr }); ok {
		dropCache(open.Fd())
	}
}

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
