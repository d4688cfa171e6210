package main

import (
	"context"
	"io"
	"sync"
	"time"

	"ibid/internal/app"
	"ibid/internal/app/config"
	"ibid/internal/client"
	"ibid/internal/server/api"
)

// followWatched follows the watched folders beside the server until ctx ends,
// as `ibid add --watch` would, each in a goroutine of its own.
func (c *cli) followWatched(ctx context.Context, cfg config.Config, at client.Endpoint, folders *app.WatchedFolders) {
	quiet := *c
	quiet.out, quiet.err = io.Discard, io.Discard
	s := &app.Session{Client: client.New(at, nil), Config: cfg}
	defer s.Client.Close()
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
				group.Go(func() { quiet.followOne(watching, s, w, folders) })
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
		case <-folders.Woken:
		}
	}
	for _, end := range following {
		end()
	}
}

// followOne follows one folder until ctx ends, and says how it is.
func (c *cli) followOne(ctx context.Context, s *app.Session, w api.Watch, folders *app.WatchedFolders) {
	var one *watcher
	for ctx.Err() == nil {
		took, err := time.Duration(0), error(nil)
		if one == nil {
			one, err = c.beginOne(ctx, s, w, folders)
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
			folders.Report(w.ID, "missing", 0, nil)
		case one == nil:
			folders.Report(w.ID, "failed", 0, err)
		default:
			folders.Report(w.ID, map[bool]string{true: "followed", false: "missing"}[one.folder.present], one.folder.documents(), err)
		}
		_ = sleep(ctx, max(lookEvery, lookShare*took))
	}
}

// beginOne begins to follow a folder; nil without an error: it is not there.
func (c *cli) beginOne(ctx context.Context, s *app.Session, w api.Watch, folders *app.WatchedFolders) (*watcher, error) {
	f, err := atLatest(ctx, func() (*watchedFolder, error) { return newWatchedFolder(w.Path) })
	if err != nil {
		return nil, ctx.Err()
	}
	one := &watcher{cli: c, session: s, options: addOptions{folder: w.Folder, noWait: true}, out: newTerminal(c.out, c.env), folder: f, sending: &sync.Mutex{},
		tell: func(files int) { folders.Report(w.ID, "starting", files, nil) }}
	if err := one.begin(ctx); err != nil {
		return nil, err
	}
	return one, nil
}

// hold tells the server, as long as ctx lasts, that this command follows a
// folder; one that can't be told is none the worse for it.
func hold(ctx context.Context, s *app.Session, root, folder string) {
	for ctx.Err() == nil {
		_ = s.HoldFolder(ctx, root, folder)
		_ = sleep(ctx, lookEvery)
	}
}
