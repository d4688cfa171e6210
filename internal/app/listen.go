package app

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"ibid"
)

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
