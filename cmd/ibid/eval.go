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
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			cfg, err := c.config(cmd)
			if err != nil {
				return err
			}
			return c.evalRetrieval(ctx, cfg, args[0], eval.Config{Sample: int(sample), Split: split}, asJSON)
		},
	}
	cmd.Flags().UintVar(&sample, "sample", 0, "ask so many questions only, chosen at random; 0 asks all")
	cmd.Flags().StringVar(&split, "split", eval.DefaultSplit, "judge by qrels/`NAME`.tsv")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (c *cli) evalRetrieval(ctx context.Context, cfg Config, dir string, measured eval.Config, asJSON bool) error {
	var err error
	if measured.Embedder, err = openEmbedder(cfg); err != nil {
		return err
	}
	if cfg.Rerank != rerankMaxSim { // which is measured in any case
		if measured.Reranker, err = openReranker(cfg, nil); err != nil {
			return err
		}
	}
	var end func()
	measured.Progress, end = c.evalProgress()
	report, err := eval.Retrieval(ctx, dir, measured)
	end()
	if err != nil {
		return err
	}
	return c.printReport(report, asJSON)
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
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			cfg, err := c.config(cmd)
			if err != nil {
				return err
			}
			return c.evalAnswers(ctx, cfg, args[0], int(sample), asJSON)
		},
	}
	cmd.Flags().UintVar(&sample, "sample", 500, "ask so many questions only, chosen at random; 0 asks all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (c *cli) evalAnswers(ctx context.Context, cfg Config, dir string, sample int, asJSON bool) error {
	embedder, err := openEmbedder(cfg)
	if err != nil {
		return err
	}
	measured := eval.AnswersConfig{Models: []ibid.Model{reader.New()}, Embedder: embedder, Sample: sample}
	if cfg.Model != builtInModel {
		m, err := openModel(cfg, cfg.Model)
		if err != nil {
			return err
		}
		measured.Models = append(measured.Models, m)
		measured.Workers = cfg.Limits.Runs
	}
	var end func()
	measured.Progress, end = c.evalProgress()
	report, err := eval.Answers(ctx, dir, measured)
	end()
	if err != nil {
		return err
	}
	return c.printReport(report, asJSON)
}

// printReport prints what was measured, as JSON or for people.
func (c *cli) printReport(report interface{ WriteTable(io.Writer) error }, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(c.out).Encode(report)
	}
	return report.WriteTable(c.out)
}

// sayEvery is how often a measurement says how far it is where nobody watches: a
// log is to be short.
const sayEvery = 10 * time.Second

// evalProgress shows how far a measurement is, on standard error: in one line on
// a terminal, elsewhere by a line now and then.
func (c *cli) evalProgress() (show func(stage string, done, total int), end func()) {
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
