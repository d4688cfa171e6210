package document

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ibid"
	"ibid/internal/document/format"
)

// CheckExtract checks what every extract promises, whatever it was made of.
func CheckExtract(t testing.TB, x ibid.Extract) {
	t.Helper()
	if !utf8.ValidString(x.Text) || strings.ContainsRune(x.Text, 0) {
		t.Error("the text is not valid UTF-8 without NUL")
	}
	if x.Format == "" {
		t.Error("no format")
	}
	if x.Pages != len(x.PageAt) || !slices.IsSorted(x.PageAt) {
		t.Errorf("%d pages that start at %v", x.Pages, x.PageAt)
	}
	at := 0
	for i, b := range x.Blocks {
		if b.Start < at || b.End < b.Start || b.End > len(x.Text) {
			t.Fatalf("block %d covers %d to %d, after %d", i, b.Start, b.End, at)
		}
		if b.Kind == ibid.BlockImage && b.Start == b.End { // a picture without words
			at = b.End
			continue
		}
		if s := x.Text[b.Start:b.End]; strings.TrimSpace(s) == "" || !utf8.ValidString(s) || format.Clean(s) != s {
			t.Errorf("block %d is blank or not clean: %q", i, s)
		}
		if b.End-b.Start > format.MaxBlock {
			t.Errorf("block %d has %d bytes", i, b.End-b.Start)
		}
		if (b.Kind == ibid.BlockHeading) != (b.Level > 0) {
			t.Errorf("block %d is a %s of level %d", i, b.Kind, b.Level)
		}
		if gap := x.Text[at:b.Start]; strings.TrimSpace(gap) != "" {
			t.Errorf("text in no block: %q", gap)
		}
		if first, last := ibid.PageOf(x.PageAt, b.Start), ibid.PageOf(x.PageAt, b.End-1); first != b.Page || last != b.Page {
			t.Errorf("block %d of page %d lies on pages %d to %d", i, b.Page, first, last)
		}
		at = b.End
	}
	if rest := x.Text[at:]; strings.TrimSpace(rest) != "" {
		t.Errorf("text in no block: %q", rest)
	}
}

// Dump writes an extract so that people can compare two.
func Dump(x ibid.Extract) string {
	var b strings.Builder
	fmt.Fprintf(&b, "format: %s\n", x.Format)
	if x.Title != "" {
		fmt.Fprintf(&b, "title: %s\n", x.Title)
	}
	if x.Notice != "" {
		fmt.Fprintf(&b, "notice: %s\n", x.Notice)
	}
	for _, block := range x.Blocks {
		b.WriteByte('[')
		if block.Page > 0 {
			fmt.Fprintf(&b, "page %d ", block.Page)
		}
		b.WriteString(string(block.Kind))
		if block.Level > 0 {
			fmt.Fprintf(&b, " %d", block.Level)
		}
		b.WriteByte(']')
		if len(block.Heading) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(block.Heading, " > "))
		}
		text := x.Text[block.Start:block.End]
		if strings.Contains(text, "\n") {
			text = "\n  " + strings.ReplaceAll(text, "\n", "\n  ")
		} else if text != "" {
			text = " " + text
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// FakeWorkerCommand makes the test binary a worker that misbehaves.
const FakeWorkerCommand = "fake-worker"

// FakeWorker reads a job as a worker does and answers with the head of a PDF of
// five pages and their text from job.From on. At page 3 it does what it was
// told: "hang", "crash", "grow" or "garbage".
func FakeWorker(in io.Reader, out io.Writer, misdeed string) int {
	w := &worker{out: out, formats: Formats()}
	for {
		_, payload, err := readFrame(in)
		if err != nil {
			return 0
		}
		var j job
		if decode(payload, &j) != nil {
			return 1
		}
		_, _ = io.CopyN(io.Discard, in, j.Size)
		if j.From <= 1 {
			_ = writeJSON(w.out, frameHead, format.Head{Format: "pdf", Pages: 5})
		}
		for n := max(j.From, 1); n <= 5; n++ {
			if n == 3 {
				misbehave(out, misdeed)
			}
			line := format.Line{Text: fmt.Sprintf("Text of page %d.", n), X0: 720, X1: 2000, Y0: 3000, Y1: 3100, Base: 3100, Size: 100}
			_ = writeJSON(w.out, framePage, format.Page{Number: n, Width: 6120, Height: 7920, Lines: []format.Line{line}})
		}
		_ = writeJSON(w.out, frameDone, format.Done{})
	}
}

func misbehave(out io.Writer, misdeed string) {
	switch misdeed {
	case "hang":
		time.Sleep(time.Hour)
	case "grow":
		var hold [][]byte
		for {
			b := make([]byte, 16<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			hold = append(hold, b)
			if len(hold) > 512 {
				return
			}
		}
	case "garbage":
		_, _ = out.Write([]byte("\xFF\xFF\xFF\xFFgarbage"))
		time.Sleep(time.Hour)
	case "crash":
		panic("crash")
	case "killed":
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill() // as the kernel does where memory is short
		time.Sleep(time.Hour)
	}
}

// OpenRequest opens a file as Extract does and returns what sends it to a
// worker.
func OpenRequest(r Request) (send func() error, err error) {
	src, err := r.open(1 << 20)
	if err != nil {
		return nil, err
	}
	return func() error {
		defer src.close()
		return sendFile(io.Discard, src, src.size)
	}, nil
}
