// Package blob is the contract of the stores that keep bytes by their hash: the
// originals of documents. One is a directory (blob/dir); others can be a database or
// an object store that several processes share and that may be slow or away.
//
//	Receive(ctx, content) (Upload, error)          takes bytes in, under no name yet
//	File(ctx, hash) (path, release, error)         the bytes as a file of this machine
//	Open(ctx, hash, from, n) (io.ReadCloser, error) a part of the bytes
//	Stat(ctx, hash) (Info, error)
//	Delete(ctx, hash, before) (gone, error)
//	List(ctx, page) ([]Info, next, error)           in the order of their hashes
//
// Each consumer declares the methods that it uses; ibidtest.BlobCases hold a store to
// what is written here.
//
//   - What Upload.Put has put is there for good: after a power cut, for all processes,
//     until somebody deletes it. It is whole or not there at all.
//   - A hash has always the same bytes. Putting them again says that they are wanted
//     from now on: Info.Put begins anew, later than before. What is kept is exchanged,
//     so that putting bytes mends those that a disk has damaged.
//   - Delete leaves alone what was put at its time or later, as one step, whichever
//     processes put and delete. So a sweep in one process does not take away what
//     another process has just put, and is about to write down: it deletes only what
//     was put long ago. Once Delete has returned true the bytes do not come back by a
//     power cut.
//   - What is not there is an error with the code NOT_FOUND; a name that is no hash as
//     well.
//   - A store that cannot be reached, as its network or its disk is away, returns errors
//     with the code STORE_AWAY from all methods. They say nothing about the bytes: who
//     gets one concludes nothing, and tries again later. A list that breaks off is such
//     an error, too, and never a shorter list.
//   - Any other error of reading is one of these bytes: the store is there, and does not
//     give them.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"iter"
	"math"
	"strings"
	"time"

	"ibid"
)

// Info is what is known of bytes without reading them.
type Info struct {
	Hash  string
	Bytes int64
	Put   time.Time // when they were put last
	Place string    // where they are, for people: "files/ab/ab12…"
}

// Upload is content that has come in, and is kept only once it is put.
type Upload interface {
	Hash() string
	Bytes() int64
	// Put keeps the content under its hash. fresh: nothing was kept under it before.
	// Whoever finds after all that the bytes are not wanted deletes what was fresh with
	// the time of its own Put, and so nothing that somebody else has put.
	Put(ctx context.Context) (put time.Time, fresh bool, err error)
	// Drop lets go of what Put has not kept. It may be called at any time.
	Drop()
}

// HashDigits is how many hexadecimal digits of the SHA-256 name the bytes.
const HashDigits = 32

// IsHash reports whether a name is one that bytes can have. Names from outside are
// checked by it before anything is made of them.
func IsHash(name string) bool {
	return len(name) == HashDigits && strings.Trim(name, "0123456789abcdef") == ""
}

// HashOf reads content and returns the name that its bytes have.
func HashOf(content io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return "", err
	}
	return Name(sum), nil
}

// Name is the name of the bytes that a SHA-256 has seen.
func Name(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil))[:HashDigits] }

// Whole is as many bytes as there are, of Open.
const Whole = math.MaxInt64

// Opener opens parts of bytes.
type Opener interface {
	Open(ctx context.Context, hash string, from, n int64) (io.ReadCloser, error)
}

// Lister lists what is there.
type Lister interface {
	List(ctx context.Context, page ibid.Page) (list []Info, next string, err error)
}

// All goes through what is there, in the order of the hashes. An error is the last
// that it yields.
func All(ctx context.Context, store Lister) iter.Seq2[Info, error] {
	return ibid.Each(func(page ibid.Page) ([]Info, string, error) { return store.List(ctx, page) })
}

// Reader reads bytes from any place on, as HTTP ranges and archives need it. It opens
// nothing before the first Read, and again only after a Seek elsewhere. Close it.
type Reader struct {
	ctx   context.Context
	store Opener
	info  Info
	at    int64
	open  io.ReadCloser // at at; nil for none
}

// NewReader returns a Reader at the beginning of bytes.
func NewReader(ctx context.Context, store Opener, info Info) *Reader {
	return &Reader{ctx: ctx, store: store, info: info}
}

// Info is what is known of the bytes.
func (r *Reader) Info() Info { return r.info }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if r.at >= r.info.Bytes {
		return 0, io.EOF
	}
	if r.open == nil {
		open, err := r.store.Open(r.ctx, r.info.Hash, r.at, r.info.Bytes-r.at)
		if err != nil {
			return 0, err
		}
		r.open = open
	}
	n, err := r.open.Read(p)
	r.at += int64(n)
	return n, err
}

// Seek implements io.Seeker.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.info.Bytes
	}
	if offset < 0 {
		return r.at, errors.New("seek before the beginning")
	}
	if offset == r.at {
		return r.at, nil
	}
	err := r.Close()
	r.at = offset
	return r.at, err
}

// Close lets go of what is open.
func (r *Reader) Close() error {
	if r.open == nil {
		return nil
	}
	open := r.open
	r.open = nil
	return open.Close()
}
