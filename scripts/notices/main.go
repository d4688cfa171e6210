// Command notices writes cmd/ibid/third_party.md: whose work the program and its
// page contain, and under which licences. It runs in the folder of the project,
// after `npm ci` in web, and is run again when a dependency changes:
//
//	go run ./scripts/notices
//
// Each licence's words stand there once, below the names and copyright lines of
// everything that is under it.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const target = "cmd/ibid/third_party.md"

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// work is something of others that is shipped.
type work struct {
	name, version string
	licence       string // its whole text
}

func write() error {
	modules, err := goModules()
	if err != nil {
		return err
	}
	packages, err := npmPackages("web")
	if err != nil {
		return err
	}
	var rest []byte
	for _, name := range []string{"pdfium.md", "glove.md"} {
		said, err := os.ReadFile(filepath.Join("scripts/notices", name))
		if err != nil {
			return fmt.Errorf("read what is said of a work that no package manager knows: %w", err)
		}
		rest = append(append(rest, said...), 0x0a)
	}
	var b bytes.Buffer
	b.WriteString("# Third-party notices\n\nibid contains the work of others. `go run ./scripts/notices` writes this file; don't edit it.\n\n")
	b.Write(rest)
	writeGroups(&b, append(modules, packages...))
	return os.WriteFile(target, b.Bytes(), 0o644)
}

// goModules returns the modules that the binary is built of, on any system.
func goModules() ([]work, error) {
	found := make(map[string]work)
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", "./cmd/ibid")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("list modules: %w", err)
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			if len(f) != 3 || found[f[0]].name != "" {
				continue
			}
			text, err := licenceIn(f[2])
			if err != nil {
				return nil, err
			}
			found[f[0]] = work{f[0], f[1], text}
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go: %w", err)
	}
	text, err := licenceIn(strings.TrimSpace(string(root)))
	if err != nil {
		return nil, err
	}
	works := []work{{"Go standard library", "", text}}
	for _, w := range found {
		works = append(works, w)
	}
	return works, nil
}

// npmPackages returns what the page may be bundled of: all that the lock file
// does not call a tool of development.
func npmPackages(dir string) ([]work, error) {
	b, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, fmt.Errorf("read lock file: %w", err)
	}
	var lock struct {
		Packages map[string]struct {
			Version, License           string
			Dev, Optional, DevOptional bool
		}
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		return nil, fmt.Errorf("read lock file: %w", err)
	}
	seen := make(map[string]bool)
	var works []work
	for path, p := range lock.Packages {
		if path == "" {
			continue // the page itself
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		// What is optional runs in Node, such as pdf.js's canvas; @types is erased.
		if p.Dev || p.Optional || p.DevOptional || strings.HasPrefix(name, "@types/") || seen[name+p.Version] {
			continue
		}
		seen[name+p.Version] = true
		text, err := licenceIn(filepath.Join(dir, path))
		if err != nil {
			text = "Licence: " + p.License + " (the package holds no copy of it)"
		}
		works = append(works, work{name, p.Version, text})
	}
	return works, nil
}

// licenceIn returns the licence that a folder holds.
func licenceIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("look for a licence: %w", err)
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if !e.IsDir() && (strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING")) {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			return strings.ReplaceAll(string(b), "\r\n", "\n"), err
		}
	}
	return "", fmt.Errorf("%s holds no licence", dir)
}

var copyrightLine = regexp.MustCompile(`(?i)^\W*(?:copyright (?:\(c\)|©|\d|the|[a-z]+ \d).*|\(c\) .*)$`)

// split takes the copyright lines out of a licence.
func split(text string) (copyrights []string, words string) {
	var rest []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if copyrightLine.MatchString(line) && len(line) < 200 {
			copyrights = append(copyrights, strings.Trim(line, " *"))
		} else {
			rest = append(rest, line)
		}
	}
	return copyrights, strings.TrimSpace(strings.Join(rest, "\n"))
}

// sameWords makes licences equal that differ in line breaks and headings only.
func sameWords(words string) string {
	words = regexp.MustCompile(`(?i)^\W*(?:the )?(?:mit|isc|bsd)[^\n]*licen[sc]e[^\n]*\n`).ReplaceAllString(words, "")
	return strings.ToLower(strings.Join(strings.FieldsFunc(words, func(r rune) bool { return !('a' <= r|0x20 && r|0x20 <= 'z') }), " "))
}

func writeGroups(b *bytes.Buffer, works []work) {
	slices.SortFunc(works, func(a, c work) int {
		return cmp.Or(cmp.Compare(a.name, c.name), cmp.Compare(a.version, c.version))
	})
	var order []string
	groups := make(map[string][]work)
	for _, w := range works {
		_, words := split(w.licence)
		key := sameWords(words)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], w)
	}
	slices.SortStableFunc(order, func(a, c string) int { return cmp.Compare(len(groups[c]), len(groups[a])) })
	for _, key := range order {
		b.WriteString("\n---\n\n")
		for _, w := range groups[key] {
			copyrights, _ := split(w.licence)
			line := strings.TrimSpace(w.name + " " + w.version)
			if len(copyrights) > 0 {
				line += ": " + strings.Join(copyrights, "; ")
			}
			fmt.Fprintf(b, "- %s\n", line)
		}
		_, words := split(groups[key][0].licence)
		fmt.Fprintf(b, "\n```\n%s\n```\n", regexp.MustCompile(`\n{3,}`).ReplaceAllString(words, "\n\n"))
	}
}
