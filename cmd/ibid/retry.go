package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"ibid"
)

func (c *cli) retryCommand() *cobra.Command {
	var failed bool
	cmd := &cobra.Command{
		Use:   "retry ID|NAME|GLOB… | --failed",
		Short: "Read documents that failed once more",
		Long: "Reads documents that failed once more, from the files as they were added: where memory was short\n" +
			"when they were read, or tesseract was not installed yet. A file that has changed since is added again.",
		Example: "  ibid retry report.pdf\n  ibid retry --failed",
		RunE: func(cmd *cobra.Command, args []string) error {
			if failed == (len(args) > 0) {
				return usagef(cmd, "name documents, or give --failed for all that failed")
			}
			return c.withSession(cmd, func(ctx context.Context, s *session) error { return c.retry(ctx, s, args, failed) })
		},
	}
	cmd.Flags().BoolVar(&failed, "failed", false, "all documents that failed")
	return cmd
}

// retry lets documents be read again, and says what became of each.
func (c *cli) retry(ctx context.Context, s *session, names []string, failed bool) error {
	chosen, err := s.toRetry(ctx, names, failed)
	if err != nil {
		return err
	}
	again, refused := []ibid.Document{}, false
	for _, d := range chosen {
		now, err := s.retryDocument(ctx, d.ID)
		switch {
		case err == nil:
			again = append(again, now)
		case ibid.CodeOf(err) == ibid.CodeConflict:
			refused = true
			fmt.Fprintf(c.err, "%s: %s\n", oneLine(libraryPath(d), 0), oneLine(reason(err), 0))
		case ibid.CodeOf(err) == ibid.CodeNotFound: // removed meanwhile
		default:
			return fmt.Errorf("retry %s: %w", d.Name, err)
		}
	}
	if len(again) == 0 && !refused {
		fmt.Fprintln(c.out, "no document has failed")
	}
	for _, d := range again {
		now, err := s.settled(ctx, d.ID)
		switch {
		case ibid.CodeOf(err) == ibid.CodeNotFound && err != nil:
		case err != nil:
			return fmt.Errorf("retry %s: %w", d.Name, err)
		case now.Status == ibid.DocumentFailed:
			refused = true
			fmt.Fprintf(c.out, "failed again: %s: %s\n", oneLine(libraryPath(now), 0), oneLine(now.Error, 0))
		default:
			fmt.Fprintf(c.out, "read %s (%s)\n", oneLine(libraryPath(now), 0), count(now.Chunks, "chunk"))
		}
	}
	if refused {
		return errReported
	}
	return nil
}

// toRetry returns the documents that names mean, or all that failed.
func (c *client) toRetry(ctx context.Context, names []string, failed bool) ([]ibid.Document, error) {
	if !failed {
		return c.named(ctx, names)
	}
	return c.documentsWhere(ctx, url.Values{"status": {string(ibid.DocumentFailed)}}, nil, 0)
}

// settled waits until nothing more happens to a document.
func (c *client) settled(ctx context.Context, id string) (ibid.Document, error) {
	for n := 0; ; n++ {
		d, err := c.document(ctx, id)
		if err != nil || d.Status == ibid.DocumentReady || d.Status == ibid.DocumentFailed {
			return d, err
		}
		if err := waitALittle(ctx, n); err != nil {
			return d, err
		}
	}
}

func (c *client) retryDocument(ctx context.Context, id string) (ibid.Document, error) {
	var d ibid.Document
	err := c.call(ctx, request{method: http.MethodPost, path: "/v1/documents/" + url.PathEscape(id) + "/retry", once: true}, &d)
	return d, err
}

// waitALittle waits 50 ms at first, and up to half a second later on.
func waitALittle(ctx context.Context, n int) error {
	select {
	case <-time.After(min(50*time.Millisecond*time.Duration(n+1), 500*time.Millisecond)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
