package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/client"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

func (c *cli) doctorCommand() *cobra.Command {
	var asJSON, repair, scrub bool
	cmd := &cobra.Command{
		Use:        "doctor",
		SuggestFor: []string{"check", "repair", "config", "test"},
		Short:      "Check configuration, model, embedder, data directory and disk, and say how to mend them",
		Long: "Checks everything that a question needs, and says beside each finding how to mend it.\n" +
			"With --repair the search index is first built anew from the database, also while a server runs.\n" +
			"With --scrub every original is first read and compared with its hash, which may take long.",
		Example: "  ibid doctor\n" +
			"  ibid doctor --repair\n" +
			"  ibid doctor --scrub\n" +
			"  ibid doctor --model ollama:qwen3:4b\n" +
			"  ibid doctor --json | jq '.checks[] | select(.level!=\"ok\")'",
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return c.printChecks(c.examine(ctx, cmd, repair, scrub), asJSON)
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "build the search index anew from the database, then check")
	cmd.Flags().BoolVar(&scrub, "scrub", false, "read every original and compare it with its hash, then check")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checks as one JSON object")
	return cmd
}

func passed(name, message string) api.Check {
	return api.Check{Name: name, OK: true, Level: api.LevelOK, Message: message}
}

func warned(name, message, hint string) api.Check {
	return api.Check{Name: name, OK: true, Level: api.LevelWarn, Message: message, Hint: hint}
}

func failed(name string, err error) api.Check {
	ch := api.Check{Name: name, Level: api.LevelFail, Message: err.Error()}
	var coded *ibid.Error
	var held *datadir.HeldError
	switch {
	case errors.As(err, &coded):
		ch.Message, ch.Hint = messageOf(err, coded), coded.Hint
	case errors.As(err, &held):
		ch.Hint = held.Hint()
	}
	return ch
}

// examine checks what can be checked from outside, then asks the application.
// A broken configuration does not keep it from asking a server that runs.
func (c *cli) examine(ctx context.Context, cmd *cobra.Command, repair, scrub bool) []api.Check {
	cfg, err := c.config(cmd)
	if err != nil {
		checks := []api.Check{failed("configuration", err)}
		return append(checks, c.askRunning(ctx, cfg)...)
	}
	checks := c.checkConfig(cfg)
	s, err := app.Connect(ctx, cfg, cmd.Name(), c.open, c.err)
	if err != nil {
		return append(checks, failed("start", err))
	}
	if s.Alone() {
		checks = append(checks, passed("server", "none is running; started for this check"))
	} else {
		checks = append(checks, passed("server", "running at "+s.Endpoint().URL))
		checks = append(checks, checkGiven(ctx, cmd, cfg)...)
	}
	if repair {
		checks = append(checks, repairIndex(ctx, s))
	}
	if scrub {
		checks = append(checks, c.scrub(ctx, s)...)
	}
	inside, err := s.Doctor(ctx)
	if err != nil {
		checks = append(checks, failed("server", err))
	}
	if err := s.Close(); err != nil {
		checks = append(checks, failed("stop", err))
	}
	return mergeChecks(checks, inside)
}

// checkGiven tries the models that flags name. The server that is running has
// its own, which it checks itself.
func checkGiven(ctx context.Context, cmd *cobra.Command, cfg config.Config) []api.Check {
	const unused = "the server that is running does not use it; this was tried from here: "
	var checks []api.Check
	add := func(name string, c api.Check) {
		c.Name, c.Message = name, unused+c.Message
		checks = append(checks, c)
	}
	if cmd.Flags().Changed("model") {
		m, err := app.OpenModel(cfg, cfg.Model)
		if err != nil {
			add("--model", failed("", err))
		} else {
			add("--model", app.CheckAnswering(ctx, m))
		}
	}
	if cmd.Flags().Changed("embedder") {
		switch e, err := app.OpenEmbedder(cfg); {
		case err != nil:
			add("--embedder", failed("", err))
		case e == nil:
			add("--embedder", passed("", "built in"))
		default:
			add("--embedder", app.CheckEmbedding(ctx, e, ""))
		}
	}
	return checks
}

