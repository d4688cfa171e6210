package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"ibid"
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
			return c.withSession(cmd, func(ctx context.Context, s *session) error { return c.cancel(ctx, s, args) })
		},
	}
}

func (c *cli) cancel(ctx context.Context, s *session, names []string) error {
	found, err := s.named(ctx, names)
	if err != nil {
		return err
	}
	for _, d := range found {
		now, err := s.cancelDocument(ctx, d.ID)
		switch {
		case ibid.CodeOf(err) == ibid.CodeConflict && err != nil:
			fmt.Fprintf(c.out, "%s is not being added\n", oneLine(libraryPath(d), 0))
		case err != nil:
			return fmt.Errorf("cancel %s: %w", d.Name, err)
		case now.Status == ibid.DocumentReady:
			fmt.Fprintf(c.out, "cancelled %s; it stays as it was\n", oneLine(libraryPath(d), 0))
		default:
			fmt.Fprintf(c.out, "cancelled %s\n", oneLine(libraryPath(d), 0))
		}
	}
	return nil
}

func (c *client) cancelDocument(ctx context.Context, id string) (ibid.Document, error) {
	var d ibid.Document
	err := c.call(ctx, request{method: http.MethodPost, path: "/v1/documents/" + url.PathEscape(id) + "/cancel"}, &d)
	return d, err
}
