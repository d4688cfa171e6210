package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/client"
	"ibid/internal/say"
)

func (c *cli) undoCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "undo [ID|NAME|GLOB…]",
		Short:      "Take back what was removed, or list what can be",
		SuggestFor: []string{"restore", "undelete", "recover", "unremove"},
		Long: "Takes back documents, conversations and databases that were removed, by id (or its beginning), name,\n" +
			"or pattern over names and library paths. They are what they were: same id, folder, tags and footnotes.\n" +
			"Without a name it lists what can be taken back, and until when (limits.keep_removed).",
		Example: "  ibid undo\n" +
			"  ibid undo report.pdf\n" +
			"  ibid undo 'drafts/*.md'",
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				removed, err := s.Removed(ctx)
				if err != nil {
					return err
				}
				if len(args) == 0 {
					return c.listRemoved(removed, asJSON)
				}
				return c.undo(ctx, s, removed, args, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array: of what can be taken back, or of what was")
	return cmd
}

func (c *cli) listRemoved(removed []ibid.Removed, asJSON bool) error {
	if asJSON {
		return printJSON(c, removed)
	}
	if len(removed) == 0 {
		fmt.Fprintln(c.err, "nothing was removed lately")
		return nil
	}
	t := table{columns: []column{{title: "KIND"}, {title: "NAME", give: true}, {title: "REMOVED"}, {title: "UNTIL"}, {title: "ID"}}}
	for _, r := range removed {
		t.add(client.RemovedKind(r), client.RemovedPath(r), r.RemovedAt.Local().Format("2006-01-02 15:04"), r.Until.Local().Format("2006-01-02 15:04"), r.ID)
	}
	t.print(newTerminal(c.out, c.env))
	return nil
}

// undone is something that was taken back, or could not be.
type undone struct {
	Kind  ibid.RemovedKind `json:"kind"`
	ID    string           `json:"id"`
	Name  string           `json:"name"`
	Error string           `json:"error,omitempty"`
}

// undo looks all names up before it takes anything back. What cannot come back is
// told, and the others do.
func (c *cli) undo(ctx context.Context, s *app.Session, removed []ibid.Removed, names []string, asJSON bool) error {
	wanted := map[string]bool{}
	for _, name := range names {
		found, err := client.FindRemoved(removed, name)
		if err != nil {
			return err
		}
		for _, r := range found {
			wanted[r.ID] = true
		}
	}
	todo := client.SelectRemoved(removed, func(r ibid.Removed) bool { return wanted[r.ID] })
	results, err := c.restoreAll(ctx, s, todo, asJSON)
	if err != nil {
		return err
	}
	failed := 0
	for _, r := range results {
		if r.Error != "" {
			failed++
		}
	}
	if asJSON {
		if err := printJSON(c, results); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d could not be taken back", failed, len(results))
	}
	return nil
}

// restoreAll restores the latest removal first. What another stands in the way of
// is tried again after the others: a file of an archive comes after its archive.
func (c *cli) restoreAll(ctx context.Context, s *app.Session, todo []ibid.Removed, quiet bool) ([]undone, error) {
	var results []undone
	tell := func(r ibid.Removed, err error) {
		one := undone{Kind: r.Kind, ID: r.ID, Name: r.Name}
		if err != nil {
			one.Error = err.Error()
		}
		results = append(results, one)
		switch {
		case quiet:
		case err != nil:
			fmt.Fprintf(c.err, "✗ %s: %s\n", say.OneLine(client.RemovedPath(r), 0), say.OneLine(one.Error, 0))
		default:
			fmt.Fprintf(c.out, "%s is back: %s\n", client.RemovedKind(r), say.OneLine(client.RemovedPath(r), 0))
		}
	}
	for len(todo) > 0 {
		var later []ibid.Removed
		conflicts := map[string]error{}
		for _, r := range todo {
			err := s.Restore(ctx, r)
			switch {
			case ctx.Err() != nil:
				return results, ctx.Err()
			case err != nil && ibid.CodeOf(err) == ibid.CodeConflict:
				later, conflicts[r.ID] = append(later, r), err
			default:
				tell(r, err)
			}
		}
		if len(later) == len(todo) { // nothing has moved out of their way
			for _, r := range later {
				tell(r, conflicts[r.ID])
			}
			break
		}
		todo = later
	}
	return results, nil
}

// toUndo prints the command that takes removals back.
func (c *cli) toUndo(ids []string) {
	if len(ids) > 0 {
		fmt.Fprintf(c.err, "  to undo: ibid undo %s\n", strings.Join(ids, " "))
	}
}
