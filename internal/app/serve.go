package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
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
	// Work does what a server does beside answering, until ctx ends. self is the
	// client by which it reaches itself.
	Work(ctx context.Context, self *client.Client)
	Stop() error
}

// OpenFunc opens the application over a data directory that is held.
type OpenFunc func(ctx context.Context, cfg config.Config) (Application, error)

// ServeConfig is what Serve needs beside the configuration.
type ServeConfig struct {
	Open   OpenFunc
	Out    io.Writer // is told the address
	Notice io.Writer // is told why it waits, and that it stops
	// Then is called once the program answers; nil for nothing.
	Then func(ctx context.Context, s *Session)
}

// Serve runs the program until ctx ends. Answers that are under way then go on at
// the next start.
func Serve(ctx context.Context, cfg config.Config, serve ServeConfig) (err error) {
	if err := mayListen(cfg); err != nil {
		return err
	}
	hold, err := holdToServe(ctx, cfg.Data, serve.Notice)
	if err != nil {
		return err
	}
	s, err := begin(ctx, ctx, cfg, hold, serve.Open, serve.Notice)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	fmt.Fprintf(serve.Out, "listening on %s\n", s.at.URL)
	defer s.work(ctx, cfg, serve.Then)()
	select {
	case <-ctx.Done():
		fmt.Fprintln(serve.Notice, "stopping; answers that are under way go on at the next start")
		return nil
	case <-s.ended:
		return fmt.Errorf("serve: %w", s.err)
	}
}

// mayListen refuses to serve other machines without a token.
func mayListen(cfg config.Config) error {
	if cfg.Token != "" || config.IsLoopback(cfg.Addr) {
		return nil
	}
	e := ibid.Errorf(ibid.CodeBadRequest, "%s can be reached from other machines, so a token must be set", cfg.Addr)
	e.Hint = "set IBID_TOKEN to a long random word, or serve on 127.0.0.1"
	return e
}

// serving is the program over one data directory, and answering: a server, or a
// command that found none. Others find it through server.json.
type serving struct {
	at         client.Endpoint
	hold       *datadir.Hold
	app        Application
	http       *http.Server
	endStreams context.CancelFunc
	ended      chan struct{} // closed when nothing is answered any more
	err        error         // why; set when ended is closed
}

// begin lets the program answer on cfg.Addr; life bounds its start. It takes the
// hold over, and gives it back when it fails.
func begin(ctx, life context.Context, cfg config.Config, hold *datadir.Hold, open OpenFunc, notice io.Writer) (*serving, error) {
	hold.SayFull(notice)
	ln, err := listen(cfg.Addr)
	if err != nil {
		hold.Release()
		return nil, err
	}
	cfg.Owner = rand.Text()
	app, err := open(ctx, cfg)
	if err != nil {
		ln.Close()
		hold.Release()
		return nil, err
	}
	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	s := &serving{
		at:         client.Endpoint{URL: "http://" + datadir.Dialable(ln.Addr()), Token: cfg.Token, Owner: cfg.Owner},
		hold:       hold,
		app:        app,
		endStreams: endStreams,
		ended:      make(chan struct{}),
	}
	var limited net.Listener
	s.http, limited = newHTTPServer(streams, app.Handler(), ln, cfg.Limits.Connections)
	go func() {
		defer close(s.ended)
		s.err = s.http.Serve(limited)
	}()
	err = app.Start(life)
	if err == nil {
		err = hold.Announce(ln.Addr(), cfg.Token, cfg.Owner)
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// work begins what is done beside answering. stop ends it, and returns when it has
// ended.
func (s *serving) work(ctx context.Context, cfg config.Config, then func(context.Context, *Session)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	self := &Session{Client: client.New(s.at, nil), Config: cfg}
	worked, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(worked)
		s.app.Work(ctx, self.Client)
	}()
	go func() {
		defer close(done)
		if then != nil {
			then(ctx, self)
		}
	}()
	return func() {
		cancel()
		<-done
		<-worked
		self.Client.Close()
	}
}

// stop ends everything in this order: new requests, open streams, the program, the
// hold.
func (s *serving) stop() error {
	s.endStreams()
	soft, done := context.WithTimeout(context.Background(), 5*time.Second)
	defer done()
	if s.http.Shutdown(soft) != nil {
		s.http.Close()
	}
	<-s.ended
	err := s.app.Stop()
	s.hold.Release()
	return err
}
