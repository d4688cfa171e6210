package tool

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/specs.json anew")

// What models are told of the tools is reviewed as a diff of testdata/specs.json:
// their behaviour depends on every word of it. -update writes it anew.
func TestSpecs(t *testing.T) {
	var got bytes.Buffer
	for _, tool := range everyTool() {
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

// everyTool are all tools, in the order in which models see them.
func everyTool() []caller {
	return []caller{
		NewSearchKnowledgeBase(nil), NewListDocuments(nil), NewAnalyzeDocument(nil, nil, nil), NewCompareDocuments(nil, nil, nil),
		NewCalculator(), NewCurrentTime(), NewRead(nil, nil, 0), NewReadAround(nil, nil), NewListContents(nil), NewFind(nil), NewGetInfo(nil),
		NewWebSearch(nil), NewFetchURL(nil, nil), NewGenerateImage(nil, nil),
		NewSearchKeywords(nil), NewSearchPropositions(nil), NewSearchHypothetical(nil, nil), NewSearchGraph(nil, nil), NewExecuteCode(nil),
		NewDescribeDatabase(nil), NewQueryDatabase(nil), NewRetrieveFile(FileTexts{}, true), NewViewChunkImage(nil),
	}
}
