package faulty

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// node is a file or a directory, whatever it is called.
type node struct {
	entries map[string]*entry // of a directory; nil: a file

	loaded  bool // content and synced are known; else the real file was never touched
	content []byte
	synced  []byte // what it held when it was last synced
	dirty   bool   // something was written since
	lost    bool   // a sync failed: later ones are no good
}

// entry is what a name in a directory stands for.
type entry struct {
	durable *node   // after a power cut, at least; nil: nothing
	later   []*node // after each change since the directory was last synced
}

func (e *entry) now() *node {
	if n := len(e.later); n > 0 {
		return e.later[n-1]
	}
	return e.durable
}

// load reads what a file that others have made holds, and takes it to be safe.
func (n *node) load(path string) {
	for name, e := range n.entries {
		if below := e.now(); below != nil {
			below.load(filepath.Join(path, name))
		}
	}
	if n.loaded || n.entries != nil {
		return
	}
	n.loaded = true
	if raw, err := os.ReadFile(path); err == nil {
		n.content, n.synced = raw, raw
	}
}

// scan takes in a real directory.
func scan(path string) *node {
	n := &node{entries: map[string]*entry{}}
	entries, err := os.ReadDir(path)
	if err != nil {
		return n
	}
	for _, d := range entries {
		below := &node{}
		if d.IsDir() {
			below = scan(filepath.Join(path, d.Name()))
		}
		n.entries[d.Name()] = &entry{durable: below}
	}
	return n
}

// entry finds a name. What somebody else has made meanwhile is not safe yet.
func (f *FS) entry(path string) *entry {
	dir := f.dir(filepath.Dir(path))
	if dir == nil {
		return &entry{} // the real operation will fail
	}
	name := filepath.Base(path)
	e := dir.entries[name]
	if e == nil {
		e = &entry{}
		dir.entries[name] = e
	}
	if e.now() == nil {
		if info, err := os.Lstat(path); err == nil {
			n := &node{}
			if info.IsDir() {
				n = scan(path)
			} else {
				n.load(path)
				n.synced, n.dirty = nil, true
			}
			e.later = append(e.later, n)
		}
	}
	return e
}

// dir finds a directory; nil where there is none.
func (f *FS) dir(path string) *node {
	rel, err := filepath.Rel(f.path, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		panic("faulty: " + path + " is outside " + f.path)
	}
	if rel == "." {
		return f.root
	}
	n := f.entry(path).now()
	if n == nil || n.entries == nil {
		return nil
	}
	return n
}

// Crash makes the directory what a disk may hold after a power cut, and turns the
// power on again.
func (f *FS) Crash() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("crash")
	if err := f.settle(f.path, f.root, false, map[*node][]byte{}); err != nil {
		return err
	}
	f.root, f.cut = scan(f.path), false
	return nil
}

// settle rewrites one directory. fresh: it was made anew and holds nothing yet.
// chosen is what files hold, so that one which has two names holds one thing.
func (f *FS) settle(path string, dir *node, fresh bool, chosen map[*node][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(dir.entries)) {
		e, at := dir.entries[name], filepath.Join(path, name)
		was, picked := e.now(), e.durable
		if i := f.rng.IntN(len(e.later) + 1); i > 0 {
			picked = e.later[i-1]
		}
		if len(e.later) > 0 {
			f.note("  %s: state %d of %d", at, slices.Index(append([]*node{e.durable}, e.later...), picked)+1, len(e.later)+1)
		}
		made := fresh || picked != was
		if made {
			if err := os.RemoveAll(at); err != nil {
				return err
			}
		}
		var err error
		switch {
		case picked == nil:
		case picked.entries != nil:
			if err = os.Mkdir(at, 0o700); !made {
				err = nil
			}
			if err == nil {
				err = f.settle(at, picked, made, chosen)
			}
		case picked.loaded:
			held, known := chosen[picked]
			if !known {
				held = f.choose(at, picked)
				chosen[picked] = held
			}
			if made || !bytes.Equal(held, picked.content) {
				err = os.WriteFile(at, held, 0o600)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// choose picks what a file holds after a power cut.
func (f *FS) choose(path string, n *node) []byte {
	if !n.dirty {
		return n.content
	}
	held, what := n.synced, "as it was synced"
	switch f.rng.IntN(4) {
	case 0:
	case 1:
		held, what = n.content, "whole"
	case 2:
		least := 0
		if bytes.HasPrefix(n.content, n.synced) {
			least = len(n.synced)
		}
		held, what = n.content[:least+f.rng.IntN(len(n.content)-least+1)], "a part"
	case 3: // its length was written, and what it holds was not
		held = make([]byte, len(n.content))
		what = "zeros"
		if bytes.HasPrefix(n.content, n.synced) {
			copy(held, n.synced)
		}
	}
	f.note("  %s: %s", path, what)
	return held
}

// Files returns what the directory holds, by path within it; for tests that
// compare.
func Files(dir string) (map[string]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		found[rel] = string(raw)
		return err
	})
	return found, err
}
