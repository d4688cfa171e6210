package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/client"
)

func (c *cli) serveCommand() *cobra.Command {
	var add []string
	cmd := &cobra.Command{
		Use:        "serve",
		Short:      "Serve the web page and the HTTP API",
		SuggestFor: []string{"start", "run", "web", "ui", "open"},
		Long: "Serve the web page and the HTTP API until it is told to stop (Ctrl-C).\n" +
			"Answers that are under way then go on at the next start.",
		Example: "  ibid serve\n" +
			"  ibid serve --addr 127.0.0.1:9000 --add ~/Documents\n" +
			"  IBID_TOKEN=choose-one ibid serve --addr 0.0.0.0:8080 --model ollama:qwen3:4b",
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := c.config(cmd)
			if err != nil {
				return err
			}
			return c.serve(cmd.Context(), cfg, add)
		},
	}
	cmd.Flags().String("addr", "", "listen on `HOST:PORT` (default 127.0.0.1:8080); any address but loopback needs a token")
	cmd.Flags().StringArrayVar(&add, "add", nil, "add this file or folder once it serves (may be repeated)")
	return cmd
}

// serve runs the program until a signal ends it.
func (c *cli) serve(ctx context.Context, cfg config.Config, add []string) (err error) {
	if cfg.Token == "" && !config.IsLoopback(cfg.Addr) {
		e := ibid.Errorf(ibid.CodeBadRequest, "%s can be reached from other machines, so a token must be set", cfg.Addr)
		e.Hint = "set IBID_TOKEN to a long random word, or serve on 127.0.0.1"
		return e
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	hold, err := app.HoldToServe(ctx, cfg.Data, c.err)
	if err != nil {
		return err
	}
	defer hold.Release()
	hold.SayFull(c.err)
	ln, err := app.Listen(cfg.Addr)
	if err != nil {
		return err
	}
	cfg.Owner = rand.Text()
	application, err := c.open(ctx, cfg)
	if err != nil {
		ln.Close()
		return err
	}
	streams, endStreams := context.WithCancel(context.Background())
	web, ln := app.NewHTTPServer(streams, application.Handler(), ln, cfg.Limits.Connections)
	served := make(chan error, 1)
	go func() { served <- web.Serve(ln) }()
	// From here on everything that was begun is ended, in this order: no new
	// requests, open streams, the program, the hold.
	defer func() {
		endStreams()
		soft, done := context.WithTimeout(context.Background(), 5*time.Second)
		defer done()
		if web.Shutdown(soft) != nil {
			web.Close()
		}
		err = errors.Join(err, application.Stop())
	}()
	if err := application.Start(ctx); err != nil {
		return err
	}
	if err := hold.Announce(ln.Addr(), cfg.Token, cfg.Owner); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "listening on http://%s\n", datadir.Dialable(ln.Addr()))
	if a, whole := application.(*app.App); whole {
		followed := make(chan struct{})
		go func() {
			defer close(followed)
			self := client.New(client.Endpoint{URL: "http://" + datadir.Dialable(ln.Addr()), Token: cfg.Token}, nil)
			defer self.Close()
			followWatched(ctx, self, a.Watched)
		}()
		defer func() {
			select {
			case <-followed:
			case <-time.After(app.SoftStop): // a file on a drive that hangs
			}
		}()
	}
	if a, whole := application.(*app.App); whole {
		upkeep, end := context.WithCancel(ctx)
		kept := make(chan struct{})
		go func() {
			defer close(kept)
			a.Upkeep.KeepUp(upkeep)
		}()
		defer func() {
			end()
			<-kept
		}()
	}
	if len(add) > 0 {
		added := make(chan struct{})
		go func() {
			defer close(added)
			c.addAfterStart(ctx, cfg, client.Endpoint{URL: "http://" + datadir.Dialable(ln.Addr()), Token: cfg.Token}, add)
		}()
		defer func() { <-added }()
	}
	select {
	case <-ctx.Done():
		stop() // a second Ctrl-C ends the process at once
		fmt.Fprintln(c.err, "stopping; answers that are under way go on at the next start")
		return nil
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	}
}

// addAfterStart adds paths to the server that has just started, as `ibid add`
// would.
func (c *cli) addAfterStart(ctx context.Context, cfg config.Config, at client.Endpoint, paths []string) {
	s := &app.Session{Client: client.New(at, nil), Config: cfg}
	defer s.Client.Close()
	if err := c.add(ctx, s, paths, addOptions{}); err != nil && ctx.Err() == nil {
		c.report(err)
	}
}
