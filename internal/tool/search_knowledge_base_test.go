package tool

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
)

func TestSearch(t *testing.T) {
	s := newShelf()
	out := call(t, NewSearchKnowledgeBase(s), map[string]any{"query": "notice ahead"}, ibid.ToolEnv{})
	if out.Failed || chunkIDs(out.Passages) != "c_d1_1 c_d2_0 c_d3_0" || out.Summary != "3 passages from 3 documents" || out.Content != "" {
		t.Errorf("got %+v", out)
	}
	if r := out.Retrieval; r == nil || r.ChunksFound != 3 || r.TopScore != 1 || r.Levels["L2"] != 3 {
		t.Errorf("retrieval %+v", r)
	}
}

func TestSearchKeepsToTheScope(t *testing.T) {
	s := newShelf()
	s.leak = true
	out := call(t, NewSearchKnowledgeBase(s), map[string]any{"query": "notice"}, ibid.ToolEnv{Scope: ibid.Scope{Category: "private"}})
	if chunkIDs(out.Passages) != "c_d3_0" || s.queries[0].Scope.Category != "private" {
		t.Errorf("got %s for %+v", chunkIDs(out.Passages), s.queries)
	}
}

func TestSearchFindsNothing(t *testing.T) {
	for _, tc := range []struct {
		shelf *shelf
		scope ibid.Scope
		want  string
	}{
		{newShelf(), ibid.Scope{}, "No passage matches."},
		{newShelf(), ibid.Scope{Category: "legal"}, "No passage matches in the documents that this question is limited to."},
		{&shelf{}, ibid.Scope{}, "The library is empty: no document has been added yet."},
	} {
		out := call(t, NewSearchKnowledgeBase(tc.shelf), map[string]any{"query": "zebra"}, ibid.ToolEnv{Scope: tc.scope})
		if out.Failed || out.Content != tc.want || out.Retrieval == nil || out.Summary == "" {
			t.Errorf("got %+v, want %s", out, tc.want)
		}
	}
}

func TestSearchIsBounded(t *testing.T) {
	s := &shelf{texts: map[string]string{}}
	long := strings.Repeat("notice ", 700) // 4,900 bytes
	s.add(ibid.Document{ID: "d1", Name: "long.txt"}, long, long, long, long, long)
	out := call(t, NewSearchKnowledgeBase(s), map[string]any{"query": "notice"}, ibid.ToolEnv{})
	if len(out.Passages) != 3 || !strings.HasPrefix(out.Content, "2 passages more did not fit") {
		t.Errorf("%d passages, %q", len(out.Passages), out.Content)
	}
}

func TestSearchFails(t *testing.T) {
	s := newShelf()
	s.err = ibid.Errorf(ibid.CodeBadRequest, "there is no search mode")
	if out := call(t, NewSearchKnowledgeBase(s), map[string]any{"query": "x"}, ibid.ToolEnv{}); !out.Failed {
		t.Errorf("got %+v", out)
	}
	s.err = ibid.Errorf(ibid.CodeVectorDB, "the index is broken")
	_, err := NewSearchKnowledgeBase(s).Call(t.Context(), access.For(ibid.Owner), ibid.ToolCall{Arguments: []byte(`{"query":"x"}`)}, ibid.ToolEnv{})
	if ibid.CodeOf(err) != ibid.CodeVectorDB {
		t.Errorf("got %v", err)
	}
}

type wordsOnly struct{ *shelf }

func (w wordsOnly) Search(ctx context.Context, view access.View, q search.Query) (search.Result, error) {
	r, err := w.shelf.Search(ctx, view, q)
	r.VectorError = errors.New("no connection")
	return r, err
}

func TestSearchSaysThatVectorsAreMissing(t *testing.T) {
	out := call(t, NewSearchKnowledgeBase(wordsOnly{newShelf()}), map[string]any{"query": "rent"}, ibid.ToolEnv{})
	if out.Summary != "1 passage from 1 document, by words only" {
		t.Errorf("got %q", out.Summary)
	}
}
