package main

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/client"
	"ibid/internal/glob"
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
		t.add(removedKind(r), removedPath(r), r.RemovedAt.Local().Format("2006-01-02 15:04"), r.Until.Local().Format("2006-01-02 15:04"), r.ID)
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
		found, err := findRemoved(removed, name)
		if err != nil {
			return err
		}
		for _, r := range found {
			wanted[r.ID] = true
		}
	}
	todo := selectRemoved(removed, func(r ibid.Removed) bool { return wanted[r.ID] })
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
			fmt.Fprintf(c.err, "✗ %s: %s\n", say.OneLine(removedPath(r), 0), say.OneLine(one.Error, 0))
		default:
			fmt.Fprintf(c.out, "%s is back: %s\n", removedKind(r), say.OneLine(removedPath(r), 0))
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

// findRemoved returns what a name on the command line means among what was
// removed: by id, library path, name, the beginning of an id, or as a pattern. A
// name that fits several is an error unless it is a pattern.
func findRemoved(removed []ibid.Removed, name string) ([]ibid.Removed, error) {
	for _, fit := range []func(ibid.Removed) bool{
		func(r ibid.Removed) bool { return r.ID == name },
		func(r ibid.Removed) bool { return removedPath(r) == name },
		func(r ibid.Removed) bool { return r.Name == name },
		func(r ibid.Removed) bool { return len(name) >= client.LeastPrefix && strings.HasPrefix(r.ID, name) },
	} {
		found := selectRemoved(removed, fit)
		if len(found) > 1 {
			return nil, severalRemoved(name, found)
		}
		if len(found) == 1 {
			return found, nil
		}
	}
	var found []ibid.Removed
	if glob.Is(name) {
		if _, err := path.Match(name, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern: %w", name, err)
		}
		found = selectRemoved(removed, func(r ibid.Removed) bool {
			byName, _ := path.Match(name, r.Name)
			byPath, _ := path.Match(name, removedPath(r))
			return byName || byPath
		})
	}
	if len(found) > 0 {
		return found, nil
	}
	err := ibid.Errorf(ibid.CodeNotFound, "nothing that was removed lately is called %q", name)
	err.Hint = "`ibid undo` lists what can be taken back"
	return nil, err
}

func selectRemoved(removed []ibid.Removed, fit func(ibid.Removed) bool) []ibid.Removed {
	var found []ibid.Removed
	for _, r := range removed {
		if fit(r) {
			found = append(found, r)
		}
	}
	return found
}

func severalRemoved(name string, found []ibid.Removed) error {
	var lines []string
	for _, r := range found {
		lines = append(lines, fmt.Sprintf("%s  %s %s, removed %s", r.ID, removedKind(r), removedPath(r), r.RemovedAt.Local().Format("2006-01-02 15:04")))
	}
	err := ibid.Errorf(ibid.CodeBadRequest, "%q fits %d that were removed:\n  %s", name, len(found), strings.Join(lines, "\n  "))
	err.Hint = "name one by its id"
	return err
}

// removedPath is what was removed as people see it: a document in its folder.
func removedPath(r ibid.Removed) string { return path.Join(r.Folder, r.Name) }

// removedKind is the word for a kind on the command line.
func removedKind(r ibid.Removed) string {
	if r.Kind == ibid.RemovedThread {
		return "conversation"
	}
	return string(r.Kind)
}

// toUndo prints the command that takes removals back.
func (c *cli) toUndo(ids []string) {
	if len(ids) > 0 {
		fmt.Fprintf(c.err, "  to undo: ibid undo %s\n", strings.Join(ids, " "))
	}
}
