package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/app/adding"
	"ibid/internal/fetch"
	"ibid/internal/say"
)

func (c *cli) addCommand() *cobra.Command {
	var o addOptions
	var ask bool
	var file string
	cmd := &cobra.Command{
		Use:        "add PATH|GLOB|URL…",
		Short:      "Add documents, or bring them up to date",
		SuggestFor: []string{"import", "index", "ingest", "upload", "watch", "update", "refresh"},
		Long: "Adds files, the files of folders, files that match a pattern (** for any depth), and web pages.\n" +
			"What was added before is brought up to date; only what changed is embedded again.\n" +
			"A file that cannot be read gets one line that says why, and the others go on.",
		Example: "  ibid add ~/Documents/contracts\n" +
			"  ibid add 'notes/**/*.md' report.pdf --category work\n" +
			"  ibid add --watch ~/Documents/contracts\n" +
			"  ibid add https://go.dev/doc/effective_go",
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.watch {
				if err := onlyFolders(cmd, args, o); err != nil {
					return err
				}
			}
			var err error
			if o.Password, err = c.readPassword(cmd, ask, file); err != nil {
				return err
			}
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				if o.watch {
					return c.watch(ctx, s, args, o)
				}
				return c.add(ctx, s, args, o)
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.watch, "watch", false, "follow these folders until Ctrl-C: what comes, changes, moves or goes there does so in the library")
	flags.StringVar(&o.Category, "category", "", "put the documents in this `CATEGORY`")
	flags.StringArrayVar(&o.Tags, "tag", nil, "give the documents this `TAG` (may be repeated)")
	flags.StringVar(&o.Folder, "folder", "", "put the documents in this `FOLDER` of the library")
	flags.BoolVar(&o.NoWait, "no-wait", false, "do not wait until the documents can be searched")
	flags.BoolVar(&ask, "password", false, "open protected PDFs with the password in $IBID_FILE_PASSWORD, else one that is asked for")
	flags.StringVar(&file, "password-file", "", "open protected PDFs with the password in the first line of `FILE` (-: standard input)")
	flags.BoolVar(&o.json, "json", false, "print one JSON object per document")
	return cmd
}

type addOptions struct {
	adding.Options
	json  bool
	watch bool
}

func (c *cli) add(ctx context.Context, s *app.Session, args []string, o addOptions) error {
	found, err := c.collectSlowly(ctx, args, o.Folder)
	if err != nil {
		return err
	}
	o.Fetch = fetchTyped(s)
	report := c.newAddReport(o.json, found.Items)
	a := adding.New(s.Client, o.Options, report)
	err = a.Run(ctx, found.Items)
	report.bar.end()
	sum := a.Tally()
	if ctx.Err() != nil && sum.Pending > 0 && !o.NoWait {
		fmt.Fprintf(c.err, "not done yet: %s; processing goes on %s, and `ibid cancel` stops it\n", say.Count(sum.Pending, "document"), wherePending(s))
	}
	if err != nil {
		return err
	}
	return summary(c.err, sum, found, wherePending(s))
}

// fetchTyped gets the pages whose addresses were typed.
func fetchTyped(s *app.Session) func(context.Context, string) (fetch.Page, error) {
	return func(ctx context.Context, url string) (fetch.Page, error) { return app.FetchTyped(ctx, s.Config, url) }
}

// addReport shows what becomes of files: a bar where that is a terminal, and a line
// for each file that is done.
type addReport struct {
	out  *terminal
	bar  *progress
	json bool
	said bytes.Buffer // lines to print
}

func (c *cli) newAddReport(json bool, items []adding.Item) *addReport {
	return &addReport{out: newTerminal(c.out, c.env), bar: newProgress(newTerminal(c.err, c.env), items), json: json}
}

// Found makes room for a file.
func (a *addReport) Found(one *adding.Added) { a.bar.more(one.Item) }

// Sending moves the bar.
func (a *addReport) Sending(one *adding.Added, bytes int64) { a.bar.sent(one, bytes) }

// Working moves the bar.
func (a *addReport) Working(one *adding.Added) { a.bar.processed(one, one.Doc) }

