package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/app/config"
	"ibid/internal/eval"
	"ibid/internal/reader"
)

func (c *cli) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure the quality of search and answers",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.evalRetrievalCommand(), c.evalAnswersCommand())
	return cmd
}

func (c *cli) evalRetrievalCommand() *cobra.Command {
	var sample uint
	var split string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "retrieval DIR",
		Short: "Measure every way of searching on a question set",
		Long: "Measures every way of searching on a question set in BEIR's layout: corpus.jsonl, queries.jsonl and\n" +
			"qrels/test.tsv, each also as .gz. It shows which search_mode suits the embedder. Your own library is not touched.",
		Example: "  ibid eval retrieval questions/cranfield\n" +
			"  ibid eval retrieval --embedder ollama:nomic-embed-text questions/cranfield",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.measure(cmd, asJSON, func(ctx context.Context, cfg config.Config, progress progressFunc) (report, error) {
				measured, err := retrievalConfig(cfg)
				if err != nil {
					return nil, err
				}
				measured.Sample, measured.Split, measured.Progress = int(sample), split, progress
				return eval.Retrieval(ctx, args[0], measured)
			})
		},
	}
	cmd.Flags().UintVar(&sample, "sample", 0, "ask so many questions only, chosen at random; 0 asks all")
	cmd.Flags().StringVar(&split, "split", eval.DefaultSplit, "judge by qrels/`NAME`.tsv")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func retrievalConfig(cfg config.Config) (measured eval.Config, err error) {
	if measured.Embedder, err = app.OpenEmbedder(cfg); err != nil {
		return measured, err
	}
	if cfg.Rerank != config.RerankMaxSim { // which is measured in any case
		measured.Reranker, err = app.OpenReranker(cfg, nil)
	}
	return measured, err
}

func (c *cli) evalAnswersCommand() *cobra.Command {
	var sample uint
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "answers DIR",
		Short: "Measure what models answer to a question set",
		Long: "Lets the built-in reader, and the model that is configured, answer a question set in BEIR's layout whose\n" +
			"queries.jsonl names known answers, and judges answers, footnotes and refusals. A fifth of the entries is\n" +
			"held out, so that some questions cannot be answered. Your own library is not touched.",
		Example: "  ibid eval answers questions/squad-dev\n" +
			"  ibid eval answers --model ollama:qwen3:4b --sample 200 questions/squad-dev",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.measure(cmd, asJSON, func(ctx context.Context, cfg config.Config, progress progressFunc) (report, error) {
				measured, err := answersConfig(cfg)
				if err != nil {
					return nil, err
				}
				measured.Sample, measured.Progress = int(sample), progress
				return eval.Answers(ctx, args[0], measured)
			})
		},
	}
	cmd.Flags().UintVar(&sample, "sample", 500, "ask so many questions only, chosen at random; 0 asks all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func answersConfig(cfg config.Config) (eval.AnswersConfig, error) {
	measured := eval.AnswersConfig{Models: []ibid.Model{reader.New()}}
	if cfg.Model != config.BuiltInModel {
		m, err := app.OpenModel(cfg, cfg.Model)
		if err != nil {
			return measured, err
		}
		measured.Models = append(measured.Models, m)
		measured.Workers = cfg.Limits.Runs
	}
	var err error
	measured.Embedder, err = app.OpenEmbedder(cfg)
	return measured, err
}

// report is what was measured.
type report interface{ WriteTable(io.Writer) error }

// progressFunc is told how far a measurement is.
type progressFunc func(stage string, done, total int)

// measure measures with the configuration of a command, and prints the report as
// JSON or for people.
func (c *cli) measure(cmd *cobra.Command, asJSON bool, work func(context.Context, config.Config, progressFunc) (report, error)) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg, err := c.config(cmd)
	if err != nil {
		return err
	}
	progress, end := c.evalProgress()
	measured, err := work(ctx, cfg, progress)
	end()
	switch {
	case err != nil:
		return err
	case asJSON:
		return json.NewEncoder(c.out).Encode(measured)
	}
	return measured.WriteTable(c.out)
}

// sayEvery is how often a measurement says how far it is where nobody watches: a
// log is to be short.
const sayEvery = 10 * time.Second

// evalProgress shows how far a measurement is, on standard error: in one line on
// a terminal, elsewhere by a line now and then.
func (c *cli) evalProgress() (show progressFunc, end func()) {
	notes := newTerminal(c.err, c.env)
	if notes.tty {
		show = func(stage string, done, total int) {
			notes.printf("\r\x1b[K%s", notes.paint(dim, fmt.Sprintf("%s: %d of %d", stage, done, total)))
		}
		return show, func() { notes.printf("\r\x1b[K") }
	}
	said := time.Now()
	show = func(stage string, done, total int) {
		if time.Since(said) >= sayEvery {
			said = time.Now()
			notes.printf("%s: %d of %d\n", stage, done, total)
		}
	}
	return show, func() {}
}
