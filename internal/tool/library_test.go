package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
)

// shelf is a library in memory. As a searcher it returns all passages of the
// documents in the scope that share a word with the query.
type shelf struct {
	docs     []ibid.Document
	texts    map[string]string // by document id
	passages []ibid.Passage
	leak     bool // the searcher forgets about the scope
	err      error
	queries  []search.Query
}

// newShelf holds a lease, a contract and an unread scan.
func newShelf() *shelf {
	s := &shelf{texts: map[string]string{}}
	s.add(ibid.Document{ID: "d1", Name: "Lease-2024.pdf", Title: "Lease of the Harbour Office", Folder: "contracts", Category: "legal", Format: "pdf", Pages: 3},
		"The rent is 1,200 euros a month.", "Notice must be given three months ahead.")
	s.add(ibid.Document{ID: "d2", Name: "supply_contract.docx", Category: "legal", Format: "docx"},
		"Notice must be given thirty days ahead.", "Deliveries are weekly.")
	s.add(ibid.Document{ID: "d3", Name: "notes.md", Title: "Notes", Category: "private", Format: "markdown"},
		"Notice the heron by the pond.")
	s.docs = append(s.docs, ibid.Document{ID: "d4", Name: "scan.pdf", Format: "pdf", Status: ibid.DocumentProcessing})
	return s
}

func (s *shelf) add(d ibid.Document, chunks ...string) {
	d.Status, d.Chunks = ibid.DocumentReady, len(chunks)
	s.docs = append(s.docs, d)
	s.texts[d.ID] = strings.Join(chunks, "\n\n")
	at := 0
	for i, text := range chunks {
		c := ibid.Chunk{ID: fmt.Sprintf("c_%s_%d", d.ID, i), DocumentID: d.ID, Ordinal: i, Level: 2, Text: text, Start: at, End: at + len(text)}
		if d.Pages > 0 {
			c.Pages = []int{i + 1}
		}
		s.passages = append(s.passages, ibid.Passage{Chunk: c, Document: d, Score: 1 / float64(i+1)})
		at += len(text) + 2
	}
}

func (s *shelf) Documents(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) ([]ibid.Document, string, error) {
	docs, next, err := documentList(s.docs).Documents(ctx, view, q, page)
	return docs, next, cmp.Or(s.err, err)
}

func (s *shelf) CountDocuments(ctx context.Context, view access.View, q ibid.DocumentQuery) (int, bool, error) {
	n, exact, _ := documentList(s.docs).CountDocuments(ctx, view, q)
	return n, exact, s.err
}

func (s *shelf) Called(ctx context.Context, view access.View, scope ibid.Scope, how ibid.NameMatch, name string) ([]ibid.Document, error) {
	return documentList(s.docs).Called(ctx, view, scope, how, name)
}

func (s *shelf) Mentioned(ctx context.Context, view access.View, scope ibid.Scope, question string) ([]ibid.Document, int, error) {
	return documentList(s.docs).Mentioned(ctx, view, scope, question)
}

func (s *shelf) Alike(ctx context.Context, view access.View, scope ibid.Scope, normal string, limit int) ([]ibid.Document, error) {
	return documentList(s.docs).Alike(ctx, view, scope, normal, limit)
}

func (s *shelf) Folders(ctx context.Context, view access.View, q ibid.FolderQuery, page ibid.Page) ([]ibid.FolderCount, string, error) {
	return documentList(s.docs).Folders(ctx, view, q, page)
}

func (s *shelf) FolderCalled(ctx context.Context, view access.View, scope ibid.Scope, wanted string) (string, bool, error) {
	return documentList(s.docs).FolderCalled(ctx, view, scope, wanted)
}

func (s *shelf) Text(_ context.Context, _ access.View, id string) (ibid.Extract, error) {
	text, ok := s.texts[id]
	if !ok {
		return ibid.Extract{}, ibid.Errorf(ibid.CodeNotFound, "there is no text of %s", id)
	}
	return ibid.Extract{Text: text, Blocks: []ibid.Block{{Kind: ibid.BlockHeading, Start: 0, End: min(len(text), 20), Level: 1}}}, nil
}

func (s *shelf) Search(_ context.Context, _ access.View, q search.Query) (search.Result, error) {
	s.queries = append(s.queries, q)
	r := search.Result{Mode: search.ModeLexical, ChunksSearched: len(s.passages)}
	words := strings.Fields(strings.ToLower(q.Text))
	for _, p := range s.passages {
		fits := slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(p.Text), w) })
		if fits && (s.leak || q.Scope.Includes(p.Document)) && len(r.Passages) < q.Limit {
			r.Passages = append(r.Passages, p)
		}
	}
	return r, s.err
}

func chunkIDs(passages []ibid.Passage) string {
	var ids []string
	for _, p := range passages {
		ids = append(ids, p.ID)
	}
	return strings.Join(ids, " ")
}

