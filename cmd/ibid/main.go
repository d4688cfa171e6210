// Command ibid answers questions from your own documents and backs every
// statement with a footnote.
//
// serve is the program; the other commands are clients of its HTTP API, which
// they start for themselves when no server holds the data directory.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/app/config"
	"ibid/internal/app/datadir"
	"ibid/internal/say"
)

// version is set by the build from the repository's tags.
var version = ""

func main() {
	c := &cli{
		in:   os.Stdin,
		out:  os.Stdout,
		err:  os.Stderr,
		env:  os.LookupEnv,
		open: app.Open,
	}
	os.Exit(c.run(context.Background(), os.Args[1:]))
}

// What the process returns to whoever started it.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// cli is the command line with everything outside the process that it uses.
type cli struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	env config.Environment
	// open starts the application where no other process holds the data
	// directory.
	open app.OpenFunc
}

// run executes one command and returns the exit code.
func (c *cli) run(ctx context.Context, args []string) int {
	root := c.rootCommand()
	root.SetArgs(args)
	return c.report(root.ExecuteContext(ctx))
}

func (c *cli) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ibid",
		Short: "Answers from your own documents, with footnotes",
		Long: "ibid answers questions from your own documents, shows its thinking while it works,\n" +
			"and backs every statement with a footnote that opens at the exact page.",
		Example: "  ibid serve\n" +
			"  ibid add ~/Documents/contracts\n" +
			"  ibid ask how long is the notice period",
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetVersionTemplate("ibid {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		said, why, _ := strings.Cut(say.Safe(err.Error()), ": strconv.")
		switch {
		case strings.HasPrefix(why, "ParseUint"):
			said += ": a whole number, 0 or more, is wanted"
		case strings.HasPrefix(why, "ParseInt"):
			said += ": a whole number is wanted"
		case why != "":
			said += ": a number is wanted"
		}
		if strings.HasPrefix(said, "unknown shorthand") {
			said += "; a name that begins with - goes behind --"
		}
		return &usageError{cmd, errors.New(said)}
	})
	root.SetHelpCommand(helpCommand())

	flags := root.PersistentFlags()
	flags.String("data", "", "data directory `DIR` (default: the platform's own)")
	flags.String("config", "", "configuration `FILE`, instead of the usual one")
	flags.String("model", "", "language model `MODEL`: reader, or ollama:, openai:, anthropic: or gemini:NAME[@URL]")
	flags.String("embedder", "", "embedder `MODEL`: lsa, or ollama:, openai: or gemini:NAME[@URL]")

	root.AddCommand(
		c.serveCommand(),
		c.addCommand(),
		c.cancelCommand(),
		c.retryCommand(),
		c.askCommand(),
		c.searchCommand(),
		c.lsCommand(),
		c.showCommand(),
		c.rmCommand(),
		c.undoCommand(),
		c.doctorCommand(),
		c.recoverCommand(),
		c.backupCommand(),
		c.restoreCommand(),
		c.databaseCommand(),
		c.inventoryCommand(),
		c.evalCommand(),
		c.licensesCommand(),
		workerCommand(),
		codeWorkerCommand(),
	)
	return root
}

// usageError is a command line that makes no sense, as opposed to one that
// fails.
type usageError struct {
	cmd *cobra.Command
	err error
}

func (u *usageError) Error() string { return u.err.Error() }

func (u *usageError) Unwrap() error { return u.err }

func usagef(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{cmd, fmt.Errorf(format, args...)}
}

// arguments makes a usage error of what a check of cobra's finds, in the words
// of the command's usage.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		_, wants, _ := strings.Cut(cmd.Use, " ")
		switch {
		case wants == "":
			return usagef(cmd, "%s takes no argument, and was given %q", cmd.CommandPath(), args[0])
		case len(args) == 0:
			return usagef(cmd, "%s needs %s", cmd.CommandPath(), wants)
		}
		return usagef(cmd, "%s takes %s, and was given %s", cmd.CommandPath(), wants, say.Count(len(args), "argument"))
	}
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say how a command is used",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return usagef(cmd, "%w", err)
			}
			if err := unknownCommand(about, rest); err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.Hidden {
			continue
		}
		if slices.Contains(sub.SuggestFor, args[0]) {
			return usagef(cmd, "there is no command %q; it is %q", args[0], sub.Name())
		}
		names = append(names, sub.Name())
	}
	if args[0] == "version" {
		return usagef(cmd, "there is no command %q; it is \"--version\"", args[0])
	}
	if near := say.Nearest(args[0], names); near != "" {
		return usagef(cmd, "there is no command %q; did you mean %q?", args[0], near)
	}
	return usagef(cmd, "there is no command %q", args[0])
}

// errReported is returned by a command that failed and has already said why.
var errReported = errors.New("failed")

// report says what went wrong and returns the exit code.
func (c *cli) report(err error) int {
	var usage *usageError
	var coded *ibid.Error
	var held *datadir.HeldError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(c.err, "ibid: %s\nRun '%s --help' for how it is used.\n", usage, usage.cmd.CommandPath())
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(c.err, "ibid: interrupted")
		return exitFailed
	case errors.As(err, &coded):
		fmt.Fprintf(c.err, "ibid: %s\n", messageOf(err, coded))
		c.printHint(coded.Hint)
		return exitFailed
	case errors.As(err, &held):
		fmt.Fprintf(c.err, "ibid: %s\n", say.Safe(held.Error()))
		c.printHint(held.Hint())
		return exitFailed
	}
	fmt.Fprintf(c.err, "ibid: %s\n", say.Safe(err.Error()))
	return exitFailed
}

// messageOf is the error without its hint, which stands on a line of its own.
func messageOf(err error, coded *ibid.Error) string {
	text := err.Error()
	if coded.Hint != "" {
		text = strings.Replace(text, " ("+coded.Hint+")", "", 1)
	}
	return say.Safe(text)
}

func (c *cli) printHint(hint string) {
	if hint != "" {
		fmt.Fprintf(c.err, "  → %s\n", say.Safe(hint))
	}
}

// config puts the configuration of a command together: its flags, the
// environment, the file.
func (c *cli) config(cmd *cobra.Command) (config.Config, error) {
	given := config.Flags{}
	for _, key := range append(config.Keys(), "config") {
		// No setting is a bool: doctor's --scrub is not the setting scrub.
		if f := cmd.Flags().Lookup(config.FlagName(key)); f != nil && f.Changed && f.Value.Type() != "bool" {
			given[key] = f.Value.String()
		}
	}
	cfg, err := config.Load(given, c.env)
	cfg.Version = versionText()
	return cfg, err
}

// connect reads the configuration and connects the command to the process that
// holds the data directory.
func (c *cli) connect(ctx context.Context, cmd *cobra.Command) (*app.Session, error) {
	cfg, err := c.config(cmd)
	if err != nil {
		return nil, err
	}
	s, err := app.Connect(ctx, cfg, cmd.Name(), c.open, c.err)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"model", "embedder"} {
		if cmd.Flags().Changed(key) && !s.Alone() {
			fmt.Fprintf(c.err, "ibid: --%s is not used: the server that is running has its own\n", key)
		}
	}
	return s, nil
}

// withSession runs a command's work in a session. Ctrl-C cancels the work's
// context, a second one ends the process at once.
func (c *cli) withSession(cmd *cobra.Command, work func(context.Context, *app.Session) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	s, err := c.connect(ctx, cmd)
	if err != nil {
		return err
	}
	return errors.Join(work(ctx, s), s.Close())
}

// versionText is the version that the build was given, else what the Go tool
// knows.
func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
