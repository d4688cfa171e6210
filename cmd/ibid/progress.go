package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"ibid"
	"ibid/internal/app/adding"
	"ibid/internal/say"
)

// progress shows how far add has come. It counts bytes of the files: sending a
// file is the first tenth of its share, processing it the rest. Without a
// terminal it shows nothing; the lines per file are enough there.
type progress struct {
	mu    sync.Mutex               // files are sent beside the rest
	bar   *progressbar.ProgressBar // nil without a terminal
	share map[string]int64         // name → how much of it is done, of files that are under way
	done  int64
}

// leastShare is what a file counts for at least, so that many small files, and
// pages whose size nobody knows yet, move the bar.
const leastShare = 32 << 10

func newProgress(t *terminal, items []adding.Item) *progress {
	p := &progress{share: map[string]int64{}}
	if !t.tty || len(items) == 0 {
		return p
	}
	var total int64
	for _, it := range items {
		total += whole(it)
	}
	p.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(t.w),
		progressbar.OptionSetDescription("adding"),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionEnableColorCodes(false),
	)
	return p
}

// more makes room for something that was found on the way.
func (p *progress) more(it adding.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.AddMax64(whole(it))
	}
}

func whole(it adding.Item) int64 { return max(it.Size, leastShare) }

func (p *progress) sent(one *adding.Added, bytes int64) {
	if one.Size > 0 {
		p.set(one, whole(one.Item)/10*bytes/one.Size)
	}
}

func (p *progress) processed(one *adding.Added, d ibid.Document) {
	w := whole(one.Item)
	p.set(one, w/10+int64(d.Progress*float64(w-w/10)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil && d.Status == ibid.DocumentProcessing {
		p.bar.Describe(stageText(d))
	}
}

// stageText says what is being done to a document: "lease.pdf: extract, page 3 of
// 12, 8 s left", "lease.pdf: embed, 48 chunks".
func stageText(d ibid.Document) string {
	if d.Stage == ibid.StageWait {
		return say.OneLine(d.Name, 40) + ": " + waitText
	}
	said := say.OneLine(d.Name, 40) + ": " + d.Stage
	if d.Stage == "extract" && d.Pages > 0 {
		said += fmt.Sprintf(", page %d of %d", d.PagesDone, d.Pages)
	}
	if d.Stage != "extract" && d.Chunks > 0 {
		said += ", " + say.Count(d.Chunks, "chunk")
	}
	if d.ETA >= 1 {
		said += fmt.Sprintf(", %.0f s left", d.ETA)
	}
	return said
}

func (p *progress) finished(one *adding.Added) {
	p.set(one, whole(one.Item))
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.share, one.Name)
}

func (p *progress) set(one *adding.Added, done int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil || done <= p.share[one.Name] {
		return
	}
	p.done += done - p.share[one.Name]
	p.share[one.Name] = done
	p.bar.Set64(p.done)
}

// aside prints something where the bar stands and draws the bar again.
func (p *progress) aside(print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil {
		print()
		return
	}
	p.bar.Clear()
	print()
	p.bar.RenderBlank()
}

// end takes the bar away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Clear()
	}
}
