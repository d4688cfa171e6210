package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/client"
	"ibid/internal/ibidtest"
)

func TestAddAskAndRemove(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doc := h.file("terms.md", warrantyText)
	if out := h.must("add", doc); !regexp.MustCompile(`✓ .*terms\.md: \d+ chunks?\n`).MatchString(out) {
		t.Errorf("add said %q", out)
	}
	if out := h.must("add", doc); !strings.Contains(out, "terms.md: unchanged") {
		t.Errorf("the second add said %q", out)
	}
	out := h.must("ask", "How", "long", "does", "the", "warranty", "last?")
	for _, want := range []string{"two years", "[1]", "file://" + filepath.ToSlash(doc)} {
		if !strings.Contains(out, want) {
			t.Errorf("the answer lacks %q:\n%s", want, out)
		}
	}
	if out := h.must("search", "damage by water"); !strings.Contains(out, "Terms of sale") || !strings.Contains(out, "Warranty") {
		t.Errorf("search said:\n%s", out)
	}
	if out := h.must("ls"); !strings.Contains(out, "terms.md") || !strings.Contains(out, "ready") {
		t.Errorf("ls said:\n%s", out)
	}
	if out := h.must("ls", "--threads"); !strings.Contains(out, "warranty") {
		t.Errorf("ls --threads said:\n%s", out)
	}
	h.must("rm", "terms.md")
	if out := h.must("ls", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("after rm: %s", out)
	}
	if _, err := os.Stat(doc); err != nil {
		t.Errorf("rm removed the user's file: %v", err)
	}
}

// A conversation can be gone on with, read again and removed by the beginning of
// its id.
func TestConversationsInTheTerminal(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	doc := h.file("terms.md", warrantyText)
	h.must("add", doc, "--folder", "sale")
	h.must("ask", "How long does the warranty last?")
	var threads []ibid.Thread
	if err := json.Unmarshal([]byte(h.must("ls", "--threads", "--json")), &threads); err != nil || len(threads) != 1 {
		t.Fatalf("%d threads, %v", len(threads), err)
	}
	id := threads[0].ID[:13]
	h.must("ask", "--thread", id, "--attach", h.file("note.txt", "The offer ends in May."), "When are goods delivered?")
	out := h.must("show", id)
	for _, want := range []string{"> How long does the warranty last?\n", "two years", "[1] Terms of sale", "file://" + filepath.ToSlash(doc),
		"> When are goods delivered?\n> + note.txt (22 B)\n", "ten working days"} {
		if !strings.Contains(out, want) {
			t.Errorf("the conversation lacks %q:\n%s", want, out)
		}
	}
	var messages []ibid.Message
	if err := json.Unmarshal([]byte(h.must("show", "--json", id)), &messages); err != nil || len(messages) != 4 {
		t.Errorf("%d messages, %v", len(messages), err)
	}
	if out := h.must("rm", "--thread", id); !strings.Contains(out, "removed conversation "+threads[0].ID) {
		t.Errorf("rm said %q", out)
	}
	if out := h.must("ls", "--threads", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("after rm: %s", out)
	}
	if out := h.must("ls", "--folder", "sale", "*.md"); !strings.Contains(out, "terms.md") {
		t.Errorf("ls said %q", out)
	}
}

func TestAskJSONIsARunLog(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	var last ibid.Event
	seq, started := int64(0), 0
	lines := bufio.NewScanner(strings.NewReader(h.must("ask", "--json", "How long does the warranty last?")))
	lines.Buffer(nil, client.MaxEventLine)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}
		if last.Seq <= seq {
			t.Errorf("event %d after %d", last.Seq, seq)
		}
		if _, ok := last.Data.(ibid.RunStarted); ok {
			started++
		}
		seq = last.Seq
	}
	end, ok := last.Data.(ibid.RunFinished)
	if !ok || end.Status != ibid.StatusCompleted || started != 1 {
		t.Errorf("the log ends with %+v, and started %d times", last, started)
	}
}

// Whatever cannot be read is one clear line, the others go on, and the command
// fails.
func TestBadInput(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "reads a file of 200 MB; other tests add files under it")
	h := newHouse(t)
	program, err := os.ReadFile(binary(t))
	if err != nil {
		t.Fatal(err)
	}
	good := h.file("good.md", warrantyText)
	bad := map[string]string{
		h.file("empty.md", ""):                            "empty",
		h.file("empty.pdf", ""):                           "empty",
		h.file("program.md", string(program[:200_000])):   "not text|binary",
		h.file("broken.pdf", "%PDF-1.7\nnothing follows"): "PDF",
		h.file("huge.txt", strings.Repeat("All work and no play makes a dull file.\n", 200<<20/40)): "larger than 100 MB",
		filepath.Join(h.home, "nowhere.md"): "no such file",
	}
	args := []string{"add", good}
	for path := range bad {
		args = append(args, path)
	}
	code, out, errs := h.run(args...)
	if code != exitFailed || !strings.Contains(errs, "6 of 7 documents could not be added") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	for path, want := range bad {
		line := regexp.MustCompile(`(?m)^✗ ` + regexp.QuoteMeta(path) + `: (.*)$`).FindStringSubmatch(out)
		if line == nil || !regexp.MustCompile(want).MatchString(line[1]) {
			t.Errorf("%s: want a line about %q in\n%s", path, want, out)
		}
	}
	if !strings.Contains(out, "✓ "+good) {
		t.Errorf("the good file was not added:\n%s", out)
	}
	if out := h.must("search", "warranty"); !strings.Contains(out, "Terms of sale") {
		t.Errorf("search said %q", out)
	}
}

// Text in an old encoding is read, and nothing of it is lost in silence.
func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	path := h.file("latin1.txt", "Die Gew\xe4hrleistung dauert zwei Jahre. Der K\xe4ufer tr\xe4gt die Kosten.\n")
	code, out, errs := h.run("add", path)
	if code == exitOK {
		if out := h.must("search", "Gewährleistung"); !strings.Contains(out, "zwei Jahre") {
			t.Errorf("it was added, but search said %q", out)
		}
		return
	}
	if !strings.Contains(out, "UTF-8") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

func TestWorkerEndsWithItsInput(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), "extract-worker")
	cmd.Stdin = strings.NewReader("")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) != 0 {
		t.Errorf("%v, said %q", err, out)
	}
}
