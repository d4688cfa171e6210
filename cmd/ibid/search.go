package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/app/config"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

func (c *cli) searchCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Search the documents without asking a model",
		Example: "  ibid search notice period\n" +
			"  ibid search --mode lexical --limit 20 --json 'FY2018 revenue'",
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.mode != "" && !slices.Contains(config.SearchModes(), o.mode) {
				return usagef(cmd, "--mode is one of %s, not %q", strings.Join(config.SearchModes(), ", "), o.mode)
			}
			if o.limit < 1 {
				return usagef(cmd, "--limit must be at least 1")
			}
			query := strings.TrimSpace(strings.Join(args, " "))
			if query == "" {
				return usagef(cmd, "what should be searched for?")
			}
			return c.withSession(cmd, func(ctx context.Context, s *app.Session) error {
				return c.search(ctx, s, query, o)
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.limit, "limit", 7, "how many passages to show")
	flags.StringVar(&o.mode, "mode", "", "how to search: `"+strings.Join(config.SearchModes(), "|")+"` (default: search_mode of the configuration)")
	flags.StringVar(&o.document, "document", "", "search this document only: `ID|NAME`")
	flags.StringVar(&o.category, "category", "", "search documents of this `CATEGORY` only")
	flags.StringArrayVar(&o.tags, "tag", nil, "search documents with this `TAG` only (may be repeated: with all of them)")
	flags.StringVar(&o.folder, "folder", "", "search documents in this `FOLDER` of the library only")
	flags.StringArrayVar(&o.metadata, "metadata", nil, "search documents with this field only: `NAME=VALUE` (may be repeated: with all of them)")
	flags.BoolVar(&o.expand, "expand", false, "show the sections that the passages stand in")
	flags.BoolVar(&o.noRerank, "no-rerank", false, "leave the order as it is before reranking")
	flags.BoolVar(&o.json, "json", false, "print the passages as one JSON object")
	return cmd
}

type searchOptions struct {
	limit    int
	mode     string
	document string
	category string
	tags     []string
	folder   string
	metadata []string
	expand   bool
	noRerank bool
	json     bool
}

func (c *cli) search(ctx context.Context, s *app.Session, query string, o searchOptions) error {
	if err := s.CheckScope(ctx, ibid.Scope{Category: o.category, Folder: o.folder, Tags: o.tags}); err != nil {
		return err
	}
	values := url.Values{"q": {query}, "limit": {strconv.Itoa(o.limit)}, "tag": o.tags, "metadata": o.metadata}
	if o.expand {
		values.Set("expand", "true")
	}
	if o.noRerank {
		values.Set("rerank", "false")
	}
	if o.document != "" {
		documents, err := s.Named(ctx, []string{o.document})
		if err != nil {
			return err
		}
		for _, d := range documents {
			values.Add("document", d.ID)
		}
	}
	for name, value := range map[string]string{"mode": o.mode, "category": o.category, "folder": o.folder} {
		if value != "" {
			values.Set(name, value)
		}
	}
	result, raw, err := s.Search(ctx, values)
	if err != nil {
		return err
	}
	out := newTerminal(c.out, c.env)
	if o.json {
		out.printf("%s\n", raw)
		return nil
	}
	printHits(out, result, o)
	if result.ChunksSearched == 0 {
		fmt.Fprintln(c.err, "there is nothing to search yet; add documents with: ibid add PATH")
	}
	return nil
}

// longestHit bounds how much of a passage is shown, in columns; --json has all
// of it.
const longestHit = 400

func printHits(out *terminal, r api.SearchResult, o searchOptions) {
	for i, p := range r.Passages {
		rank := fmt.Sprintf("%2d  %.3f  ", i+1, p.Score)
		out.printf("%s%s\n", rank, out.paint(bold, say.OneLine(hitTitle(p), max(0, out.width-len(rank)))))
		shown := cmp.Or(p.Quote.Text, p.Text)
		if o.expand {
			shown = p.Text
		}
		out.printf("%s\n", marked(out, p, wrap(say.OneLine(shown, longestHit), strings.Repeat(" ", len(rank)), out.width)))
		out.printf("%s%s\n", strings.Repeat(" ", len(rank)), out.paint(dim, matchText(p.Match)))
	}
	if r.Warning != "" {
		out.printf("%s\n", out.paint(amber, "not all of the search worked: "+say.OneLine(r.Warning, 0)))
	}
	if len(r.Passages) == 0 {
		out.printf("nothing found\n")
	}
	said := fmt.Sprintf("%s of %s, mode %s, %.1f ms", say.Count(len(r.Passages), "passage"), say.Count(r.ChunksSearched, "chunk"), say.Safe(string(r.Mode)), r.TookMS)
	if r.Rerank != nil {
		said += ", reranked by " + say.Safe(r.Rerank.Method)
	}
	if r.Latency.Searches > 1 {
		said += fmt.Sprintf("; p50 %.1f ms and p99 %.1f ms of the last %d searches", r.Latency.P50MS, r.Latency.P99MS, r.Latency.Searches)
	}
	out.printf("%s\n", out.paint(dim, said))
}

var plainWord = regexp.MustCompile(`[\p{L}\p{N}]+`)

// marked paints the words of a passage that the query has.
func marked(out *terminal, p ibid.Passage, shown string) string {
	words := make(map[string]bool)
	for _, h := range p.Highlights {
		if from, to := h.Start-p.Start, h.End-p.Start; 0 <= from && from < to && to <= len(p.Text) {
			for _, w := range plainWord.FindAllString(p.Text[from:to], -1) {
				words[w] = true
			}
		}
	}
	return plainWord.ReplaceAllStringFunc(shown, func(w string) string {
		if words[w] {
			return out.paint(bold, w)
		}
		return w
	})
}

func hitTitle(p ibid.Passage) string {
	title := cmp.Or(p.Document.Title, p.Document.Name)
	page := p.Quote.Page
	if page == 0 && len(p.Pages) > 0 {
		page = p.Pages[0]
	}
	if page > 0 {
		title += ", page " + strconv.Itoa(page)
	}
	if len(p.Heading) > 0 {
		title += " — " + strings.Join(p.Heading, " › ")
	}
	return title
}

// matchText says which half of the search found a passage.
func matchText(m ibid.Match) string {
	var parts []string
	if m.LexicalRank > 0 {
		parts = append(parts, fmt.Sprintf("words: rank %d, score %.2f", m.LexicalRank, m.LexicalScore))
	}
	if m.VectorRank > 0 {
		parts = append(parts, fmt.Sprintf("meaning: rank %d, score %.3f", m.VectorRank, m.VectorScore))
	}
	if len(parts) > 1 {
		parts = append(parts, fmt.Sprintf("fused: %.3f", m.Fused))
	}
	return strings.Join(parts, " · ")
}
