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

func (c *cli) rmCommand() *cobra.Command {
	var threads []string
	cmd := &cobra.Command{
		Use:        "rm ID|NAME|GLOB…",
		Short:      "Remove documents from the library, or conversations",
		SuggestFor: []string{"remove", "delete", "del", "forget"},
		Long: "Removes documents by id, name, source, or pattern over names and library paths.\n" +
			"The files that they were added from are not touched. `ibid undo` takes it back for a week\n" +
			"(limits.keep_removed); then it is gone for good.",
		Example: "  ibid rm report.pdf\n" +
			"  ibid rm 'drafts/*.md'\n" +
			"  ibid rm --thread 7c0e…",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(threads) == 0 {
				if err := arguments(cobra.MinimumNArgs(1))(cmd, args); err != nil {
					return err
				}
			}
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				if err := c.removeThreads(ctx, s, threads); err != nil || len(args) == 0 {
					return err
				}
				return c.remove(ctx, s, args)
			})
		},
	}
	cmd.Flags().StringArrayVar(&threads, "thread", nil, "remove the conversation of this `ID`, or beginning of one (may be repeated)")
	return cmd
}

// removeThreads looks all ids up before it removes anything.
func (c *cli) removeThreads(ctx context.Context, s *app.Session, names []string) error {
	var doomed []string
	for _, name := range names {
		id, err := s.FindThread(ctx, name)
		if err != nil {
			return err
		}
		doomed = append(doomed, id)
	}
	var removed []string
	defer func() { c.toUndo(removed) }()
	for _, id := range doomed {
		err := s.DeleteThread(ctx, id)
		if err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
			return fmt.Errorf("remove conversation %s: %w", id, err)
		}
		if err == nil {
			removed = append(removed, id)
		}
		fmt.Fprintf(c.out, "removed conversation %s\n", id)
	}
	return nil
}

func (c *cli) remove(ctx context.Context, s *app.Session, names []string) error {
	found, err := s.Named(ctx, names)
	if err != nil {
		return err
	}
	var removed []string
	defer func() { c.toUndo(removed) }() // also of those before one that failed
	for _, d := range found {
		err := s.DeleteDocument(ctx, d.ID)
		switch {
		case err != nil && ibid.CodeOf(err) != ibid.CodeNotFound:
			return fmt.Errorf("remove %s: %w", d.Name, err)
		case err == nil || d.PartOf == "": // else it went with its archive, and comes back with it
			removed = append(removed, d.ID)
		}
		fmt.Fprintf(c.out, "removed %s (%s)\n", say.OneLine(client.LibraryPath(d), 0), say.Count(d.Chunks, "chunk"))
	}
	return nil
}
