package adding

import (
	"context"

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

// Collect is walking.collect, but returns as soon as ctx ends.
func Collect(ctx context.Context, args []string, folder string, tell func(files int)) (Collection, error) {
	return atLatest(ctx, func() (Collection, error) { return walking{ctx, tell}.collect(args, folder) })
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
