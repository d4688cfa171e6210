package search

import (
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
)

// TestAmong: passages found in another way are ranked by the query, and those
// that no search finds stand last, in their order. Nothing else comes in.
func TestAmong(t *testing.T) {
	x := &fakeIndex{lexical: []ibid.Candidate{{ChunkID: "other", Score: 9}, {ChunkID: "b", Score: 4}, {ChunkID: "c", Score: 2}}}
	s := New(Config{Engine: x, Store: storeOf("a", "b", "c", "other", "z")})
	among := func(q Query, ids ...string) (string, []ibid.Passage) {
		t.Helper()
		r, err := s.Among(t.Context(), access.For(ibid.Owner), q, ids)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, p := range r.Passages {
			found = append(found, p.ID)
		}
		return strings.Join(found, " "), r.Passages
	}
	got, passages := among(Query{Text: "text"}, "z", "gone", "c", "a", "b", "c")
	if got != "b c z a" {
		t.Fatalf("got %s", got)
	}
	if b, z := passages[0], passages[2]; b.Match.LexicalRank != 2 || b.Score <= passages[1].Score || z.Score != 0 || z.Quote.Text == "" || len(b.Highlights) == 0 {
		t.Errorf("got %+v", passages)
	}
	if got, _ := among(Query{Text: "text", Limit: 2}, "a", "c", "b"); got != "b c" {
		t.Errorf("the best two are %s", got)
	}
	if got, _ := among(Query{Text: "text", Scope: ibid.Scope{Documents: []string{"da", "dc"}}}, "a", "b", "c"); got != "c a" {
		t.Errorf("within the scope %s", got)
	}
	if got, _ := among(Query{Text: "text"}); got != "" {
		t.Errorf("among none %s", got)
	}
}
