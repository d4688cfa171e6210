package app

import (
	"log/slog"
	"path/filepath"
	"regexp"
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

// describeDatabases is what the model is told of each database, in a line each:
//
//   - "shop" (sqlite): customers(id, name); orders(id, total)
func describeDatabases(databases []ibid.Database) []ibid.DatabaseOutline {
	const longest = 1500 // bytes of what is said of one
	var all []ibid.DatabaseOutline
	for _, d := range databases {
		told := ibid.DatabaseOutline{Name: d.Name, Kind: string(d.Kind)}
		size := 0
		for _, t := range d.Tables {
			table := ibid.TableOutline{Name: t.Name}
			size += len(t.Name) + len("()")
			for _, c := range t.Columns {
				if plainName.MatchString(c.Name) {
					size += len(c.Name)
					if len(table.Columns) > 0 {
						size += len(", ")
					}
					table.Columns = append(table.Columns, c.Name)
				}
			}
			if size > longest || !plainName.MatchString(t.Name) {
				told.More++
				continue
			}
			told.Tables = append(told.Tables, table)
		}
		all = append(all, told)
	}
	return all
}
