package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

// nameChunks writes down what passages name, for those among the wanted that are
// there. An update of one replaces what it named before.
func nameChunks(ctx context.Context, q querier, namings []ibid.Naming, by ibid.NamedBy, wanted string, args ...any) error {
	numbers, err := numberPassages(ctx, q, wanted, args...)
	if err != nil {
		return err
	}
	type mention = [4]any // passage, key, name, count
	var passages [][2]any
	mentions := []mention{}
	for _, n := range namings {
		number, ok := numbers[n.ChunkID]
		if !ok {
			continue
		}
		passages = append(passages, [2]any{n.ChunkID, number})
		for _, e := range n.Entities {
			mentions = append(mentions, mention{number, e.Key, e.Name, e.Count})
		}
	}
	named, err := json.Marshal(passages)
	if err != nil || len(passages) == 0 {
		return err
	}
	found, err := json.Marshal(mentions)
	if err != nil {
		return err
	}
	for _, s := range []struct {
		query string
		args  []any
	}{
		{`UPDATE chunks SET number = p.value ->> 1, named_by = ?2 FROM json_each(?1) p WHERE chunks.id = p.value ->> 0`, []any{string(named), by}},
		{`DELETE FROM mentions WHERE passage IN (SELECT value ->> 1 FROM json_each(?))`, []any{string(named)}},
		{`INSERT INTO entities (key, name) SELECT value ->> 1, value ->> 2 FROM json_each(?) WHERE true ON CONFLICT (key) DO NOTHING`, []any{string(found)}},
		{`INSERT INTO mentions (passage, entity, count) SELECT m.value ->> 0, e.id, m.value ->> 3
			FROM json_each(?) m JOIN entities e ON e.key = m.value ->> 1 WHERE true ON CONFLICT (passage, entity) DO NOTHING`, []any{string(found)}},
	} {
		if _, err := q.ExecContext(ctx, s.query, s.args...); err != nil {
			return fmt.Errorf("save what passages name: %w", err)
		}
	}
	return nil
}

// numberPassages returns the numbers of the wanted passages by id; those that
// have none are given the next ones.
func numberPassages(ctx context.Context, q querier, wanted string, args ...any) (map[string]int64, error) {
	var last int64
	if err := q.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM chunks`).Scan(&last); err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT id, coalesce(number, 0) FROM chunks WHERE level = 2 AND `+wanted, args...)
	if err != nil {
		return nil, err
	}
	numbers := map[string]int64{}
	_, err = collect(rows, func(r *sql.Rows) (struct{}, error) {
		var id string
		var number int64
		err := r.Scan(&id, &number)
		if number == 0 {
			last++
			number = last
		}
		numbers[id] = number
		return struct{}{}, err
	})
	return numbers, err
}

// PutNamings writes down what passages name, in place of what was known of them.
// Passages that were removed meanwhile are passed over.
func (db *DB) PutNamings(ctx context.Context, namings []ibid.Naming, by ibid.NamedBy) error {
	ids := make([]string, len(namings))
	for i, n := range namings {
		ids[i] = n.ChunkID
	}
	wanted, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return db.write(ctx, func(q querier) error {
		return nameChunks(ctx, q, namings, by, `id IN (SELECT value FROM json_each(?))`, string(wanted))
	})
}

// MarkNamed says who has looked at passages, and leaves what they name.
func (db *DB) MarkNamed(ctx context.Context, chunkIDs []string, by ibid.NamedBy) error {
	ids, err := json.Marshal(chunkIDs)
	if err != nil {
		return err
	}
	return db.write(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, `UPDATE chunks SET named_by = ? WHERE level = 2 AND number IS NOT NULL
			AND id IN (SELECT value FROM json_each(?))`, by, string(ids))
		return err
	})
}

// PassagesNamedBy returns some passages that were last looked at by somebody.
func (db *DB) PassagesNamedBy(ctx context.Context, by ibid.NamedBy, limit int) ([]ibid.Chunk, error) {
	rows, err := db.scanChunks(ctx, `level = 2 AND named_by = ? ORDER BY rowid LIMIT ?`, by, limit)
	return chunksOf(rows), err
}

// NamingCounts returns how many passages were looked at by whom, and how many
// entities they name.
func (db *DB) NamingCounts(ctx context.Context) (passages map[ibid.NamedBy]int, entities int, err error) {
	rows, err := db.readOnly.QueryContext(ctx, `SELECT by, passages FROM named WHERE passages > 0`)
	if err != nil {
		return nil, 0, translate(err)
	}
	passages = map[ibid.NamedBy]int{}
	_, err = collect(rows, func(r *sql.Rows) (struct{}, error) {
		var by ibid.NamedBy
		var n int
		err := r.Scan(&by, &n)
		passages[by] = n
		return struct{}{}, err
	})
	if err != nil {
		return nil, 0, translate(err)
	}
	err = db.readOnly.QueryRowContext(ctx, `SELECT entities FROM library WHERE principal = ''`).Scan(&entities)
	return passages, entities, translate(err)
}

