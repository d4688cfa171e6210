package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Everything that is shipped is in the notices, in the version that is shipped.
func TestThirdPartyNoticesAreWhole(t *testing.T) {
	t.Parallel()
	shipped := append(shippedModules(t), shippedPackages(t)...)
	if len(shipped) < 50 {
		t.Fatalf("only %d dependencies were found", len(shipped))
	}
	for _, w := range append(shipped, "Go standard library") {
		if !strings.Contains(thirdParty, "\n- "+w+":") && !strings.Contains(thirdParty, "\n- "+w+"\n") {
			t.Errorf("%s is not in third_party.md: go run ./scripts/notices", w)
		}
	}
	var pinned struct{ Dependencies map[string]string }
	readTestJSON(t, "../../internal/document/pdfium/wasm/package.json", &pinned)
	if v := pinned.Dependencies["@embedpdf/pdfium"]; v == "" || !strings.Contains(thirdParty, v) {
		t.Errorf("PDFium %q is not in third_party.md: change scripts/notices/pdfium.md and run go run ./scripts/notices", v)
	}
}

func shippedModules(t *testing.T) []string {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("list modules: %v", err)
	}
	seen := make(map[string]bool)
	var modules []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && !seen[line] {
			seen[line] = true
			modules = append(modules, line)
		}
	}
	return modules
}

func shippedPackages(t *testing.T) []string {
	var lock struct {
		Packages map[string]struct {
			Version                    string
			Dev, Optional, DevOptional bool
		}
	}
	readTestJSON(t, "../../web/package-lock.json", &lock)
	var packages []string
	for path, p := range lock.Packages {
		_, isPackage := strings.CutPrefix(path, "node_modules/")
		if !isPackage || p.Dev || p.Optional || p.DevOptional || strings.Contains(path, "node_modules/@types/") {
			continue
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		packages = append(packages, name+" "+p.Version)
	}
	return packages
}

func readTestJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
