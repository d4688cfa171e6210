package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ibid"
	"ibid/internal/access"
)

// inventory says of every byte that is stored what it is and where it lies.
// The holdings are all files of the data directory and the configuration file,
// each counted once; what a database holds is listed below it.
type inventory struct {
	Data     string    `json:"data"` // the data directory
	Bytes    int64     `json:"bytes"`
	Holdings []holding `json:"holdings"`
}

type holding struct {
	What  string `json:"what"`
	Path  string `json:"path"` // within the data directory, else absolute
	Bytes int64  `json:"bytes"`
	Files int    `json:"files"`
	About string `json:"about"`
	Parts []part `json:"parts,omitempty"` // of the database: they are within Bytes, or still in its log
}

type part struct {
	What  string `json:"what"`
	Bytes int64  `json:"bytes"` // with its indexes
	Rows  int64  `json:"rows"`
}

func (c *cli) inventoryCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inventory",
		Short: "List every byte that is stored, and where it lies",
		Example: "  ibid inventory\n" +
			"  ibid inventory --json | jq '.holdings[] | [.bytes, .path]'",
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withSession(cmd, func(ctx context.Context, s *session) error {
				inv, err := s.inventory(ctx)
				if err != nil {
					return err
				}
				if asJSON {
					enc := json.NewEncoder(c.out)
					enc.SetIndent("", "  ")
					return enc.Encode(inv)
				}
				c.printInventory(inv)
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (c *cli) printInventory(inv inventory) {
	out := newTerminal(c.out, c.env)
	t := table{columns: []column{{title: "WHAT"}, {title: "SIZE", right: true}, {title: "FILES", right: true},
		{title: "ROWS", right: true}, {title: "WHERE", give: true}, {title: "ABOUT", give: true}}}
	for _, h := range inv.Holdings {
		t.add(h.What, byteSize(h.Bytes), strconv.Itoa(h.Files), "", h.Path, h.About)
		for _, p := range h.Parts {
			t.add("· "+p.What, byteSize(p.Bytes), "", strconv.FormatInt(p.Rows, 10), "", "")
		}
	}
	t.print(out)
	out.printf("%s in %s\n", byteSize(inv.Bytes), oneLine(inv.Data, 0))
	out.printf("Nothing is stored elsewhere: the server's log goes to standard error and is kept nowhere.\n")
}

func (c *client) inventory(ctx context.Context) (inventory, error) {
	var inv inventory
	err := c.call(ctx, get("/v1/inventory"), &inv)
	return inv, err
}

// holdingKinds lists what there may be, in the order in which it is shown. A
// file belongs to the first whose pattern fits its path; see kindOf.
func holdingKinds() []holding {
	return []holding{
		{What: "database", Path: databaseName, About: "documents, texts, the names in them, conversations, run logs"},
		{What: "database log", Path: "ibid.db-wal", About: "what the database has not taken into its file yet"},
		{What: "database index", Path: "ibid.db-shm", About: "shared memory of the database log"},
		{What: "identity", Path: "identity*", About: "shows that database and directory belong together"},
		{What: "recovery", Path: recoveryName, About: "how far ibid recover has come"},
		{What: "set aside", Path: "*.damaged-*", About: "by ibid recover; yours to delete"},
		{What: "originals", Path: "files/*/*", About: "of the versions that are searched"},
		{What: "older originals", Path: "files/*/*", About: "of versions that wait, are cited, or are swept after limits.keep_removed, and files that ibid doctor calls unknown"},
		{What: "uploads", Path: "files/tmp/*", About: "under way; what a crash left is deleted at the next start"},
		{What: "tables", Path: "databases/*", About: "of CSV files, workbooks and uploads that were added as databases"},
		{What: "search index", Path: "index.snapshot*", About: "can be built anew: ibid doctor --repair"},
		{What: "embedder", Path: "lsa.model*", About: "fitted on your documents; fitted anew when it is missing"},
		{What: "cache", Path: "cache/**", About: "the PDF reader, compiled; may be deleted"},
		{What: "reserve", Path: "reserve", About: "given up when the disk is full, so that answers can be closed"},
		{What: "lock", Path: "lock", About: "who holds the directory"},
		{What: "server", Path: "server.json", About: "where the server answers"},
		{What: "set aside", Path: "before-restore-*/**", About: "what lay here before a restore; delete it when you are sure"},
		{What: "restore", Path: "restore.*", About: "of a restore under way; run it again if none is"},
		{What: "configuration", Path: "ibid.toml", About: "yours"},
		{What: "other", Path: "**", About: "not ibid's"},
	}
}

// eachDocument looks at every document that a query asks for, a page at a time.
func (a *app) eachDocument(ctx context.Context, q ibid.DocumentQuery, look func(ibid.Document)) error {
	page := ibid.Page{Limit: ibid.MaxLimit}
	for {
		docs, next, err := a.db.Documents(ctx, access.System("the inventory of the data directory"), q, page)
		if err != nil {
			return fmt.Errorf("go through the documents: %w", err)
		}
		for _, d := range docs {
			look(d)
		}
		if page.Cursor = next; next == "" {
			return nil
		}
	}
}

// inventory looks at every file of the data directory.
func (a *app) inventory(ctx context.Context) (any, error) {
	searched := map[string]bool{}
	err := a.eachDocument(ctx, ibid.DocumentQuery{}, func(d ibid.Document) { searched[d.Version] = true })
	if err != nil {
		return nil, err
	}
	inv := inventory{Data: a.cfg.Data}
	kinds := holdingKinds()
	err = filepath.WalkDir(a.cfg.Data, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went while we looked
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		rel, err := filepath.Rel(a.cfg.Data, path)
		if err != nil {
			return err
		}
		k := kindOf(kinds, filepath.ToSlash(rel), searched)
		kinds[k].Bytes += info.Size()
		kinds[k].Files++
		inv.Bytes += info.Size()
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("look at the data directory: %w", err)
	}
	if kinds[0].Parts, err = a.databaseParts(ctx); err != nil {
		return nil, err
	}
	inv.Holdings = slices.DeleteFunc(kinds, func(h holding) bool { return h.Files == 0 })
	if f := a.cfg.File; f != "" && filepath.Dir(f) != a.cfg.Data {
		if info, err := os.Stat(f); err == nil {
			inv.Holdings = append(inv.Holdings, holding{What: "configuration", Path: f, Bytes: info.Size(), Files: 1, About: "yours"})
			inv.Bytes += info.Size()
		}
	}
	return inv, nil
}

// kindOf returns which holding a path belongs to.
func kindOf(kinds []holding, path string, searched map[string]bool) int {
	for i, k := range kinds {
		if !matchParts(strings.Split(k.Path, "/"), strings.Split(path, "/")) {
			continue
		}
		underWay := strings.HasPrefix(path, "files/tmp/")
		current := searched[path[strings.LastIndexByte(path, '/')+1:]]
		switch k.What {
		case "originals":
			if underWay || !current {
				continue
			}
		case "older originals":
			if underWay {
				continue
			}
		}
		return i
	}
	return len(kinds) - 1
}

// databaseParts lists the tables, each with its indexes, the largest first.
func (a *app) databaseParts(ctx context.Context) ([]part, error) {
	tables, free, err := a.db.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, t := range tables {
		i := slices.IndexFunc(parts, func(p part) bool { return p.What == t.Table })
		if i < 0 {
			i = len(parts)
			parts = append(parts, part{What: t.Table})
		}
		parts[i].Bytes += t.Bytes
		parts[i].Rows += t.Rows
	}
	slices.SortStableFunc(parts, func(a, b part) int { return int(b.Bytes - a.Bytes) })
	return append(parts, part{What: "free, for what comes next", Bytes: free}), nil
}
