package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/file"
	"ibid/internal/store/sqlite/seen"
)

// The levels of chunks. Sections and passages are rows; sentences are spans in
// the row of their passage.
const (
	sectionLevel  = 1
	passageLevel  = 2
	sentenceLevel = 3
)

// replaceChunks makes chunks of all levels, in the order of the text, those of a
// document. It keeps the rows that the new version still has, and with them
// their embeddings.
func replaceChunks(ctx context.Context, q querier, documentID string, chunks []ibid.Chunk) error {
	rows, ids := packLevels(chunks), []string{}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	keep, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	if _, err := q.ExecContext(ctx, `DELETE FROM chunks WHERE document_id = ? AND id NOT IN (SELECT value FROM json_each(?))`,
		documentID, string(keep)); err != nil {
		return fmt.Errorf("drop old chunks: %w", err)
	}
	for _, r := range rows {
		heading, _ := json.Marshal(r.Heading)
		pages, _ := json.Marshal(r.Pages)
		_, err := q.ExecContext(ctx, `INSERT INTO chunks (id, document_id, version, ordinal, level, parent_id, heading, pages, start_at, end_at, text, sentences)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET version = excluded.version, ordinal = excluded.ordinal, parent_id = excluded.parent_id,
				heading = excluded.heading, pages = excluded.pages, start_at = excluded.start_at, end_at = excluded.end_at,
				text = excluded.text, sentences = excluded.sentences`,
			r.ID, documentID, r.Version, r.Ordinal, r.Level, r.ParentID, string(heading), string(pages), r.Start, r.End, r.stored, r.sentences)
		if err != nil {
			return fmt.Errorf("save chunk %d of level %d: %w", r.Ordinal, r.Level, err)
		}
	}
	return nil
}

// chunkRow is a section or a passage as it is stored.
type chunkRow struct {
	ibid.Chunk
	stored    string // of a section only what stands between its passages
	sentences []byte // of a passage
}

// packLevels makes rows of chunks. A parent stands before its children.
func packLevels(chunks []ibid.Chunk) []*chunkRow {
	var rows []*chunkRow
	byID := map[string]*chunkRow{}
	ends := map[string]int{} // id → how far of it has been seen
	for _, c := range chunks {
		parent := byID[c.ParentID]
		gap := 0
		if parent != nil {
			gap = c.Start - ends[parent.ID]
			ends[parent.ID] = c.End
		}
		if c.Level == sentenceLevel {
			parent.sentences = binary.AppendUvarint(parent.sentences, uint64(gap))
			parent.sentences = binary.AppendUvarint(parent.sentences, uint64(c.End-c.Start))
			continue
		}
		r := &chunkRow{Chunk: c, stored: c.Text}
		switch {
		case c.Level == sectionLevel:
			r.stored = ""
		case parent != nil:
			at := c.Start - parent.Start
			parent.stored += parent.Text[at-gap : at]
			r.sentences = []byte{}
		}
		rows, byID[c.ID], ends[c.ID] = append(rows, r), r, c.Start
	}
	return rows
}

// Chunks returns the named chunks that exist, of whatever level, in no
// particular order.
func (db *DB) Chunks(ctx context.Context, view access.View, ids []string) ([]ibid.Chunk, error) {
	var rows, passages []string
	wanted := map[string]bool{}
	for _, id := range ids {
		if passage, _, ok := ibid.SentencePlace(id); ok {
			passages, wanted[id] = append(passages, passage), true
		} else {
			rows = append(rows, id)
		}
	}
	chunks, err := db.chunkRows(ctx, view, rows)
	if err != nil || len(passages) == 0 {
		return chunks, err
	}
	sentences, err := db.Sentences(ctx, view, passages)
	for _, s := range sentences {
		if wanted[s.ID] {
			chunks = append(chunks, s)
		}
	}
	return chunks, err
}

// DocumentChunks returns a page of a document's passages, in the order of its text.
func (db *DB) DocumentChunks(ctx context.Context, view access.View, documentID string, page ibid.Page) (passages []ibid.Chunk, next string, err error) {
	after := -1
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	rows, err := db.scanChunks(ctx, `document_id = (SELECT id FROM documents WHERE id = ?1 AND `+seen.By(view, "principal", 2)+`) AND level = 2 AND ordinal > ?3
		ORDER BY ordinal LIMIT ?4`, documentID, seen.Who(view), after, page.Size()+1)
	rows, next = file.CutPage(rows, page, func(c chunkRow) []any { return []any{c.Ordinal} })
	return chunksOf(rows), next, err
}

