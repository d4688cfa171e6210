// Package faulty is a file system for tests. It works on a real directory, fails
// operations, and cuts the power: after that every operation fails, and Crash
// makes the directory what a disk may hold that lost all that was not synced.
// Everything is chosen by a seed, so that a test which found something can be
// run again.
//
// What a power cut may leave, as POSIX has it:
//
//   - of a file: what it held when it was last synced; or, of what was written
//     since, nothing, a part, zeros, or all;
//   - of a name in a directory: what it stood for when the directory was last
//     synced, or after any change since, each name by itself. So a rename may have
//     left both names, or neither.
//
// A sync of a file that fails loses what was to be synced, and a later sync that
// succeeds does not bring it back: Linux marks the pages as clean
// (https://lwn.net/Articles/752063/).
//
// Files that others write in the directory, such as SQLite, are left as they are.
package faulty

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"ibid/internal/disk"
)

// ErrPowerCut is what every operation returns once the power is cut.
var ErrPowerCut = errors.New("the power is cut")

// Rates say how often something happens, on average once in so many operations;
// 0 is never.
type Rates struct {
	Fail int // an operation fails: the disk is full, or an I/O error
	Cut  int // the power is cut; the operation may still have happened
}

// FS is a file system that fails. It is safe for concurrent use.
type FS struct {
	mu    sync.Mutex
	path  string // of the real directory
	root  *node
	rng   *rand.Rand
	rates Rates
	cut   bool
	made  int // temporary files
	log   []string
}

var _ disk.FS = (*FS)(nil)

// New returns a file system over a directory. All that is there is taken to be
// safe on disk.
func New(dir string, seed uint64) *FS {
	f := &FS{path: filepath.Clean(dir), rng: rand.New(rand.NewPCG(seed, 0x1b1d))}
	f.root = scan(f.path)
	return f
}

// SetRates changes how often operations fail and the power is cut.
func (f *FS) SetRates(r Rates) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rates = r
}

// Cut cuts the power.
func (f *FS) Cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("cut")
	f.cut = true
}

// Dead reports whether the power is cut.
func (f *FS) Dead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cut
}

// Revive makes operations work again as if only the process had died: nothing is
// lost, and what was not synced still is not.
func (f *FS) Revive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("revive")
	f.cut = false
}

// Log returns what was done, an operation a line.
func (f *FS) Log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.log, "\n")
}

func (f *FS) note(format string, args ...any) {
	f.log = append(f.log, strings.ReplaceAll(fmt.Sprintf(format, args...), f.path+string(filepath.Separator), ""))
}

// kind is what an operation needs.
type kind int

const (
	changes kind = iota // may fail, and be done all the same
	grows               // and may find the disk full
	reads               // only fails
)

// step decides what becomes of an operation. It is done where do is true, and err
// is returned where it is not nil. The mutex is held.
func (f *FS) step(op, path string, k kind) (do bool, err error) {
	if f.cut {
		return false, &fs.PathError{Op: op, Path: path, Err: ErrPowerCut}
	}
	var fault error
	switch {
	case k != reads && f.chance(f.rates.Cut):
		f.cut = true
		do, fault = f.chance(2), ErrPowerCut
	case f.chance(f.rates.Fail):
		fault = syscall.EIO
		if k == grows && f.chance(2) {
			fault = syscall.ENOSPC
		}
		do = k == changes && f.chance(4)
	default:
		f.note("%s %s", op, path)
		return true, nil
	}
	f.note("%s %s: %v (done: %v)", op, path, fault, do)
	return do, &fs.PathError{Op: op, Path: path, Err: fault}
}

func (f *FS) chance(oneIn int) bool { return oneIn > 0 && f.rng.IntN(oneIn) == 0 }

