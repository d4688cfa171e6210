package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"ibid/internal/app"
	"ibid/internal/backup"
	"ibid/internal/say"
)

func (c *cli) backupCommand() *cobra.Command {
	var list, asJSON bool
	var keep int
	cmd := &cobra.Command{
		Use:        "backup [DIR|FILE]",
		Short:      "Back the library up, also while a server runs",
		SuggestFor: []string{"export", "dump", "save", "snapshot"},
		Long: "Copies the whole library, as it is at this moment, into a folder or into one file (.tar, .tar.gz):\n" +
			"documents, conversations, originals, attached tables. Everything is read back at the end.\n" +
			"A folder takes any number of copies; only what is new is copied. Without DIR or FILE the\n" +
			"backup is made that is set in the configuration. One that was cut short is gone on with when\n" +
			"the same command is run again. ibid restore puts a backup back.",
		Example: "  ibid backup /mnt/usb/ibid\n" +
			"  ibid backup /mnt/usb/ibid --keep 10\n" +
			"  ibid backup ~/ibid.tar.gz\n" +
			"  ibid backup --list /mnt/usb/ibid",
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			to := ""
			if len(args) == 1 {
				var err error
				if to, err = filepath.Abs(args[0]); err != nil {
					return err
				}
			}
			switch {
			case keep < 0 || keep == 0 && cmd.Flags().Changed("keep"):
				return usagef(cmd, "--keep must be 1 or more")
			case list && to == "":
				return usagef(cmd, "--list needs the folder or the file of a backup")
			case list:
				return c.listBackup(to, asJSON)
			case keep > 0 && to == "":
				return usagef(cmd, "--keep goes with DIR; the configuration says how many copies the set backup keeps")
			case keep > 0 && backup.IsArchive(to):
				return usagef(cmd, "--keep is for folders: %s is one file with one copy", filepath.Base(to))
			}
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error { return c.backUp(ctx, s, to, keep, asJSON) })
		},
	}
	cmd.Flags().IntVar(&keep, "keep", 0, "keep the newest `N` copies in DIR, and delete older ones once this one is made (default: keep all)")
	cmd.Flags().BoolVar(&list, "list", false, "list the copies that a backup holds")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (c *cli) backUp(ctx context.Context, s *app.Session, to string, keep int, asJSON bool) error {
	bar := newWorkBar(newTerminal(c.err, c.env))
	result, err := s.Backup(ctx, to, keep, bar.show)
	bar.end()
	if err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		return enc.Encode(result)
	}
	out := newTerminal(c.out, c.env)
	out.printf("%s backed up %s and %s to %s: %s in %s, %s of them new; all of it was read back\n", out.paint(green, "✓"),
		say.Count(result.Documents, "document"), say.Count(result.Threads, "conversation"), say.OneLine(filepath.Join(result.To, result.Name), 0),
		say.Bytes(result.Bytes), say.Count(result.Files, "file"), say.Bytes(result.NewBytes))
	if result.Repaired > 0 {
		out.printf("%s %s of earlier backups had changed there and %s written anew: look after that disk\n", out.paint(amber, "!"), say.Count(result.Repaired, "file"), wasOrWere(result.Repaired))
	}
	if len(result.Dropped) > 0 {
		out.printf("  older copies that went: %s\n", strings.Join(result.Dropped, ", "))
	}
	if n := len(result.Missing); n > 0 {
		out.printf("%s %s not in it: the library itself has lost or damaged %s\n  → ibid doctor --scrub names them; an older backup may have them: ibid restore BACKUP --only-damaged\n",
			out.paint(amber, "!"), say.Count(n, "original")+" "+say.AreOrIs(n), themOrIt(n))
	}
	return nil
}

func wasOrWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func themOrIt(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// listBackup prints the copies in a backup. It asks no server: a backup is read
// where no library is.
func (c *cli) listBackup(path string, asJSON bool) error {
	copies, err := backup.List(path)
	if err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"copies": copies})
	}
	out := newTerminal(c.out, c.env)
	if len(copies) == 0 {
		out.printf("no finished copy in %s\n", say.OneLine(path, 0))
		return nil
	}
	t := table{columns: []column{{title: "MADE AT"}, {title: "DOCUMENTS", right: true}, {title: "CONVERSATIONS", right: true}, {title: "SIZE", right: true}, {title: "IBID", give: true}, {title: "NAME", give: true}}}
	for _, copy := range copies {
		if copy.Error != "" {
			t.add("?", "", "", "", "cannot be restored: "+copy.Error, copy.Name)
			continue
		}
		t.add(copy.MadeAt.Local().Format("2006-01-02 15:04:05"), strconv.Itoa(copy.Documents), strconv.Itoa(copy.Threads), say.Bytes(copy.Bytes), copy.Ibid, copy.Name)
	}
	t.print(out)
	return nil
}

// workBar shows how far a backup or a restore is: a bar on a terminal, elsewhere a
// line for each phase.
type workBar struct {
	t       *terminal
	bar     *progressbar.ProgressBar
	phase   string
	resumed bool
}

func newWorkBar(t *terminal) *workBar { return &workBar{t: t} }

// phaseTexts is what each phase does.
var phaseTexts = map[string]string{
	backup.PhaseDatabase: "copying the database",
	backup.PhaseCopy:     "copying files",
	backup.PhaseVerify:   "reading everything back",
	phaseScrub:           "reading the originals",
}

func (b *workBar) show(p backup.Progress) {
	if p.Resumed && !b.resumed {
		b.resumed = true
		b.clear()
		b.t.printf("going on with what an earlier attempt has left\n")
		b.phase = ""
	}
	if p.Phase != b.phase {
		b.clear()
		b.phase = p.Phase
		if b.t.tty && p.Total > 0 {
			b.bar = newByteBar(b.t, phaseTexts[p.Phase], p.Total)
		} else if !b.t.tty {
			said := phaseTexts[p.Phase]
			if p.Total > 0 {
				said += ", " + say.Bytes(p.Total)
			}
			b.t.printf("%s\n", said)
		}
	}
	if b.bar == nil && b.t.tty && p.Total > 0 {
		b.bar = newByteBar(b.t, phaseTexts[p.Phase], p.Total)
	}
	if b.bar != nil {
		b.bar.ChangeMax64(max(p.Total, p.Done))
		b.bar.Set64(p.Done)
	}
}

func newByteBar(t *terminal, about string, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, progressbar.OptionSetWriter(t.w), progressbar.OptionSetDescription(about),
		progressbar.OptionSetWidth(30), progressbar.OptionShowBytes(true), progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionEnableColorCodes(false))
}

func (b *workBar) clear() {
	if b.bar != nil {
		b.bar.Clear()
		b.bar = nil
	}
}

func (b *workBar) end() { b.clear() }
