// Package importtest holds the rule that keeps the house whole: a package
// imports strictly lower floors only (docs/architecture.md).
package importtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"
)

// floors is the floor plan. A new package is added here, on the floor where it
// belongs, or this test fails. The longest entry that fits a path counts.
//
// What reads words has floors of its own, below those who search, store and fetch:
// text (0), question (1), evidence (2). None of them can reach a disk or a model.
var floors = map[string]int{
	"ibid":                         0,
	"ibid/internal/text":           0,
	"ibid/internal/access":         0,
	"ibid/internal/say":            0,
	"ibid/internal/glob":           0,
	"ibid/internal/document/ooxml": 0,
	"ibid/internal/disk":           0,
	"ibid/internal/tool/calc":      0,
	"ibid/internal/search":         3,
	"ibid/internal/evidence":       2,
	"ibid/internal/document":       3,
	"ibid/internal/store/sqlite":   3,
	"ibid/internal/blob":           3,
	"ibid/internal/engine":         0, // the contract; engines are above it
	"ibid/internal/engine/local":   3,
	"ibid/internal/llm":            3,
	"ibid/internal/llm/prompt":     0,
	"ibid/internal/question":       1,
	"ibid/internal/reader":         4,
	"ibid/internal/lsa":            3,
	"ibid/internal/database":       3,
	"ibid/internal/fetch":          3,
	"ibid/internal/websearch":      3,
	"ibid/internal/sandbox":        3,
	"ibid/internal/agent":          4,
	"ibid/internal/tool":           4,
	"ibid/internal/backup":         4,
	"ibid/internal/run":            5,
	"ibid/internal/ingest":         5,
	"ibid/internal/eval":           5,
	"ibid/internal/wire":           5,
	"ibid/internal/server/api":     6,
	"ibid/internal/server":         7,
	"ibid/internal/client":         7,
	"ibid/web":                     7,
	"ibid/internal/app/config":     5,
	"ibid/internal/app/datadir":    5,
	"ibid/internal/app/upkeep":     7,
	"ibid/internal/app":            8,
	"ibid/cmd/ibid":                9,
	"ibid/internal/ibidtest":       testOnly,
	"ibid/internal/importtest":     testOnly,
	"ibid/internal/disk/faulty":    testOnly,
	"ibid/scripts":                 testOnly, // programs of the workshop: they measure and test the house

	// Rooms of internal/document that what stands beside it uses too.
	"ibid/internal/document/charset": 0,
	"ibid/internal/document/csv":     0,
	"ibid/internal/document/zipfile": 0,

	// The room of internal/reader that writes SQL: it knows nothing of models and turns.
	"ibid/internal/reader/sqlwriter": 1,
}

// steps order the rooms of one folder that stand on one floor: a room imports those of
// strictly lower steps only.
var steps = map[string]int{
	"ibid/internal/document/format":  0, // what the rooms share
	"ibid/internal/document/proc":    0,
	"ibid/internal/document/pdfium":  0,
	"ibid/internal/document/archive": 1,
	"ibid/internal/document/text":    1,
	"ibid/internal/document/mail":    2, // its parts are texts
	"ibid/internal/document/office":  2, // books are pages of the web
	"ibid/internal/document/pdf":     2,
	"ibid/internal/document/image":   3, // laid out as pages of PDFs are

	"ibid/internal/agent/markdown": 0, // where an answer is code
	"ibid/internal/agent/metadata": 1,
	"ibid/internal/agent/cite":     1,

	"ibid/internal/store/sqlite/file":         0,
	"ibid/internal/store/sqlite/seen":         0,
	"ibid/internal/store/sqlite/process":      1,
	"ibid/internal/store/sqlite/schema":       1,
	"ibid/internal/store/sqlite/conversation": 2,
	"ibid/internal/store/sqlite/inspect":      2,
	"ibid/internal/store/sqlite/salvage":      2,
}

// testOnly packages may import anything and be imported by tests alone.
const testOnly = 100

func TestFloors(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "ibid/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		from, ok := floorOf(p.ImportPath)
		if !ok {
			t.Errorf("%s is on no floor: add it to the plan", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if imp != "ibid" && !strings.HasPrefix(imp, "ibid/") {
				continue
			}
			to, ok := floorOf(imp)
			switch {
			case !ok:
				t.Errorf("%s imports %s, which is on no floor", p.ImportPath, imp)
			case from != testOnly && to == testOnly:
				t.Errorf("%s imports %s, which is for tests only", p.ImportPath, imp)
			case from != testOnly && to >= from && !sameRoom(p.ImportPath, imp) && !stepBelow(p.ImportPath, imp):
				t.Errorf("%s (floor %d) imports %s (floor %d)", p.ImportPath, from, imp, to)
			}
		}
	}
	if seen == 0 {
		t.Fatal("go list named no package")
	}
}

// floorOf finds the floor of a package or of the room it is part of:
// internal/document/pdfium stands where internal/document does.
func floorOf(path string) (int, bool) {
	for path != "" {
		if f, ok := floors[path]; ok && (path != "ibid") {
			return f, true
		} else if ok {
			return f, true
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 || path[:i] == "ibid" || path[:i] == "ibid/internal" {
			return 0, false
		}
		path = path[:i]
	}
	return 0, false
}

// sameRoom reports whether one package is inside the folder of the other.
func sameRoom(a, b string) bool {
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") && b != "ibid" && a != "ibid"
}

// stepBelow reports whether two packages are rooms of one folder, and the one that is
// imported stands on a lower step.
func stepBelow(from, imported string) bool {
	above, ok := steps[from]
	below, known := steps[imported]
	return ok && known && path.Dir(from) == path.Dir(imported) && below < above
}