// Parents returns, by the id of each named chunk that has one, its parent: the
// section of a passage, the passage of a sentence.
func (db *DB) Parents(ctx context.Context, view access.View, chunkIDs []string) (map[string]ibid.Chunk, error) {
	children, err := db.Chunks(ctx, view, chunkIDs)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range children {
		if c.ParentID != "" {
			ids = append(ids, c.ParentID)
		}
	}
	found, err := db.Chunks(ctx, view, ids)
	if err != nil {
		return nil, err
	}
	byID, parents := map[string]ibid.Chunk{}, map[string]ibid.Chunk{}
	for _, p := range found {
		byID[p.ID] = p
	}
	for _, c := range children {
		if p, ok := byID[c.ParentID]; ok {
			parents[c.ID] = p
		}
	}
	return parents, nil
}

// Around returns, by the id of each named chunk, the passages of the section that it
// stands in and the passages directly before and after it, in the order of the text.
func (db *DB) Around(ctx context.Context, view access.View, chunkIDs []string) (map[string][]ibid.Chunk, error) {
	named, err := db.Chunks(ctx, view, chunkIDs)
	if err != nil {
		return nil, err
	}
	around := make(map[string][]ibid.Chunk, len(named))
	for _, c := range named {
		section, first, last := c.ParentID, c.Ordinal-1, c.Ordinal+1
		switch c.Level {
		case sectionLevel:
			section, first, last = c.ID, -1, -1
		case sentenceLevel:
			passage, _, _ := ibid.SentencePlace(c.ID)
			parents, err := db.Chunks(ctx, view, []string{passage})
			if err != nil || len(parents) == 0 {
				return nil, err
			}
			section, first, last = parents[0].ParentID, parents[0].Ordinal-1, parents[0].Ordinal+1
		}
		rows, err := db.scanChunks(ctx, `document_id = ? AND level = 2 AND (ordinal BETWEEN ? AND ? OR parent_id = ? AND parent_id <> '') ORDER BY ordinal`,
			c.DocumentID, first, last, section)
		if err != nil {
			return nil, fmt.Errorf("read what stands around chunk %s: %w", c.ID, err)
		}
		around[c.ID] = chunksOf(rows)
	}
	return around, nil
}

// Sentences returns the sentences of the named passages, those of one passage
// together and in order.
func (db *DB) Sentences(ctx context.Context, view access.View, passageIDs []string) ([]ibid.Chunk, error) {
	var out []ibid.Chunk
	err := inParts(passageIDs, func(part []string) error {
		rows, err := db.scanChunks(ctx, `level = 2 AND id IN (`+marks(len(part))+`) AND `+seen.Document(view, len(part)+1), append(anys(part), seen.Who(view))...)
		for _, r := range rows {
			out = append(out, r.unpackSentences()...)
		}
		return err
	})
	return out, err
}

// unpackSentences makes chunks of a passage's sentences.
func (r chunkRow) unpackSentences() []ibid.Chunk {
	var out []ibid.Chunk
	at, spans := 0, r.sentences
	next := func() int {
		v, n := binary.Uvarint(spans)
		spans = spans[max(n, 0):]
		return int(min(v, uint64(len(r.Text))))
	}
	for i := 0; len(spans) > 0; i++ {
		start := at + next()
		at = start + next()
		if start == at || at > len(r.Text) {
			return out // damaged: what was read so far holds
		}
		c := r.Chunk
		c.ID, c.ParentID, c.Level, c.Ordinal = ibid.SentenceID(r.ID, i), r.ID, sentenceLevel, i
		c.Text, c.Start, c.End = r.Text[start:at], r.Start+start, r.Start+at
		out = append(out, c)
	}
	return out
}

// chunkRows returns the named sections and passages.
func (db *DB) chunkRows(ctx context.Context, view access.View, ids []string) ([]ibid.Chunk, error) {
	var out []ibid.Chunk
	err := inParts(ids, func(part []string) error {
		rows, err := db.scanChunks(ctx, `id IN (`+marks(len(part))+`) AND `+seen.Document(view, len(part)+1), append(anys(part), seen.Who(view))...)
		if err == nil {
			rows, err = db.fillSections(ctx, rows)
		}
		out = append(out, chunksOf(rows)...)
		return err
	})
	return out, err
}

