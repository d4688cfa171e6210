// Command bench measures the built binary from outside, over its HTTP API, and
// prints one table. Every figure is the median of the runs that stand beside
// it. `make bench` starts it in the folder of the project.
//
// With -formats it only measures how files of each kind are read, beside the
// plain tool for each that is installed. With -soak it keeps a server busy
// instead and watches its memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.binary, "ibid", "bin/ibid", "the `BINARY` to measure")
	flag.IntVar(&o.runs, "runs", 5, "how often each figure is taken")
	flag.BoolVar(&o.small, "small", false, "leave out the library of 100k chunks")
	flag.IntVar(&o.index, "index", 0, "measure only the index, alone, with this many `CHUNKS`")
	flag.IntVar(&o.growth, "growth", 0, "measure only how searches slow down as the index grows to this many `CHUNKS`, and draw docs/images/search-growth.svg")
	flag.BoolVar(&o.libraryGrowth, "library-growth", false, "measure only what everyday operations cost in libraries of 1,000 to 50,000 documents, and draw docs/images/library-growth.svg")
	flag.BoolVar(&o.threadGrowth, "thread-growth", false, "measure only what conversations cost as they grow to 10,000 messages, and as there are 100,000 of them")
	flag.IntVar(&o.documents, "documents", 50_000, "with -library-growth: the number of `DOCUMENTS` of the largest library")
	flag.IntVar(&o.busy, "busy", 0, "measure only searches beside the taking in of documents, in libraries of 10k and 100k chunks, up to this many `CHUNKS`")
	flag.StringVar(&o.keep, "keep", "", "with -growth: the `FOLDER` for a snapshot of each size, which a later run loads instead of indexing anew")
	flag.DurationVar(&o.soak, "soak", 0, "keep a server busy for this `TIME` instead")
	flag.StringVar(&o.corpus, "corpus", filepath.Join("..", "shared", "data", "documents"), "a `FOLDER` with files of many kinds to read")
	flag.BoolVar(&o.formats, "formats", false, "measure only the reading of files")
	flag.Float64Var(&o.backup, "backup", 0, "measure only searches beside a backup of so many `GB`, and restore it (takes three times the room on the disk)")
	flag.BoolVar(&o.again, "again", false, "measure only adding a corpus a second time")
	flag.BoolVar(&o.reading, "reading", false, "measure only how soon the page shows the words behind a footnote")
	flag.BoolVar(&o.read, "read", false, "read the files that follow, and print figures for the program itself")
	flag.BoolVar(&o.compare, "compare", false, "with -read: compare the words with those of pdftotext")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	binary string
	runs   int
	small  bool
	soak   time.Duration
	index  int
	growth int
	busy   int

	libraryGrowth bool
	threadGrowth  bool
	documents     int
	keep          string

	corpus        string
	formats       bool
	again         bool
	backup        float64 // GB
	reading       bool
	read, compare bool
}

func (o options) do(ctx context.Context) error {
	if o.read {
		return readFiles(ctx, o, flag.Args())
	}
	t := &table{}
	if o.formats {
		err := measureExtract(ctx, o, t)
		t.print()
		return err
	}
	if o.growth > 0 {
		err := measureGrowth(ctx, o, t)
		t.print()
		return err
	}
	if o.libraryGrowth {
		sizes := slices.DeleteFunc(slices.Clone(librarySizes), func(n int) bool { return n > o.documents })
		err := measureLibraryGrowth(ctx, o, sizes, t)
		t.print()
		return err
	}
	if o.threadGrowth {
		err := measureThreadGrowth(ctx, o, t)
		t.print()
		return err
	}
	if o.index > 0 {
		err := measureIndex(ctx, o, o.index, fmt.Sprint(o.index), t)
		t.print()
		return err
	}
	dir, err := os.MkdirTemp("", "ibid-bench-")
	if err != nil {
		return fmt.Errorf("make a data directory: %w", err)
	}
	defer os.RemoveAll(dir)
	model, err := startModel()
	if err != nil {
		return err
	}
	defer model.stop()
	if o.busy > 0 {
		err := measureBusyAlone(ctx, o, model, t)
		t.print()
		return err
	}
	if o.backup > 0 {
		err := measureBackup(ctx, o, model, t)
		t.print()
		return err
	}
	if o.again {
		err := measureAgainAlone(ctx, o, model, t)
		t.print()
		return err
	}
	if o.reading {
		err := measureReading(ctx, o, model, t)
		t.print()
		return err
	}
	if o.soak > 0 {
		return soak(ctx, o, model, dir)
	}
	err = measure(ctx, o, model, dir, t)
	t.print()
	return err
}

