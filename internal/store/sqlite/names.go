package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/question"
	"ibid/internal/text"
)

// maxCalled bounds how many documents a name is compared with.
const maxCalled = 500

// partFilter lets the documents through that a folded text is a part of: of a
// name, folder, category or tag.
func (db *DB) partFilter(ctx context.Context, folded string) (filter, error) {
	f := filter{where: `instr(k.folded, ?) BETWEEN 1 AND instr(k.folded, char(11))`, args: []any{folded}}
	match, n, err := db.matchParts(ctx, []string{folded})
	if err != nil || match == "" || n > db.few {
		return f, err
	}
	f.from = `document_parts s CROSS JOIN document_keys k ON document_parts MATCH ? AND k.number = s.rowid AND ` + f.where
	f.fromArgs, f.documents = []any{match, folded}, n
	return f, nil
}

// maxTerms bounds in how many parts of three characters a shorter one is looked
// for.
const maxTerms = 300

// matchParts returns the expression that finds the documents whose folded parts
// have all of some texts in them, and how many there are, not counting on
// where they are no longer few. match is "" where that would find too many.
func (db *DB) matchParts(ctx context.Context, wanted []string) (match string, n int, err error) {
	var all []string
	for _, s := range wanted {
		if utf8.RuneCountInString(s) >= 3 {
			all = append(all, ftsPhrase(s))
			continue
		}
		terms, err := db.termsFrom(ctx, s)
		if err != nil {
			return "", 0, err
		}
		if len(terms) > 0 && len(terms) <= maxTerms {
			all = append(all, "("+strings.Join(terms, " OR ")+")")
		} else if len(terms) == 0 {
			return `"\v\v\v"`, 0, nil
		}
	}
	if len(all) == 0 {
		return "", 0, nil
	}
	match = strings.Join(all, " AND ")
	err = db.readOnly.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM document_parts WHERE document_parts MATCH ? LIMIT ?)`,
		match, db.few+1).Scan(&n)
	return match, n, translate(err)
}

func ftsPhrase(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// termsFrom returns the parts of three characters that begin with one or two, one
// more than maxTerms at most.
func (db *DB) termsFrom(ctx context.Context, beginning string) ([]string, error) {
	if beginning == "" {
		return nil, nil
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT term FROM document_parts_terms WHERE term >= ? AND term < ? LIMIT ?`,
		beginning, beginning+string(utf8.MaxRune), maxTerms+1)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (term string, err error) {
		err = r.Scan(&term)
		return ftsPhrase(term), err
	})
}

// Called returns documents of a scope that a name fits in one way, by name; not
// more than maxCalled of them.
func (db *DB) Called(ctx context.Context, view access.View, scope ibid.Scope, how ibid.NameMatch, name string) ([]ibid.Document, error) {
	folded := text.NormalizeName(name)
	if folded == "" {
		return nil, nil
	}
	if how == ibid.NameContains {
		return db.containing(ctx, view, scope, folded)
	}
	from := `document_names n CROSS JOIN document_keys k ON k.number = n.number AND `
	var args []any
	switch how {
	case ibid.NameExact:
		from += `n.folded = ? AND n.written = ?`
		args = []any{folded, name}
	case ibid.NameSame:
		from += `n.folded = ?`
		args = []any{folded}
	case ibid.NameStem: // '/' comes right behind '.'
		stem := text.NameStem(folded)
		from += `(n.folded = ? OR n.folded >= ? AND n.folded < ?)`
		args = []any{stem, stem + ".", stem + "/"}
	case ibid.NameBegins:
		from += `n.folded >= ? AND n.folded < ?`
		args = []any{folded, folded + string(utf8.MaxRune)}
	}
	return db.among(ctx, view, scope, from, args)
}

// containing is Called by parts of names.
func (db *DB) containing(ctx context.Context, view access.View, scope ibid.Scope, folded string) ([]ibid.Document, error) {
	f, err := db.partFilter(ctx, folded)
	if err != nil {
		return nil, err
	}
	from, args := f.from, f.fromArgs
	if from == "" {
		whose, err := db.principals(ctx, view)
		if err != nil {
			return nil, err
		}
		from, args = `json_each(?) w CROSS JOIN document_keys k INDEXED BY document_keys_by_name ON k.principal = w.value`, []any{jsonList(whose)}
	}
	return db.among(ctx, view, scope, from, args, filter{where: `instr(k.folded, ?) BETWEEN 1 AND instr(k.folded, char(13))`, args: []any{folded}})
}

