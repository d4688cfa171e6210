package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ibid"
	"ibid/internal/document"
)

// fileKind is a kind of file and the plain tool for it.
type fileKind struct {
	name string
	glob string
	tool []string // with the file where "FILE" stands; nil for none
}

var fileKinds = []fileKind{
	{"PDF", "pdf/*.pdf", []string{"pdftotext", "FILE", "-"}},
	{"DOCX", "office/*.docx", []string{"docx2txt", "FILE", "-"}},
	{"PPTX", "office/*.pptx", nil},
	{"XLSX", "office/*.xlsx", nil},
	{"CSV", "office/*.csv", nil},
	{"HTML", "html/*.html", []string{"lynx", "-dump", "-nolist", "FILE"}},
	{"EPUB", "epub/*.epub", []string{"pandoc", "-t", "plain", "FILE"}},
	{"Markdown", "markdown/*.md", []string{"pandoc", "-t", "plain", "FILE"}},
	{"e-mail", "eml/*.eml", nil},
}

// longPDFs are read alone: files differ more than programs.
var longPDFs = []string{"p01-twocol-tracemonkey.pdf", "p05-10k-amazon2019.pdf", "p10-manual-r-intro.pdf", "p11-manual-gnuplot.pdf", "p90-huge-r-refman.pdf"}

// kindTime bounds how long the runs of one kind may take together, but for the
// first, so that all kinds take less than three minutes.
const kindTime = 6 * time.Second

// cost is what a program took to read some files once.
type cost struct {
	Files, Pages int
	Bytes        int64
	Wall, CPU    time.Duration
	Peak         int64   // bytes of its largest process
	WordF1       float64 // against the plain tool, the median of the files; 0 where not compared
}

// measureExtract reads the files of each kind in o.corpus with the binary's own
// workers, and with the plain tool where that is installed.
func measureExtract(ctx context.Context, o options, t *table) error {
	for _, k := range fileKinds {
		files, err := filepath.Glob(filepath.Join(o.corpus, k.glob))
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		if len(files) == 0 {
			t.add("reading "+k.name, "skipped: there are no files in "+o.corpus, 0)
			continue
		}
		var rest []string
		for _, f := range files {
			if !slices.Contains(longPDFs, filepath.Base(f)) {
				rest = append(rest, f)
			} else if err := measureKind(ctx, o, k, "reading "+filepath.Base(f), []string{f}, t); err != nil {
				return err
			}
		}
		files = rest
		if err := measureKind(ctx, o, k, fmt.Sprintf("reading %d files of %s", len(files), k.name), files, t); err != nil {
			return err
		}
	}
	return nil
}

func measureKind(ctx context.Context, o options, k fileKind, label string, files []string, t *table) error {
	tool := k.tool
	if len(tool) > 0 {
		if _, err := exec.LookPath(tool[0]); err != nil {
			tool = nil
		}
	}
	var ours, theirs []cost
	f1 := 0.0
	began := time.Now()
	for run := range o.runs {
		if run > 0 && time.Since(began)*time.Duration(run+1)/time.Duration(run) > kindTime {
			break
		}
		c, err := o.readApart(ctx, files, run == 0 && len(tool) > 0 && tool[0] == "pdftotext")
		if err != nil {
			return fmt.Errorf("%s: %w", label, err)
		}
		ours = append(ours, c)
		f1 = max(f1, c.WordF1) // compared in the first run only
		if len(tool) > 0 {
			theirs = append(theirs, readWithTool(ctx, tool, files, c.Pages))
		}
	}
	mine := middle(ours)
	t.add(label, mine.figures(), len(ours))
	if len(theirs) == 0 {
		return nil
	}
	peer := middle(theirs)
	t.add(label+" with "+tool[0], peer.figures(), len(theirs))
	ratio := fmt.Sprintf("%.2f× its speed per CPU second, %.2f× its memory", peer.CPU.Seconds()/mine.CPU.Seconds(), float64(mine.Peak)/float64(peer.Peak))
	if f1 > 0 {
		ratio += fmt.Sprintf("; word F1 %.4f", f1)
	}
	t.add(label+", of "+tool[0], ratio, len(theirs))
	return nil
}

func (c cost) figures() string {
	unit, n := "files", c.Files
	if c.Pages > 0 {
		unit, n = "pages", c.Pages
	}
	return fmt.Sprintf("%.0f %s/s, %.2f MB/s, %.0f %s per CPU second, peak %.0f MiB", float64(n)/c.Wall.Seconds(), unit,
		float64(c.Bytes)/1e6/c.Wall.Seconds(), float64(n)/c.CPU.Seconds(), unit, float64(c.Peak)/(1<<20))
}

// middle returns the run whose CPU time is the median.
func middle(runs []cost) cost {
	slices.SortFunc(runs, func(a, b cost) int { return int(a.CPU - b.CPU) })
	return runs[len(runs)/2]
}

