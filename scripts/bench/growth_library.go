package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// librarySizes are the numbers of documents at which operations are measured.
var librarySizes = []int{1_000, 10_000, 50_000}

// operation is something that must not cost more in a larger library.
type operation struct {
	name  string
	times int // how often it is done for one figure
	do    func(ctx context.Context, n int) error
	grows bool // it is the scan of the index, which may grow with it
	apart bool // it makes searches, which are counted and taken out in a line of their own
}

// growing is the server of a library, with what was measured in smaller ones too.
type growing struct {
	*server
	binary, dir, files string
	sizes              []int
	names              []string                   // of operations, in order
	cost               map[string][]time.Duration // processor time of one operation, by size
	asked              int
	searches           int // that questions have made
}

// measureLibraryGrowth makes a library of each size by one `ibid add`, and measures
// what everyday operations cost the server in it: processor time of it and of its
// readers, so that other programs on the machine count for little. sizes are
// numbers of documents.
func measureLibraryGrowth(ctx context.Context, o options, sizes []int, t *table) error {
	root, err := os.MkdirTemp("", "ibid-growth-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(root)
	g := &growing{binary: o.binary, sizes: sizes, cost: map[string][]time.Duration{}}
	for step := range sizes {
		if err := g.measureLibrary(ctx, filepath.Join(root, fmt.Sprint(step)), step, t); err != nil {
			return err
		}
	}
	g.sum(t)
	path := filepath.Join("docs", "images", "library-growth.svg")
	if err := os.WriteFile(path, []byte(drawLibraryGrowth(g.sizes, g.names, g.cost)), 0o644); err != nil {
		return fmt.Errorf("draw the growth: %w", err)
	}
	return nil
}

// measureLibrary makes and measures the library of a step, below a folder of its own.
func (g *growing) measureLibrary(ctx context.Context, root string, step int, t *table) error {
	defer os.RemoveAll(root)
	g.dir, g.files = filepath.Join(root, "data"), filepath.Join(root, "files")
	var err error
	if g.server, err = startServerWith(ctx, g.binary, g.dir, "reader"); err != nil {
		return err
	}
	defer g.stop()
	size := g.sizes[step]
	if err := g.grow(ctx, size, t); err != nil {
		return err
	}
	g.settle(ctx)
	operations, err := g.operations(ctx, size)
	if err != nil {
		return err
	}
	threaded, err := newGrowingThreads(g).operations(ctx, step)
	if err != nil {
		return err
	}
	if err := g.measureAll(ctx, append(operations, threaded...), size, t); err != nil {
		return err
	}
	if err := g.measureAdded(ctx, size, t); err != nil {
		return err
	}
	t.add(fmt.Sprintf("%d documents: memory of the server", size), g.memory(), 1)
	return nil
}

// note is a small file. Each has words of its own, and some that others have.
func note(i int) (folder, name, text string) {
	return fmt.Sprintf("f%d/g%d", i%20, i%7), fmt.Sprintf("note-%06d.md", i), fmt.Sprintf(`# Note %d

The mill number %d was sold by Anna Berg%d in %d for %d euros.

It stands by the river of word%d and word%d, with %d wheels. The rent of the mill with the sign zq%06d is %d euros a month.
`, i, i, i%977, 1900+i%100, i*7%10007, i%5003, i%7919, i%13, i, i*31%4001)
}

// grow adds a folder of files by one command to an empty library, and says how the
// rate was at its beginning and at its end.
func (g *growing) grow(ctx context.Context, files int, t *table) error {
	root := filepath.Join(g.files, "library")
	for i := range files {
		folder, name, text := note(i)
		dir := filepath.Join(root, folder)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("write a file to add: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("write a file to add: %w", err)
		}
	}
	began, cpu := time.Now(), g.treeCPU()
	cmd := exec.CommandContext(ctx, g.binary, "add", "--data", g.dir, "--json", root)
	cmd.Stdout = nil
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start ibid add: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	samples := []sample{{0, cpu, 0}}
	most := int64(0)
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("ibid add: %w\n%.2000s", err, said.String())
			}
			running = false
		case <-time.After(2 * time.Second):
		}
		l, err := g.library(ctx)
		if err != nil {
			return err
		}
		samples = append(samples, sample{l.documents - l.pending, g.treeCPU(), time.Since(began)})
		most = max(most, g.resident())
	}
	first, last := rates(samples, files)
	took, used := time.Since(began), g.treeCPU()-cpu
	t.add(fmt.Sprintf("ibid add of %d files: files a second of processor time of the server", files), fmt.Sprintf("%.0f (%.0f by the clock)", float64(files)/used.Seconds(), float64(files)/took.Seconds()), 1)
	t.add("  its last tenth against its first tenth", fmt.Sprintf("%.2f× (%.0f and %.0f files a second of processor time)", last/first, last, first), 1)
	t.add("  most memory of the server meanwhile", fmt.Sprintf("%.0f MiB", float64(most)/(1<<20)), 1)
	t.add("  processor time and most memory of the command", fmt.Sprintf("%.1f s, %.0f MiB", (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds(), float64(peakOf(cmd.ProcessState))/(1<<20)), 1)
	return nil
}

