package tool

import (
	"context"
	"slices"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
)

// asked is a searcher that keeps what it was asked.
type asked struct{ query search.Query }

func (a *asked) Search(_ context.Context, _ access.View, q search.Query) (search.Result, error) {
	a.query = q
	return search.Result{}, nil
}

// reports are a library of three files.
type reports struct{ documentList }

func (reports) Text(context.Context, access.View, string) (ibid.Extract, error) {
	return ibid.Extract{}, nil
}

// A search looks only into what the query names, within its scope.
func TestNarrowing(t *testing.T) {
	library := reports{documentList{{ID: "d1", Name: "report-2023.pdf", Title: "Annual Report 2023"}, {ID: "d2", Name: "q3.md"}, {ID: "d3", Name: "q4.md", Folder: "old"}}}
	for _, tc := range []struct {
		query string
		scope ibid.Scope
		text  string
		ids   []string
	}{
		{"What does report-2023.pdf say about margins?", ibid.Scope{}, "margins?", []string{"d1"}},
		{"According to the annual report 2023, what were the margins?", ibid.Scope{}, "what were the margins?", []string{"d1"}},
		{"revenue in q3.md and q4.md", ibid.Scope{}, "revenue and", []string{"d2", "d3"}},
		{"What's in q3.md?", ibid.Scope{}, "What's in q3.md?", []string{"d2"}},
		{"revenue in q3.md", ibid.Scope{Folder: "old"}, "revenue in q3.md", nil},
		{"What were the margins in 2023?", ibid.Scope{}, "What were the margins in 2023?", nil},
		{"revenue in missing.pdf", ibid.Scope{}, "revenue in missing.pdf", nil},
	} {
		a := &asked{}
		if _, err := NewNarrowing(a, library).Search(t.Context(), access.For(ibid.Owner), search.Query{Text: tc.query, Scope: tc.scope}); err != nil {
			t.Fatal(err)
		}
		if a.query.Text != tc.text || !slices.Equal(a.query.Scope.Documents, tc.ids) || a.query.Scope.Folder != tc.scope.Folder {
			t.Errorf("%s: searched %v for %q, want %v for %q", tc.query, a.query.Scope.Documents, a.query.Text, tc.ids, tc.text)
		}
	}
}