// readWithTool runs the plain tool on every file. What it refuses counts as
// read, as it does for ours.
func readWithTool(ctx context.Context, tool, files []string, pages int) cost {
	c := cost{Files: len(files), Pages: pages, Bytes: totalSize(files)}
	began := time.Now()
	for _, f := range files {
		cmd := toolCommand(ctx, tool, f)
		_ = cmd.Run()
		if s := cmd.ProcessState; s != nil {
			c.CPU += s.UserTime() + s.SystemTime()
			c.Peak = max(c.Peak, peakOf(s))
		}
	}
	c.Wall = time.Since(began)
	return c
}

func toolCommand(ctx context.Context, tool []string, file string) *exec.Cmd {
	args := slices.Clone(tool[1:])
	args[slices.Index(args, "FILE")] = file
	return exec.CommandContext(ctx, tool[0], args...)
}

func totalSize(files []string) (n int64) {
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			n += info.Size()
		}
	}
	return n
}

// readApart has another process of this program read the files (see
// readFiles), so that what the system counts for its children is theirs alone.
func (o options) readApart(ctx context.Context, files []string, compare bool) (cost, error) {
	self, err := os.Executable()
	if err != nil {
		return cost{}, fmt.Errorf("find this program: %w", err)
	}
	args := []string{"-ibid", o.binary, "-read"}
	if compare {
		args = append(args, "-compare")
	}
	cmd := exec.CommandContext(ctx, self, append(args, files...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return cost{}, fmt.Errorf("read files: %w", err)
	}
	var c cost
	if err := json.Unmarshal(out, &c); err != nil {
		return cost{}, fmt.Errorf("read the figures: %w", err)
	}
	return c, nil
}

// readFiles is what that process does. A worker that reads the files once is
// taken from one that reads them more often: what is left is what reading
// costs a worker that runs, without its start.
func readFiles(ctx context.Context, o options, files []string) error {
	if _, err := o.readRounds(ctx, files[:1], 1, nil); err != nil { // PDFium is compiled and kept
		return err
	}
	once, err := o.readRounds(ctx, files, 1, nil)
	if err != nil {
		return err
	}
	more := 5 // enough to tell a few milliseconds from the noise of a start
	if totalSize(files) > 4<<20 {
		more = 1
	}
	c, err := o.readRounds(ctx, files, 1+more, nil)
	if err != nil {
		return err
	}
	c.CPU, c.Wall = (c.CPU-once.CPU)/time.Duration(more), (c.Wall-once.Wall)/time.Duration(more)
	c.Files, c.Bytes, c.Peak = len(files), totalSize(files), peakOfChildren()
	if o.compare {
		var scores []float64
		_, err = o.readRounds(ctx, files, 1, func(path, text string) {
			if plain, err := toolCommand(ctx, []string{"pdftotext", "FILE", "-"}, path).Output(); err == nil {
				scores = append(scores, wordF1(text, string(plain)))
			}
		})
		if len(scores) > 0 {
			slices.Sort(scores)
			c.WordF1 = scores[len(scores)/2]
		}
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(c)
}

// readRounds starts a worker, reads the files so many times, and ends it. CPU
// counts this process, too: it assembles the documents. look, which may be nil,
// is given what was read.
func (o options) readRounds(ctx context.Context, files []string, rounds int, look func(path, text string)) (cost, error) {
	binary, err := filepath.Abs(o.binary)
	if err != nil {
		return cost{}, fmt.Errorf("find the binary: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return cost{}, fmt.Errorf("find a place for compiled code: %w", err)
	}
	pool, err := document.New(document.Config{
		Command: []string{binary, document.WorkerCommand}, NoOCR: true, CacheDir: filepath.Join(cache, "ibid-bench"),
	})
	if err != nil {
		return cost{}, err
	}
	defer pool.Stop()
	before, began := cpuTime(), time.Now()
	var c cost
	for range rounds {
		c.Pages = 0
		for _, path := range files {
			x, err := pool.Extract(ctx, document.Request{Path: path}, nil)
			var refused *ibid.Error // as a file with a password is
			if err != nil && !errors.As(err, &refused) {
				return c, fmt.Errorf("read %s: %w", filepath.Base(path), err)
			}
			c.Pages += x.Pages
			if look != nil && err == nil {
				look(path, x.Text)
			}
		}
	}
	c.Wall = time.Since(began)
	pool.Stop() // only now does the system count what the worker used
	c.CPU = cpuTime() - before
	return c, nil
}

// wordF1 compares two texts as bags of words.
func wordF1(a, b string) float64 {
	count := make(map[string]int)
	total, both := 0, 0
	for _, w := range words(a) {
		count[w]++
		total++
	}
	for _, w := range words(b) {
		if count[w] > 0 {
			count[w]--
			both++
		}
		total++
	}
	if total == 0 {
		return 1
	}
	return 2 * float64(both) / float64(total)
}

// words returns the runs of letters and digits.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}
