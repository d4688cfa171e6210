package document_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/document"
	"ibid/internal/ibidtest"
)

func TestExtractReadsAFileByItsContent(t *testing.T) {
	pool := newPool(t, document.Limits{})
	path := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(path, []byte("# Title\n\nWords.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	x := mustExtract(t, pool, document.Request{Path: path})
	if x.Format != "markdown" || x.Title != "Title" || x.Text != "Title\n\nWords." {
		t.Errorf("%+v", x)
	}
}

func TestRefusedFiles(t *testing.T) {
	pool := newPool(t, document.Limits{InputBytes: 1 << 20})
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	tests := []struct {
		name string
		req  document.Request
		want string
	}{
		{"empty", document.Request{Path: file("a.txt", "")}, "the file is empty"},
		{"empty PDF", document.Request{Path: file("a.pdf", "")}, "the file is empty"},
		{"blank", document.Request{Path: file("b.txt", " \n\t\n")}, "there is no text in the file"},
		{"picture named .md", document.Request{Path: file("a.md", png)}, "this is a picture (install tesseract to read the text in it)"},
		{"program named .txt", document.Request{Path: file("c.txt", "\x7FELF\x02\x01\x01")}, "this is a program, not text"},
		{"unknown binary", document.Request{Path: file("d.txt", strings.Repeat("\x01\x02\x03\xFE", 100))}, "this is a binary file of an unknown kind, not text"},
		{"damaged PDF", document.Request{Path: file("e.pdf", "not a PDF at all")}, "this PDF is damaged and cannot be opened"},
		{"old Office", document.Request{Path: file("f.doc", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")}, "before 2007 (save it as DOCX"},
		{"too large", document.Request{Path: file("g.txt", strings.Repeat("x", 1<<20+1))}, "the file is 2 MB large, more than the limit of 1 MB"},
		{"missing", document.Request{Path: filepath.Join(dir, "none")}, "there is no such file"},
		{"folder", document.Request{Path: dir}, "this is a folder, not a regular file"},
		{"bytes", document.Request{Name: "x.txt"}, "the file is empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := pool.Extract(context.Background(), test.req, nil)
			var e *ibid.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestWorkerIsUsedAgainAfterARefusal(t *testing.T) {
	pool := newPool(t, document.Limits{})
	for range 3 {
		if _, err := pool.Extract(context.Background(), document.Request{Data: []byte("\x89PNG\r\n\x1a\n"), Name: "a.png"}, nil); err == nil {
			t.Fatal("a picture was read")
		}
		mustExtract(t, pool, document.Request{Data: []byte("Words."), Name: "a.txt"})
	}
}

func TestManyFilesAtOnce(t *testing.T) {
	pool := startPool(t, document.Config{Workers: 3})
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			want := strings.Repeat("word ", i) + "end"
			x, err := pool.Extract(context.Background(), document.Request{Data: []byte(want), Name: "a.txt"}, nil)
			if err != nil || x.Text != want {
				t.Errorf("%q, %v", x.Text, err)
			}
		})
	}
	group.Wait()
}

// pages is what a fake worker reads of its five pages.
func pages(numbers ...string) string {
	var lines []string
	for _, n := range numbers {
		lines = append(lines, "Text of page "+n+".")
	}
	return strings.Join(lines, "\n\n")
}

func TestPageThatKillsItsWorkerCostsOnlyItself(t *testing.T) {
	for _, misdeed := range []string{"hang", "crash", "grow", "garbage"} {
		t.Run(misdeed, func(t *testing.T) {
			ibidtest.Patiently(t, time.Second, func(stall time.Duration) error { // in which a worker has to start, too
				pool := fakePool(t, misdeed, document.Limits{Stall: stall, MemoryBytes: 200 << 20})
				x, err := pool.Extract(context.Background(), document.Request{Data: []byte("%PDF-"), Name: "a.pdf"}, nil)
				if err != nil {
					return err
				}
				document.CheckExtract(t, x)
				if want := pages("1", "2", "4", "5"); x.Text != want || x.Pages != 5 {
					return fmt.Errorf("text %q, want %q", x.Text, want)
				}
				if !strings.HasPrefix(x.Notice, "page 3 could not be read: ") {
					return fmt.Errorf("notice %q", x.Notice)
				}
				return nil
			})
		})
	}
}

func TestTimeoutKeepsWhatWasRead(t *testing.T) {
	ibidtest.Patiently(t, time.Second, func(limit time.Duration) error { // in which a worker has to start, too
		pool := fakePool(t, "hang", document.Limits{Timeout: limit})
		x, err := pool.Extract(context.Background(), document.Request{Data: []byte("%PDF-"), Name: "a.pdf"}, nil)
		if want := fmt.Sprintf("pages 1–2 read, page 3 failed: it took too long: more than %v", limit); err != nil || x.Text != pages("1", "2") || x.Notice != want {
			return fmt.Errorf("text %q, notice %q, %v", x.Text, x.Notice, err)
		}
		return nil
	})
}

func TestCancelledExtractEndsItsWorker(t *testing.T) {
	pool := fakePool(t, "hang", document.Limits{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := pool.Extract(ctx, document.Request{Data: []byte("%PDF-"), Name: "a.pdf"}, func(p document.Progress) {
		if p.Page == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
	// The slot is free again, and the next job gets a new worker.
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	if _, err := pool.Extract(ctx, document.Request{Data: []byte("%PDF-"), Name: "a.pdf"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestStopEndsRunningJobs(t *testing.T) {
	pool := fakePool(t, "hang", document.Limits{})
	running, ended := make(chan struct{}), make(chan error)
	go func() {
		_, err := pool.Extract(context.Background(), document.Request{Data: []byte("%PDF-"), Name: "a.pdf"}, func(p document.Progress) {
			if p.Page == 2 {
				close(running)
			}
		})
		ended <- err
	}()
	<-running
	stopped := make(chan struct{})
	go func() { pool.Stop(); close(stopped) }()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-stopped
	pool.Stop()
	if _, err := pool.Extract(context.Background(), document.Request{Data: []byte("x"), Name: "a.txt"}, nil); err == nil {
		t.Error("a stopped pool reads files")
	}
}

func TestIdleWorkersEnd(t *testing.T) {
	pool := startPool(t, document.Config{Idle: time.Millisecond})
	for range 20 {
		mustExtract(t, pool, document.Request{Data: []byte("Words."), Name: "a.txt"})
	}
}

func TestProgressCountsPages(t *testing.T) {
	pool := fakePool(t, "", document.Limits{})
	var seen []int
	_, err := pool.Extract(context.Background(), document.Request{Data: []byte("%PDF-"), Name: "a.pdf"}, func(p document.Progress) {
		if p.Pages != 5 || p.Stage != document.StageExtract {
			t.Errorf("progress %+v", p)
		}
		seen = append(seen, p.Page)
	})
	if err != nil || len(seen) != 6 || seen[0] != 0 || seen[5] != 5 {
		t.Errorf("pages %v, %v", seen, err)
	}
}

func TestTextLimitKeepsTheBeginning(t *testing.T) {
	pool := newPool(t, document.Limits{TextBytes: 100 << 10})
	text := strings.Repeat("A paragraph of some words.\n\n", 10_000)
	for _, name := range []string{"a.txt", "a.md", "a.html", "a.go"} {
		x := mustExtract(t, pool, document.Request{Data: []byte(text), Name: name})
		if len(x.Text) > 100<<10 || len(x.Text) < 60<<10 || !strings.Contains(x.Notice, "only the first 100 KB of its text were read") {
			t.Errorf("%s: %d bytes, notice %q", name, len(x.Text), x.Notice)
		}
	}
}

func TestFileThatShrinksMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, make([]byte, 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	send, err := document.OpenRequest(document.Request{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if err := send(); err == nil || !strings.Contains(err.Error(), "became shorter") {
		t.Errorf("error %v", err)
	}
}
