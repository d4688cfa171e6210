package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/app/datadir"
	"ibid/internal/blob"
	"ibid/internal/glob"
	"ibid/internal/server/api"
)

// holdingKinds lists what there may be, in the order in which it is shown. A
// file belongs to the first whose pattern fits its path; see kindOf.
func holdingKinds() []api.Holding {
	return []api.Holding{
		{What: "database", Path: datadir.DatabaseName, About: "documents, texts, the names in them, conversations, run logs"},
		{What: "database log", Path: "ibid.db-wal", About: "what the database has not taken into its file yet"},
		{What: "database index", Path: "ibid.db-shm", About: "shared memory of the database log"},
		{What: "identity", Path: "identity*", About: "shows that database and directory belong together"},
		{What: "recovery", Path: datadir.RecoveryName, About: "how far ibid recover has come"},
		{What: "set aside", Path: "*.damaged-*", About: "by ibid recover; yours to delete"},
		{What: "originals mount", Path: "files.mounted", About: "says that files lies on a disk of its own, which is waited for when it is not mounted"},
		{What: originalsHolding, Path: "files/*/*", About: "of the versions that are searched"},
		{What: olderHolding, Path: "files/*/*", About: "of versions that wait, are cited, or are swept after limits.keep_removed, and files that ibid doctor calls unknown"},
		{What: "uploads", Path: "files/tmp/*", About: "under way; what a crash left is deleted at the next start"},
		{What: "tables", Path: "databases/*", About: "of CSV files, workbooks and uploads that were added as databases"},
		{What: "search index", Path: "index.snapshot*", About: "can be built anew: ibid doctor --repair"},
		{What: "cache", Path: "cache/**", About: "the PDF reader, compiled; may be deleted"},
		{What: "reserve", Path: "reserve", About: "given up when the disk is full, so that answers can be closed"},
		{What: "lock", Path: "lock", About: "who holds the directory"},
		{What: "processes", Path: datadir.DatabaseName + "-processes/*", About: "who works on the database, and hints for each of them"},
		{What: "server", Path: "server.json", About: "where the server answers"},
		{What: "set aside", Path: "before-restore-*/**", About: "what lay here before a restore; delete it when you are sure"},
		{What: "restore", Path: "restore.*", About: "of a restore under way; run it again if none is"},
		{What: "configuration", Path: "ibid.toml", About: "yours"},
		{What: "other", Path: "**", About: "not ibid's"},
	}
}

// What originals are called in the inventory. They are listed by what keeps them, and
// the files of the data directory that are none by their paths.
const (
	originalsHolding = "originals"
	olderHolding     = "older originals"
)

// isOriginal reports whether a file of the data directory is one that the store of
// originals lists.
func isOriginal(path string) bool {
	parts := strings.Split(path, "/")
	return len(parts) == 3 && parts[0] == "files" && blob.IsHash(parts[2]) && strings.HasPrefix(parts[2], parts[1]) && len(parts[1]) == 2
}

// EachDocument looks at every document that a query asks for, a page at a time.
func (a *App) EachDocument(ctx context.Context, q ibid.DocumentQuery, look func(ibid.Document)) error {
	page := ibid.Page{Limit: ibid.MaxLimit}
	for {
		docs, next, err := a.DB.Documents(ctx, access.System("the inventory of the data directory"), q, page)
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
func (a *App) inventory(ctx context.Context) (api.Inventory, error) {
	searched := map[string]bool{}
	err := a.EachDocument(ctx, ibid.DocumentQuery{}, func(d ibid.Document) { searched[d.Version] = true })
	if err != nil {
		return api.Inventory{}, err
	}
	inv := api.Inventory{Data: a.cfg.Data}
	kinds := holdingKinds()
	for original, err := range blob.All(ctx, a.Originals) {
		if err != nil {
			return api.Inventory{}, fmt.Errorf("look at the originals: %w", err)
		}
		what := originalsHolding
		if !searched[original.Hash] {
			what = olderHolding
		}
		k := slices.IndexFunc(kinds, func(h api.Holding) bool { return h.What == what })
		kinds[k].Bytes += original.Bytes
		kinds[k].Files++
		inv.Bytes += original.Bytes
	}
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
		if isOriginal(filepath.ToSlash(rel)) {
			return ctx.Err() // it is counted above
		}
		k := kindOf(kinds, filepath.ToSlash(rel))
		kinds[k].Bytes += info.Size()
		kinds[k].Files++
		inv.Bytes += info.Size()
		return ctx.Err()
	})
	if err != nil {
		return api.Inventory{}, fmt.Errorf("look at the data directory: %w", err)
	}
	if kinds[0].Parts, err = a.databaseParts(ctx); err != nil {
		return api.Inventory{}, err
	}
	inv.Holdings = slices.DeleteFunc(kinds, func(h api.Holding) bool { return h.Files == 0 })
	if f := a.cfg.File; f != "" && filepath.Dir(f) != a.cfg.Data {
		if info, err := os.Stat(f); err == nil {
			inv.Holdings = append(inv.Holdings, api.Holding{What: "configuration", Path: f, Bytes: info.Size(), Files: 1, About: "yours"})
			inv.Bytes += info.Size()
		}
	}
	return inv, nil
}

// kindOf returns which holding a path belongs to.
func kindOf(kinds []api.Holding, path string) int {
	for i, k := range kinds {
		underWay := strings.HasPrefix(path, "files/tmp/")
		if !glob.Match(strings.Split(k.Path, "/"), strings.Split(path, "/")) || k.What == originalsHolding || k.What == olderHolding && underWay {
			continue
		}
		return i
	}
	return len(kinds) - 1
}

// databaseParts lists the tables, each with its indexes, the largest first.
func (a *App) databaseParts(ctx context.Context) ([]api.Part, error) {
	tables, free, err := a.DB.Sizes(ctx)
	if err != nil {
		return nil, err
	}
	var parts []api.Part
	for _, t := range tables {
		i := slices.IndexFunc(parts, func(p api.Part) bool { return p.What == t.Table })
		if i < 0 {
			i = len(parts)
			parts = append(parts, api.Part{What: t.Table})
		}
		parts[i].Bytes += t.Bytes
		parts[i].Rows += t.Rows
	}
	slices.SortStableFunc(parts, func(a, b api.Part) int { return int(b.Bytes - a.Bytes) })
	return append(parts, api.Part{What: "free, for what comes next", Bytes: free}), nil
}
