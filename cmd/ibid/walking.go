package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"ibid"
	"ibid/internal/say"
)

// walking is a look through folders, which may be as large as a whole disk: it can
// be cancelled at every file, says how far it is, and takes only so many files.
type walking struct {
	ctx  context.Context
	tell func(files int) // nil, or told now and then how many files there are so far
}

// mostCollected is how many files one look takes, so that a look at / does not fill
// the memory. A file costs some 600 bytes while it is known.
const mostCollected = 250_000

// tellEvery is after how many files walking tells.
const tellEvery = 100

// goOn returns why a look must not go on that has found so many files.
func (w walking) goOn(files int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if files > mostCollected {
		e := ibid.Errorf(ibid.CodeBadRequest, "these are more than %s files", say.Thousands(mostCollected))
		e.Hint = "name folders within, and follow or add those"
		return e
	}
	if w.tell != nil && files%tellEvery == 0 {
		w.tell(files)
	}
	return nil
}

// collect is walking.collect, but returns as soon as ctx ends.
func collect(ctx context.Context, args []string, folder string, tell func(files int)) (collection, error) {
	return atLatest(ctx, func() (collection, error) { return walking{ctx, tell}.collect(args, folder) })
}

// atLatest calls look, and leaves it behind when ctx ends: a file system that hangs,
// such as a network drive that is gone, may keep it for as long as it likes.
func atLatest[T any](ctx context.Context, look func() (T, error)) (T, error) {
	type outcome struct {
		found T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		found, err := look()
		done <- outcome{found, err}
	}()
	select {
	case o := <-done:
		return o.found, o.err
	case <-ctx.Done():
		var nothing T
		return nothing, ctx.Err()
	}
}

// collectSlowly is collect for somebody who waits: after a second it shows how far
// it is, where that is a terminal.
func (c *cli) collectSlowly(ctx context.Context, args []string, folder string) (collection, error) {
	t := newTerminal(c.err, c.env)
	if !t.tty {
		return collect(ctx, args, folder, nil)
	}
	began := time.Now()
	var shown atomic.Int64 // ms since began
	found, err := collect(ctx, args, folder, func(files int) {
		if now := time.Since(began).Milliseconds(); ctx.Err() == nil && now > 1000 && now-shown.Load() > 100 {
			shown.Store(now)
			fmt.Fprintf(t.w, "\r\x1b[Klooking: %s files…", say.Thousands(files))
		}
	})
	if shown.Load() > 0 {
		fmt.Fprint(t.w, "\r\x1b[K")
	}
	return found, err
}