// Taken writes the line of a file that is not waited for.
func (a *addReport) Taken(one *adding.Added) { a.say(one, "sent") }

// Finished writes the line of a file.
func (a *addReport) Finished(one *adding.Added) {
	a.bar.finished(one)
	a.say(one, one.Outcome())
}

// Flush prints what was said.
func (a *addReport) Flush() {
	if a.said.Len() > 0 {
		a.bar.aside(func() { a.said.WriteTo(a.out.w) })
	}
}

// say writes the line of a file, which Flush prints.
func (a *addReport) say(one *adding.Added, outcome string) {
	if a.json {
		a.printJSON(one, outcome)
		return
	}
	mark := a.out.paint(green, "✓")
	switch {
	case one.Wordless():
		mark = "–"
	case one.Err != nil:
		mark = a.out.paint(red, "✗")
	}
	fmt.Fprintf(&a.said, "%s %s\n", mark, say.OneLine(one.Name+": "+outcome, 0))
}

func (a *addReport) printJSON(one *adding.Added, outcome string) {
	line := struct {
		Name     string         `json:"name"`
		Source   string         `json:"source,omitempty"`
		Outcome  string         `json:"outcome"`
		Error    string         `json:"error,omitempty"`
		Document *ibid.Document `json:"document,omitempty"`
	}{Name: one.Name, Source: one.Source, Outcome: outcome}
	if one.Err != nil {
		line.Outcome, line.Error = "failed", say.Reason(one.Err)
	}
	if one.Doc.ID != "" {
		line.Document = &one.Doc
	}
	json.NewEncoder(&a.said).Encode(line)
}

// summary says on standard error what all of it came to.
func summary(w io.Writer, sum adding.Tally, found adding.Collection, where string) error {
	if len(found.Skipped) > 0 {
		fmt.Fprintf(w, "left out, as they hold no text that can be read: %s\n", adding.SkippedText(found.Skipped))
	}
	if n := len(found.Links); n > 0 {
		const most = 5
		names := strings.Join(found.Links[:min(n, most)], ", ")
		if n > most {
			names += fmt.Sprintf(" and %d more", n-most)
		}
		fmt.Fprintf(w, "left out, as they lead out of the folder or to no file: %s\n", names)
	}
	if len(found.System) > 0 {
		fmt.Fprintf(w, "left out, as the system makes up what is in them: %s\n", strings.Join(found.System, ", "))
	}
	if sum.Wordless > 0 {
		fmt.Fprintf(w, "left out, as nothing could be read in them: %s\n", say.Count(sum.Wordless, "picture"))
	}
	if sum.Pending > 0 {
		fmt.Fprintf(w, "%s sent; processing goes on %s\n", say.Count(sum.Pending, "document"), where)
	}
	if sum.Failed > 0 {
		fmt.Fprintf(w, "%d of %s could not be added\n", sum.Failed, say.Count(sum.Files, "document"))
		return errReported
	}
	if sum.Files == 0 {
		return errors.New("found nothing to add")
	}
	return nil
}

// wherePending is where files that were sent are read.
func wherePending(s *app.Session) string {
	if s.Alone() {
		return "with the next command, or with `ibid serve`"
	}
	return "in the server"
}

// collectSlowly is collect for somebody who waits: after a second it shows how far
// it is, where that is a terminal.
func (c *cli) collectSlowly(ctx context.Context, args []string, folder string) (adding.Collection, error) {
	t := newTerminal(c.err, c.env)
	if !t.tty {
		return adding.Collect(ctx, args, folder, nil)
	}
	began := time.Now()
	var shown atomic.Int64 // ms since began
	found, err := adding.Collect(ctx, args, folder, func(files int) {
		if now := time.Since(began).Milliseconds(); ctx.Err() == nil && now > 1000 && now-shown.Load() > 100 {
			shown.Store(now)
			fmt.Fprintf(t.w, "\r\x1b[Klooking: %s files…", say.Thousands(files))
		}
	})
	if shown.Load() > 0 {
		fmt.Fprint(t.w, "\r\x1b[K")
	}
	return found, err
}