// sample is how far the adding of files was.
type sample struct {
	files int
	cpu   time.Duration
	at    time.Duration
}

// rates returns how many files were taken in a second of processor time, in the
// first tenth of them and in the last.
func rates(samples []sample, files int) (first, last float64) {
	over := func(from, to int) float64 {
		i := slices.IndexFunc(samples, func(s sample) bool { return s.files >= from })
		j := slices.IndexFunc(samples, func(s sample) bool { return s.files >= to })
		if i < 0 || j <= i {
			return 0
		}
		return float64(samples[j].files-samples[i].files) / (samples[j].cpu - samples[i].cpu).Seconds()
	}
	return over(0, files/10), over(files-files/10, files)
}

// measureAll measures operations, and takes out of those that make searches what
// the searches cost: the scan of the index grows with it, the rest must not.
func (g *growing) measureAll(ctx context.Context, operations []operation, size int, t *table) error {
	made := map[string]float64{} // searches in one operation, by its name
	var scan time.Duration
	for _, op := range operations {
		before := g.searches
		if err := g.measure(ctx, op, size, t); err != nil {
			return err
		}
		if op.apart {
			made[op.name] = float64(g.searches-before) / float64(op.done())
		}
		if op.grows {
			scan = g.cost[op.name][len(g.cost[op.name])-1]
		}
	}
	for _, op := range operations {
		if op.apart && scan > 0 {
			costs := g.cost[op.name]
			g.note(op.name+", without its searches", costs[len(costs)-1]-time.Duration(made[op.name]*float64(scan)), size, t)
			t.add("  searches in "+op.name, fmt.Sprintf("%.1f", made[op.name]), 1)
		}
	}
	return nil
}

// figures are how often an operation is measured; the first ones warm it up.
const figures = 3

func (op operation) warm() int { return max(op.times/10, 3) }

// done is how often an operation is done in all.
func (op operation) done() int { return op.warm() + figures*op.times }

// measure does an operation many times, and notes the processor time of one.
func (g *growing) measure(ctx context.Context, op operation, size int, t *table) error {
	for n := range op.warm() {
		if err := op.do(ctx, n); err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
	}
	var taken []time.Duration
	for range figures {
		before := g.treeCPU()
		for n := range op.times {
			if err := op.do(ctx, n); err != nil {
				return fmt.Errorf("%s: %w", op.name, err)
			}
		}
		taken = append(taken, (g.treeCPU()-before)/time.Duration(op.times))
	}
	g.note(op.name, median(taken), size, t)
	return nil
}

func (g *growing) note(name string, cost time.Duration, size int, t *table) {
	if !slices.Contains(g.names, name) {
		g.names = append(g.names, name)
	}
	g.cost[name] = append(g.cost[name], cost)
	t.add(fmt.Sprintf("%d documents: %s", size, name), millis(cost), 3)
}

// extraFiles are added at each size to see what one costs.
const extraFiles = 300

// measureAdded adds some files to a library of a size.
func (g *growing) measureAdded(ctx context.Context, size int, t *table) error {
	var taken []time.Duration
	const parts = figures
	for part := range parts {
		before := g.treeCPU()
		var files []againFile
		for i := range extraFiles / parts {
			_, name, text := note(size + part*extraFiles/parts + i)
			files = append(files, againFile{name, []byte(text)})
		}
		if err := g.sendFiles(ctx, files); err != nil {
			return err
		}
		if _, err := g.wait(ctx); err != nil {
			return err
		}
		taken = append(taken, (g.treeCPU()-before)/(extraFiles/parts))
	}
	g.note(addedFile, median(taken), size, t)
	return nil
}

const addedFile = "an added file"

// operations are what people do with a library.
func (g *growing) operations(ctx context.Context, documents int) ([]operation, error) {
	far, err := g.farCursor(ctx, documents*9/10)
	if err != nil {
		return nil, err
	}
	get := func(path string) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error { return g.get(ctx, path, nil) }
	}
	return []operation{
		{name: "the first page of the library", times: 200, do: get("/v1/documents?limit=50")},
		{name: "a far page of it", times: 200, do: get("/v1/documents?limit=50&cursor=" + url.QueryEscape(far))},
		{name: "a folder of it", times: 200, do: get("/v1/documents?limit=50&folder=library/f3")},
		{name: "a folder of it, the newest first", times: 200, do: get("/v1/documents?limit=50&sort=added&folder=library/f3")},
		{name: "names with a part in them", times: 200, do: func(ctx context.Context, n int) error {
			return g.get(ctx, fmt.Sprintf("/v1/documents?limit=50&q=note-%06d", n%900), nil)
		}},
		{name: "folders, categories and tags", times: 200, do: get("/v1/folders")},
		{name: "a question", times: 60, apart: true, do: func(ctx context.Context, n int) error {
			return g.question(ctx, fmt.Sprintf("What is the rent of the mill with the sign zq%06d?", n*13%900))
		}},
		{name: "a question that names a file", times: 60, apart: true, do: func(ctx context.Context, n int) error {
			return g.question(ctx, fmt.Sprintf("What does note-%06d.md say about the rent?", n*13%900))
		}},
		{name: "a search (the scan of the index)", times: 200, grows: true, do: func(ctx context.Context, n int) error {
			return g.get(ctx, "/v1/search?q="+url.QueryEscape(fmt.Sprintf("What is the rent of the mill with the sign zq%06d?", n*13%900)), nil)
		}},
	}, nil
}

