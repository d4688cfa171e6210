package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"ibid/internal/app"
	"ibid/internal/app/config"
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

// serve runs the program until a signal ends it; a second one ends the process at
// once.
func (c *cli) serve(ctx context.Context, cfg config.Config, add []string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return app.Serve(ctx, cfg, app.ServeConfig{Open: c.open, Out: c.out, Notice: c.err, Then: func(ctx context.Context, s *app.Session) {
		if len(add) == 0 {
			return
		}
		if err := c.add(ctx, s, add, addOptions{}); err != nil && ctx.Err() == nil {
			c.report(err)
		}
	}})
}
