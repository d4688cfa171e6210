package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"ibid/internal/app/recovery"
	"ibid/internal/say"
)

func (c *cli) recoverCommand() *cobra.Command {
	var asJSON, unlisted bool
	cmd := &cobra.Command{
		Use:        "recover",
		SuggestFor: []string{"salvage", "rescue", "rebuild"},
		Short:      "Build the library anew where its database is lost or damaged",
		Long: "Where the database of a data directory is missing, damaged or another directory's, moves it aside\n" +
			"(ibid.db.damaged-TIME; nothing is deleted) and makes a new one: of the documents and conversations that can\n" +
			"still be read in the old one, and of every original in the folder files. Documents that the old one names keep\n" +
			"their names, ids and footnotes; the others are called recovered-….pdf or the like.\n" +
			"What is interrupted goes on when it is started again. With a backup, use ibid restore instead.",
		Example: "  ibid recover\n" +
			"  ibid recover --data /path/to/data --json",
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			context.AfterFunc(ctx, stop)
			cfg, err := c.config(cmd)
			if err != nil {
				return err
			}
			done, err := recovery.Recover(ctx, cfg, unlisted, c.err)
			if ctx.Err() != nil {
				fmt.Fprintln(c.err, "not done yet: ibid recover goes on where it was")
			}
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(c.out)
				enc.SetIndent("", "  ")
				return enc.Encode(done)
			}
			c.printRecovery(done)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object at the end")
	cmd.Flags().BoolVar(&unlisted, "unlisted", false, "where the database is sound, add the originals that it does not list")
	return cmd
}

// printRecovery says what was recovered and what was not.
func (c *cli) printRecovery(r recovery.Result) {
	out := newTerminal(c.out, c.env)
	out.printf("%s can be searched", say.Count(r.Documents, "document"))
	if s := r.Salvaged; s.Threads > 0 {
		out.printf("; %s with %s are there", say.Count(s.Threads, "conversation"), say.Count(s.Messages, "message"))
	}
	out.printf(".\n")
	if r.Unnamed > 0 {
		out.printf("  %s lost their names and folders and are called recovered-…: ibid ls 'recovered-*'\n", say.Count(r.Unnamed, "document"))
	}
	if s := r.Salvaged; s.Removed > 0 {
		out.printf("  %s that had been removed can be taken back for some days.\n", say.Count(s.Removed, "document"))
	}
	if s := r.Salvaged; s.Gaps > 0 {
		out.printf("  The old database could not be read at %s.\n", say.Count(s.Gaps, "place"))
	}
	if len(r.Moved) > 0 && r.Salvaged.Threads == 0 {
		out.printf("  No conversations could be read.\n")
	}
	list := func(what string, names []string) {
		if len(names) == 0 {
			return
		}
		out.printf("  %s:\n", what)
		for _, name := range names {
			out.printf("    %s\n", say.OneLine(name, 0))
		}
	}
	list("Could not be read", r.Failed)
	list("Are not as they were added; compare them with your own copies", r.Damaged)
	list("Tables that nothing lists; attach their files again with ibid database add", r.Tables)
	list("Kept aside, to be deleted once you miss nothing", r.Moved)
}
