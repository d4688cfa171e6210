package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"ibid/internal/server/api"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/cobra"

	"ibid"
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
	var held *heldError
	switch {
	case errors.As(err, &coded):
		ch.Message, ch.Hint = messageOf(err, coded), coded.Hint
	case errors.As(err, &held):
		ch.Hint = held.hint()
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
	s, err := connect(ctx, cfg, cmd.Name(), c.open, c.err)
	if err != nil {
		return append(checks, failed("start", err))
	}
	if s.alone() {
		checks = append(checks, passed("server", "none is running; started for this check"))
	} else {
		checks = append(checks, passed("server", "running at "+s.endpoint().URL))
		checks = append(checks, checkGiven(ctx, cmd, cfg)...)
	}
	if repair {
		checks = append(checks, repairIndex(ctx, s))
	}
	if scrub {
		checks = append(checks, c.scrub(ctx, s)...)
	}
	inside, err := s.doctor(ctx)
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
func checkGiven(ctx context.Context, cmd *cobra.Command, cfg Config) []api.Check {
	const unused = "the server that is running does not use it; this was tried from here: "
	var checks []api.Check
	add := func(name string, c api.Check) {
		c.Name, c.Message = name, unused+c.Message
		checks = append(checks, c)
	}
	if cmd.Flags().Changed("model") {
		m, err := openModel(cfg, cfg.Model)
		if err != nil {
			add("--model", failed("", err))
		} else {
			add("--model", checkAnswering(ctx, m))
		}
	}
	if cmd.Flags().Changed("embedder") {
		switch e, err := openEmbedder(cfg); {
		case err != nil:
			add("--embedder", failed("", err))
		case e == nil:
			add("--embedder", passed("", "built in"))
		default:
			add("--embedder", checkEmbedding(ctx, e, ""))
		}
	}
	return checks
}

// repairIndex has the index built anew, and says what was wrong with it.
func repairIndex(ctx context.Context, s *session) api.Check {
	r, err := s.repair(ctx)
	if err != nil {
		return failed("repair", err)
	}
	found := "nothing was wrong with it"
	if n := len(r.Differ); n > 0 {
		found = "it was wrong on " + count(n, "document")
	}
	return passed("repair", fmt.Sprintf("the index was built anew from %s with %s in %d ms; %s",
		count(r.Documents, "document"), count(r.Chunks, "chunk"), r.TookMS, found))
}

// askRunning asks the server that holds the data directory, if there is one.
func (c *cli) askRunning(ctx context.Context, cfg Config) []api.Check {
	info, err := readServerInfo(cfg.Data)
	at := endpoint{URL: info.URL(), Token: info.Token}
	if err != nil || !alive(ctx, at) {
		return nil
	}
	cl := newClient(at, nil)
	defer cl.close()
	inside, err := cl.doctor(ctx)
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
func (c *cli) checkConfig(cfg Config) []api.Check {
	message := "defaults only"
	if cfg.File != "" {
		message = "read from " + cfg.File
	}
	var changed []string
	for _, key := range settingKeys() {
		if origin, ok := cfg.Origins[key]; ok && origin != cfg.File {
			changed = append(changed, key+" from "+origin)
		}
	}
	if len(changed) > 0 {
		message += "; " + strings.Join(changed, ", ")
	}
	checks := []api.Check{passed("configuration", message)}
	if cfg.File != "" && holdsSecret(cfg) && othersCanRead(cfg.File) {
		checks = append(checks, warned("configuration file", "other users of this machine can read the keys in "+cfg.File,
			"chmod 600 "+shellQuote(cfg.File)))
	}
	for _, name := range unknownVariables() {
		checks = append(checks, warned("environment", name+" is set but means nothing", nearVariable(name)))
	}
	return checks
}

// holdsSecret reports whether the file sets a value that others must not see.
func holdsSecret(cfg Config) bool {
	for _, s := range settings() {
		if s.secret && cfg.Origins[s.key] == cfg.File {
			return true
		}
	}
	return false
}

func othersCanRead(file string) bool {
	info, err := os.Stat(file)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o044 != 0
}

// unknownVariables lists IBID_… variables that no setting has; most are typing
// mistakes.
func unknownVariables() []string {
	known := []string{"IBID_CONFIG", "IBID_FILE_PASSWORD", "IBID_TEST_DATA"}
	for _, key := range settingKeys() {
		known = append(known, envName(key))
	}
	var unknown []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "IBID_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

func nearVariable(name string) string {
	var names []string
	for _, key := range settingKeys() {
		names = append(names, envName(key))
	}
	if near := nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "unset it"
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
		out.printf("%s %-*s  %s\n", mark, width, oneLine(ch.Name, 0), oneLine(ch.Message, 0))
		if ch.Hint != "" && ch.Level != api.LevelOK {
			out.printf("  %*s  → %s\n", width, "", oneLine(ch.Hint, 0))
		}
	}
	return err
}

// shellQuote writes a word as a shell reads it: as in POSIX, and what cannot be
// shown as in bash and zsh.
func shellQuote(s string) string {
	safeBytes := func(r rune) bool {
		return strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safeBytes(r) }) < 0 {
		return s
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		q := strconv.QuoteToGraphic(s)
		return "$'" + strings.ReplaceAll(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`), "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