// farCursor goes through the list to the document of a number.
func (g *growing) farCursor(ctx context.Context, number int) (string, error) {
	cursor := ""
	for at := 0; at < number; at += 500 {
		var list struct{ Next string }
		if err := g.get(ctx, "/v1/documents?limit=500&cursor="+url.QueryEscape(cursor), &list); err != nil {
			return "", err
		}
		if list.Next == "" {
			break
		}
		cursor = list.Next
	}
	return cursor, nil
}

// question asks in a thread of its own and waits for the end of the answer.
func (g *growing) question(ctx context.Context, text string) error {
	g.asked++
	return g.questionIn(ctx, fmt.Sprintf("growth-%d", g.asked), text)
}

// sum adds how much more each operation costs in the largest library than in the
// smallest one.
func (g *growing) sum(t *table) {
	for _, name := range g.names {
		cost := g.cost[name]
		first, last := cost[0], cost[len(cost)-1]
		t.add(fmt.Sprintf("%s: at %d against %d documents", name, g.sizes[len(g.sizes)-1], g.sizes[0]),
			fmt.Sprintf("%.2f×", float64(last)/float64(max(first, time.Microsecond))), 3)
	}
}

// treeCPU is the processor time of the server and of its readers, those that have
// ended included; 0 where there is no /proc.
func (s *server) treeCPU() time.Duration {
	pid := strconv.Itoa(s.cmd.Process.Pid)
	total := time.Duration(0)
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		_, rest, _ := strings.Cut(string(body), ") ")
		fields := strings.Fields(rest)
		own := filepath.Base(filepath.Dir(path)) == pid
		if len(fields) < 15 || !own && fields[1] != pid {
			continue
		}
		for _, ticks := range fields[11:15] { // of itself and of the children that it has waited for
			n, _ := strconv.Atoi(ticks)
			total += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return total
}

// drawLibraryGrowth is a chart of what operations cost at each size, against what
// they cost at the smallest. sizes and costs stand on logarithmic axes.
func drawLibraryGrowth(sizes []int, names []string, cost map[string][]time.Duration) string {
	const width, height, left, bottom = 760, 440, 60, 50
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&s, `<rect width="%d" height="%d" fill="#fff"/><title>Processor time of one operation against the size of the library</title>`+"\n", width, height)
	if len(sizes) < 2 {
		return s.String() + "</svg>\n"
	}
	c := chart{sizes: sizes, left: left, right: width - 250, top: 20, bottom: height - bottom}
	for _, ms := range []float64{0.1, 1, 10, 100} {
		fmt.Fprintf(&s, `<line x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%.0f" y="%.1f" text-anchor="end">%g ms</text>`+"\n",
			c.left, c.right, c.y(ms), c.y(ms), c.left-6, c.y(ms)+4, ms)
	}
	for _, size := range sizes {
		fmt.Fprintf(&s, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%.1f" y="%.0f" text-anchor="middle">%d</text>`+"\n",
			c.x(size), c.x(size), c.top, c.bottom, c.x(size), c.bottom+18, size)
	}
	fmt.Fprintf(&s, `<text x="%.0f" y="%.0f" text-anchor="middle">documents</text>`+"\n", (c.left+c.right)/2, c.bottom+38)
	colours := []string{"#1b4f8a", "#b3541e", "#3b7a3b", "#7a3b6e", "#9a7d0a", "#4a7c8a", "#8a1b2f", "#555", "#2e8b57", "#c06c84"}
	ordered := slices.Clone(names)
	last := func(name string) time.Duration { return cost[name][len(cost[name])-1] }
	slices.SortStableFunc(ordered, func(a, b string) int { return cmp.Compare(last(b), last(a)) })
	label := 0.0
	for i, name := range ordered {
		colour := colours[i%len(colours)]
		var path []string
		for j, d := range cost[name] {
			ms := float64(d.Microseconds()) / 1000
			path = append(path, fmt.Sprintf("%.1f,%.1f", c.x(sizes[j]), c.y(ms)))
			fmt.Fprintf(&s, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"><title>%s, %d documents: %.2f ms</title></circle>`+"\n", c.x(sizes[j]), c.y(ms), colour, name, sizes[j], ms)
		}
		label = max(label+15, c.y(float64(last(name).Microseconds())/1000)+4)
		fmt.Fprintf(&s, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/><text x="%.1f" y="%.1f" fill="%s">%s, %.2f×</text>`+"\n",
			strings.Join(path, " "), colour, c.right+8, label, colour, name, float64(last(name))/float64(max(cost[name][0], time.Microsecond)))
	}
	return s.String() + "</svg>\n"
}
