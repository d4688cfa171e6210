package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/client"
)

// Application is the whole program behind its HTTP handler.
type Application interface {
	Handler() http.Handler
	Start(ctx context.Context) error
	Stop() error
}

// OpenFunc opens the application over a data directory that is held.
type OpenFunc func(ctx context.Context, cfg config.Config) (Application, error)

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
	local    *localServer // set when this process is the holder
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

// HoldToServe takes hold of a data directory for a server. Another command that
// has it will be done in a moment, so its end is waited for; another server is
// an error at once.
func HoldToServe(ctx context.Context, dir string, notice io.Writer) (*datadir.Hold, error) {
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

func (s *Session) becomeHolder(ctx context.Context, hold *datadir.Hold) (client.Endpoint, error) {
	hold.SayFull(s.notice)
	local, err := startLocal(ctx, s.Config, hold, s.open)
	if err != nil {
		hold.Release()
		return client.Endpoint{}, err
	}
	s.local = local
	return local.at, nil
}

// localServer is the application serving its own process, and any other that
// finds it through server.json, on a free port of loopback.
type localServer struct {
	at     client.Endpoint
	hold   *datadir.Hold
	app    Application
	http   *http.Server
	cancel context.CancelFunc // ends open streams
	served chan struct{}      // closed when http.Serve has returned
}

func startLocal(ctx context.Context, cfg config.Config, hold *datadir.Hold, open OpenFunc) (*localServer, error) {
	cfg.Addr, cfg.Token, cfg.Owner = "127.0.0.1:0", rand.Text(), rand.Text()
	cfg.Alone = true
	if cfg.Origins["log_level"] == "" {
		cfg.LogLevel = "error" // the command's own lines say what happens
	}
	app, err := open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	ln, err := Listen(cfg.Addr)
	if err != nil {
		return nil, errors.Join(err, app.Stop())
	}
	// The application lives until stop, also when the command is interrupted:
	// what it has begun is brought to an orderly end.
	life := context.WithoutCancel(ctx)
	streams, cancel := context.WithCancel(life)
	l := &localServer{
		at:     client.Endpoint{URL: "http://" + ln.Addr().String(), Token: cfg.Token, Owner: cfg.Owner},
		hold:   hold,
		app:    app,
		cancel: cancel,
		served: make(chan struct{}),
	}
	l.http, ln = NewHTTPServer(streams, app.Handler(), ln, cfg.Limits.Connections)
	go func() {
		defer close(l.served)
		l.http.Serve(ln) // returns when stop closes it
	}()
	err = app.Start(life)
	if err == nil {
		err = hold.Announce(ln.Addr(), cfg.Token, cfg.Owner)
	}
	if err != nil {
		return nil, errors.Join(err, l.stop())
	}
	return l, nil
}

// stop takes no new requests, ends the open ones, stops the application and
// gives the data directory back.
func (l *localServer) stop() error {
	l.cancel()
	soft, done := context.WithTimeout(context.Background(), 5*time.Second)
	defer done()
	if err := l.http.Shutdown(soft); err != nil {
		l.http.Close()
	}
	<-l.served
	err := l.app.Stop()
	l.hold.Release()
	return err
}
