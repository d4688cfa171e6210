package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"ibid"
	"ibid/internal/disk"
	"ibid/internal/store/sqlite"
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
	lockName     = "lock"
	databaseName = "ibid.db"
	serverName   = "server.json"
)

// serveName is the command that holds a data directory for good; the others
// give it back when they are done.
const serveName = "serve"

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

// heldError says that another process holds a data directory.
type heldError struct {
	dir    string
	pid    int         // 0 when the holder has not written it yet
	server *ServerInfo // nil while the holder does not serve yet
}

func (h *heldError) Error() string {
	who := "another ibid"
	if h.pid != 0 {
		who = fmt.Sprintf("another ibid (process %d)", h.pid)
	}
	if h.server != nil {
		who = fmt.Sprintf("another ibid (process %d, %s)", h.server.PID, h.server.URL())
	}
	return fmt.Sprintf("the data directory %s is held by %s", h.dir, who)
}

// hint says what to do when two processes want one directory.
func (h *heldError) hint() string {
	if h.server != nil {
		return fmt.Sprintf("use the one at %s, stop it, or choose another directory with --data", h.server.URL())
	}
	return "stop it, or choose another directory with --data"
}

// holdDir makes the data directory if need be and takes hold of it. It returns
// a *heldError when another process has it. The name of the command that holds
// it is shown to others.
func holdDir(dir, command string) (*Hold, error) {
	if err := (disk.OS{}).MkdirAll(dir); err != nil {
		return nil, dirError(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, dirError(dir, err)
	}
	if err := disk.Lock(f); err != nil {
		held := &heldError{dir: dir, pid: readPID(f)}
		f.Close()
		if !errors.Is(err, disk.ErrLocked) {
			return nil, fmt.Errorf("lock data directory %s: %w", dir, err)
		}
		if info, err := readServerInfo(dir); err == nil {
			held.server = &info
		}
		return nil, held
	}
	h := &Hold{dir: dir, lock: f, command: command, full: sqlite.MakeRoom(dir)}
	if err := h.begin(); err != nil {
		h.Release()
		return nil, dirError(dir, err)
	}
	return h, nil
}

// sayFull says what a start on a full disk comes to.
func (h *Hold) sayFull(w io.Writer) {
	if h.full {
		fmt.Fprintf(w, "the disk is full: the library in %s can be read, and things can be removed; make room on that disk, and all works again\n", h.dir)
	}
}

// begin clears away what a process that died has left.
func (h *Hold) begin() error {
	if err := (disk.OS{}).Remove(filepath.Join(h.dir, serverName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
	info := ServerInfo{Addr: dialable(addr), PID: os.Getpid(), Token: token, Command: h.command, Owner: owner}
	body, err := json.Marshal(info)
	if err != nil {
		return fmt.Errorf("announce server: %w", err)
	}
	// A reader sees all of it or none.
	if err := disk.WriteFile(disk.OS{}, filepath.Join(h.dir, serverName), append(body, '\n')); err != nil {
		return dirError(h.dir, err)
	}
	return nil
}

// Release gives the directory back. It may be called twice.
func (h *Hold) Release() {
	if h.lock == nil {
		return
	}
	_ = disk.OS{}.Remove(filepath.Join(h.dir, serverName)) // a stale one does no harm
	h.lock.Close()                                         // frees the lock
	h.lock = nil
}

// readServerInfo reads server.json. What it says may be stale: only holding
// the lock, or an answer from the address, proves anything.
func readServerInfo(dir string) (ServerInfo, error) {
	body, err := os.ReadFile(filepath.Join(dir, serverName))
	if err != nil {
		return ServerInfo{}, fmt.Errorf("read %s: %w", serverName, err)
	}
	var info ServerInfo
	if err := json.Unmarshal(body, &info); err != nil {
		return ServerInfo{}, fmt.Errorf("read %s: %w", serverName, err)
	}
	if _, _, err := net.SplitHostPort(info.Addr); err != nil {
		return ServerInfo{}, fmt.Errorf("read %s: %w", serverName, err)
	}
	return info, nil
}

func readPID(f *os.File) int {
	b := make([]byte, 20)
	n, _ := f.ReadAt(b, 0)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	return pid
}

// dialable turns the address that a listener has into one that a client on
// this machine can dial: a listener on all interfaces is reached on loopback.
func dialable(addr net.Addr) string {
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

// listen opens the port that serve answers on. A port that is taken is an
// error that says so and how to mend it.
func listen(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		e := ibid.Errorf(ibid.CodeConflict, "%s is in use by another program", addr)
		e.Hint = "stop that program, or choose another port with --addr, for example --addr " + anyPort(addr)
		return nil, e
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return ln, nil
}

// anyPort is the address with a port that the system picks.
func anyPort(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, "0")
}

func dirError(dir string, err error) error {
	e := ibid.Errorf(ibid.CodeInternal, "the data directory %s cannot be used: %v", dir, err)
	e.Hint = "choose another one with --data DIR or IBID_DATA"
	if errors.Is(err, syscall.ENOSPC) {
		e.Code = ibid.CodeDiskFull
		e.Hint = "make room on that disk, or choose another one with --data DIR"
	}
	return e
}

// platformDataDir is where programs keep their users' data on this system, ""
// when that is unknown.
func platformDataDir(e environment) string {
	// The XDG base directory specification says to ignore relative paths.
	if dir := e.get("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ibid")
	}
	home := e.get("HOME")
	switch {
	case runtime.GOOS == "windows" && e.get("LOCALAPPDATA") != "":
		return filepath.Join(e.get("LOCALAPPDATA"), "ibid")
	case home == "":
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", "ibid")
	}
	return filepath.Join(home, ".local", "share", "ibid")
}

// platformConfigDir is where programs keep their users' configuration, "" when
// that is unknown.
func platformConfigDir(e environment) string {
	if dir := e.get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "ibid")
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(e.get("APPDATA"), "ibid")
	}
	if home := e.get("HOME"); home != "" {
		return filepath.Join(home, ".config", "ibid")
	}
	return ""
}
