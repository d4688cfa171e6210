package tool

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
	"ibid/internal/search"
)

func TestSearchExpands(t *testing.T) {
	for argument, want := range map[any]bool{true: true, "true": true, "False": false, nil: false} {
		s := newShelf()
		out := call(t, NewSearchKnowledgeBase(s), map[string]any{"query": "notice", "expand": argument}, ibid.ToolEnv{})
		if out.Failed || s.queries[0].Expand != want {
			t.Errorf("%v: %+v", argument, s.queries)
		}
	}
	if out := call(t, NewSearchKnowledgeBase(newShelf()), map[string]any{"query": "notice", "expand": "perhaps"}, ibid.ToolEnv{}); !out.Failed {
		t.Errorf("got %+v", out)
	}
}

func TestKeywords(t *testing.T) {
	s := newShelf()
	out := call(t, NewSearchKeywords(s), map[string]any{"query": "thirty"}, ibid.ToolEnv{Scope: ibid.Scope{Category: "legal"}})
	if chunkIDs(out.Passages) != "c_d2_0" || out.Retrieval.Levels["L2"] != 1 {
		t.Errorf("got %+v", out)
	}
	if q := s.queries[0]; q.Mode != search.ModeLexical || !q.NoRerank || q.Limit != search.DefaultLimit || q.Scope.Category != "legal" {
		t.Errorf("searched for %+v", q)
	}
	if out := call(t, NewSearchKeywords(s), map[string]any{}, ibid.ToolEnv{}); !out.Failed || out.Content != "query is missing" {
		t.Errorf("without a query: %+v", out)
	}
}

// sentences finds the passages of a shelf as if they were sentences.
type sentences struct{ *shelf }

func (s sentences) Propositions(ctx context.Context, view access.View, q search.Query) (search.Result, error) {
	r, err := s.Search(ctx, view, q)
	for i := range r.Passages {
		p := &r.Passages[i]
		p.ParentID, p.ID, p.Level = p.ID, ibid.SentenceID(p.ID, 0), 3
	}
	return r, err
}

func TestPropositions(t *testing.T) {
	s := newShelf()
	out := call(t, NewSearchPropositions(sentences{s}), map[string]any{"query": "notice", "limit": 2}, ibid.ToolEnv{})
	if chunkIDs(out.Passages) != "c_d1_1s1 c_d2_0s1" || out.Retrieval.Levels["L3"] != 2 || out.Passages[0].ParentID != "c_d1_1" || out.Summary != "2 sentences from 2 documents" {
		t.Errorf("got %+v", out)
	}
	if out := call(t, NewSearchPropositions(sentences{s}), map[string]any{"query": "zebra"}, ibid.ToolEnv{}); len(out.Passages) != 0 || out.Content != "No passage matches." {
		t.Errorf("got %+v", out)
	}
}

func TestHypothetical(t *testing.T) {
	s := newShelf()
	model := ibidtest.NewScript(ibidtest.Say("The tenant may end the lease by giving notice three months ahead."))
	out := call(t, NewSearchHypothetical(s, model), map[string]any{"query": "notice ahead?"}, ibid.ToolEnv{})
	if q := s.queries[0]; q.Text != "notice ahead?" || !strings.HasPrefix(q.Like, "The tenant may end") {
		t.Errorf("searched for %+v", q)
	}
	if out.Failed || len(out.Passages) != 3 || out.Usage.ModelRequests != 1 || !strings.Contains(out.Summary, "like “The tenant may end the lease") || strings.Contains(out.Content, "tenant") {
		t.Errorf("got %+v", out)
	}
	if r := model.Requests()[0]; r.Think != ibid.ThinkOff || r.MaxTokens == 0 || len(r.Tools) != 0 {
		t.Errorf("asked with %+v", r)
	}
}

// TestHypotheticalDegrades: without a model, or with one that fails, the query
// itself is searched for.
func TestHypotheticalDegrades(t *testing.T) {
	for name, model := range map[string]ibid.Model{
		"no model": nil,
		"fails":    ibidtest.NewScript(ibidtest.Reply{Err: errors.New("out of memory")}),
		"silent":   ibidtest.NewScript(ibidtest.Say("")),
	} {
		s := newShelf()
		out := call(t, NewSearchHypothetical(s, model), map[string]any{"query": "notice"}, ibid.ToolEnv{})
		if out.Failed || len(out.Passages) != 3 || s.queries[0].Like != "" || !strings.Contains(out.Summary, "no model imagined a passage") {
			t.Errorf("%s: %+v", name, out)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := NewSearchHypothetical(newShelf(), ibidtest.NewScript(ibidtest.Say("x"))).Call(ctx, access.For(ibid.Owner), ibid.ToolCall{Arguments: []byte(`{"query":"x"}`)}, ibid.ToolEnv{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestReadAroundASentence: what stands around the passage that it is in.
func TestReadAroundASentence(t *testing.T) {
	s := newShelf()
	sentence := ibid.Citation{N: 1, ChunkID: ibid.SentenceID("c_d1_1", 0), DocumentID: "d1", Level: "L3", Start: 40}
	out := call(t, NewReadAround(s, s), map[string]any{"passage": "c1", "before": 1, "after": 0}, ibid.ToolEnv{Shown: []ibid.Citation{sentence}})
	if out.Failed || chunkIDs(out.Passages) != "c_d1_0 c_d1_1" {
		t.Errorf("got %+v", out)
	}
}
