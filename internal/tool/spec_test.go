package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/fetch"
	"ibid/internal/websearch"
)

var update = flag.Bool("update", false, "write testdata/specs.json anew")

// What models are told of the tools is reviewed as a diff of testdata/specs.json:
// their behaviour depends on every word of it. -update writes it anew.
func TestSpecs(t *testing.T) {
	var got bytes.Buffer
	for _, tool := range Builtin() {
		spec, err := json.Marshal(tool.Spec())
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&got, spec, "", " "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
	}
	const golden = "testdata/specs.json"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("models are told something else than %s says; go test ./internal/tool -run TestSpecs -update, then review the diff", golden)
	}
}

// Everything that the registry names is made under that name, and has words for
// people.
func TestRegistry(t *testing.T) {
	all := Resources{HasFiles: true, Sees: true, Databases: noDatabases{}, Web: noWeb{}, Fetcher: noWeb{}, Painter: noWeb{}}
	made := Builtin().Tools(all, Offer{Many: true})
	if len(made) != len(Builtin()) {
		t.Fatalf("%d of %d tools are made", len(made), len(Builtin()))
	}
	seen := map[string]bool{}
	for i, d := range Builtin() {
		if d.Name != made[i].Spec().Name || d.Kind == "" || d.Doing == "" || d.Done == "" || d.Description == "" || seen[d.Name] {
			t.Errorf("%s makes %s: %+v", d.Name, made[i].Spec().Name, d.Info)
		}
		seen[d.Name] = true
	}
	for name, offer := range map[string]Offer{
		"search_knowledge_base list_documents analyze_document compare_documents calculator current_time read read_around list_contents find get_info":              {},
		"search_knowledge_base list_documents analyze_document compare_documents calculator current_time read read_around list_contents find get_info search_graph": {Forced: []string{"search_graph", "web_search"}},
		"calculator current_time": {OnlyDatabases: true, Many: true, Forced: []string{"search_graph"}},
	} {
		var names []string
		for _, tool := range Builtin().Tools(Resources{}, offer) {
			names = append(names, tool.Spec().Name)
		}
		if got := strings.Join(names, " "); got != name {
			t.Errorf("%+v is offered %s", offer, got)
		}
	}
}

// noWeb is there, and does nothing.
type noWeb struct{}

func (noWeb) Search(context.Context, string, int) ([]websearch.Result, error) { return nil, nil }
func (noWeb) Get(context.Context, string) (fetch.Page, error)                 { return fetch.Page{}, nil }
func (noWeb) Paint(context.Context, string, string) (ibid.Image, error)       { return ibid.Image{}, nil }

type noDatabases struct{ databases }

type databases = Databases
