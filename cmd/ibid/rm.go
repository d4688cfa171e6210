package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ibid"
)

func (c *cli) rmCommand() *cobra.Command {
	return &cobra.Command{
		Use:        "rm ID|NAME|GLOB…",
		Short:      "Remove documents from the library",
		SuggestFor: []string{"remove", "delete", "del", "forget"},
		Long: "Removes documents by id, name, source, or pattern over names and library paths.\n" +
			"The files that they were added from are not touched.",
		Example: "  ibid rm report.pdf\n" +
			"  ibid rm 'drafts/*.md'",
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *session) error {
				return c.remove(ctx, s, args)
			})
		},
	}
}

func (c *cli) remove(ctx context.Context, s *session, names []string) error {
	found, err := s.named(ctx, names)
	if err != nil {
		return err
	}
	for _, d := range found {
		if err := s.deleteDocument(ctx, d.ID); err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
			return fmt.Errorf("remove %s: %w", d.Name, err)
		}
		fmt.Fprintf(c.out, "removed %s (%s)\n", oneLine(libraryPath(d), 0), count(d.Chunks, "chunk"))
		if d.PartOf != "" {
			fmt.Fprintf(c.err, "  it comes back when its archive changes or is removed and added again\n")
		} else if d.Source != "" {
			fmt.Fprintf(c.err, "  to undo: ibid add %s\n", safe(shellQuote(d.Source)))
		}
	}
	return nil
}
