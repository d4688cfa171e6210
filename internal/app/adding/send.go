package adding

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"ibid"
	"ibid/internal/client"
	"ibid/internal/server/api"
)

// Files are sent in three steps, each in a goroutine of its own: their hashes are
// worked out, the server says which of them it has, and the rest is sent.

const (
	// askUnchanged is how many files the server is asked about at once.
	askUnchanged = ibid.MaxLimit
	// Small files are sent together: up to so many, of up to so many bytes, and so
	// many bytes in all.
	togetherFiles = 100
	smallFile     = 1 << 20
	togetherBytes = 8 << 20
)

// sending is what the senders tell of their work.
type sending struct {
	begun []string // sources of files that are sent from now on
	done  []*Added // files that were sent, or can't be
	err   error    // nothing more will be sent
}

// candidate is a file on its way through the steps.
type candidate struct {
	*Added
	hash  string // "" where it is not known: of pages, and of what cannot be read
	bytes int64
}

// sendAll sends all items and tells of it. What is wrong with an item is its result;
// only what concerns all of them ends the work.
func (a *Adder) sendAll(ctx context.Context, items []Item, sent chan<- sending) {
	ctx, cancel := context.WithCancel(ctx)
	hashed, wanted := make(chan []candidate), make(chan []candidate)
	var steps sync.WaitGroup
	defer steps.Wait()
	defer cancel()
	say := func(s sending) bool {
		select {
		case sent <- s:
			return s.err == nil
		case <-ctx.Done():
			return false
		}
	}
	steps.Go(func() {
		defer close(hashed)
		for len(items) > 0 {
			n := min(len(items), askUnchanged)
			if !pass(ctx, hashed, hashAll(ctx, items[:n])) {
				return
			}
			items = items[n:]
		}
	})
	steps.Go(func() {
		defer close(wanted)
		for batch := range hashed {
			known, rest, err := a.splitUnchanged(ctx, batch)
			if err != nil {
				say(sending{err: err})
				return
			}
			if len(known) > 0 && !say(sending{done: known}) || !pass(ctx, wanted, rest) {
				return
			}
		}
	})
	for batch := range wanted {
		for len(batch) > 0 {
			n := together(batch)
			group := batch[:n]
			batch = batch[n:]
			var s, after sending
			for _, one := range group {
				if one.Item.err == nil {
					s.begun = append(s.begun, one.Source)
				}
				after.done = append(after.done, one.Added)
			}
			if !say(s) {
				return
			}
			after.err = a.sendGroup(ctx, group)
			if ctx.Err() != nil || !say(after) {
				return
			}
		}
	}
}

func pass[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// hashAll works out the hashes of files, several at a time.
func hashAll(ctx context.Context, items []Item) []candidate {
	all := make([]candidate, len(items))
	var next atomic.Int64
	var hashing sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		hashing.Go(func() {
			buffer := make([]byte, 64<<10)
			for i := next.Add(1) - 1; i < int64(len(items)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				all[i] = newCandidate(items[i], buffer)
			}
		})
	}
	hashing.Wait()
	return all
}

func newCandidate(it Item, buffer []byte) candidate {
	c := candidate{Added: &Added{Item: it, Source: it.source(), Err: it.err}}
	if it.err != nil || it.url != "" {
		return c
	}
	file, size, err := OpenRegular(it.root, it.path)
	if err != nil {
		return c // sending it says why
	}
	defer file.Close()
	sum := sha256.New()
	if n, err := io.CopyBuffer(struct{ io.Writer }{sum}, io.LimitReader(file, size), buffer); err == nil {
		c.hash, c.bytes = hex.EncodeToString(sum.Sum(nil)[:16]), n // as ibid.VersionOf
	}
	return c
}

// splitUnchanged asks the server which files it has as they are.
func (a *Adder) splitUnchanged(ctx context.Context, batch []candidate) (known []*Added, rest []candidate, err error) {
	var asked []candidate
	for _, c := range batch {
		if c.hash != "" {
			asked = append(asked, c)
		}
	}
	documents, err := a.client.Unchanged(ctx, a.known(asked))
	if err != nil && (ctx.Err() != nil || concernsAll(err)) {
		return nil, nil, err
	}
	if err != nil { // a server that does not know the question: it says it of each file
		documents = make([]*ibid.Document, len(asked))
	}
	for _, c := range batch {
		if c.hash == "" {
			rest = append(rest, c)
			continue
		}
		d := documents[0]
		if documents = documents[1:]; d == nil {
			rest = append(rest, c)
			continue
		}
		c.Doc, c.Added.unchanged, c.since = *d, true, d.ChangeAt.Time
		known = append(known, c.Added)
	}
	return known, rest, nil
}

