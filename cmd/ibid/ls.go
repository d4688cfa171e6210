package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/client"
	"ibid/internal/say"
)

func (c *cli) lsCommand() *cobra.Command {
	var o lsOptions
	cmd := &cobra.Command{
		Use:        "ls [ID|NAME|GLOB…]",
		Short:      "List the documents, or the conversations",
		SuggestFor: []string{"list", "status", "threads", "documents"},
		Example: "  ibid ls\n" +
			"  ibid ls 'contracts/*' --tag signed\n" +
			"  ibid ls --threads\n" +
			"  ibid ls --json | jq -r '.[] | select(.status==\"failed\") | .name'",
		RunE: func(cmd *cobra.Command, args []string) error {
			narrowed := len(args) > 0 || o.category != "" || o.folder != "" || len(o.tags) > 0
			if o.threads && narrowed {
				return usagef(cmd, "--threads lists all conversations, and takes no names, folders, categories or tags")
			}
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				if o.threads {
					return c.listThreads(ctx, s, o.json)
				}
				return c.listDocuments(ctx, s, args, o)
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.threads, "threads", false, "list conversations instead of documents")
	flags.StringVar(&o.category, "category", "", "list documents of this `CATEGORY` only")
	flags.StringVar(&o.folder, "folder", "", "list documents in this `FOLDER` of the library only")
	flags.StringArrayVar(&o.tags, "tag", nil, "list documents with this `TAG` only (may be repeated: with all of them)")
	flags.BoolVar(&o.json, "json", false, "print a JSON array")
	return cmd
}

type lsOptions struct {
	threads  bool
	category string
	folder   string
	tags     []string
	json     bool
}

// listDocuments lists those that a scope and names let through; none of either
// lets all through.
func (c *cli) listDocuments(ctx context.Context, s *app.Session, names []string, o lsOptions) error {
	scope := ibid.Scope{Category: o.category, Folder: o.folder, Tags: o.tags}
	if err := s.CheckScope(ctx, scope); err != nil {
		return err
	}
	documents := s.EachDocument(ctx, client.ScopeQuery(scope))
	if len(names) > 0 {
		found, err := s.NamedIn(ctx, scope, names)
		if err != nil {
			return err
		}
		slices.SortStableFunc(found, func(a, b ibid.Document) int { return strings.Compare(a.Name, b.Name) })
		documents = func(yield func(ibid.Document, error) bool) {
			for _, d := range found {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
	if o.json {
		return streamJSON(c, documents)
	}
	t := table{columns: []column{
		{title: "NAME", give: true}, {title: "FOLDER", give: true}, {title: "STATUS", give: true},
		{title: "PAGES", right: true}, {title: "CHUNKS", right: true}, {title: "SIZE", right: true},
		{title: "CHANGED"}, {title: "ID"},
	}}
	listed := 0
	for d, err := range documents {
		if err != nil {
			return err
		}
		t.add(d.Name, d.Folder, documentStatus(d), pages(d), strconv.Itoa(d.Chunks), say.Bytes(d.Bytes),
			d.ChangeAt.Local().Format("2006-01-02 15:04"), d.ID)
		listed++
	}
	if listed == 0 {
		fmt.Fprintln(c.err, "no documents yet; add some with: ibid add PATH")
		return nil
	}
	t.print(newTerminal(c.out, c.env))
	return nil
}

// streamJSON prints a list as a JSON array, an entry as soon as it is there.
func streamJSON[T any](c *cli, list iter.Seq2[T, error]) error {
	separator := "["
	for entry, err := range list {
		if err != nil {
			return err
		}
		data, err := json.MarshalIndent(entry, "  ", "  ")
		if err != nil {
			return fmt.Errorf("write a list: %w", err)
		}
		if _, err := fmt.Fprintf(c.out, "%s\n  %s", separator, data); err != nil {
			return err
		}
		separator = ","
	}
	end := "\n]\n"
	if separator == "[" {
		end = "[]\n"
	}
	_, err := io.WriteString(c.out, end)
	return err
}

// printJSON prints a list as a JSON array, also when it is empty.
func printJSON[T any](c *cli, list []T) error {
	if list == nil {
		list = []T{}
	}
	enc := json.NewEncoder(c.out)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}

// waitText is said of a document whose original can't be reached now.
const waitText = "waiting: its original can't be reached; see that its disk is mounted or its server answers, then it goes on by itself"

// documentStatus is a document's state with what there is to say about it.
func documentStatus(d ibid.Document) string {
	switch {
	case d.Status == ibid.DocumentFailed:
		return "failed: " + d.Error
	case d.Status == ibid.DocumentProcessing && d.Stage == ibid.StageWait:
		return waitText
	case d.Status == ibid.DocumentProcessing:
		return fmt.Sprintf("%s %.0f %%", d.Stage, 100*d.Progress)
	case d.Notice != "":
		return string(d.Status) + ": " + d.Notice
	}
	return string(d.Status)
}

func pages(d ibid.Document) string {
	if d.Pages == 0 {
		return ""
	}
	return strconv.Itoa(d.Pages)
}

func (c *cli) listThreads(ctx context.Context, s *app.Session, asJSON bool) error {
	threads, err := s.Threads(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(c, threads)
	}
	if len(threads) == 0 {
		fmt.Fprintln(c.err, "no conversations yet; begin one with: ibid ask QUESTION")
		return nil
	}
	t := table{columns: []column{{title: "TITLE", give: true}, {title: "CHANGED"}, {title: "STATE"}, {title: "ID"}}}
	for _, th := range threads {
		state := ""
		if th.RunID != "" {
			state = "answering"
		}
		t.add(th.Title, th.UpdatedAt.Local().Format("2006-01-02 15:04"), state, th.ID)
	}
	t.print(newTerminal(c.out, c.env))
	return nil
}
