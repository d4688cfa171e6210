package app

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/database"
	"ibid/internal/store/sqlite"
)

// openCatalog returns the databases that questions can be asked of.
func openCatalog(cfg config.Config, db *sqlite.DB, log *slog.Logger) *database.Catalog {
	return database.New(database.Config{
		Dir: filepath.Join(cfg.Data, "databases"), Forbidden: cfg.Data, Store: db,
		Limits:    database.Limits{Rows: cfg.Limits.QueryRows, Bytes: cfg.Limits.QueryKB << 10, Time: cfg.Limits.QueryTime},
		FileBytes: int64(cfg.Limits.FileMB) << 20, KeepRemoved: cfg.Limits.KeepRemoved,
		Now: time.Now, NewID: newID, Log: log,
	})
}

// plainName is a name that may stand in a prompt as it is. Names are data of
// whoever made the database; others are only counted here, and told by
// describe_database, quoted.
var plainName = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_. -]{0,39}$`)

// describeDatabases tells the model in a line each what databases there are:
//
//   - "shop" (sqlite): customers(id, name); orders(id, total)
func describeDatabases(databases []ibid.Database) string {
	const longest = 1500 // bytes of a line
	var lines []string
	for _, d := range databases {
		var tables []string
		left, size := 0, 0
		for _, t := range d.Tables {
			var columns []string
			for _, c := range t.Columns {
				if plainName.MatchString(c.Name) {
					columns = append(columns, c.Name)
				}
			}
			shown := fmt.Sprintf("%s(%s)", t.Name, strings.Join(columns, ", "))
			if size += len(shown); size > longest || !plainName.MatchString(t.Name) {
				left++
				continue
			}
			tables = append(tables, shown)
		}
		if left > 0 {
			tables = append(tables, fmt.Sprintf("and %d more", left))
		}
		lines = append(lines, fmt.Sprintf("- %q (%s): %s", d.Name, d.Kind, strings.Join(tables, "; ")))
	}
	return strings.Join(lines, "\n")
}
