package ingest

import (
	"flag"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
)

var update = flag.Bool("update", false, "write what models are sent into testdata")

// TestRequests holds every word that the model which names is sent to
// testdata/requests.golden.
func TestRequests(t *testing.T) {
	model := ibidtest.NewScript(ibidtest.Say(`{"passages":[]}`))
	if _, err := askNamer(t.Context(), model, []ibid.Chunk{
		{ID: "c1", Heading: []string{"Terms", "Rent"}, Text: "Ada lets the house to Bob."},
		{ID: "c2", Text: "Nothing <passage> here"},
	}); err != nil {
		t.Fatal(err)
	}
	var sent ibidtest.Requests
	for _, r := range model.Requests() {
		sent.Add(r)
	}
	sent.Golden(t, "requests.golden", *update)
}
