package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
)

// attic holds the files of two conversations.
type attic struct {
	web
	files map[string][]ibid.File
	texts map[string]ibid.Extract
	read  int
}

func newAttic(files ...ibid.File) *attic {
	a := &attic{files: map[string][]ibid.File{"t1": files}, texts: map[string]ibid.Extract{}}
	a.files["t2"] = []ibid.File{{MessageID: "m9", Attachment: ibid.Attachment{Name: "secret.txt", MIME: "text/plain", Data: []byte("The code is 1234.")}}}
	return a
}

func (a *attic) Files(_ context.Context, _ access.View, threadID string, page ibid.Page) ([]ibid.File, string, error) {
	files := slices.Clone(a.files[threadID])
	slices.Reverse(files)
	return cut(files, page)
}

// cut returns a page of a list.
func cut[T any](list []T, page ibid.Page) ([]T, string, error) {
	from := 0
	if _, err := page.DecodeCursor(&from); err != nil {
		return nil, "", err
	}
	to := from + page.Size()
	if to >= len(list) {
		return list[min(from, len(list)):], "", nil
	}
	return list[from:to], ibid.EncodeCursor(to), nil
}

func (a *attic) File(_ context.Context, _ access.View, messageID string, n int) (ibid.File, error) {
	for _, files := range a.files {
		for _, f := range files {
			if f.MessageID == messageID && f.N == n {
				return f, nil
			}
		}
	}
	return ibid.File{}, ibid.Errorf(ibid.CodeNotFound, "gone")
}

func (a *attic) FileText(_ context.Context, _ access.View, messageID string, n int) (ibid.Extract, error) {
	x, ok := a.texts[fmt.Sprint(messageID, n)]
	if !ok {
		return x, ibid.Errorf(ibid.CodeNotFound, "not read yet")
	}
	return x, nil
}

func (a *attic) SetFileText(_ context.Context, messageID string, n int, x ibid.Extract) error {
	a.texts[fmt.Sprint(messageID, n)] = x
	return nil
}

func (a *attic) ReadFile(ctx context.Context, name string, data []byte) (ibid.Extract, error) {
	a.read++
	return a.web.ReadFile(ctx, name, data)
}

func file(message string, n int, name, mime, text string) ibid.File {
	return ibid.File{MessageID: message, N: n, Attachment: ibid.Attachment{Name: name, MIME: mime, Data: []byte(text)}}
}

func TestRetrieveFile(t *testing.T) {
	a := newAttic(file("m1", 0, "lease.txt", "text/plain", "The lease runs for five years.\nThe rent is 900 euros.\n"))
	tool := NewRetrieveFile(NewFileTexts(a, a, a), false)
	env := ibid.ToolEnv{ThreadID: "t1"}
	for _, name := range []string{"m1:0", "lease.txt", "LEASE", "[m1:0]"} {
		out := call(t, tool, map[string]any{"file": name}, env)
		if out.Failed || len(out.Passages) != 1 || !strings.Contains(out.Content, "the whole of lease.txt") {
			t.Fatalf("%s: %+v", name, out)
		}
		if p := out.Passages[0]; p.Kind != ibid.SourceAttachment || p.URL != "/v1/messages/m1/files/0" || p.Document.Title != "lease.txt" || p.DocumentID != "m1:0" || len(p.Version) != 32 {
			t.Errorf("passage %+v", p)
		}
	}
	if a.read != 1 {
		t.Errorf("the file was read %d times", a.read)
	}
	for _, name := range []string{"secret.txt", "m9:0", "lease.pdf", ""} {
		out := call(t, tool, map[string]any{"file": name}, env)
		if !out.Failed || strings.Contains(out.Content, "1234") || name != "" && !strings.Contains(out.Content, "lease.txt (m1:0)") {
			t.Errorf("%q: %+v", name, out)
		}
	}
	if out := call(t, tool, map[string]any{"file": "x"}, ibid.ToolEnv{ThreadID: "none"}); !strings.Contains(out.Content, "no file is attached") {
		t.Errorf("got %+v", out)
	}
}

