package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/store/sqlite/schema"
	"ibid/internal/text"
)

// A query is driven by the narrowest of its filters: it looks at the documents that
// the filter lets through, in the order of the list, and asks the other filters
// about each, until the page is full. Where that filter's index has another order,
// and few documents pass, these are sorted; where many pass, all documents are
// walked in the order of the list, as then the page fills soon.

// fewDocuments is how many documents are sorted for a page at most.
const fewDocuments = 2000

// countedDocuments bounds how many documents are counted one by one.
const countedDocuments = 1000

// filter is a condition that documents must satisfy.
type filter struct {
	where string // on document_keys k
	args  []any
	// from is where the documents that pass can be looked at alone: a table, or a
	// join, that names document_keys k. "" where there is no such way.
	from      string
	fromArgs  []any
	documents int // how many pass, or a bound of it; only of use with from
	// table has the documents of from in the orders of sorts, of none where that is
	// empty; its columns are called as those of document_keys.
	table string
	sorts []ibid.DocumentSort
	exact bool // documents is how many pass, not a bound
}

// plan is a query as SQL.
type plan struct {
	none   bool // nothing can fit
	from   string
	where  []string
	args   []any
	sort   ibid.DocumentSort
	column string // the list is ordered by this
	number string // and then by this
	down   bool
	known  int // how many documents fit; -1 when that would have to be counted
}

// listOrders are the columns of document_keys that lists are ordered by.
var listOrders = map[ibid.DocumentSort]string{ibid.SortName: "name", ibid.SortAdded: "added_at", ibid.SortChanged: "changed_at"}

// plan chooses how a query is answered.
func (db *DB) plan(ctx context.Context, view access.View, q ibid.DocumentQuery) (plan, error) {
	sort := cmp.Or(q.Sort, ibid.SortName)
	column := listOrders[sort]
	if column == "" {
		return plan{}, ibid.Errorf(ibid.CodeBadRequest, "there is no order %q; there are name, added and changed", sort)
	}
	p := plan{sort: sort, column: "k." + column, number: "k.number", down: sort != ibid.SortName, known: -1}
	whose, err := db.principals(ctx, view)
	if err != nil {
		return p, err
	}
	filters, ok, err := db.filters(ctx, whose, q)
	if err != nil {
		return p, err
	}
	if !ok || q.Scope.OnlyDatabases() {
		p.none, p.known = true, 0
		return p, nil
	}
	switch {
	case len(filters) == 0:
		total, err := db.totals(ctx, whose)
		if err != nil {
			return p, err
		}
		p.known = total.Documents
	case len(filters) == 1 && filters[0].exact:
		p.known = filters[0].documents
	}
	driver := -1
	for i, f := range filters {
		if f.from != "" && (driver < 0 || f.documents < filters[driver].documents) {
			driver = i
		}
	}
	if driver >= 0 && filters[driver].documents > db.few && !slices.Contains(filters[driver].sorts, sort) {
		driver = -1
	}
	switch {
	case driver < 0:
		p.from = "document_keys k INDEXED BY document_keys_by_" + string(sort)
		whose := ofOne(whose, "k.principal")
		p.filter(whose.where, whose.args...)
	default:
		whose := ofOne(whose, "+k.principal") // the plus keeps SQLite from driving by it
		f := filters[driver]
		p.from, p.args = f.from, f.fromArgs
		p.filter(whose.where, whose.args...)
		if slices.Contains(f.sorts, sort) {
			p.column, p.number = f.table+"."+column, f.table+".number"
		}
	}
	for i, f := range filters {
		if i != driver {
			p.filter(f.where, f.args...)
		}
	}
	return p, nil
}

// ofOne is the condition that a column holds one of some principals.
func ofOne(principals []string, column string) filter {
	if len(principals) == 1 {
		return filter{where: column + ` = ?`, args: []any{principals[0]}}
	}
	return filter{where: column + ` IN (SELECT value FROM json_each(?))`, args: []any{jsonList(principals)}}
}