// Create makes a file, or empties the one that is there.
func (f *FS) Create(path string) (disk.File, error) {
	return f.open("create", path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

// CreateTemp makes a file with a name that nobody has.
func (f *FS) CreateTemp(dir, pattern string) (disk.File, error) {
	f.mu.Lock()
	f.made++
	unique := fmt.Sprint(f.made)
	f.mu.Unlock()
	before, after, _ := strings.Cut(pattern, "*")
	return f.open("create", filepath.Join(dir, before+unique+after), os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

// Append opens a file for writing at its end.
func (f *FS) Append(path string) (disk.File, error) {
	return f.open("append", path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
}

// Open opens a file for reading.
func (f *FS) Open(path string) (disk.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.step("open", path, reads); err != nil {
		return nil, err
	}
	real, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &file{real: real, fs: f}, nil
}

func (f *FS) open(op, path string, flags int) (disk.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do, fault := f.step(op, path, grows)
	if !do {
		return nil, fault
	}
	e := f.entry(path)
	n := e.now()
	if n != nil {
		n.load(path)
	}
	real, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	if n == nil {
		n = &node{loaded: true}
		e.later = append(e.later, n)
	}
	if flags&os.O_TRUNC != 0 && len(n.content) > 0 {
		n.content, n.dirty = nil, true
		n.lost = false // all of it is written anew
	}
	if fault != nil {
		real.Close()
		return nil, fault
	}
	return &file{real: real, fs: f, node: n}, nil
}

// MkdirAll makes a directory and those above it.
func (f *FS) MkdirAll(path string) error { return disk.MkdirAll(path, f.mkdir, f.SyncDir) }

func (f *FS) mkdir(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	do, fault := f.step("mkdir", path, grows)
	if !do {
		return fault
	}
	e := f.entry(path)
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	e.later = append(e.later, &node{entries: map[string]*entry{}})
	return fault
}

// Rename gives a file or a directory another name.
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	do, fault := f.step("rename to "+filepath.Base(to)+":", from, changes)
	if !do {
		return fault
	}
	old, now := f.entry(from), f.entry(to)
	for e, path := range map[*entry]string{old: from, now: to} {
		if n := e.now(); n != nil {
			n.load(path) // before it is gone
		}
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	now.later = append(now.later, old.now())
	old.later = append(old.later, nil)
	return fault
}

// Remove deletes a file or an empty directory.
func (f *FS) Remove(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	do, fault := f.step("remove", path, changes)
	if !do {
		return fault
	}
	e := f.entry(path)
	if n := e.now(); n != nil {
		n.load(path)
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	e.later = append(e.later, nil)
	return fault
}

// SyncDir makes safe what was made, renamed or removed in a directory. That the
// whole directory lies in another is safe from the beginning.
func (f *FS) SyncDir(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if filepath.Clean(path) == filepath.Dir(f.path) {
		return nil
	}
	do, fault := f.step("sync directory", path, changes)
	if _, err := os.Stat(path); err != nil && fault == nil {
		return err
	}
	if !do {
		return fault
	}
	if n := f.dir(path); n != nil {
		for _, e := range n.entries {
			e.durable, e.later = e.now(), nil
		}
	}
	return fault
}

// file is an open file. It does not embed the real one, whose other ways to write
// would pass the faults by.
type file struct {
	real *os.File
	fs   *FS
	node *node // nil: open for reading only
}

func (o *file) Name() string               { return o.real.Name() }
func (o *file) Stat() (fs.FileInfo, error) { return o.real.Stat() }
func (o *file) Close() error               { return o.real.Close() }

func (o *file) Read(p []byte) (int, error) {
	if err := o.reading(); err != nil {
		return 0, err
	}
	return o.real.Read(p)
}

func (o *file) ReadAt(p []byte, at int64) (int, error) {
	if err := o.reading(); err != nil {
		return 0, err
	}
	return o.real.ReadAt(p, at)
}

func (o *file) reading() error {
	o.fs.mu.Lock()
	defer o.fs.mu.Unlock()
	_, err := o.fs.step("read", o.Name(), reads)
	return err
}

func (o *file) Write(p []byte) (int, error) {
	o.fs.mu.Lock()
	defer o.fs.mu.Unlock()
	dead := o.fs.cut
	_, fault := o.fs.step("write", o.Name(), grows)
	if dead {
		return 0, fault
	}
	if fault != nil && len(p) > 0 {
		p = p[:o.fs.rng.IntN(len(p))] // a part of it is written
	}
	n, err := o.real.Write(p)
	o.node.content = append(o.node.content[:len(o.node.content):len(o.node.content)], p[:n]...)
	o.node.dirty = true
	if fault != nil {
		err = fault
	}
	return n, err
}

// Sync makes safe what the file holds, in the model only: the real disk is not
// asked to.
func (o *file) Sync() error {
	o.fs.mu.Lock()
	defer o.fs.mu.Unlock()
	do, fault := o.fs.step("sync", o.Name(), grows)
	switch {
	case do && !o.node.lost:
		o.node.synced, o.node.dirty = o.node.content, false
	case !errors.Is(fault, ErrPowerCut):
		o.node.lost = true
	}
	return fault
}
