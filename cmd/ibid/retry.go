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
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error { return c.retry(ctx, s, args, failed) })
		},
	}
	cmd.Flags().BoolVar(&failed, "failed", false, "all documents that failed")
	return cmd
}

// retry lets documents be read again, and says what became of each.
func (c *cli) retry(ctx context.Context, s *app.Session, names []string, failed bool) error {
	chosen, err := s.ToRetry(ctx, names, failed)
	if err != nil {
		return err
	}
	again, refused := []ibid.Document{}, false
	for _, d := range chosen {
		now, err := s.RetryDocument(ctx, d.ID)
		switch {
		case err == nil:
			again = append(again, now)
		case ibid.CodeOf(err) == ibid.CodeConflict:
			refused = true
			fmt.Fprintf(c.err, "%s: %s\n", say.OneLine(client.LibraryPath(d), 0), say.OneLine(say.Reason(err), 0))
		case ibid.CodeOf(err) == ibid.CodeNotFound: // removed meanwhile
		default:
			return fmt.Errorf("retry %s: %w", d.Name, err)
		}
	}
	if len(again) == 0 && !refused {
		fmt.Fprintln(c.out, "no document has failed")
	}
	for _, d := range again {
		now, err := s.Settled(ctx, d.ID)
		switch {
		case ibid.CodeOf(err) == ibid.CodeNotFound && err != nil:
		case err != nil:
			return fmt.Errorf("retry %s: %w", d.Name, err)
		case now.Status == ibid.DocumentFailed:
			refused = true
			fmt.Fprintf(c.out, "failed again: %s: %s\n", say.OneLine(client.LibraryPath(now), 0), say.OneLine(now.Error, 0))
		default:
			fmt.Fprintf(c.out, "read %s (%s)\n", say.OneLine(client.LibraryPath(now), 0), say.Count(now.Chunks, "chunk"))
		}
	}
	if refused {
		return errReported
	}
	return nil
}
