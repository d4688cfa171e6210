package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/client"
)

// Session is a command's connection to the one process that holds the data
// directory. When no other process does, this one takes hold of it, starts the
// application and talks to itself over HTTP like anybody else, so that every
// command works the same way beside a server and without one.
type Session struct {
	*client.Client
	Config  config.Config
	command string
	open    OpenFunc
	notice  io.Writer // where to say that we wait

	locating sync.Mutex
	local    *serving // set when this process is the holder
}

// holdPatience is how long a command waits for a process that holds the data
// directory but does not answer yet: it may be starting, or stopping.
const holdPatience = 30 * time.Second

// Connect finds or becomes the process that holds the data directory.
func Connect(ctx context.Context, cfg config.Config, command string, open OpenFunc, notice io.Writer) (*Session, error) {
	s := &Session{Config: cfg, command: command, open: open, notice: notice}
	at, err := s.locate(ctx)
	if err != nil {
		return nil, err
	}
	s.Client = client.New(at, s.locate)
	return s, nil
}

// Close ends the session; a server that it started stops.
func (s *Session) Close() error {
	s.Client.Close()
	if s.local == nil {
		return nil
	}
	return s.local.stop()
}

// Alone reports whether this process is the holder.
func (s *Session) Alone() bool { return s.local != nil }

// locate returns where the holder of the data directory answers, and becomes
// the holder when there is none.
func (s *Session) locate(ctx context.Context) (client.Endpoint, error) {
	s.locating.Lock()
	defer s.locating.Unlock()
	if s.local != nil {
		return s.local.at, nil
	}
	deadline := time.Now().Add(holdPatience)
	for n := 1; ; n++ {
		hold, err := datadir.Acquire(s.Config.Data, s.command)
		if err == nil {
			return s.becomeHolder(ctx, hold)
		}
		var held *datadir.HeldError
		if !errors.As(err, &held) {
			return client.Endpoint{}, err
		}
		if held.Server != nil {
			at := client.Endpoint{URL: held.Server.URL(), Token: held.Server.Token, Owner: held.Server.Owner}
			if client.Alive(ctx, at) {
				return at, nil
			}
		}
		if time.Now().After(deadline) {
			e := ibid.Errorf(ibid.CodeTimeout, "%v, but it does not answer", held)
			e.Hint = "wait for it or stop it, then try again"
			return client.Endpoint{}, e
		}
		if n == 5 {
			fmt.Fprintf(s.notice, "waiting: %v\n", held)
		}
		if err := client.Backoff(ctx, n); err != nil {
			return client.Endpoint{}, err
		}
	}
}

// holdToServe takes hold of a data directory for a server. Another command that
// has it will be done in a moment, so its end is waited for; another server is
// an error at once.
func holdToServe(ctx context.Context, dir string, notice io.Writer) (*datadir.Hold, error) {
	deadline := time.Now().Add(holdPatience)
	for n := 1; ; n++ {
		hold, err := datadir.Acquire(dir, datadir.ServeName)
		var held *datadir.HeldError
		if !errors.As(err, &held) {
			return hold, err
		}
		if held.Server != nil && held.Server.Command == datadir.ServeName || time.Now().After(deadline) {
			return nil, err
		}
		if n == 3 {
			fmt.Fprintf(notice, "waiting: %v\n", held)
		}
		if err := client.Backoff(ctx, n); err != nil {
			return nil, err
		}
	}
}

// becomeHolder starts the application on a free port of loopback. It lives until
// Close, also when the command is interrupted: what it has begun is brought to an
// orderly end.
func (s *Session) becomeHolder(ctx context.Context, hold *datadir.Hold) (client.Endpoint, error) {
	cfg := s.Config
	cfg.Addr, cfg.Token, cfg.Alone = "127.0.0.1:0", rand.Text(), true
	if cfg.Origins["log_level"] == "" {
		cfg.LogLevel = "error" // the command's own lines say what happens
	}
	local, err := begin(ctx, context.WithoutCancel(ctx), cfg, hold, s.open, s.notice)
	if err != nil {
		return client.Endpoint{}, err
	}
	s.local = local
	return local.at, nil
}