// within returns the conditions of what a view sees of a scope. ok is false where it
// sees nothing of it.
func (db *DB) within(ctx context.Context, view access.View, scope ibid.Scope) (filters []filter, ok bool, err error) {
	whose, err := db.principals(ctx, view)
	if err != nil || scope.OnlyDatabases() {
		return nil, false, err
	}
	filters, ok, err = db.filters(ctx, whose, ibid.DocumentQuery{Scope: scope})
	return append(filters, ofOne(whose, "+k.principal")), ok, err
}

// filters returns the conditions of a query of some principals' documents, but for
// that very one. ok is false where no document can satisfy one of them.
func (db *DB) filters(ctx context.Context, whose []string, q ibid.DocumentQuery) (filters []filter, ok bool, err error) {
	if len(whose) == 0 {
		return nil, false, nil
	}
	labels := wantedLabels(q)
	for _, l := range labels {
		ids, documents, err := db.findLabel(ctx, whose, l)
		if err != nil || documents == 0 {
			return nil, false, err
		}
		filters = append(filters, labelFilter(ids, documents))
	}
	if len(q.Status) > 0 {
		f, err := db.statusFilter(ctx, whose, q.Status)
		if err != nil || f.documents == 0 {
			return nil, false, err
		}
		filters = append(filters, f)
	}
	if len(q.Scope.Documents) > 0 {
		ids := slices.Compact(slices.Sorted(slices.Values(q.Scope.Documents)))
		filters = append(filters, filter{
			where: `k.id IN (SELECT value FROM json_each(?))`, args: []any{jsonList(ids)},
			from: `json_each(?) i CROSS JOIN document_keys k ON k.id = i.value`, fromArgs: []any{jsonList(ids)}, documents: len(ids),
		})
	}
	if q.Source != "" {
		const bySource = `(SELECT id FROM documents WHERE principal IN (SELECT value FROM json_each(?)) AND source = ? AND removed_at IS NULL)`
		args := []any{jsonList(whose), q.Source}
		filters = append(filters, filter{
			where: `k.id IN ` + bySource, args: args,
			from: bySource + ` i CROSS JOIN document_keys k ON k.id = i.id`, fromArgs: args, documents: len(whose),
		})
	}
	if q.Name != "" {
		filters = append(filters, filter{
			where: `k.name = ?`, args: []any{q.Name},
			from:      `json_each(?) w CROSS JOIN document_keys k INDEXED BY document_keys_by_name ON k.principal = w.value AND k.name = ?`,
			fromArgs:  []any{jsonList(whose), q.Name},
			documents: 1, table: "k", sorts: []ibid.DocumentSort{ibid.SortName}, // as a rule
		})
	}
	if q.ID != "" {
		const byID = `k.id >= ? AND k.id < ? || char(0x10FFFF)`
		filters = append(filters, filter{
			where: byID, args: []any{q.ID, q.ID},
			from: `(SELECT ? AS id) i CROSS JOIN document_keys k ON k.id >= i.id AND k.id < i.id || char(0x10FFFF)`, fromArgs: []any{q.ID},
			documents: 1, // as a rule
		})
	}
	if called := text.NormalizeName(q.Called); called != "" {
		f, err := db.partFilter(ctx, called)
		if err != nil {
			return nil, false, err
		}
		filters = append(filters, f)
	}
	return filters, true, nil
}

