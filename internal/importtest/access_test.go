package importtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maySystem are the packages that may look at everybody's things, and why. What they
// read in this way goes to nobody who could not see it otherwise.
var maySystem = map[string]string{
	"internal/ingest":       "it works on everybody's documents, and writes into the same document",
	"internal/run":          "it goes on with everybody's runs, each in its own log",
	"internal/app":          "status, doctor and inventory are told to whoever runs the program",
	"internal/app/upkeep":   "backups and the check of originals take in all that there is",
	"internal/app/recovery": "a recovery takes in all that there is",
}

// mayFor are the packages that may say who looks.
var mayFor = map[string]string{
	"internal/server":                    "it knows who asks",
	"internal/run":                       "a run is done for who asked",
	"internal/ingest":                    "what comes out of an archive is whose the archive is",
	"internal/store/sqlite/conversation": "a question goes to a thread of who asks",
	"internal/app/recovery":              "what is recovered is the owner's",
	"internal/eval":                      "it measures on documents of its own",
}

// TestWhoMakesViews holds that views are made where the plan says, and nowhere else.
func TestWhoMakesViews(t *testing.T) {
	root := filepath.Join("..", "..")
	made := map[string]map[string]bool{"System": {}, "For": {}}
	may := map[string]map[string]string{"System": maySystem, "For": mayFor}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && file != root && d.Name() != "..") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, file)
		rel = filepath.ToSlash(rel)
		if err != nil || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return err
		}
		in := path.Dir(rel)
		if in == "internal/access" || strings.HasPrefix(in, "internal/ibidtest") || strings.HasPrefix(in, "scripts") {
			return nil // what is for tests and for measuring
		}
		for _, f := range viewsMade(t, file) {
			made[f][in] = true
			if may[f][in] == "" {
				t.Errorf("%s calls access.%s; a package that may do so stands in this test, with the reason", rel, f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for f, packages := range may {
		for in := range packages {
			if !made[f][in] {
				t.Errorf("%s does not call access.%s any more: take it off the list", in, f)
			}
		}
	}
}

// viewsMade returns which makers of views a file uses, called or not.
func viewsMade(t *testing.T, file string) (made []string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), `"ibid/internal/access"`) {
		return nil
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	name := "access"
	for _, i := range parsed.Imports {
		if i.Path.Value == `"ibid/internal/access"` && i.Name != nil {
			name = i.Name.Name
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name && (s.Sel.Name == "System" || s.Sel.Name == "For") && !slices.Contains(made, s.Sel.Name) {
				made = append(made, s.Sel.Name)
			}
		}
		return true
	})
	return made
}
