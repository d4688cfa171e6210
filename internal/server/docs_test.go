package server

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The documentation names the routes of the code, no more and no fewer, and every
// field that they read or write.
func TestRoutesAreDocumented(t *testing.T) {
	docs := readFile(t, "../../docs/api.md") + readFile(t, "../../docs/protocols.md")
	routes := found(regexp.MustCompile(`HandleFunc\("([^"]+)"`), readFile(t, "server.go"))
	if len(routes) == 0 {
		t.Fatal("no routes in server.go")
	}
	documented := found(regexp.MustCompile("((?:GET|POST|PATCH|PUT|DELETE) /[^ ?`]*)"), docs)
	for _, r := range routes {
		if !slices.Contains(documented, r) {
			t.Errorf("%s is not in docs/api.md or docs/protocols.md", r)
		}
	}
	for _, d := range documented {
		if !slices.Contains(routes, d) {
			t.Errorf("%s is documented, but is no route", d)
		}
	}
}

func TestFieldsAreDocumented(t *testing.T) {
	docs := readFile(t, "../../docs/api.md") + readFile(t, "../../docs/protocols.md")
	words := found(regexp.MustCompile(`(\w+)`), docs)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, field := range found(regexp.MustCompile("json:\"(\\w+)"), readFile(t, file)) {
			if !slices.Contains(words, field) {
				t.Errorf("%s: the field %q is not in docs/api.md or docs/protocols.md", file, field)
			}
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// found returns what a pattern catches in a text, each once.
func found(pattern *regexp.Regexp, text string) []string {
	var all []string
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}
