package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/eval"
	"ibid/internal/llm"
	"ibid/internal/search"
)

func (c *cli) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure the quality of the search",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.evalRetrievalCommand())
	return cmd
}

func (c *cli) evalRetrievalCommand() *cobra.Command {
	var sample int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "retrieval DIR",
		Short: "Measure every way of searching on a question set",
		Long: "Measures every way of searching on a question set in BEIR's layout: corpus.jsonl, queries.jsonl and\n" +
			"qrels/test.tsv. It shows which search_mode suits the embedder. Your own library is not touched.",
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
			return c.evalRetrieval(ctx, cfg, args[0], sample, asJSON)
		},
	}
	cmd.Flags().IntVar(&sample, "sample", 0, "ask so many questions only, chosen at random")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (c *cli) evalRetrieval(ctx context.Context, cfg Config, dir string, sample int, asJSON bool) error {
	var embedder ibid.Embedder
	if cfg.Embedder != builtInEmbedder {
		var err error
		if embedder, err = llm.OpenEmbedder(llm.Config{Spec: cfg.Embedder, APIKey: cfg.EmbedderKey}); err != nil {
			return err
		}
	}
	var reranker search.Reranker
	if cfg.Rerank != rerankMaxSim { // which is measured in any case
		var err error
		if reranker, err = openReranker(cfg, nil); err != nil {
			return err
		}
	}
	notes := newTerminal(c.err, c.env)
	report, err := eval.Retrieval(ctx, dir, eval.Config{Embedder: embedder, Reranker: reranker, Sample: sample, Progress: func(stage string, done, total int) {
		if notes.tty {
			notes.printf("\r\x1b[K%s", notes.paint(dim, fmt.Sprintf("%s: %d of %d", stage, done, total)))
		}
	}})
	if notes.tty {
		notes.printf("\r\x1b[K")
	}
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(c.out).Encode(report)
	}
	return report.WriteTable(c.out)
}
