package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ibid/internal/app"
	"ibid/internal/app/recovery"
	"ibid/internal/backup"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

type restoreOptions struct {
	at      string
	replace bool
	mend    bool
	json    bool
}

func (c *cli) restoreCommand() *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:        "restore BACKUP",
		Short:      "Put a backup back into the data directory",
		SuggestFor: []string{"import", "load"},
		Long: "Puts the newest copy of a backup back into the data directory (--data), which is empty, new or\n" +
			"damaged. What is there is moved aside, into a folder in the data directory, and never deleted. A\n" +
			"library that is sound is only replaced with --replace. Stop a running server first. A restore that\n" +
			"was cut short is gone on with when the same command is run again.\n\n" +
			"With --only-damaged the library stays as it is, also beside a running server: all originals are\n" +
			"read, and those that are damaged or missing are put back.",
		Example: "  ibid restore /mnt/usb/ibid\n" +
			"  ibid restore /mnt/usb/ibid --data ~/ibid-restored\n" +
			"  ibid restore /mnt/usb/ibid --at 2026-11-01\n" +
			"  ibid restore /mnt/usb/ibid --only-damaged",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			if o.mend {
				if o.replace || o.at != "" {
					return usagef(cmd, "--only-damaged takes neither --at nor --replace")
				}
				return c.withSession(cmd, func(ctx context.Context, s *app.Session) error { return c.mend(ctx, s, from, o.json) })
			}
			cfg, err := c.config(cmd)
			if err != nil && cfg.Data == "" {
				return err // the rest of the configuration does not matter here
			}
			at, err := readMoment(o.at)
			if err != nil {
				return usagef(cmd, "--at: %w", err)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return c.restore(ctx, cfg.Data, from, at, o)
		},
	}
	cmd.Flags().StringVar(&o.at, "at", "", "restore the newest copy of this `TIME` or before: 2026-11-01, \"2026-11-01 14:30\"")
	cmd.Flags().BoolVar(&o.replace, "replace", false, "move a library aside that is sound")
	cmd.Flags().BoolVar(&o.mend, "only-damaged", false, "put back only originals that are damaged or missing")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// readMoment reads a time as people write it, in the time zone of this machine. A
// day alone is its end.
func readMoment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return t.AddDate(0, 0, 1).Add(-time.Second), nil
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			if !strings.HasSuffix(layout, ":05") {
				t = t.Add(time.Minute - time.Second)
			}
			return t, nil
		}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15-04-05Z"} { // the second is the name of a copy
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time; write it like 2026-11-01 or \"2026-11-01 14:30\"", text)
}

// restore puts a copy into a data directory that no other process holds.
func (c *cli) restore(ctx context.Context, dir, from string, at time.Time, o restoreOptions) error {
	bar := newWorkBar(newTerminal(c.err, c.env))
	defer bar.end()
	result, err := recovery.Restore(ctx, dir, from, at, o.replace, bar.show)
	bar.end()
	if err != nil {
		if errors.Is(err, context.Canceled) {
			fmt.Fprintln(c.err, "interrupted: run the same command again, and it goes on")
		}
		return err
	}
	return c.printRestored(dir, result, o.json)
}

func (c *cli) printRestored(dir string, r backup.Restored, asJSON bool) error {
	var failed error
	if len(r.Damaged) > 0 {
		failed = errReported
	}
	if asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		return errors.Join(enc.Encode(r), failed)
	}
	out := newTerminal(c.out, c.env)
	out.printf("%s restored %s and %s as of %s into %s: %s in %s, all of it read back\n", out.paint(green, "✓"), say.Count(r.Documents, "document"),
		say.Count(r.Threads, "conversation"), r.MadeAt.Local().Format("2006-01-02 15:04:05"), say.OneLine(dir, 0), say.Bytes(r.Bytes), say.Count(r.Files-len(r.Damaged), "file"))
	if r.Aside != "" {
		out.printf("  what was there is in %s; delete it when you are sure\n", say.OneLine(r.Aside, 0))
	}
	if n := len(r.Missing); n > 0 {
		out.printf("%s %s had been lost when the backup was made\n", out.paint(amber, "!"), say.Count(n, "original"))
	}
	if len(r.Damaged) > 0 {
		out.printf("%s damaged or missing in the backup, and not restored: %s\n", out.paint(red, "✗"), say.Count(len(r.Damaged), "file"))
		for _, path := range r.Damaged {
			out.printf("    %s\n", say.OneLine(path, 0))
		}
		out.printf("  → another backup may have them: ibid restore BACKUP --only-damaged; ibid doctor --scrub names the documents\n")
	}
	return failed
}

// mend puts originals back that are damaged or missing.
func (c *cli) mend(ctx context.Context, s *app.Session, from string, asJSON bool) error {
	bar := newWorkBar(newTerminal(c.err, c.env))
	result, err := s.Mend(ctx, from, bar.showScrub)
	bar.end()
	if err != nil {
		return err
	}
	var failed error
	if len(result.Problems) > 0 {
		failed = errReported
	}
	if asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		return errors.Join(enc.Encode(result), failed)
	}
	out := newTerminal(c.out, c.env)
	out.printf("%s read %s: %d put back from the backup\n", out.paint(green, "✓"), say.Count(result.Checked, "original"), result.Mended)
	if result.Aside != "" {
		out.printf("  the damaged ones are in %s\n", say.OneLine(result.Aside, 0))
	}
	printProblems(out, result.Problems)
	if failed != nil {
		out.printf("  → the backup does not have them whole: try another one, or add the files again\n")
	}
	return failed
}

func printProblems(out *terminal, problems []api.ScrubProblem) {
	for _, p := range problems {
		what := "damaged"
		if p.Missing {
			what = "missing"
		}
		out.printf("%s %s: its original is %s (files/%s/%s)\n", out.paint(red, "✗"), say.OneLine(p.Name, 0), what, p.Hash[:2], p.Hash)
	}
}

// showScrub shows how far the reading of all originals is.
func (b *workBar) showScrub(p api.ScrubProgress) {
	b.show(backup.Progress{Phase: phaseScrub, Done: p.DoneBytes, Total: p.TotalBytes})
}

// phaseScrub is a phase of the commands that read the originals of the library.
const phaseScrub = "scrub"