// repairIndex has the index built anew, and says what was wrong with it.
func repairIndex(ctx context.Context, s *app.Session) api.Check {
	r, err := s.Repair(ctx)
	if err != nil {
		return failed("repair", err)
	}
	found := "nothing was wrong with it"
	if n := len(r.Differ); n > 0 {
		found = "it was wrong on " + say.Count(n, "document")
	}
	return passed("repair", fmt.Sprintf("the index was built anew from %s with %s in %d ms; %s",
		say.Count(r.Documents, "document"), say.Count(r.Chunks, "chunk"), r.TookMS, found))
}

// askRunning asks the server that holds the data directory, if there is one.
func (c *cli) askRunning(ctx context.Context, cfg config.Config) []api.Check {
	info, err := datadir.ReadServerInfo(cfg.Data)
	at := client.Endpoint{URL: info.URL(), Token: info.Token}
	if err != nil || !client.Alive(ctx, at) {
		return nil
	}
	cl := client.New(at, nil)
	defer cl.Close()
	inside, err := cl.Doctor(ctx)
	if err != nil {
		return []api.Check{failed("server", err)}
	}
	return append([]api.Check{passed("server", "running at "+at.URL+", with the configuration it was started with")}, inside...)
}

// mergeChecks appends checks; of two with the same name, the one that says
// more, the worse one, is kept.
func mergeChecks(checks, more []api.Check) []api.Check {
	rank := map[string]int{api.LevelOK: 0, api.LevelWarn: 1, api.LevelFail: 2}
	for _, m := range more {
		i := slices.IndexFunc(checks, func(ch api.Check) bool { return ch.Name == m.Name })
		switch {
		case i < 0:
			checks = append(checks, m)
		case rank[m.Level] > rank[checks[i].Level]:
			checks[i] = m
		}
	}
	return checks
}

// checkConfig says where the configuration comes from and what in it looks
// like a mistake.
func (c *cli) checkConfig(cfg config.Config) []api.Check {
	message := "defaults only"
	if cfg.File != "" {
		message = "read from " + cfg.File
	}
	var changed []string
	for _, key := range config.Keys() {
		if origin, ok := cfg.Origins[key]; ok && origin != cfg.File {
			changed = append(changed, key+" from "+origin)
		}
	}
	if len(changed) > 0 {
		message += "; " + strings.Join(changed, ", ")
	}
	checks := []api.Check{passed("configuration", message)}
	if cfg.File != "" && config.HoldsSecret(cfg) && othersCanRead(cfg.File) {
		checks = append(checks, warned("configuration file", "other users of this machine can read the keys in "+cfg.File,
			"chmod 600 "+say.ShellQuote(cfg.File)))
	}
	for _, name := range config.UnknownVariables() {
		checks = append(checks, warned("environment", name+" is set but means nothing", config.NearVariable(name)))
	}
	return checks
}

func othersCanRead(file string) bool {
	info, err := os.Stat(file)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o044 != 0
}

// printChecks prints a report; a check that failed makes the command fail.
func (c *cli) printChecks(checks []api.Check, asJSON bool) error {
	var err error
	if slices.ContainsFunc(checks, func(ch api.Check) bool { return ch.Level == api.LevelFail }) {
		err = errReported
	}
	if asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		return errors.Join(enc.Encode(map[string][]api.Check{"checks": checks}), err)
	}
	out := newTerminal(c.out, c.env)
	width := 0
	for _, ch := range checks {
		width = max(width, len(ch.Name))
	}
	for _, ch := range checks {
		mark := map[string]string{
			api.LevelOK: out.paint(green, "✓"), api.LevelWarn: out.paint(amber, "!"), api.LevelFail: out.paint(red, "✗"),
		}[ch.Level]
		out.printf("%s %-*s  %s\n", mark, width, say.OneLine(ch.Name, 0), say.OneLine(ch.Message, 0))
		if ch.Hint != "" && ch.Level != api.LevelOK {
			out.printf("  %*s  → %s\n", width, "", say.OneLine(ch.Hint, 0))
		}
	}
	return err
}
