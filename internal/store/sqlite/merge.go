package sqlite

import (
	"context"
	"fmt"
)

// mergePages bounds how much of an index is rewritten in one transaction, so that
// other writes hardly wait.
const mergePages = 500

// MergeNames merges the parts that the indexes of names and titles have come to
// consist of: each transaction that writes to one adds a part, and a search looks
// into all of them. It returns at once where there is nothing to merge.
func (db *DB) MergeNames(ctx context.Context) error {
	for _, table := range []string{"document_parts", "thread_titles"} {
		// A negative number begins a merge of all parts, positive ones go on with it
		// (https://www.sqlite.org/fts5.html#the_merge_command). It has ended when it
		// changes no more than the row of the command itself.
		for pages := -mergePages; ; pages = mergePages {
			var changed int
			err := db.write(ctx, func(q querier) error {
				var before, after int
				if err := q.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&before); err != nil {
					return err
				}
				if _, err := q.ExecContext(ctx, `INSERT INTO `+table+` (`+table+`, rank) VALUES ('merge', ?)`, pages); err != nil {
					return err
				}
				if err := q.QueryRowContext(ctx, `SELECT total_changes()`).Scan(&after); err != nil {
					return err
				}
				changed = after - before
				return nil
			})
			if err != nil {
				return fmt.Errorf("merge the index %s: %w", table, err)
			}
			if changed < 2 {
				break
			}
		}
	}
	return nil
}
