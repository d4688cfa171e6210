package adding

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ibid"
	"ibid/internal/client"
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

// WatchReporter is told what is done in the library for a folder.
type WatchReporter interface {
	// Files returns whom to tell of files that are added together, and what ends that.
	Files([]Item) (report Reporter, end func())
	Begins(folder string)
	Present(folder string, there bool)
	Moved(from, to string)
	Removed(file string)
}

// Files, Begins, Present, Moved and Removed make nobody a watchReporter.
func (Nobody) Files([]Item) (Reporter, func()) { return Nobody{}, func() {} }

func (Nobody) Begins(string) {}

func (Nobody) Present(string, bool) {}

func (Nobody) Moved(string, string) {}

func (Nobody) Removed(string) {}

// Watch follows folders until ctx ends, or the server can't be reached. Each is
// looked at in a goroutine of its own, so that a large one, or one on a drive that
// hangs, does not hold up the others.
func Watch(ctx context.Context, to *client.Client, dirs []string, o Options, report WatchReporter) error {
	var all []*watcher
	var sending sync.Mutex
	for _, dir := range dirs {
		f, err := newWatchedFolder(dir)
		if err != nil {
			return fmt.Errorf("watch %s: %w", dir, err)
		}
		all = append(all, &watcher{client: to, options: o, report: report, folder: f, sending: &sending})
	}
	for _, w := range all {
		if err := w.begin(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	watching, end := context.WithCancelCause(ctx)
	defer end(nil)
	var group sync.WaitGroup
	for _, w := range all {
		group.Go(func() { hold(watching, to, w.folder.root, o.Folder) })
		group.Go(func() { end(w.follow(watching)) }) // the first that fails ends all
	}
	group.Wait()
	return context.Cause(watching)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watcher follows one folder.
type watcher struct {
	client  *client.Client
	options Options
	report  WatchReporter
	folder  *watchedFolder
	sending *sync.Mutex     // held by the one watcher that changes the library, and prints
	tell    func(files int) // nil, or told how many files there are while it looks and sends
}

// follow looks at the folder again and again until ctx ends or the server can't be
// reached.
func (w *watcher) follow(ctx context.Context) error {
	for {
		took, err := w.round(ctx)
		if err == nil {
			err = sleep(ctx, max(lookEvery, lookShare*took))
		}
		if err != nil {
			return err
		}
	}
}

// begin says what is watched, and learns what the library has of it.
func (w *watcher) begin(ctx context.Context) error {
	for d, err := range w.client.EachDocument(ctx, url.Values{"below": {w.folder.prefix()}}) {
		if err != nil {
			return err
		}
		w.folder.remember(d)
	}
	w.report.Begins(w.folder.name)
	return nil
}

// round looks at the folder once and does in the library what was done there. took
// is the time of the look alone.
func (w *watcher) round(ctx context.Context) (took time.Duration, err error) {
	f, began := w.folder, time.Now()
	present, err := atLatest(ctx, func() (bool, error) { return f.there(), nil })
	if err != nil {
		return 0, err
	}
	if present != f.present {
		f.present = present
		w.report.Present(f.name, present)
	}
	if !present {
		return time.Since(began), nil
	}
	found, err := Collect(ctx, []string{f.name}, w.options.Folder, w.tell)
	if err != nil {
		return time.Since(began), err
	}
	todo := f.compare(found, time.Now())
	took = time.Since(began)
	return took, w.do(ctx, f, todo)
}

// atOnce is how many files a watcher sends before another may.
const atOnce = 500

// do carries out what a look came to: moves first, so that a file which moved
// and changed is a new version of the same document.
func (w *watcher) do(ctx context.Context, f *watchedFolder, todo deeds) error {
	w.sending.Lock()
	defer w.sending.Unlock()
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
	for len(todo.read) > 0 {
		n := min(atOnce, len(todo.read))
		if err := w.read(ctx, f, todo.read[:n]); err != nil {
			for _, it := range todo.read {
				f.known[it.source()].sent = false // at the next look, then
			}
			return err
		}
		todo.read = todo.read[n:]
		w.sending.Unlock()
		w.sending.Lock()
	}
	return nil
}

// read adds files, or new versions of them.
func (w *watcher) read(ctx context.Context, f *watchedFolder, files []Item) error {
	report, end := w.report.Files(files)
	a := New(w.client, w.options, report)
	a.took = func(one *Added) { f.known[one.Source].id = one.Doc.ID }
	err := a.Run(ctx, files)
	end()
	if w.tell != nil {
		w.tell(f.documents())
	}
	return err
}

func (w *watcher) move(ctx context.Context, f *watchedFolder, m moved) error {
	err := w.client.Move(ctx, m.id, m.to.source(), filepath.Base(m.to.source()), m.to.folder)
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
	w.report.Moved(f.short(m.from), f.short(m.to.source()))
	return nil
}

func (w *watcher) remove(ctx context.Context, f *watchedFolder, path string) error {
	id := f.known[path].id
	delete(f.known, path)
	if id == "" {
		return nil // it never came in
	}
	if err := w.client.DeleteDocument(ctx, id); err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	w.report.Removed(f.short(path))
	return nil
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
	read  []Item
	moved []moved
	gone  []string
}

type moved struct {
	id   string
	from string
	to   Item
}

func newWatchedFolder(dir string) (*watchedFolder, error) {
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

// documents is how many of its files are documents.
func (f *watchedFolder) documents() int {
	n := 0
	for _, s := range f.known {
		if s.id != "" {
			n++
		}
	}
	return n
}

func (f *watchedFolder) holds(path string) bool { return strings.HasPrefix(path, f.prefix()) }

// prefix is what the paths of all files in the folder begin with.
func (f *watchedFolder) prefix() string {
	return strings.TrimSuffix(validText(f.root), string(filepath.Separator)) + string(filepath.Separator)
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
func (f *watchedFolder) compare(found Collection, now time.Time) deeds {
	var todo deeds
	present, unknown := map[string]bool{}, []string{}
	files := 0
	for _, it := range found.Items {
		if it.err != nil || it.info == nil {
			if rel, err := filepath.Rel(f.name, it.Name); err == nil {
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
	left := f.haveLeft()
	for _, it := range found.Items {
		s := f.known[it.source()]
		if it.err != nil || s == nil || s.sent || !s.still(now) {
			continue
		}
		s.sent = true
		if from := movedFrom(left, s); s.id == "" && from != "" {
			old := f.known[from]
			s.id = old.id
			delete(f.known, from)
			delete(left, from)
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
	restless := f.restless()
	for path, s := range f.known {
		if s.missed >= goneAfter && !waitsElsewhere(restless, s) {
			todo.gone = append(todo.gone, path)
		}
	}
	slices.Sort(todo.gone)
	return todo
}

// see takes note of a file that is there.
func (f *watchedFolder) see(it Item, now time.Time) {
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

// haveLeft returns the documents whose files are not at their path any more. There
// are few of them, where there may be very many files.
func (f *watchedFolder) haveLeft() map[string]*seen {
	left := map[string]*seen{}
	for path, s := range f.known {
		if s.missed > 0 && s.id != "" && s.info != nil {
			left[path] = s
		}
	}
	return left
}

// movedFrom finds the path that a file which is new here has left; "" for none.
func movedFrom(left map[string]*seen, s *seen) string {
	for path, other := range left {
		if os.SameFile(other.info, s.info) {
			return path
		}
	}
	return ""
}

// restless returns the files that were written so lately that they were not sent.
func (f *watchedFolder) restless() []*seen {
	var all []*seen
	for _, s := range f.known {
		if s.missed == 0 && s.info != nil && !s.sent {
			all = append(all, s)
		}
	}
	return all
}

// waitsElsewhere reports whether a file that has left its path is at another
// one, where it is not still yet.
func waitsElsewhere(restless []*seen, s *seen) bool {
	return s.info != nil && slices.ContainsFunc(restless, func(other *seen) bool { return os.SameFile(s.info, other.info) })
}

// within reports whether a path is one of the places, or lies below one.
func within(path string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		rel, err := filepath.Rel(place, path)
		return err == nil && filepath.IsLocal(rel)
	})
}
