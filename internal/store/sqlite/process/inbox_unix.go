//go:build unix

package process

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openInbox makes a named pipe and opens it for reading. It is open for writing, too,
// so that it has no end while nobody else writes.
func openInbox(path string) (*os.File, error) {
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		_ = os.Remove(path)
	}
	return f, err
}

// peer is the inbox of another process.
type peer struct {
	fd   int
	lost bool // a line did not fit into the pipe
}

// openPeer opens another process's inbox. It fails where nobody reads it any more.
func openPeer(path string) (*peer, error) {
	for {
		fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return &peer{fd: fd}, err
	}
}

// tell writes a line, without waiting, and reports whether anybody is there to read
// it. A pipe is full when its reader has stopped; once there is room again it is told
// that it has missed something.
func (p *peer) tell(line string) bool {
	if p.lost {
		line = ""
	}
	for {
		_, err := unix.Write(p.fd, []byte(line+"\n"))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			p.lost = true
			return true
		}
		p.lost = false
		return err == nil
	}
}

func (p *peer) close() { _ = unix.Close(p.fd) }
