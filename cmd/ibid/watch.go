package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ibid/internal/app"
	"ibid/internal/app/adding"
	"ibid/internal/say"
)

func onlyFolders(cmd *cobra.Command, args []string, o addOptions) error {
	if o.NoWait {
		return usagef(cmd, "--watch and --no-wait exclude each other")
	}
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			return usagef(cmd, "--watch follows folders, and %q is none", arg)
		}
	}
	return nil
}

// watch follows folders until ctx ends, which is no failure.
func (c *cli) watch(ctx context.Context, s *app.Session, dirs []string, o addOptions) error {
	err := adding.Watch(ctx, s.Client, dirs, o.Options, &watchReport{c, o.json})
	if ctx.Err() != nil {
		fmt.Fprintln(c.err, "watching has ended; what was added stays")
		return nil
	}
	return err
}

// watchReport shows what is done in the library.
type watchReport struct {
	cli  *cli
	json bool // the lines of added files are all that is printed
}

// Files returns what is told of the files that are added at once.
func (r *watchReport) Files(items []adding.Item) (adding.Reporter, func()) {
	report := r.cli.newAddReport(r.json, items)
	return report, report.bar.end
}

// Begins says that a folder is watched.
func (r *watchReport) Begins(folder string) {
	fmt.Fprintf(r.cli.err, "watching %s; Ctrl-C ends it\n", say.OneLine(folder, 0))
}

// Present says that a folder has gone or is there again.
func (r *watchReport) Present(folder string, there bool) {
	what := "is not there; nothing is removed, and watching goes on when it is back"
	if there {
		what = "is there again"
	}
	fmt.Fprintf(r.cli.err, "%s %s\n", say.OneLine(folder, 0), what)
}

// Moved says that a document has moved with its file.
func (r *watchReport) Moved(from, to string) { r.say("→", from+": is now "+to) }

// Removed says that a document has gone with its file.
func (r *watchReport) Removed(file string) { r.say("−", file+": removed") }

func (r *watchReport) say(mark, what string) {
	if !r.json {
		newTerminal(r.cli.out, r.cli.env).printf("%s %s\n", mark, say.OneLine(what, 0))
	}
}