// known is what the server is told of files to say which of them it has.
func (a *Adder) known(files []candidate) []api.KnownFile {
	var known []api.KnownFile
	for _, f := range files {
		known = append(known, api.KnownFile{Hash: f.hash, Bytes: f.bytes,
			File: api.File{Name: filepath.Base(f.Source), Source: f.Source, Folder: f.folder, Category: a.Category, Tags: a.Tags}})
	}
	return known
}

// together is how many of the first files are sent in one request.
func together(batch []candidate) int {
	n, bytes := 0, int64(0)
	for n < len(batch) && n < togetherFiles && batch[n].small() && bytes+batch[n].bytes <= togetherBytes {
		bytes += batch[n].bytes
		n++
	}
	return max(n, 1)
}

func (c candidate) small() bool { return c.hash != "" && c.bytes <= smallFile }

// sendGroup sends files, in one request where there are several. Only what concerns
// all files is returned.
func (a *Adder) sendGroup(ctx context.Context, group []candidate) error {
	if len(group) == 1 {
		one := group[0].Added
		if one.Err == nil {
			one.Err = a.upload(ctx, one)
		}
		return a.concernsAll(one)
	}
	var uploads []client.SmallUpload
	var sent []*Added
	for _, c := range group {
		u := a.describe(c.Added)
		data, err := readRegular(c.root, c.path)
		if err != nil {
			c.Added.Err = err
			continue
		}
		uploads, sent = append(uploads, client.SmallUpload{Upload: u, Data: data}), append(sent, c.Added)
	}
	if len(uploads) == 0 {
		return nil
	}
	outcomes, err := a.client.UploadSmall(ctx, uploads)
	switch {
	case err != nil && concernsAll(err):
		return fmt.Errorf("add %s: %w", sent[0].Name, err)
	case err != nil: // one of them is at fault: each by itself says which
		for _, one := range sent {
			one.Err = a.upload(ctx, one)
			if err := a.concernsAll(one); err != nil {
				return err
			}
		}
		return nil
	}
	for i, one := range sent {
		one.taken(outcomes[i].Uploaded, outcomes[i].Err)
		a.report.Sending(one, one.Size)
		if err := a.concernsAll(one); err != nil {
			return err
		}
	}
	return nil
}

// concernsAll returns the error of a file where the others will have it too.
func (a *Adder) concernsAll(one *Added) error {
	if one.Err != nil && concernsAll(one.Err) {
		return fmt.Errorf("add %s: %w", one.Name, one.Err)
	}
	return nil
}

func concernsAll(err error) bool {
	code := ibid.CodeOf(err)
	return client.IsConnectionError(err) || code == ibid.CodeUnauthorized || code == ibid.CodeDiskFull || code == ibid.CodeAway
}

func (a *Adder) describe(one *Added) client.Upload {
	return client.Upload{Name: filepath.Base(one.Source), Source: one.Source, Category: a.Category, Tags: a.Tags, Folder: one.folder, Password: a.Password}
}

func (one *Added) taken(u api.Uploaded, err error) {
	one.Doc, one.unchanged, one.since, one.Err = u.Document, u.Unchanged, u.ChangeAt.Time, err
}

// upload sends one item by itself.
func (a *Adder) upload(ctx context.Context, one *Added) error {
	u := a.describe(one)
	u.Open = func() (io.ReadCloser, int64, error) { return OpenRegular(one.root, one.path) }
	u.Sent = func(n int64) { a.report.Sending(one, n) }
	if one.url != "" {
		p, err := a.Fetch(ctx, one.url)
		if err != nil {
			return err
		}
		u.Name = p.Name
		u.Open = func() (io.ReadCloser, int64, error) {
			return io.NopCloser(bytes.NewReader(p.Body)), int64(len(p.Body)), nil
		}
	}
	taken, err := a.client.Upload(ctx, u)
	one.taken(taken, err)
	return err
}

// readRegular reads a small file that openRegular opens.
func readRegular(root, path string) ([]byte, error) {
	file, size, err := OpenRegular(root, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, size))
}
