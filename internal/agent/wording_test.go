package agent

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
)

// promptFolders are where the words stand that models are sent.
var promptFolders = []string{"internal/llm/prompt/prompts", "internal/tool"}

// TestWording changes every sentence of every prompt file, builds the agent anew with
// those, and has the built-in model answer all questions of TestReaderInTheAgent: its
// answers are the same. It reads what the agent means, not how that is worded.
func TestWording(t *testing.T) {
	ibidtest.WithoutRace(t, "starts go test, and nothing at once")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string]string{}
	for _, folder := range promptFolders {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no prompts in %s: %v", folder, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			changed := otherWords(string(text))
			if changed == string(text) {
				t.Fatalf("%s holds no words", file)
			}
			into := filepath.Join(t.TempDir(), "prompt.md")
			if err := os.WriteFile(into, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			replaced[file] = into
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(path, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-overlay", path, "-run", "^(TestReaderInTheAgent|TestRequests)$", "./internal/agent")
	cmd.Dir = root
	raw, _ := cmd.CombinedOutput() // it fails: the requests are other words
	out := string(raw)
	if !strings.Contains(out, "--- PASS: TestReaderInTheAgent") {
		t.Errorf("in other words the reader does something else:\n%s", out)
	}
	if !strings.Contains(out, "what models are sent has changed") {
		t.Errorf("the words were not changed:\n%s", out)
	}
}

// otherWords changes every word of a prompt (by rot13), but for what a program reads
// of it: the names of its sections, and what stands in {{ }}.
func otherWords(text string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "## ") {
			b.WriteString(line)
			continue
		}
		for i, c := range line {
			switch {
			case strings.HasPrefix(line[i:], "{{"):
				code = true
			case strings.HasPrefix(line[i:], "}}"):
				code = false
			case code:
			case c >= 'a' && c <= 'z':
				c = 'a' + (c-'a'+13)%26
			case c >= 'A' && c <= 'Z':
				c = 'A' + (c-'A'+13)%26
			}
			b.WriteRune(c)
		}
	}
	return b.String()
}