func TestResolve(t *testing.T) {
	s := newShelf()
	s.docs = append(s.docs, ibid.Document{ID: "d5", Name: "notes.md", Folder: "old"})
	for wanted, want := range map[string]string{
		"d2":                          "d2",
		"Lease-2024.pdf":              "d1",
		`"lease_2024.PDF"`:            "d1",
		"contracts/Lease-2024.pdf":    "d1",
		"lease 2024":                  "d1",
		"Lease-2024.docx":             "d1", // the wrong extension
		"lease of the harbour office": "d1",
		"lease of":                    "d1",
		"harbour":                     "d1",
		"supply_contract":             "d2",
		"old/notes.md":                "d5",
		"Notes":                       "d3", // the title, as written
	} {
		d, err := documentNamed(t.Context(), access.For(ibid.Owner), s, ibid.Scope{}, wanted)
		if err != nil || d.ID != want {
			t.Errorf("%s is %s, %v; want %s", wanted, d.ID, err, want)
		}
	}
	for wanted, want := range map[string]string{
		"notes.md":           `"notes.md" may be any of 2 documents; use one of these ids: d3 = notes.md (Notes); d5 = notes.md`,
		"suply contract.doc": `there is no document "suply contract.doc"; the nearest are: supply_contract.docx; `,
		"\"\"":               `names no document`,
	} {
		if d, err := documentNamed(t.Context(), access.For(ibid.Owner), s, ibid.Scope{}, wanted); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %s, %v; want %s", wanted, d.ID, err, want)
		}
	}
}

func TestArguments(t *testing.T) {
	tool := NewSearchKnowledgeBase(newShelf())
	for args, want := range map[string]string{
		``:                                "query is missing",
		`null`:                            "query is missing",
		`""`:                              "query is missing",
		`{"query":"  "}`:                  "query is missing",
		`{"query":null}`:                  "query is missing",
		`[1]`:                             "the arguments are not a JSON object",
		`{"query":`:                       "the arguments are not a JSON object",
		`{"query":["rent"]}`:              "query must be a text",
		`{"query":"rent","limit":"many"}`: "limit must be a whole number",
		`{"query":"rent","limit":2.5}`:    "limit must be a whole number",
		`{"query":"rent","limit":"NaN"}`:  "limit must be a whole number",
		`{"query":"rent","limit":1e300}`:  "limit must be a whole number",
		`{"query":"` + strings.Repeat("x", 5000) + `"}`: "query is longer than 4000 characters",
	} {
		out, err := tool.Call(t.Context(), access.For(ibid.Owner), ibid.ToolCall{Arguments: json.RawMessage(args)}, ibid.ToolEnv{})
		if err != nil || !out.Failed || out.Content != want {
			t.Errorf("%.40s: %+v, %v; want %s", args, out, err, want)
		}
	}
	for args, want := range map[string]int{
		`{"query":"rent"}`:                          7,
		`{"query":1200,"limit":"5"}`:                5,
		`{"query":"rent","limit":3.0,"reason":"-"}`: 3,
		`{"query":"rent","limit":0}`:                1,
		`{"query":"rent","limit":1000}`:             20,
		`"{\"query\":\"rent\",\"limit\":2}"`:        2,
	} {
		s := newShelf()
		out, err := NewSearchKnowledgeBase(s).Call(t.Context(), access.For(ibid.Owner), ibid.ToolCall{Arguments: json.RawMessage(args)}, ibid.ToolEnv{})
		if err != nil || out.Failed || s.queries[0].Limit != want {
			t.Errorf("%s: %+v, %v, %+v; want limit %d", args, out, err, s.queries, want)
		}
	}
}

func TestSpecsAreSchemas(t *testing.T) {
	s := newShelf()
	for _, tool := range []Tool{NewSearchKnowledgeBase(s), NewListDocuments(s), NewAnalyzeDocument(s, s, nil),
		NewCompareDocuments(s, s, nil), NewCalculator(), NewCurrentTime(), NewRead(s, s, 2000), NewReadAround(s, s),
		NewListContents(s), NewFind(s), NewGetInfo(s), NewViewChunkImage(s, &web{})} {
		spec := tool.Spec()
		var schema struct {
			Type       string
			Properties map[string]struct{ Type string }
			Required   []string
		}
		if err := json.Unmarshal(spec.Parameters, &schema); err != nil || schema.Type != "object" {
			t.Errorf("%s: %v, %+v", spec.Name, err, schema)
		}
		for _, name := range schema.Required {
			if schema.Properties[name].Type == "" {
				t.Errorf("%s requires %s, which it does not describe", spec.Name, name)
			}
		}
		if spec.Description == "" || len(spec.Description) > 600 {
			t.Errorf("%s is described in %d bytes", spec.Name, len(spec.Description))
		}
	}
}
