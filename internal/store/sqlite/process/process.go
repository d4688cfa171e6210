// Package process lets the processes that work on one database file know which of
// them live, and tell each other that something changed.
package process

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ibid/internal/disk"
)

// The processes that work on one database file know each other by a folder beside it:
//
//	ibid.db-processes/OWNER.lock   locked (flock) while the process OWNER lives; the
//	                               kernel frees it when the process ends, however it ends
//	ibid.db-processes/OWNER.inbox  a named pipe from which OWNER reads hints, one line
//	                               each: a topic, "+OWNER" of a process that has joined,
//	                               or an empty line where hints were lost
//
// An owner without a locked file is gone for good: a name is given out once only. That
// is how a start goes on at once with what the process before it had in work, and takes
// nothing from one that lives.
const (
	processesEnding = "-processes"
	lockEnding      = ".lock"
	inboxEnding     = ".inbox"
)

// maxTopic bounds a topic, so that writing its line to a pipe is one atomic step on
// every system (PIPE_BUF is 512 at least).
const maxTopic = 400 // bytes

// Process is one that works on the database beside others. It has a name for leases,
// and exchanges hints with the others. Close it.
type Process struct {
	dir   string
	owner string
	lock  *os.File
	inbox *os.File // nil where this system or disk has no named pipes: then no hints come
	read  sync.WaitGroup

	mu        sync.Mutex
	peers     map[string]*peer // by owner
	listeners map[*listener]bool
	closed    bool
}

// Join makes this opener of the database file at path known to the others.
func Join(path string, log *slog.Logger) (*Process, error) {
	p := &Process{dir: path + processesEnding, peers: map[string]*peer{}, listeners: map[*listener]bool{}}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of processes: %w", err)
	}
	clearGone(path)
	if err := p.takeName(); err != nil {
		return nil, fmt.Errorf("join the processes of %s: %w", path, err)
	}
	var err error
	if p.inbox, err = openInbox(p.path(inboxEnding)); err != nil {
		log.Info("no hints from other processes; what they do is seen a second later", "error", err)
	} else {
		p.read.Go(p.readInbox)
	}
	p.mu.Lock()
	p.meetAll()
	p.tell("+" + p.owner)
	p.mu.Unlock()
	return p, nil
}

// takeName makes and locks the file of a new owner. Between the two another process
// may find the file unlocked and clear it away; then a new name is taken.
func (p *Process) takeName() error {
	for range 100 {
		p.owner = rand.Text()
		f, err := os.OpenFile(p.path(lockEnding), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		err = disk.Lock(f)
		if err == nil {
			ours, err1 := f.Stat()
			there, err2 := os.Stat(f.Name())
			if err1 == nil && err2 == nil && os.SameFile(ours, there) {
				p.lock = f
				return nil
			}
		}
		f.Close()
		_ = os.Remove(f.Name())
		if err != nil && !errors.Is(err, disk.ErrLocked) {
			return err
		}
	}
	return errors.New("no name could be locked")
}

func (p *Process) path(ending string) string { return filepath.Join(p.dir, p.owner+ending) }

// Owner is the name of this process in leases. No other process ever has it.
func (p *Process) Owner() string { return p.owner }

// Close leaves the others: from now on whatever this owner holds is given up.
func (p *Process) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	for owner, peer := range p.peers {
		peer.close()
		delete(p.peers, owner)
	}
	p.mu.Unlock()
	var err error
	if p.inbox != nil {
		err = p.inbox.Close()
		p.read.Wait()
		_ = os.Remove(p.path(inboxEnding))
	}
	// Windows deletes no open file; nobody minds a file without a lock.
	err = errors.Join(err, p.lock.Close())
	_ = os.Remove(p.path(lockEnding))
	return err
}