// among returns some documents of a scope, by name, maxCalled at most. from names
// document_keys k.
func (db *DB) among(ctx context.Context, view access.View, scope ibid.Scope, from string, args []any, also ...filter) ([]ibid.Document, error) {
	p := plan{from: from, args: args}
	filters, ok, err := db.within(ctx, view, scope)
	if err != nil || !ok {
		return nil, err
	}
	for _, f := range append(filters, also...) {
		p.filter(f.where, f.args...)
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT d.principal, d.data FROM (
		SELECT DISTINCT k.id, k.name, k.number FROM `+p.rows()+` LIMIT ?
		) p CROSS JOIN documents d ON d.id = p.id ORDER BY p.name, p.number`, append(p.args, maxCalled)...)
	if err != nil {
		return nil, translate(err)
	}
	return collect(rows, func(r *sql.Rows) (ibid.Document, error) { return scanDocument(r) })
}

// Mentioned returns the documents of a scope that a question may name, for
// question.MentionsAmong to decide, and how many documents the scope has, if these are
// few. A name that more than maxCalled documents have names none of them.
func (db *DB) Mentioned(ctx context.Context, view access.View, scope ibid.Scope, asked string) (candidates []ibid.Document, of int, err error) {
	wholes, parts := question.MentionKeys(asked)
	found, err := db.among(ctx, view, scope, `json_each(?) w CROSS JOIN document_names n INDEXED BY document_names_by_key ON n.key = w.value
		CROSS JOIN document_keys k ON k.number = n.number`, []any{jsonList(wholes)})
	if err != nil {
		return nil, 0, fmt.Errorf("look for the names in a question: %w", err)
	}
	if len(found) < maxCalled {
		candidates = found
	}
	for _, wanted := range parts {
		found, err := db.withWords(ctx, view, scope, wanted)
		if err != nil {
			return nil, 0, fmt.Errorf("look for words of names: %w", err)
		}
		candidates = append(candidates, found...)
	}
	slices.SortStableFunc(candidates, func(a, b ibid.Document) int {
		return strings.Compare(a.Name+"\x00"+a.ID, b.Name+"\x00"+b.ID)
	})
	candidates = slices.CompactFunc(candidates, func(a, b ibid.Document) bool { return a.ID == b.ID })
	of, _, err = db.CountDocuments(ctx, view, ibid.DocumentQuery{Scope: scope})
	return candidates, of, err
}

// withWords returns documents of a scope whose names have some words: one more than
// the words may mean is enough to know that they mean none.
func (db *DB) withWords(ctx context.Context, view access.View, scope ibid.Scope, wanted []string) ([]ibid.Document, error) {
	var parts []string
	for _, w := range wanted {
		if len(w) > 3 {
			w = strings.TrimSuffix(w, "s")
		}
		parts = append(parts, w)
	}
	match, _, err := db.matchParts(ctx, parts)
	if err != nil {
		return nil, err
	}
	if match == "" { // single letters: they are in every name
		return nil, nil
	}
	p := plan{
		from: `document_parts s CROSS JOIN document_keys k ON document_parts MATCH ? AND k.number = s.rowid CROSS JOIN documents d ON d.id = k.id`,
		args: []any{match},
	}
	filters, ok, err := db.within(ctx, view, scope)
	if err != nil || !ok {
		return nil, err
	}
	for _, f := range filters {
		p.filter(f.where, f.args...)
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT d.principal, d.data FROM `+p.rows(), p.args...)
	if err != nil {
		return nil, translate(err)
	}
	defer rows.Close()
	var fit []ibid.Document
	for rows.Next() && len(fit) <= question.MaxMeant {
		d, err := scanDocument(rows)
		if err != nil {
			return nil, err
		}
		if question.HasWords(d.Names(), wanted) {
			fit = append(fit, d)
		}
	}
	return fit, translate(rows.Err())
}

// Bounds of the search for names like another one: how many documents may have a
// part of three characters for it to tell them apart, and how many are compared.
const (
	maxSharing  = 300
	maxCompared = 1000
)

// Alike returns the documents of a scope whose names are most like a folded one, the
// most alike first. Where too few are, those that come first by name follow.
func (db *DB) Alike(ctx context.Context, view access.View, scope ibid.Scope, folded string, limit int) ([]ibid.Document, error) {
	var telling []string
	shared := 0
	runes := []rune(folded)
	for i := 0; i+3 <= len(runes) && shared < maxCompared; i++ {
		part := ftsPhrase(string(runes[i : i+3]))
		var n int
		err := db.readOnly.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM document_parts WHERE document_parts MATCH ? LIMIT ?)`,
			part, maxSharing+1).Scan(&n)
		if err != nil {
			return nil, translate(err)
		}
		if n > 0 && n <= maxSharing {
			telling = append(telling, part)
			shared += n
		}
	}
	first, _, err := db.Documents(ctx, view, ibid.DocumentQuery{Scope: scope}, ibid.Page{Limit: limit + fewAlike})
	if err != nil {
		return nil, err
	}
	candidates := first
	if len(telling) > 0 {
		found, err := db.among(ctx, view, scope, `document_parts s CROSS JOIN document_keys k ON document_parts MATCH ? AND k.number = s.rowid`,
			[]any{strings.Join(telling, " OR ")})
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, found...)
	}
	return mostAlike(candidates, folded, limit), nil
}

// fewAlike is how many documents are compared whatever they are called.
const fewAlike = 50

// mostAlike orders documents by how much of a folded name is in theirs, then by
// name.
func mostAlike(docs []ibid.Document, folded string, limit int) []ibid.Document {
	share := map[string]float64{}
	for _, d := range docs {
		for _, name := range d.Names() {
			share[d.ID] = max(share[d.ID], text.Likeness(folded, text.NormalizeName(name)))
		}
	}
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b ibid.Document) int {
		return cmp.Or(cmp.Compare(share[b.ID], share[a.ID]), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	docs = slices.CompactFunc(docs, func(a, b ibid.Document) bool { return a.ID == b.ID })
	return docs[:min(len(docs), limit)]
}