// measure takes every figure, the cheap ones first.
func measure(ctx context.Context, o options, model *modelServer, dir string, t *table) error {
	info, err := os.Stat(o.binary)
	if err != nil {
		return fmt.Errorf("look at the binary (make build): %w", err)
	}
	t.add("binary size", fmt.Sprintf("%.1f MiB", float64(info.Size())/(1<<20)), 1)

	if err := measureStart(ctx, o, model, t); err != nil {
		return err
	}
	if err := measureLog(ctx, o, t); err != nil {
		return err
	}
	if err := measureExtract(ctx, o, t); err != nil {
		return err
	}
	if err := measureAgainAlone(ctx, o, model, t); err != nil {
		return err
	}
	if err := measureReading(ctx, o, model, t); err != nil {
		return err
	}
	s, err := startServer(ctx, o.binary, dir, model.url)
	if err != nil {
		return err
	}
	defer s.stop()
	s.settle(ctx)
	t.add("idle memory, no documents", s.memory(), 1)
	if err := measurePage(ctx, o, s, t); err != nil {
		return err
	}

	gen := newGenerator(1)
	if err := measureLibrary(ctx, o, s, gen, 10_000, "10k", t); err != nil {
		return err
	}
	if err := measureStreams(ctx, o, s, model, t); err != nil {
		return err
	}
	if err := measureReaders(ctx, o, s, model, t); err != nil {
		return err
	}
	if o.small {
		return nil
	}
	if err := measureLibrary(ctx, o, s, gen, 100_000, "100k", t); err != nil {
		return err
	}
	if err := measureRestart(ctx, o, model, s, dir, t); err != nil {
		return err
	}
	return measureIndex(ctx, o, 100_000, "100k", t)
}

// measureRestart ends the server and starts it again over what it has stored.
func measureRestart(ctx context.Context, o options, model *modelServer, s *server, dir string, t *table) error {
	var times []time.Duration
	for range o.runs {
		s.stop()
		next, err := startServer(ctx, o.binary, dir, model.url)
		if err != nil {
			return err
		}
		*s = *next
		times = append(times, s.started)
	}
	t.add("start-up until ready, 100k chunks", millis(median(times)), len(times))
	s.settle(ctx)
	t.add("idle memory after it", s.memory(), 1)
	s.stop()
	return nil
}

// measureStart starts the program over an empty data directory until it is
// ready, several times.
func measureStart(ctx context.Context, o options, model *modelServer, t *table) error {
	var times []time.Duration
	for range o.runs {
		dir, err := os.MkdirTemp("", "ibid-start-")
		if err != nil {
			return fmt.Errorf("make a data directory: %w", err)
		}
		s, err := startServer(ctx, o.binary, dir, model.url)
		if err == nil {
			times = append(times, s.started)
			s.stop()
		}
		os.RemoveAll(dir)
		if err != nil {
			return err
		}
	}
	t.add("start-up until ready, no documents", millis(median(times)), len(times))
	return nil
}

// table is what is printed in the end.
type table struct {
	rows []row
}

type row struct {
	what, figure string
	runs         int
}

func (t *table) add(what, figure string, runs int) {
	t.rows = append(t.rows, row{what, figure, runs})
	fmt.Fprintf(os.Stderr, "  %s: %s\n", what, figure)
}

func (t *table) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nMEASURED\tMEDIAN\tRUNS\n")
	for _, r := range t.rows {
		fmt.Fprintf(w, "%s\t%s\t%d\n", r.what, r.figure, r.runs)
	}
	w.Flush()
	fmt.Printf("%s/%s, %d cores, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}

func median(times []time.Duration) time.Duration { return percentile(times, 50) }

// percentile is the smallest value that p percent of the values do not exceed;
// 0 for no values.
func percentile(times []time.Duration, p int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}