// Gone reports whether an owner at the database file at path is known to have ended. Where that can't be found
// out, it lives.
func Gone(path, owner string) bool {
	if owner == "" || owner != filepath.Base(owner) {
		return true // no name that was ever given out
	}
	return !lockHeld(filepath.Join(path+processesEnding, owner+lockEnding))
}

func lockHeld(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close()
	held, err := disk.LockedByOther(f)
	return held || err != nil
}

// clearGone deletes the files of owners that have ended.
func clearGone(path string) {
	dir := path + processesEnding
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // it is done at the next start
	}
	for _, e := range entries {
		owner, isLock := strings.CutSuffix(e.Name(), lockEnding)
		if !isLock {
			owner, _ = strings.CutSuffix(e.Name(), inboxEnding)
		}
		if Gone(path, owner) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Notify tells the other processes that something changed: topic says what. It is a
// hint, which may be lost, and comes after what it speaks of was committed. It never
// waits.
func (p *Process) Notify(_ context.Context, topic string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(topic) > maxTopic || strings.ContainsAny(topic, "\n+") {
		topic = "" // look at everything
	}
	p.tell(topic)
}

// tell writes a line to every other process. p.mu is held.
func (p *Process) tell(line string) {
	for owner, peer := range p.peers {
		if !peer.tell(line) {
			peer.close()
			delete(p.peers, owner) // it is gone; a new one says so itself
		}
	}
}

// meetAll opens the inboxes of all processes that are there. p.mu is held.
func (p *Process) meetAll() {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if owner, ok := strings.CutSuffix(e.Name(), inboxEnding); ok {
			p.meet(owner)
		}
	}
}

func (p *Process) meet(owner string) {
	if owner == p.owner || owner != filepath.Base(owner) || p.peers[owner] != nil || p.closed {
		return
	}
	if to, err := openPeer(filepath.Join(p.dir, owner+inboxEnding)); err == nil {
		p.peers[owner] = to
	}
}

// readInbox hands what other processes say to those who listen.
func (p *Process) readInbox() {
	for lines := bufio.NewReader(p.inbox); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return // closed
		}
		line = strings.TrimSuffix(line, "\n")
		p.mu.Lock()
		if owner, joined := strings.CutPrefix(line, "+"); joined {
			p.meet(owner)
			if peer := p.peers[owner]; peer != nil {
				peer.tell("") // hints since it joined went to the others only
			}
		} else {
			if line == "" { // it may have been somebody who joined
				p.meetAll()
			}
			for l := range p.listeners {
				l.add(line)
			}
		}
		p.mu.Unlock()
	}
}

// Listen returns the topics that other processes notify of. The empty topic says that
// some may have been lost: look at everything. The channel is closed when ctx ends.
func (p *Process) Listen(ctx context.Context) <-chan string {
	l := &listener{waiting: map[string]bool{}, more: make(chan struct{}, 1)}
	p.mu.Lock()
	p.listeners[l] = true
	p.mu.Unlock()
	topics := make(chan string)
	go func() {
		defer close(topics)
		l.pump(ctx, topics)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.listeners, l)
	}()
	return topics
}

// listener keeps topics for one who listens until they are taken. A topic that waits
// already is not kept twice.
type listener struct {
	mu      sync.Mutex
	waiting map[string]bool
	more    chan struct{}
}

// maxWaiting is how many topics are kept for a listener that takes none.
const maxWaiting = 4096

func (l *listener) add(topic string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= maxWaiting {
		clear(l.waiting)
		topic = ""
	}
	l.waiting[topic] = true
	select {
	case l.more <- struct{}{}:
	default:
	}
}

func (l *listener) take() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.waiting
	l.waiting = map[string]bool{}
	return taken
}

func (l *listener) pump(ctx context.Context, topics chan<- string) {
	for {
		select {
		case <-l.more:
		case <-ctx.Done():
			return
		}
		for topic := range l.take() {
			select {
			case topics <- topic:
			case <-ctx.Done():
				return
			}
		}
	}
}
