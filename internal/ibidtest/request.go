package ibidtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/llm/prompt"
)

// Requests writes requests to models so that people can read and compare them.
// What stands in the request before it is not repeated: neither the system prompt
// nor the first turns, so a conversation that grows shows what it grew by.
type Requests struct {
	b      strings.Builder
	system map[string]string // name by text
	before []string          // the turns of the request before
}

// Title begins a part with requests of its own.
func (w *Requests) Title(format string, args ...any) {
	fmt.Fprintf(&w.b, "== %s ==\n", fmt.Sprintf(format, args...))
	w.before = nil
}

// Add writes a request as the model reads it.
func (w *Requests) Add(req ibid.ModelRequest) {
	req = prompt.Render(req)
	if w.system == nil {
		w.system = map[string]string{}
	}
	fmt.Fprintf(&w.b, "request: think %s, max tokens %d\n", req.Think, req.MaxTokens)
	if len(req.Schema) > 0 {
		w.quote("schema", string(req.Schema))
	}
	var tools []string
	for _, t := range req.Tools {
		tools = append(tools, t.Name)
	}
	if len(tools) > 0 {
		fmt.Fprintf(&w.b, "tools: %s\n", strings.Join(tools, " "))
	}
	if name, known := w.system[req.System]; known {
		fmt.Fprintf(&w.b, "system: as %s\n", name)
	} else {
		name := fmt.Sprintf("system %d", len(w.system)+1)
		w.system[req.System] = name
		w.quote(name, req.System)
	}
	var turns []string
	for _, t := range req.Turns {
		turns = append(turns, writtenTurn(t))
	}
	same := 0
	for same < len(turns) && same < len(w.before) && turns[same] == w.before[same] {
		same++
	}
	if same > 0 {
		fmt.Fprintf(&w.b, "(%d turns as before)\n", same)
	}
	for _, t := range turns[same:] {
		w.b.WriteString(t)
	}
	w.before = turns
}

func (w *Requests) quote(name, text string) {
	fmt.Fprintf(&w.b, "%s\n%s", name, quoted(text))
}

// longestLine is how much of a line is written, in bytes; of a longer one also its
// size and its hash.
const longestLine = 1000

// quoted puts a mark before each line, so that all white space is seen.
func quoted(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) > longestLine {
			line = fmt.Sprintf("%s… (%d bytes, %s)", strings.ToValidUTF8(line[:longestLine], ""), len(line), ibid.VersionOf([]byte(line)))
		}
		b.WriteString("  |" + line + "\n")
	}
	if strings.HasSuffix(text, "\n") {
		b.WriteString("  |\n")
	}
	return b.String()
}

func writtenTurn(t ibid.Turn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t.Role)
	for _, p := range t.Parts {
		switch {
		case p.Call != nil:
			fmt.Fprintf(&b, " call %s %s %s\n", p.Call.ID, p.Call.Name, p.Call.Arguments)
		case p.Result != nil:
			fmt.Fprintf(&b, " result %s %s failed=%t\n%s", p.Result.CallID, p.Result.Name, p.Result.Failed, quoted(p.Result.Content))
		case p.Image != nil:
			fmt.Fprintf(&b, " image %s of %d bytes\n", p.Image.MIME, len(p.Image.Data))
		case p.Reasoning != "":
			fmt.Fprintf(&b, " reasoning\n%s", quoted(p.Reasoning))
		default:
			fmt.Fprintf(&b, " text\n%s", quoted(p.Text))
		}
	}
	return b.String()
}

// Golden compares what was written with a file of testdata, or writes the file
// when update says so.
func (w *Requests) Golden(t testing.TB, name string, update bool) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(w.b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(w.b.String(), "\n")); diff != "" {
		t.Errorf("what models are sent has changed (-want +got):\n%s", diff)
	}
}