// Namings returns what the passages of a document name, in their order: a page of the
// passages that name anything.
func (db *DB) Namings(ctx context.Context, view access.View, documentID string, page ibid.Page) (namings []ibid.Naming, next string, err error) {
	after := -1
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT p.id, p.ordinal, e.key, e.name, m.count FROM
		(SELECT id, ordinal, number FROM chunks WHERE document_id = (SELECT id FROM documents WHERE id = ?1 AND `+seen.By(view, "principal", 2)+`)
			AND level = 2 AND ordinal > ?3 AND EXISTS (SELECT 1 FROM mentions WHERE passage = number) ORDER BY ordinal LIMIT ?4) p
		CROSS JOIN mentions m ON m.passage = p.number JOIN entities e ON e.id = m.entity ORDER BY p.ordinal, e.key`,
		documentID, seen.Who(view), after, page.Size()+1)
	if err != nil {
		return nil, "", translate(err)
	}
	type naming struct {
		ibid.Naming
		ordinal int
	}
	var all []naming
	_, err = collect(rows, func(r *sql.Rows) (struct{}, error) {
		var of naming
		var e ibid.Entity
		err := r.Scan(&of.ChunkID, &of.ordinal, &e.Key, &e.Name, &e.Count)
		if len(all) == 0 || all[len(all)-1].ChunkID != of.ChunkID {
			all = append(all, of)
		}
		all[len(all)-1].Entities = append(all[len(all)-1].Entities, e)
		return struct{}{}, err
	})
	all, next = file.CutPage(all, page, func(n naming) []any { return []any{n.ordinal} })
	for _, n := range all {
		namings = append(namings, n.Naming)
	}
	return namings, next, err
}

// EntityKeys returns the keys of the entities that a key may mean: itself where
// it is known, else those that hold it, or that it holds, as whole words; the
// most often named first.
func (db *DB) EntityKeys(ctx context.Context, view access.View, key string, limit int) ([]string, error) {
	var known bool
	err := db.readOnly.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM entities WHERE key = ?1 AND `+namedInSeen(view, 2)+`)`, key, seen.Who(view)).Scan(&known)
	if err != nil || key == "" {
		return nil, translate(err)
	}
	if known {
		return []string{key}, nil
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT key FROM entities
		WHERE (instr(' ' || key || ' ', ' ' || ?1 || ' ') > 0 OR instr(' ' || ?1 || ' ', ' ' || key || ' ') > 0) AND `+namedInSeen(view, 3)+`
		ORDER BY instr(' ' || key || ' ', ' ' || ?1 || ' ') = 0, (SELECT count(*) FROM mentions WHERE entity = entities.id) DESC, key
		LIMIT ?2`, key, limit, seen.Who(view))
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (key string, err error) { return key, r.Scan(&key) })
}

// PassagesNaming returns, by key, the ids of the passages in a scope that name
// an entity, those that name it most often first, at most so many each.
func (db *DB) PassagesNaming(ctx context.Context, view access.View, keys []string, scope ibid.Scope, each int) (map[string][]string, error) {
	p := plan{from: `entities e JOIN mentions m ON m.entity = e.id JOIN chunks c ON c.number = m.passage`}
	if !scope.IsZero() || !view.All() {
		filters, ok, err := db.within(ctx, view, scope)
		if err != nil || !ok {
			return nil, err
		}
		p.from += ` JOIN document_keys k ON k.id = c.document_id`
		for _, f := range filters {
			p.filter(f.where, f.args...)
		}
	}
	p.filter(`e.key = ?`)
	out := map[string][]string{}
	for _, key := range keys {
		rows, err := db.readOnly.QueryContext(ctx, `SELECT c.id FROM `+p.rows()+` ORDER BY m.count DESC, c.number LIMIT ?`, append(p.args[:len(p.args):len(p.args)], key, each)...)
		if err != nil {
			return nil, translate(err)
		}
		out[key], err = collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
		if err != nil {
			return nil, translate(err)
		}
	}
	return out, nil
}

// namedInSeen is true of an entity that some passage names whose document is seen.
func namedInSeen(view access.View, n int) string {
	if view.All() {
		return "true"
	}
	return `EXISTS (SELECT 1 FROM mentions m JOIN chunks c ON c.number = m.passage JOIN documents d ON d.id = c.document_id
		WHERE m.entity = entities.id AND ` + seen.By(view, "d.principal", n) + `)`
}

// maxNeighbours bounds how many entities of some passages are looked at.
const maxNeighbours = 300

// Neighbours returns what some passages name, what most of them name first, and
// how many passages of the library were looked at. That number, and how many passages
// name a neighbour, are statistics of the whole library, whoever looks.
func (db *DB) Neighbours(ctx context.Context, view access.View, chunkIDs []string) (near []ibid.Neighbour, passages int, err error) {
	ids, err := json.Marshal(chunkIDs)
	if err != nil {
		return nil, 0, err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT e.key, e.name, n.together, (SELECT count(*) FROM mentions WHERE entity = e.id)
		FROM (SELECT m.entity, count(*) AS together FROM chunks JOIN mentions m ON m.passage = chunks.number
			WHERE chunks.id IN (SELECT value FROM json_each(?1)) AND `+seen.Document(view, 3)+` GROUP BY m.entity ORDER BY together DESC, m.entity LIMIT ?2) n
		JOIN entities e ON e.id = n.entity ORDER BY n.together DESC, e.key`, string(ids), maxNeighbours, seen.Who(view))
	if err != nil {
		return nil, 0, translate(err)
	}
	near, err = collect(rows, func(r *sql.Rows) (n ibid.Neighbour, err error) {
		return n, r.Scan(&n.Key, &n.Name, &n.Together, &n.Passages)
	})
	if err != nil || len(near) == 0 {
		return nil, 0, translate(err)
	}
	err = db.readOnly.QueryRowContext(ctx, `SELECT coalesce(sum(passages), 0) FROM named WHERE by > 0`).Scan(&passages)
	return near, passages, translate(err)
}