// wantedLabels returns the labels that all documents of a query have.
func wantedLabels(q ibid.DocumentQuery) []schema.Label {
	var labels []schema.Label
	add := func(kind, value string) {
		if value != "" {
			labels = append(labels, schema.Label{Kind: kind, Value: value})
		}
	}
	add(schema.LabelFolder, q.Scope.Folder)
	add(schema.LabelCategory, q.Scope.Category)
	add(schema.LabelPartOf, q.PartOf)
	for _, tag := range q.Scope.Tags {
		labels = append(labels, schema.Label{Kind: schema.LabelTag, Value: tag})
	}
	for name, value := range q.Scope.Metadata {
		labels = append(labels, schema.FieldLabel(name, value))
	}
	if q.InFolder != nil {
		labels = append(labels, schema.Label{Kind: schema.LabelInFolder, Value: *q.InFolder})
	}
	return labels
}

// labelFilter lets documents through that have a label; each principal has a number
// of its own for it.
func labelFilter(ids []int64, documents int) filter {
	f := filter{documents: documents, exact: true, table: "l"}
	if len(ids) == 1 {
		f.where = `EXISTS (SELECT 1 FROM document_labels x WHERE x.label = ? AND x.name = k.name AND x.number = k.number)`
		f.from = `document_labels l JOIN document_keys k ON l.label = ? AND k.number = l.number`
		f.args, f.fromArgs = []any{ids[0]}, []any{ids[0]}
		f.sorts = []ibid.DocumentSort{ibid.SortName, ibid.SortAdded, ibid.SortChanged}
		return f
	}
	list, _ := json.Marshal(ids) // numbers always have a JSON
	f.where = `EXISTS (SELECT 1 FROM document_labels x WHERE x.label IN (SELECT value FROM json_each(?)) AND x.name = k.name AND x.number = k.number)`
	f.from = `json_each(?) i CROSS JOIN document_labels l ON l.label = i.value CROSS JOIN document_keys k ON k.number = l.number`
	f.args, f.fromArgs = []any{string(list)}, []any{string(list)}
	return f
}

// findLabel returns the numbers of a label, and how many documents have it: 0 where
// there is no such label.
func (db *DB) findLabel(ctx context.Context, whose []string, l schema.Label) (ids []int64, documents int, err error) {
	rows, err := db.readOnly.QueryContext(ctx, `SELECT id, documents FROM labels WHERE principal IN (SELECT value FROM json_each(?)) AND kind = ? AND value = ?`,
		jsonList(whose), l.Kind, l.Value)
	if err != nil {
		return nil, 0, translate(err)
	}
	ids, err = collect(rows, func(r *sql.Rows) (id int64, err error) {
		var n int
		err = r.Scan(&id, &n)
		documents += n
		return id, err
	})
	return ids, documents, err
}

func (db *DB) statusFilter(ctx context.Context, whose []string, wanted []ibid.DocumentStatus) (filter, error) {
	wanted = slices.Compact(slices.Sorted(slices.Values(wanted)))
	f := filter{
		where: `k.status IN (SELECT value FROM json_each(?))`, args: []any{jsonList(wanted)},
		from:     `json_each(?) w CROSS JOIN json_each(?) i CROSS JOIN document_keys k INDEXED BY document_keys_by_status ON k.principal = w.value AND k.status = i.value`,
		fromArgs: []any{jsonList(whose), jsonList(wanted)},
		exact:    true,
	}
	if len(wanted) == 1 && len(whose) == 1 {
		f.from = `(SELECT ? AS principal, ? AS status) i CROSS JOIN document_keys k INDEXED BY document_keys_by_status ON k.principal = i.principal AND k.status = i.status`
		f.fromArgs, f.table, f.sorts = []any{whose[0], wanted[0]}, "k", []ibid.DocumentSort{ibid.SortName}
	}
	for _, status := range wanted {
		_, documents, err := db.findLabel(ctx, whose, schema.Label{Kind: schema.LabelStatus, Value: string(status)})
		if err != nil {
			return f, err
		}
		f.documents += documents
	}
	return f, nil
}

func (p *plan) filter(where string, args ...any) {
	p.where, p.args = append(p.where, where), append(p.args, args...)
}

