package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ibid"
)

// A watched folder is looked at again and again rather than subscribed to: that
// works on network drives, has no limit on how many folders there may be, and
// cannot lose an event. A look at 10,000 files takes some 30 ms.
const (
	// lookEvery is the pause between two looks; one that takes long is followed
	// by a pause lookShare times as long.
	lookEvery = time.Second
	lookShare = 20
	// quiet is how long a file must have been left alone before it is read: it
	// may still be written.
	quiet = 2 * time.Second
	// goneAfter is how many looks in a row must miss a file before it counts as
	// gone: editors take a file away for a moment when they save it.
	goneAfter = 2
)

func onlyFolders(cmd *cobra.Command, args []string, o addOptions) error {
	if o.noWait {
		return usagef(cmd, "--watch and --no-wait exclude each other")
	}
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			return usagef(cmd, "--watch follows folders, and %q is none", arg)
		}
	}
	return nil
}

// watch follows folders until ctx ends, which is no failure.
func (c *cli) watch(ctx context.Context, s *session, dirs []string, o addOptions) error {
	w := &watcher{cli: c, session: s, options: o, out: newTerminal(c.out, c.env)}
	for _, dir := range dirs {
		f, err := newWatchedFolder(dir, o.folder)
		if err != nil {
			return fmt.Errorf("watch %s: %w", dir, err)
		}
		w.folders = append(w.folders, f)
	}
	err := w.begin(ctx)
	defer w.announce(ctx)()
	for err == nil {
		var took time.Duration
		if took, err = w.round(ctx); err == nil {
			err = sleep(ctx, max(lookEvery, lookShare*took))
		}
	}
	if ctx.Err() != nil {
		fmt.Fprintln(c.err, "watching has ended; what was added stays")
		return nil
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type watcher struct {
	cli     *cli
	session *session
	options addOptions
	out     *terminal
	folders []*watchedFolder
}

// announce tells the server which folders are followed here, until the returned
// function is called.
func (w *watcher) announce(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var told sync.WaitGroup
	for _, f := range w.folders {
		told.Go(func() { w.session.hold(ctx, f.root, w.options.folder) })
	}
	return func() {
		cancel()
		told.Wait()
	}
}

// begin says what is watched, and learns what the library has of it.
func (w *watcher) begin(ctx context.Context) error {
	docs, err := w.session.documents(ctx)
	if err != nil {
		return err
	}
	for _, f := range w.folders {
		for _, d := range docs {
			f.remember(d)
		}
		fmt.Fprintf(w.cli.err, "watching %s; Ctrl-C ends it\n", oneLine(f.name, 0))
	}
	return nil
}

// round looks at every folder once and does in the library what was done there.
func (w *watcher) round(ctx context.Context) (took time.Duration, err error) {
	for _, f := range w.folders {
		began := time.Now()
		present := f.there()
		if present != f.present {
			f.present = present
			fmt.Fprintf(w.cli.err, "%s %s\n", oneLine(f.name, 0), map[bool]string{true: "is there again", false: "is not there; nothing is removed, and watching goes on when it is back"}[present])
		}
		if !present {
			continue
		}
		todo := f.compare(collect([]string{f.name}, w.options.folder), time.Now())
		took += time.Since(began)
		if err := w.do(ctx, f, todo); err != nil {
			return took, err
		}
	}
	return took, nil
}

// do carries out what a look came to: moves first, so that a file which moved
// and changed is a new version of the same document.
func (w *watcher) do(ctx context.Context, f *watchedFolder, todo deeds) error {
	for _, m := range todo.moved {
		if err := w.move(ctx, f, m); err != nil {
			return err
		}
	}
	for _, path := range todo.gone {
		if err := w.remove(ctx, f, path); err != nil {
			return err
		}
	}
	if len(todo.read) == 0 {
		return nil
	}
	a := w.cli.newAdder(w.session, w.options, todo.read)
	err := a.run(ctx, todo.read)
	a.bar.end()
	for _, one := range a.results {
		if one.doc.ID != "" && one.path != "" {
			f.known[one.item.source()].id = one.doc.ID
		}
	}
	return err
}

func (w *watcher) move(ctx context.Context, f *watchedFolder, m moved) error {
	err := w.session.move(ctx, m.id, m.to.source(), filepath.Base(m.to.source()), m.to.folder)
	switch {
	case err == nil:
	case ibid.CodeOf(err) == ibid.CodeConflict, ibid.CodeOf(err) == ibid.CodeNotFound, ibid.CodeOf(err) == ibid.CodeBadRequest:
		// Then it is added like any other file, and the old document goes.
		f.known[m.to.source()].sent, f.known[m.to.source()].id = false, ""
		f.known[m.from] = &seen{id: m.id, missed: goneAfter - 1}
		return nil
	default:
		return fmt.Errorf("move %s: %w", m.from, err)
	}
	w.say("→", f.short(m.from)+": is now "+f.short(m.to.source()))
	return nil
}

func (w *watcher) remove(ctx context.Context, f *watchedFolder, path string) error {
	id := f.known[path].id
	delete(f.known, path)
	if id == "" {
		return nil // it never came in
	}
	if err := w.session.deleteDocument(ctx, id); err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	w.say("−", f.short(path)+": removed")
	return nil
}

func (w *watcher) say(mark, what string) {
	if w.options.json {
		return // the lines of added files are the only JSON there is
	}
	w.out.printf("%s %s\n", mark, oneLine(what, 0))
}

// watchedFolder is a folder that is watched.
type watchedFolder struct {
	name    string // as it was typed
	root    string // absolute, links resolved
	info    fs.FileInfo
	present bool
	looked  bool
	known   map[string]*seen // by absolute path, as item.source writes it
}

// seen is a file as it was seen last.
type seen struct {
	info   fs.FileInfo // nil until it was seen
	id     string      // of its document, "" when it has none
	sent   bool        // this content was sent, or could not be
	missed int         // looks in a row that did not find it
}

// deeds are what a look at a folder comes to.
type deeds struct {
	read  []item
	moved []moved
	gone  []string
}

type moved struct {
	id   string
	from string
	to   item
}

func newWatchedFolder(dir, folder string) (*watchedFolder, error) {
	root, err := filepath.Abs(dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(root)
	return &watchedFolder{name: dir, root: root, info: info, present: true, known: map[string]*seen{}}, err
}

// there reports whether the folder is the one that watching began with: a drive
// that was taken out leaves an empty folder in its place, or none.
func (f *watchedFolder) there() bool {
	info, err := os.Stat(f.root)
	return err == nil && os.SameFile(info, f.info)
}

// remember takes note of a document that came from this folder before.
func (f *watchedFolder) remember(d ibid.Document) {
	if d.PartOf == "" && f.holds(d.Source) { // what came out of an archive goes with it
		f.known[d.Source] = &seen{id: d.ID}
	}
}

func (f *watchedFolder) holds(path string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(validText(f.root), string(filepath.Separator))+string(filepath.Separator))
}

// short is a path as people know it.
func (f *watchedFolder) short(path string) string {
	rel, err := filepath.Rel(validText(f.root), path)
	if err != nil {
		return path
	}
	return filepath.Join(f.name, rel)
}

// compare says what to do after a look at the folder. Where a part of it could
// not be looked at, nothing of that part is gone.
func (f *watchedFolder) compare(found collection, now time.Time) deeds {
	var todo deeds
	present, unknown := map[string]bool{}, []string{}
	files := 0
	for _, it := range found.items {
		if it.err != nil || it.info == nil {
			if rel, err := filepath.Rel(f.name, it.name); err == nil {
				unknown = append(unknown, validText(filepath.Join(f.root, rel)))
			}
			continue
		}
		files++
		present[it.source()] = true
		f.see(it, now)
	}
	// A folder that is empty at the first look may be a drive that is not there
	// yet: what the library has of it stays.
	trusted := f.looked || files > 0
	for path, s := range f.known {
		if !present[path] && trusted && !within(path, unknown) {
			s.missed++
		}
	}
	f.looked = f.looked || trusted
	for _, it := range found.items {
		s := f.known[it.source()]
		if it.err != nil || s == nil || s.sent || !s.still(now) {
			continue
		}
		s.sent = true
		if from := f.movedFrom(s); s.id == "" && from != "" {
			old := f.known[from]
			s.id = old.id
			delete(f.known, from)
			todo.moved = append(todo.moved, moved{s.id, from, it})
			if same(old.info, s.info) {
				continue
			}
		}
		if s.id != "" {
			it.folder = "" // it stays where people have put it since
		}
		todo.read = append(todo.read, it)
	}
	for path, s := range f.known {
		if s.missed >= goneAfter && !f.waitsElsewhere(s) {
			todo.gone = append(todo.gone, path)
		}
	}
	slices.Sort(todo.gone)
	return todo
}

// see takes note of a file that is there.
func (f *watchedFolder) see(it item, now time.Time) {
	s := f.known[it.source()]
	if s == nil {
		s = &seen{}
		f.known[it.source()] = s
	}
	s.missed = 0
	if s.info == nil || !same(s.info, it.info) {
		s.info, s.sent = it.info, false
	}
}

// still reports whether a file has been left alone for a while. One whose time
// lies in the future says nothing, and is not waited for.
func (s *seen) still(now time.Time) bool {
	age := now.Sub(s.info.ModTime())
	return age >= quiet || age < 0
}

func same(a, b fs.FileInfo) bool {
	return a != nil && b != nil && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

// movedFrom finds the path that a file which is new here has left; "" for none.
func (f *watchedFolder) movedFrom(s *seen) string {
	for path, other := range f.known {
		if other.missed > 0 && other.id != "" && other.info != nil && os.SameFile(other.info, s.info) {
			return path
		}
	}
	return ""
}

// waitsElsewhere reports whether a file that has left its path is at another
// one, where it is not still yet.
func (f *watchedFolder) waitsElsewhere(s *seen) bool {
	for _, other := range f.known {
		if s.info != nil && other.missed == 0 && other.info != nil && !other.sent && os.SameFile(s.info, other.info) {
			return true
		}
	}
	return false
}

// within reports whether a path is one of the places, or lies below one.
func within(path string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		rel, err := filepath.Rel(place, path)
		return err == nil && filepath.IsLocal(rel)
	})
}
