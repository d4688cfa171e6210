package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/client"
	"ibid/internal/say"
)

func (c *cli) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel NAME|ID|PATTERN…",
		Short: "Stop the work on documents that are being added",
		Long: "Stops the work on documents that wait or are being read. A document that was there before\n" +
			"stays as it was; a new one stays in the list as failed, and can be added again.",
		Example: "  ibid cancel report.pdf\n  ibid cancel '*.pdf'",
		Args:    arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error { return c.cancel(ctx, s, args) })
		},
	}
}

func (c *cli) cancel(ctx context.Context, s *app.Session, names []string) error {
	found, err := s.Named(ctx, names)
	if err != nil {
		return err
	}
	for _, d := range found {
		now, err := s.CancelDocument(ctx, d.ID)
		switch {
		case ibid.CodeOf(err) == ibid.CodeConflict && err != nil:
			fmt.Fprintf(c.out, "%s is not being added\n", say.OneLine(client.LibraryPath(d), 0))
		case err != nil:
			return fmt.Errorf("cancel %s: %w", d.Name, err)
		case now.Status == ibid.DocumentReady:
			fmt.Fprintf(c.out, "cancelled %s; it stays as it was\n", say.OneLine(client.LibraryPath(d), 0))
		default:
			fmt.Fprintf(c.out, "cancelled %s\n", say.OneLine(client.LibraryPath(d), 0))
		}
	}
	return nil
}
