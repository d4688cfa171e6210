package adding

import (
	"context"
	"sync"
	"time"

	"ibid/internal/client"
	"ibid/internal/server/api"
)

// Follow follows the watched folders beside the server until ctx ends,
// as `ibid add --watch` would, each in a goroutine of its own.
func Follow(ctx context.Context, to *client.Client, folders *Folders) {
	var group sync.WaitGroup
	defer group.Wait()
	following := map[string]context.CancelFunc{} // by the watch's id
	for ctx.Err() == nil {
		wanted := map[string]bool{}
		for _, w := range folders.Watches() {
			if w.By != "server" {
				continue
			}
			wanted[w.ID] = true
			if following[w.ID] == nil {
				watching, end := context.WithCancel(ctx)
				following[w.ID] = end
				group.Go(func() { followOne(watching, to, w, folders) })
			}
		}
		for id, end := range following {
			if !wanted[id] {
				end()
				delete(following, id)
			}
		}
		select {
		case <-ctx.Done():
		case <-folders.woken:
		}
	}
	for _, end := range following {
		end()
	}
}

// followOne follows one folder until ctx ends, and says how it is.
func followOne(ctx context.Context, to *client.Client, w api.Watch, folders *Folders) {
	var one *watcher
	for ctx.Err() == nil {
		took, err := time.Duration(0), error(nil)
		if one == nil {
			one, err = beginOne(ctx, to, w, folders)
		}
		if one != nil {
			began := time.Now()
			took, err = one.round(ctx)
			if err != nil {
				took = time.Since(began) // so that what fails slowly is not tried all the time
			}
			one.tell = nil // it is not starting any more
		}
		switch {
		case ctx.Err() != nil:
			return
		case one == nil && err == nil:
			folders.report(w.ID, "missing", 0, nil)
		case one == nil:
			folders.report(w.ID, "failed", 0, err)
		default:
			folders.report(w.ID, map[bool]string{true: "followed", false: "missing"}[one.folder.present], one.folder.documents(), err)
		}
		_ = sleep(ctx, max(lookEvery, lookShare*took))
	}
}

// beginOne begins to follow a folder; nil without an error: it is not there.
func beginOne(ctx context.Context, to *client.Client, w api.Watch, folders *Folders) (*watcher, error) {
	f, err := atLatest(ctx, func() (*watchedFolder, error) { return newWatchedFolder(w.Path) })
	if err != nil {
		return nil, ctx.Err()
	}
	one := &watcher{client: to, options: Options{Folder: w.Folder, NoWait: true}, report: Nobody{}, folder: f, sending: &sync.Mutex{},
		tell: func(files int) { folders.report(w.ID, "starting", files, nil) }}
	if err := one.begin(ctx); err != nil {
		return nil, err
	}
	return one, nil
}

// hold tells the server, as long as ctx lasts, that this command follows a
// folder; one that can't be told is none the worse for it.
func hold(ctx context.Context, to *client.Client, root, folder string) {
	for ctx.Err() == nil {
		_ = to.HoldFolder(ctx, root, folder)
		_ = sleep(ctx, lookEvery)
	}
}
