package adding

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ibid"
	"ibid/internal/server/api"

	"github.com/google/uuid"
)

// Folders are the folders that `ibid serve` follows by itself, kept over
// restarts, and those that a command beside it follows at the moment.
type Folders struct {
	store settings
	local bool          // the server is reached from this machine alone
	woken chan struct{} // holds one when there is a folder more or less

	mu  sync.Mutex
	all []api.Watch
}

// watchedSetting is where the folders are kept: a JSON list of Watch.
const watchedSetting = "watched_folders"

// settings keep texts over restarts.
type settings interface {
	Setting(ctx context.Context, name string) (string, error)
	SetSetting(ctx context.Context, name, value string) error
}

// OpenFolders returns the folders that were followed when the program ended. local
// says that the server is reached from this machine alone.
func OpenFolders(ctx context.Context, store settings, local bool) (*Folders, error) {
	f := &Folders{store: store, local: local, woken: make(chan struct{}, 1)}
	text, err := store.Setting(ctx, watchedSetting)
	if err != nil || text == "" {
		return f, err
	}
	if err := json.Unmarshal([]byte(text), &f.all); err != nil {
		return f, fmt.Errorf("read the watched folders: %w", err)
	}
	for i := range f.all {
		f.all[i].State, f.all[i].Error, f.all[i].Files = "starting", "", 0
	}
	return f, nil
}

// save keeps the folders that outlive the program; mu is held.
func (f *Folders) save(ctx context.Context, all []api.Watch) error {
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

func (f *Folders) Watches() []api.Watch {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.all)
}

// List returns a page of the folders that are followed. Their ids are UUIDs of version 7,
// which begin with the time, so that those come first that were followed first.
func (f *Folders) List(page ibid.Page) (watches []api.Watch, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	all := slices.SortedFunc(slices.Values(f.Watches()), func(a, b api.Watch) int { return strings.Compare(a.ID, b.ID) })
	for _, w := range all {
		if w.ID <= after {
			continue
		}
		if len(watches) == page.Size() {
			return watches, ibid.EncodeCursor(watches[len(watches)-1].ID), nil
		}
		watches = append(watches, w)
	}
	return watches, "", nil
}

func (f *Folders) Watch(ctx context.Context, path, folder string) (api.Watch, error) {
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
	w := api.Watch{ID: uuid.Must(uuid.NewV7()).String(), Path: root, Folder: folder, By: "server", State: "starting", Since: ibid.At(time.Now())}
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

func (f *Folders) Unwatch(ctx context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(f.all), func(w api.Watch) bool { return w.ID == id && w.By == "server" })
	if len(rest) == len(f.all) {
		return ibid.Errorf(ibid.CodeNotFound, "the server follows no folder %s", id)
	}
	return f.save(ctx, rest)
}

func (f *Folders) Hold(path, folder string) (release func()) {
	w := api.Watch{ID: uuid.Must(uuid.NewV7()).String(), Path: path, Folder: folder, By: "command", State: "followed", Since: ibid.At(time.Now())}
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
func (f *Folders) report(id, state string, files int, err error) {
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