// fillSections gives the sections among rows their text, and leaves out those
// whose passages have changed since they were read.
func (db *DB) fillSections(ctx context.Context, rows []chunkRow) ([]chunkRow, error) {
	var ids []string
	for _, r := range rows {
		if r.Level == sectionLevel {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return rows, nil
	}
	passages, err := db.scanChunks(ctx, `level = 2 AND parent_id IN (`+marks(len(ids))+`) ORDER BY start_at`, anys(ids)...)
	if err != nil {
		return nil, err
	}
	children := map[string][]chunkRow{}
	for _, p := range passages {
		children[p.ParentID] = append(children[p.ParentID], p)
	}
	whole := rows[:0]
	for _, r := range rows {
		ok := true
		if r.Level == sectionLevel {
			r.Text, ok = assemble(r, children[r.ID])
		}
		if ok {
			whole = append(whole, r)
		}
	}
	return whole, nil
}

// assemble puts the text of a section together: its passages, and what it keeps
// of what stands between them. ok is false when these do not fit.
func assemble(section chunkRow, passages []chunkRow) (text string, ok bool) {
	var b strings.Builder
	between, at := section.stored, section.Start
	for _, p := range passages {
		gap := p.Start - at
		if gap < 0 || gap > len(between) {
			return "", false
		}
		b.WriteString(between[:gap])
		b.WriteString(p.Text)
		between, at = between[gap:], p.End
	}
	return b.String(), at == section.End && b.Len() == section.End-section.Start
}

func (db *DB) scanChunks(ctx context.Context, where string, args ...any) ([]chunkRow, error) {
	rows, err := db.readOnly.QueryContext(ctx, `SELECT id, document_id, version, ordinal, level, parent_id, heading, pages, start_at, end_at, text, sentences
		FROM chunks WHERE `+where, args...)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (chunkRow, error) {
		var c chunkRow
		var heading, pages string
		err := r.Scan(&c.ID, &c.DocumentID, &c.Version, &c.Ordinal, &c.Level, &c.ParentID, &heading, &pages, &c.Start, &c.End, &c.stored, &c.sentences)
		if err != nil {
			return c, err
		}
		c.Text = c.stored
		return c, errors.Join(json.Unmarshal([]byte(heading), &c.Heading), json.Unmarshal([]byte(pages), &c.Pages))
	})
}

func chunksOf(rows []chunkRow) []ibid.Chunk {
	var chunks []ibid.Chunk
	for _, r := range rows {
		chunks = append(chunks, r.Chunk)
	}
	return chunks
}

// inParts calls do with the names, some hundreds at a time: a statement has only
// so many parameters.
func inParts(names []string, do func(part []string) error) error {
	for part := range slices.Chunk(names, 500) {
		if err := do(part); err != nil {
			return err
		}
	}
	return nil
}

// Undivided returns documents whose passages have no section yet, by id.
func (db *DB) Undivided(ctx context.Context, page ibid.Page) (documentIDs []string, next string, err error) {
	var after string
	if _, err := page.DecodeCursor(&after); err != nil {
		return nil, "", err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT DISTINCT document_id FROM chunks
		WHERE document_id > ? AND level = 2 AND parent_id = '' ORDER BY document_id LIMIT ?`, after, page.Size())
	if err != nil {
		return nil, "", translate(err)
	}
	documentIDs, err = collect(rows, func(r *sql.Rows) (id string, err error) { return id, r.Scan(&id) })
	if err == nil && len(documentIDs) == page.Size() {
		next = ibid.EncodeCursor(documentIDs[len(documentIDs)-1])
	}
	return documentIDs, next, err
}

// Divide gives a document its chunks of all levels, unless another version has
// taken the place of theirs.
func (db *DB) Divide(ctx context.Context, documentID string, chunks []ibid.Chunk) error {
	return db.write(ctx, func(q querier) error {
		var version string
		err := q.QueryRowContext(ctx, `SELECT version FROM chunks WHERE document_id = ? AND level = 2 LIMIT 1`, documentID).Scan(&version)
		if errors.Is(err, sql.ErrNoRows) || err == nil && version != chunks[0].Version {
			return nil
		}
		if err != nil {
			return err
		}
		return replaceChunks(ctx, q, documentID, chunks)
	})
}
