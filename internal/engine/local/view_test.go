package local

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
)

// TestViews holds that both halves of a search see what the view sees, also after a
// snapshot, and when things change hands or go.
func TestViews(t *testing.T) {
	x, ctx := New(Config{}), context.Background()
	put := func(x *Index, id string, whose ibid.Principal) {
		err := x.Apply(ctx, []engine.Change{
			engine.Put{Document: ibid.Document{ID: id, Principal: whose, Folder: "f"}, Passages: []ibid.Chunk{{ID: "c-" + id, DocumentID: id, Level: 2, Text: "the walrus sleeps"}}},
			engine.Vectors{Space: "s", IDs: []string{"c-" + id}, Vectors: [][]float32{{1, 0}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(x *Index, when string, want map[access.View]string) {
		t.Helper()
		for view, ids := range want {
			for _, scope := range []ibid.Scope{{}, {Folder: "f"}} {
				lexical, err := x.Lexical(ctx, view, "walrus", 10, scope)
				if got := idsOf(lexical); err != nil || got != ids {
					t.Errorf("%s: %v finds %s by words in %+v, %v; want %s", when, view, got, scope, err, ids)
				}
				vector, err := x.Vector(ctx, view, "s", []float32{1, 0}, 10, scope)
				if got := idsOf(vector); err != nil || got != ids {
					t.Errorf("%s: %v finds %s by vectors in %+v, %v; want %s", when, view, got, scope, err, ids)
				}
			}
		}
	}
	nobody, system := access.View{}, access.System("a test")
	put(x, "a", "anna")
	check(x, "of one", map[access.View]string{access.For("anna"): "[c-a]", access.For("ben"): "[]", nobody: "[]", system: "[c-a]"})
	put(x, "b", "ben")
	put(x, "n", "")
	want := map[access.View]string{access.For("anna"): "[c-a]", access.For("ben"): "[c-b]", access.For("chris"): "[]", nobody: "[]", system: "[c-a c-b c-n]"}
	check(x, "of two and nobody", want)

	var file bytes.Buffer
	if err := x.Save(&file); err != nil {
		t.Fatal(err)
	}
	loaded := New(Config{})
	if err := loaded.Load(&file); err != nil {
		t.Fatal(err)
	}
	check(loaded, "from a snapshot", want)

	put(x, "a", "ben")
	check(x, "given away", map[access.View]string{access.For("anna"): "[]", access.For("ben"): "[c-a c-b]", nobody: "[]"})
	if err := x.Apply(ctx, []engine.Change{engine.Remove{DocumentID: "n"}, engine.Remove{DocumentID: "a"}}); err != nil {
		t.Fatal(err)
	}
	check(x, "removed", map[access.View]string{access.For("anna"): "[]", access.For("ben"): "[c-b]", nobody: "[]", system: "[c-b]"})
	put(x, "a", "anna")
	check(x, "in a place that was used", map[access.View]string{access.For("anna"): "[c-a]", access.For("ben"): "[c-b]"})
}

// TestOldSnapshotsAreTheOwners holds that documents of a snapshot from before there
// were principals are seen by the owner.
func TestOldSnapshotsAreTheOwners(t *testing.T) {
	x := New(Config{})
	x.put(1, ibid.Document{ID: "a", Tags: []string{"x"}}, []ibid.Chunk{{ID: "c-a", DocumentID: "a", Level: 2, Text: "the walrus sleeps"}})
	x.slots[0].marks = x.slots[0].marks[:1] // as they were
	var file bytes.Buffer
	if err := x.Save(&file); err != nil {
		t.Fatal(err)
	}
	if err := x.Load(&file); err != nil {
		t.Fatal(err)
	}
	for view, want := range map[access.View]string{access.For(ibid.Owner): "[c-a]", access.For("anna"): "[]"} {
		found, err := x.Lexical(context.Background(), view, "walrus", 10, ibid.Scope{Tags: []string{"x"}})
		if got := idsOf(found); err != nil || got != want {
			t.Errorf("%v finds %s, %v; want %s", view, got, err, want)
		}
	}
}

func idsOf(found []ibid.Candidate) string {
	var ids []string
	for _, c := range found {
		ids = append(ids, c.ChunkID)
	}
	slices.Sort(ids)
	return fmt.Sprint(ids)
}