// rows is the SQL behind FROM; its arguments are p.args.
func (p *plan) rows() string {
	if len(p.where) == 0 {
		return p.from
	}
	return p.from + " WHERE " + strings.Join(p.where, " AND ")
}

func (p *plan) orderBy() string {
	if p.down {
		return p.column + " DESC, " + p.number + " DESC"
	}
	return p.column + ", " + p.number
}

// Documents returns a page of the documents that a query asks for, and the cursor
// of the next one; "" at the end.
func (db *DB) Documents(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) (docs []ibid.Document, next string, err error) {
	p, err := db.plan(ctx, view, q)
	if err != nil {
		return nil, "", fmt.Errorf("look for documents: %w", err)
	}
	if err := p.after(page); err != nil || p.none {
		return nil, "", err
	}
	rows, err := db.readOnly.QueryContext(ctx, `SELECT d.principal, d.data, p.number, p.sorted FROM (
		SELECT k.number, k.id, `+p.column+` AS sorted FROM `+p.rows()+` ORDER BY `+p.orderBy()+` LIMIT ?
		) p CROSS JOIN documents d ON d.id = p.id`, append(p.args, page.Size()+1)...)
	if err != nil {
		return nil, "", translate(err)
	}
	type found struct {
		number int64
		sorted any
		doc    ibid.Document
	}
	all, err := collect(rows, func(r *sql.Rows) (f found, err error) {
		f.doc, err = scanDocument(r, &f.number, &f.sorted)
		return f, err
	})
	if err != nil {
		return nil, "", translate(err)
	}
	if size := page.Size(); len(all) > size {
		all = all[:size]
		last := all[size-1]
		next = ibid.EncodeCursor(p.sort, last.sorted, last.number)
	}
	for _, f := range all {
		docs = append(docs, f.doc)
	}
	return docs, next, nil
}

// after lets a plan begin behind the cursor of a page.
func (p *plan) after(page ibid.Page) error {
	var sort ibid.DocumentSort
	var name string
	var at, number int64
	var key any
	var ok bool
	var err error
	if p.sort == ibid.SortName {
		ok, err = page.DecodeCursor(&sort, &name, &number)
		key = name
	} else {
		ok, err = page.DecodeCursor(&sort, &at, &number)
		key = at
	}
	if err != nil || !ok {
		return err
	}
	if sort != p.sort {
		return ibid.Errorf(ibid.CodeBadRequest, "cursor: it is one of a list in another order")
	}
	than := ">"
	if p.down {
		than = "<"
	}
	p.filter(`(`+p.column+`, `+p.number+`) `+than+` (?, ?)`, key, number)
	return nil
}

// CountDocuments returns how many documents a query asks for. Where they would
// have to be counted one by one, it stops at countedDocuments and exact is false.
func (db *DB) CountDocuments(ctx context.Context, view access.View, q ibid.DocumentQuery) (n int, exact bool, err error) {
	p, err := db.plan(ctx, view, q)
	if err != nil {
		return 0, false, fmt.Errorf("count documents: %w", err)
	}
	if p.known >= 0 {
		return p.known, true, nil
	}
	err = db.readOnly.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM `+p.rows()+` LIMIT ?)`, append(p.args, countedDocuments+1)...).Scan(&n)
	if n > countedDocuments {
		return countedDocuments, false, translate(err)
	}
	return n, true, translate(err)
}

// KnownCount returns how many documents a query asks for where that is known
// without counting.
func (db *DB) KnownCount(ctx context.Context, view access.View, q ibid.DocumentQuery) (n int, known bool, err error) {
	p, err := db.plan(ctx, view, q)
	if err != nil {
		return 0, false, err
	}
	return max(p.known, 0), p.known >= 0, nil
}

// jsonList is a list of texts as json_each takes it: one parameter, however many
// they are.
func jsonList[S ~string](list []S) string {
	data, _ := json.Marshal(list) // strings always have a JSON
	return string(data)
}
