package main

import (
	"log/slog"
	"path/filepath"
	"time"

	"ibid/internal/database"
	"ibid/internal/sqlite"
)

// openCatalog returns the databases that questions can be asked of.
func openCatalog(cfg Config, db *sqlite.DB, log *slog.Logger) *database.Catalog {
	return database.New(database.Config{
		Dir: filepath.Join(cfg.Data, "databases"), Forbidden: cfg.Data, Store: db,
		Limits:    database.Limits{Rows: cfg.Limits.QueryRows, Bytes: cfg.Limits.QueryKB << 10, Time: cfg.Limits.QueryTime},
		FileBytes: int64(cfg.Limits.FileMB) << 20, KeepRemoved: cfg.Limits.KeepRemoved,
		Now: time.Now, NewID: newID, Log: log,
	})
}
