// Package datadir takes hold of a data directory for one process, and refuses to
// open one whose files do not belong together.
package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"ibid"
	"ibid/internal/disk"
	"ibid/internal/store/sqlite/file"
)

// A data directory belongs to one process at a time:
//
//	DIR/lock         locked (flock) by the process that holds the directory;
//	                 the kernel frees it when that process ends, however it ends.
//	                 Holds the process id, for error messages.
//	DIR/ibid.db      the database
//	DIR/identity     to which database the directory belongs (identity.go)
//	DIR/server.json  where that process answers, readable by its owner only:
//	                 {"addr","pid","token","command","owner"}
//
// Whoever gets the lock knows that any server.json it finds is stale.
const (
	LockName     = "lock"
	DatabaseName = "ibid.db"
	ServerName   = "server.json"
)

// ServeName is the command that holds a data directory for good; the others
// give it back when they are done.
const ServeName = "serve"

// ServerInfo is what server.json says.
type ServerInfo struct {
	Addr    string `json:"addr"` // host:port that a local client can dial
	PID     int    `json:"pid"`
	Token   string `json:"token"`
	Command string `json:"command"` // serve, add, ask…
	// Owner is a word that only who may read this file knows. With it a request may
	// name paths of this machine (POST /v1/backup).
	Owner string `json:"owner"`
}

// URL is where the process answers.
func (s ServerInfo) URL() string { return "http://" + s.Addr }

// Hold is a data directory in our hands.
type Hold struct {
	dir     string
	lock    *os.File
	command string
	full    bool // the disk is
}

// HeldError says that another process holds a data directory.
type HeldError struct {
	dir    string
	pid    int         // 0 when the holder has not written it yet
	Server *ServerInfo // nil while the holder does not serve yet
}

func (h *HeldError) Error() string {
	who := "another ibid"
	if h.pid != 0 {
		who = fmt.Sprintf("another ibid (process %d)", h.pid)
	}
	if h.Server != nil {
		who = fmt.Sprintf("another ibid (process %d, %s)", h.Server.PID, h.Server.URL())
	}
	return fmt.Sprintf("the data directory %s is held by %s", h.dir, who)
}

// Hint says what to do when two processes want one directory.
func (h *HeldError) Hint() string {
	if h.Server != nil {
		return fmt.Sprintf("use the one at %s, stop it, or choose another directory with --data", h.Server.URL())
	}
	return "stop it, or choose another directory with --data"
}

// Acquire makes the data directory if need be and takes hold of it. It returns
// a *heldError when another process has it. The name of the command that holds
// it is shown to others.
func Acquire(dir, command string) (*Hold, error) {
	if err := (disk.OS{}).MkdirAll(dir); err != nil {
		return nil, Unusable(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, LockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, Unusable(dir, err)
	}
	if err := disk.Lock(f); err != nil {
		held := &HeldError{dir: dir, pid: readPID(f)}
		f.Close()
		if !errors.Is(err, disk.ErrLocked) {
			return nil, fmt.Errorf("lock data directory %s: %w", dir, err)
		}
		if info, err := ReadServerInfo(dir); err == nil {
			held.Server = &info
		}
		return nil, held
	}
	h := &Hold{dir: dir, lock: f, command: command, full: file.MakeRoom(dir)}
	if err := h.begin(); err != nil {
		h.Release()
		return nil, Unusable(dir, err)
	}
	return h, nil
}

// SayFull says what a start on a full disk comes to.
func (h *Hold) SayFull(w io.Writer) {
	if h.full {
		fmt.Fprintf(w, "the disk is full: the library in %s can be read, and things can be removed; make room on that disk, and all works again\n", h.dir)
	}
}

// begin clears away what a process that died has left.
func (h *Hold) begin() error {
	if err := (disk.OS{}).Remove(filepath.Join(h.dir, ServerName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := h.lock.Truncate(0); err != nil {
		return err
	}
	_, err := h.lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// Announce tells other processes where this one answers, with which token, and the
// word by which it knows the owner of the data directory.
// Call it once requests are answered.
func (h *Hold) Announce(addr net.Addr, token, owner string) error {
	info := ServerInfo{Addr: Dialable(addr), PID: os.Getpid(), Token: token, Command: h.command, Owner: owner}
	body, err := json.Marshal(info)
	if err != nil {
		return fmt.Errorf("announce server: %w", err)
	}
	// A reader sees all of it or none.
	if err := disk.WriteFile(disk.OS{}, filepath.Join(h.dir, ServerName), append(body, '\n')); err != nil {
		return Unusable(h.dir, err)
	}
	return nil
}

// Release gives the directory back. It may be called twice.
func (h *Hold) Release() {
	if h.lock == nil {
		return
	}
	_ = disk.OS{}.Remove(filepath.Join(h.dir, ServerName)) // a stale one does no harm
	h.lock.Close()                                         // frees the lock
	h.lock = nil
}

// ReadServerInfo reads server.json. What it says may be stale: only holding
// the lock, or an answer from the address, proves anything.
func ReadServerInfo(dir string) (ServerInfo, error) {
	body, err := os.ReadFile(filepath.Join(dir, ServerName))
	if err != nil {
		return ServerInfo{}, fmt.Errorf("read %s: %w", ServerName, err)
	}
	var info ServerInfo
	if err := json.Unmarshal(body, &info); err != nil {
		return ServerInfo{}, fmt.Errorf("read %s: %w", ServerName, err)
	}
	if _, _, err := net.SplitHostPort(info.Addr); err != nil {
		return ServerInfo{}, fmt.Errorf("read %s: %w", ServerName, err)
	}
	return info, nil
}

func readPID(f *os.File) int {
	b := make([]byte, 20)
	n, _ := f.ReadAt(b, 0)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	return pid
}

// Dialable turns the address that a listener has into one that a client on
// this machine can dial: a listener on all interfaces is reached on loopback.
func Dialable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.To4() == nil {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port)
}

func Unusable(dir string, err error) error {
	e := ibid.Errorf(ibid.CodeInternal, "the data directory %s cannot be used: %v", dir, err)
	e.Hint = "choose another one with --data DIR or IBID_DATA"
	if errors.Is(err, syscall.ENOSPC) {
		e.Code = ibid.CodeDiskFull
		e.Hint = "make room on that disk, or choose another one with --data DIR"
	}
	return e
}