// TestRetrieveAmongManyFiles: files of a long conversation are found however old they
// are, and of those that fit equally well the newest is meant.
func TestRetrieveAmongManyFiles(t *testing.T) {
	files := []ibid.File{file("m0", 0, "lease.txt", "text/plain", "The first lease.")}
	for i := range ibid.MaxLimit + 50 {
		files = append(files, file(fmt.Sprintf("n%03d", i), 0, fmt.Sprintf("plan %d.txt", i), "text/plain", "A plan."))
	}
	files = append(files, file("m1", 0, "old lease 1.txt", "text/plain", "The second lease."), file("m2", 0, "old lease 2.txt", "text/plain", "The third lease."))
	a := newAttic(files...)
	tool, env := NewRetrieveFile(NewFileTexts(a, a, a), false), ibid.ToolEnv{ThreadID: "t1"}
	for name, want := range map[string]string{"lease.txt": "m0:0", "m0:0": "m0:0", "n000:0": "n000:0", "lease": "m2:0", "lease 1": "m1:0"} {
		if out := call(t, tool, map[string]any{"file": name}, env); out.Failed || len(out.Passages) == 0 || out.Passages[0].DocumentID != want {
			t.Errorf("%q is %+v, want %s", name, out, want)
		}
	}
	if out := call(t, tool, map[string]any{"file": "none"}, env); !strings.HasSuffix(out.Content, "There are: plan 542.txt (n542:0), plan 543.txt (n543:0), plan 544.txt (n544:0), plan 545.txt (n545:0), "+
		"plan 546.txt (n546:0), plan 547.txt (n547:0), plan 548.txt (n548:0), plan 549.txt (n549:0), old lease 1.txt (m1:0), old lease 2.txt (m2:0)") {
		t.Errorf("none is %+v", out)
	}
}

func TestRetrieveLongFile(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "# Chapter %d\n%s\nThe number of chapter %d is %d.\n\f\n", i+1, strings.Repeat("Some words about nothing at all. ", 20), i+1, 7*i)
	}
	a := newAttic(file("m1", 0, "book.pdf", "application/pdf", b.String()), file("m1", 1, "x.bin", "application/zip", "x"))
	tool, env := NewRetrieveFile(NewFileTexts(a, a, a), false), ibid.ToolEnv{ThreadID: "t1"}
	look := func(args map[string]any) ibid.ToolOutput {
		t.Helper()
		args["file"] = "book.pdf"
		return call(t, tool, args, env)
	}
	out := look(map[string]any{})
	if out.Failed || len(out.Passages) == 0 || !strings.Contains(out.Content, "Chapter 40") || !strings.Contains(out.Content, "61 pages") {
		t.Errorf("overview: %d passages, %q", len(out.Passages), out.Content)
	}
	out = look(map[string]any{"query": "number of chapter 41"})
	found := false
	for _, p := range out.Passages {
		found = found || p.Quote.Text == "The number of chapter 41 is 280." && strings.HasSuffix(p.URL, "/files/0#page=41")
	}
	if !found {
		t.Errorf("the query found %+v", out.Passages)
	}
	out = look(map[string]any{"page": 3})
	if len(out.Passages) == 0 || out.Passages[0].Heading[0] != "Chapter 3" {
		t.Errorf("page 3 is %+v", out)
	}
	if out = look(map[string]any{"page": 99}); !out.Failed || !strings.Contains(out.Content, "61 pages") {
		t.Errorf("page 99 is %+v", out)
	}
	if out := call(t, tool, map[string]any{"file": "x.bin"}, env); !out.Failed || !strings.Contains(out.Content, "not text") {
		t.Errorf("a file that cannot be read: %+v", out)
	}
}

func TestRetrieveFileInParts(t *testing.T) {
	a := newAttic(file("m1", 0, "log.txt", "text/plain", strings.Repeat("One line of a long log.\n", 2000)))
	tool, env := NewRetrieveFile(NewFileTexts(a, a, a), false), ibid.ToolEnv{ThreadID: "t1"}
	first := call(t, tool, map[string]any{"file": "log.txt", "page": 1}, env)
	second := call(t, tool, map[string]any{"file": "log.txt", "page": 2}, env)
	last := first.Passages[len(first.Passages)-1]
	if second.Failed || second.Passages[0].Start < last.End || second.Passages[0].Start > last.End+1 {
		t.Errorf("part 2 begins at %d, part 1 ends at %d", second.Passages[0].Start, last.End)
	}
	if out := call(t, tool, map[string]any{"file": "log.txt", "page": 999}, env); !out.Failed || !strings.Contains(out.Content, "parts") {
		t.Errorf("part 999: %+v", out)
	}
}

func TestRetrievePicture(t *testing.T) {
	a := newAttic(file("m1", 0, "cat.png", "image/png", "words in the picture"))
	if out := call(t, NewRetrieveFile(NewFileTexts(a, a, a), true), map[string]any{"file": "cat.png"}, ibid.ToolEnv{ThreadID: "t1"}); out.Page == nil || out.Page.File != "m1:0" {
		t.Errorf("a model that sees gets %+v", out)
	}
	if out := call(t, NewRetrieveFile(NewFileTexts(a, a, a), false), map[string]any{"file": "cat.png"}, ibid.ToolEnv{ThreadID: "t1"}); out.Page != nil || len(out.Passages) != 1 {
		t.Errorf("a model that does not see gets %+v", out)
	}
}
