package main

import (
	"context"
	"encoding/json"
	"fmt"
	"ibid/internal/server/api"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ibid"
)

// watchedFolders are the folders that `ibid serve` follows by itself, kept over
// restarts, and those that a command beside it follows at the moment.
type watchedFolders struct {
	store interface {
		Setting(ctx context.Context, name string) (string, error)
		SetSetting(ctx context.Context, name, value string) error
	}
	local bool          // the server is reached from this machine alone
	woken chan struct{} // holds one when there is a folder more or less

	mu  sync.Mutex
	all []api.Watch
}

// watchedSetting is where the folders are kept: a JSON list of Watch.
const watchedSetting = "watched_folders"

func (f *watchedFolders) load(ctx context.Context) error {
	f.woken = make(chan struct{}, 1)
	text, err := f.store.Setting(ctx, watchedSetting)
	if err != nil || text == "" {
		return err
	}
	if err := json.Unmarshal([]byte(text), &f.all); err != nil {
		return fmt.Errorf("read the watched folders: %w", err)
	}
	for i := range f.all {
		f.all[i].State, f.all[i].Error, f.all[i].Files = "starting", "", 0
	}
	return nil
}

// save keeps the folders that outlive the program; mu is held.
func (f *watchedFolders) save(ctx context.Context, all []api.Watch) error {
	kept := slices.DeleteFunc(slices.Clone(all), func(w api.Watch) bool { return w.By != "server" })
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	if err := f.store.SetSetting(ctx, watchedSetting, string(text)); err != nil {
		return err
	}
	f.all = all
	select {
	case f.woken <- struct{}{}:
	default:
	}
	return nil
}

func (f *watchedFolders) Watches() []api.Watch {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.all)
}

func (f *watchedFolders) Watch(ctx context.Context, path, folder string) (api.Watch, error) {
	if !f.local { // whoever has the token may not read all that the server's user may
		return api.Watch{}, &ibid.Error{Code: ibid.CodeForbidden, Message: "this server can be reached from other machines, so it follows no folders of its own",
			Hint: "follow the folder with `ibid add --watch` where it lies"}
	}
	root, err := watchable(path)
	if err != nil {
		return api.Watch{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if at := slices.IndexFunc(f.all, func(w api.Watch) bool { return w.Path == root && w.By == "server" }); at >= 0 {
		return f.all[at], nil
	}
	w := api.Watch{ID: newID(), Path: root, Folder: folder, By: "server", State: "starting", Since: ibid.At(time.Now())}
	return w, f.save(ctx, append(slices.Clone(f.all), w))
}

// watchable is the absolute path of a folder that people name; ~ is the home of
// whoever runs the server.
func watchable(path string) (string, error) {
	if rest, home := strings.CutPrefix(path, "~"); home {
		if dir, err := os.UserHomeDir(); err == nil {
			path = dir + rest
		}
	}
	info, err := os.Stat(path)
	if !filepath.IsAbs(path) || err != nil || !info.IsDir() {
		e := ibid.Errorf(ibid.CodeBadRequest, "there is no folder %q on the server's machine", path)
		e.Hint = "give its whole path, such as /home/me/Documents or ~/Documents"
		return "", e
	}
	return filepath.EvalSymlinks(path)
}

func (f *watchedFolders) Unwatch(ctx context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(f.all), func(w api.Watch) bool { return w.ID == id && w.By == "server" })
	if len(rest) == len(f.all) {
		return ibid.Errorf(ibid.CodeNotFound, "the server follows no folder %s", id)
	}
	return f.save(ctx, rest)
}

func (f *watchedFolders) Hold(path, folder string) (release func()) {
	w := api.Watch{ID: newID(), Path: path, Folder: folder, By: "command", State: "followed", Since: ibid.At(time.Now())}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(slices.Clone(f.all), w)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.all = slices.DeleteFunc(slices.Clone(f.all), func(other api.Watch) bool { return other.ID == w.ID })
	}
}

// report takes note of how a folder is.
func (f *watchedFolders) report(id, state string, files int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.all {
		if f.all[i].ID != id {
			continue
		}
		f.all[i].State, f.all[i].Files, f.all[i].Error = state, files, ""
		if err != nil {
			f.all[i].State, f.all[i].Error = "failed", err.Error()
		}
	}
}

// followWatched follows the watched folders beside the server until ctx ends,
// as `ibid add --watch` would, each in a goroutine of its own.
func (c *cli) followWatched(ctx context.Context, cfg Config, at endpoint, folders *watchedFolders) {
	quiet := *c
	quiet.out, quiet.err = io.Discard, io.Discard
	s := &session{client: newClient(at, nil), cfg: cfg}
	defer s.client.close()
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
		case <-folders.woken:
		}
	}
	for _, end := range following {
		end()
	}
}

// followOne follows one folder until ctx ends, and says how it is.
func (c *cli) followOne(ctx context.Context, s *session, w api.Watch, folders *watchedFolders) {
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
func (c *cli) beginOne(ctx context.Context, s *session, w api.Watch, folders *watchedFolders) (*watcher, error) {
	f, err := atLatest(ctx, func() (*watchedFolder, error) { return newWatchedFolder(w.Path) })
	if err != nil {
		return nil, ctx.Err()
	}
	one := &watcher{cli: c, session: s, options: addOptions{folder: w.Folder, noWait: true}, out: newTerminal(c.out, c.env), folder: f, sending: &sync.Mutex{},
		tell: func(files int) { folders.report(w.ID, "starting", files, nil) }}
	if err := one.begin(ctx); err != nil {
		return nil, err
	}
	return one, nil
}

// hold tells the server, as long as ctx lasts, that this command follows a
// folder; one that can't be told is none the worse for it.
func hold(ctx context.Context, s *session, root, folder string) {
	for ctx.Err() == nil {
		_ = s.holdFolder(ctx, root, folder)
		_ = sleep(ctx, lookEvery)
	}
}

// holdFolder tells the server that somebody else follows a folder, until ctx ends
// or the connection breaks.
func (c *client) holdFolder(ctx context.Context, path, folder string) error {
	body, err := json.Marshal(map[string]any{"path": path, "folder": folder, "hold": true})
	if err != nil {
		return fmt.Errorf("write the place of a folder: %w", err)
	}
	resp, err := c.send(ctx, post("/v1/watches", body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
