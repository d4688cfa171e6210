package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// TestEntitiesByModel: the configured model names what passages say, in the
// background; status, doctor and inventory know of it.
func TestEntitiesByModel(t *testing.T) {
	t.Parallel()
	model := ibidtest.OllamaServer(t, ibidtest.Reply{
		When: func(r ibid.ModelRequest) bool {
			return len(r.Turns) > 0 && strings.Contains(r.Turns[0].Text(), "List the names")
		},
		Repeat: true,
		Text:   []string{`{"passages":[{"id":"p1","names":["walrus"]},{"id":"p2","names":["walrus"]}]}`},
	})
	h := newHouse(t)
	ibidtest.WriteFile(t, filepath.Join(h.data, "ibid.toml"), "entities = \"model\"\n")
	h.file("a.md", "The walrus of Ada Marsh sleeps.")
	h.file("b.md", "A walrus eats.")
	_, base := h.serve("--model", "ollama:test@"+model.URL, "--add", "docs")
	var status api.Status
	for deadline := time.Now().Add(hang); status.Entities.ByModel < 2; time.Sleep(10 * time.Millisecond) {
		if getInto(t, base+"/v1/status", &status); time.Now().After(deadline) {
			t.Fatalf("the entities are %+v", status.Entities)
		}
	}
	if e := status.Entities; e.Model != "ollama/test" || e.Entities != 1 || e.Named != 2 || e.Passages != 2 || e.Error != "" {
		t.Errorf("the entities are %+v", e)
	}
	if out := h.must("doctor"); !strings.Contains(out, "1 name in 2 passages") {
		t.Errorf("doctor said:\n%s", out)
	}
	if out := h.must("inventory"); !strings.Contains(out, "· mentions") || !strings.Contains(out, "· entities") {
		t.Errorf("inventory said:\n%s", out)
	}
}
