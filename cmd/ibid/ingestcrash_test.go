package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// How large TestIngestCrash is; $IBID_KILLS overrides the kills, and where there
// are very many of them there are more files too, so that each meets work.
const (
	ingestKills  = 30
	ingestFiles  = 500
	filesPerKill = 8
)

// TestIngestCrash kills the real server with SIGKILL at random moments while
// 500 files are taken in, some of them changed, some removed and some of those
// restored on the way, and shows that none is lost, none is there twice, and that
// what can be found is what the database holds. Other files are uploaded under one
// name, and all of them are kept. Processes that read files are killed too.
func TestIngestCrash(t *testing.T) {
	t.Parallel()
	kills := ibidtest.Fewer(t, ingestKills/5, ingestKills)
	if n, err := strconv.Atoi(os.Getenv("IBID_KILLS")); err == nil {
		kills = n
	}
	h := &crashHouse{house: newHouse(t), changed: make(chan struct{}), heard: make(chan struct{}, 1)}
	c := &ingestCrash{t: t, h: h, kills: kills, files: max(ingestFiles, filesPerKill*kills), more: make(chan struct{}, 1)}
	c.plan()

	ctx, cancel := context.WithCancel(t.Context())
	var sender sync.WaitGroup
	sender.Go(func() { c.send(ctx) })
	c.killRepeatedly()
	c.allow(len(c.steps))
	server := h.up()
	sender.Wait()
	cancel()
	c.awaitReady()
	c.retryFailed()
	c.check()

	server.cmd.Process.Kill()
	server.end()
	t.Logf("kills %d (%d with documents in work, %d soft stops between them), readers killed %d (%d files given up and tried again), files %d, requests %d for %d steps",
		kills, c.inWork, c.soft, c.readers, c.retried, c.files, c.requests.Load(), len(c.steps))
	if c.readers == 0 && runtime.GOOS == "linux" {
		t.Error("no worker was killed")
	}
	if c.inWork == 0 {
		t.Errorf("none of %d kills hit the pipeline at work: the harness tests nothing", kills)
	}
}

// ingestCrash is what is done to the server, and what must come of it.
type ingestCrash struct {
	t     *testing.T
	h     *crashHouse
	kills int
	files int

	steps   []ingestStep
	allowed atomic.Int64 // steps that may be taken by now, so that kills meet work
	taken   atomic.Int64
	more    chan struct{} // allowed has grown

	ids      sync.Map // file name → document id, as the server said first
	requests atomic.Int64
	inWork   int // kills that met documents in work
	soft     int
	readers  int // killed
	retried  int // documents that were given up, as all their readers had been killed
}

// ingestStep adds a file, changes it, or removes it.
type ingestStep struct {
	name    string
	version int // 1 for the first, 2 for the changed one; 0 removes, restoreStep takes that back
}

// plan lists the additions; every tenth file and every other archive is changed,
// and every twenty-fifth file and every fourth archive is removed some time after it was added,
// and every second of those restored later.
func (c *ingestCrash) plan() {
	for i := range c.files {
		c.steps = append(c.steps, ingestStep{fileName(i), 1})
		if j := i - 20; j >= 0 && (j%10 == 0 || j%50 == 14) {
			c.steps = append(c.steps, ingestStep{fileName(j), 2})
		}
		if j := i - 20; j >= 0 && (j%25 == 3 || j%100 == 39) {
			c.steps = append(c.steps, ingestStep{fileName(j), 0})
		}
		if j := i - 40; j >= 0 && (j%50 == 3 || j%200 == 39) {
			c.steps = append(c.steps, ingestStep{fileName(j), restoreStep})
		}
		if i%twinEvery == 0 {
			c.steps = append(c.steps, ingestStep{twinName, 1 + i/twinEvery})
		}
	}
}

// wanted returns what the library must hold: file name → version.
func (c *ingestCrash) wanted() map[string]int {
	want, removed := map[string]int{}, map[string]int{}
	for _, s := range c.steps {
		switch {
		case s.name == twinName:
		case s.version == 0:
			removed[s.name] = want[s.name]
			delete(want, s.name)
		case s.version == restoreStep:
			want[s.name] = removed[s.name]
		default:
			want[s.name] = s.version
		}
	}
	return want
}

func fileName(i int) string {
	if i%25 == 14 {
		return fmt.Sprintf("file-%05d.zip", i)
	}
	return fmt.Sprintf("file-%05d%s", i, []string{".md", ".txt", ".html"}[i%3])
}

// word is a word that stands in one version of one file alone.
func word(name string, version int) string {
	n, _ := strconv.Atoi(name[5:10])
	letters := []byte{'q', 'x', byte('a' + version), 0, 0, 0, 0, 0, 'z', 'o'}
	for i := 7; i > 2; i-- {
		letters[i] = byte('a' + n%10)
		n /= 10
	}
	return string(letters)
}

// fileText writes a version of a file: some paragraphs that its versions share,
// and one that is its own.
func fileText(name string, version int) string {
	var b strings.Builder
	shared := strings.Repeat("The shelf of "+strings.TrimSuffix(name, filepath.Ext(name))+" holds what the harbour master wrote down. ", 20)
	own := fmt.Sprintf("In this version the keyword is %s, and no other file knows it.", word(name, version))
	switch filepath.Ext(name) {
	case ".zip":
		files := []string{"deep/" + memberOf(name, 0), shared + "\n\n" + own, memberOf(name, version), "Only of version " + strconv.Itoa(version)}
		return zipOf(files...)
	case ".md":
		fmt.Fprintf(&b, "# Notes of %s\n\n%s\n\n## Own\n\n%s\n", name, shared, own)
	case ".html":
		fmt.Fprintf(&b, "<html><head><title>Notes of %s</title></head><body><h1>Notes</h1><p>%s</p><h2>Own</h2><p>%s</p></body></html>", name, shared, own)
	default:
		fmt.Fprintf(&b, "%s\n\n%s\n", shared, own)
	}
	return b.String()
}

// memberOf names a file in an archive: 0 is in all its versions, the others are
// each in one.
func memberOf(archive string, version int) string {
	return fmt.Sprintf("%s-%d.md", strings.TrimSuffix(archive, ".zip"), version)
}

// place is the name of the document that holds a file's words.
func place(name string) string {
	if filepath.Ext(name) == ".zip" {
		return memberOf(name, 0)
	}
	return name
}

func (c *ingestCrash) allow(n int) {
	c.allowed.Store(int64(n))
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// killRepeatedly lets some more steps be taken, and kills the server a random
// while later. Every fourth life ends softly, so that the next one begins with
// a snapshot.
func (c *ingestCrash) killRepeatedly() {
	rng := rand.New(rand.NewPCG(2, uint64(c.kills)))
	for i := range c.kills {
		server := c.h.up()
		c.allow((i + 1) * len(c.steps) / (c.kills + 1))
		for !c.working() && c.taken.Load() < c.allowed.Load() {
			time.Sleep(time.Millisecond)
		}
		for range 2 {
			time.Sleep(time.Duration(rng.IntN(60)) * time.Millisecond)
			for _, pid := range readersOf(server.cmd.Process.Pid, 0) {
				if reader, err := os.FindProcess(pid); err == nil && rng.IntN(2) == 0 && reader.Kill() == nil {
					c.readers++
				}
			}
		}
		if c.working() {
			c.inWork++
		}
		if i%4 == 3 {
			c.soft++
			c.h.setURL("")
			server.cmd.Process.Signal(syscall.SIGTERM)
			server.end()
			c.listen(server)
			server = c.h.up()
		}
		c.h.setURL("")
		server.cmd.Process.Signal(syscall.SIGKILL)
		server.end()
		c.listen(server)
	}
}

// listen holds that a server had nothing to complain of.
func (c *ingestCrash) listen(server *process) {
	if errs, _ := server.errs.look(); strings.Contains(errs, "disagreed") || strings.Contains(errs, "panic") || strings.Contains(errs, "level=ERROR") {
		c.t.Errorf("the server said:\n%s", errs)
	}
}

// working reports whether the server has documents in work.
func (c *ingestCrash) working() bool {
	docs, err := c.documents(c.h.address(c.t.Context()), "status=queued&status=processing")
	return err == nil && len(docs) > 0
}

// documents returns all documents that match a query.
func (c *ingestCrash) documents(base, query string) ([]ibid.Document, error) {
	var all []ibid.Document
	for cursor := ""; ; {
		resp, err := http.Get(base + "/v1/documents?limit=500&" + query + "&cursor=" + url.QueryEscape(cursor))
		if err != nil {
			return nil, err
		}
		var list struct {
			Documents []ibid.Document `json:"documents"`
			Next      string          `json:"next"`
		}
		err = json.NewDecoder(resp.Body).Decode(&list)
		resp.Body.Close()
		all = append(all, list.Documents...)
		if cursor = list.Next; err != nil || cursor == "" {
			return all, err
		}
	}
}

// retryFailed tries again what was given up because its readers were killed, and
// nothing else may have failed.
func (c *ingestCrash) retryFailed() {
	base := c.h.address(c.t.Context())
	failed, err := c.documents(base, "status=failed")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, d := range failed {
		if !strings.Contains(d.Error, ibid.WorkerKilled) {
			continue // check will say so
		}
		resp, err := http.Post(base+"/v1/documents/"+d.ID+"/retry", "application/json", nil)
		if err != nil {
			c.t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusAccepted {
			c.t.Errorf("%s is not tried again: %s", d.Name, resp.Status)
		}
		c.retried++
	}
	c.awaitReady()
}

// send takes one step after the other; a step whose answer is lost is taken
// again, as any client would.
func (c *ingestCrash) send(ctx context.Context) {
	for i, step := range c.steps {
		for int64(i) >= c.allowed.Load() {
			select {
			case <-c.more:
			case <-ctx.Done():
				return
			}
		}
		for {
			base := c.h.address(ctx)
			if base == "" {
				return
			}
			c.requests.Add(1)
			err := c.take(base, step)
			if err == nil {
				c.taken.Add(1)
				break
			}
			var refused *refusedError
			if errors.As(err, &refused) {
				c.t.Errorf("%+v: %v", step, err)
				c.taken.Add(1)
				break
			}
			time.Sleep(5 * time.Millisecond) // the server is going down
		}
	}
}

// refusedError is an answer that trying again does not mend.
type refusedError struct{ status string }

func (e *refusedError) Error() string { return "refused: " + e.status }

func (c *ingestCrash) take(base string, step ingestStep) error {
	switch {
	case step.version == 0:
		return c.remove(base, step.name)
	case step.version == restoreStep:
		return c.restore(base, step.name)
	case step.name == twinName:
		return c.upload(base, step.version)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	meta, _ := json.Marshal(map[string]string{"source": "/shelf/" + step.name, "folder": "shelf"})
	form.WriteField("meta", string(meta))
	part, _ := form.CreateFormFile("file", step.name)
	part.Write([]byte(fileText(step.name, step.version)))
	form.Close()
	resp, err := http.Post(base+"/v1/documents", form.FormDataContentType(), &body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var taken api.Uploads
	if err := json.NewDecoder(resp.Body).Decode(&taken); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusAccepted || len(taken.Documents) != 1 {
		return &refusedError{fmt.Sprintf("%s %+v", resp.Status, taken.Errors)}
	}
	id := taken.Documents[0].ID
	if before, known := c.ids.LoadOrStore(step.name, id); known && before != id {
		return &refusedError{fmt.Sprintf("%s was %s and is %s now", step.name, before, id)}
	}
	return nil
}

func (c *ingestCrash) remove(base, name string) error {
	id, _ := c.ids.Load(name)
	req, err := http.NewRequest(http.MethodDelete, base+"/v1/documents/"+id.(string), nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent && resp.StatusCode != http.StatusNotFound {
		return &refusedError{resp.Status}
	}
	return nil
}

// awaitReady waits until nothing is in work any more.
func (c *ingestCrash) awaitReady() {
	deadline := time.Now().Add(hang)
	for c.working() {
		if time.Now().After(deadline) {
			c.t.Fatal("documents stay in work")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// check holds the library against the plan, and search against the library.
func (c *ingestCrash) check() {
	t, base := c.t, c.h.address(c.t.Context())
	docs, err := c.documents(base, "")
	if err != nil {
		t.Fatal(err)
	}
	docs = c.checkTwins(docs)
	want, times := c.wanted(), map[string]int{}
	for name, version := range c.wanted() {
		if filepath.Ext(name) == ".zip" {
			want[memberOf(name, 0)], want[memberOf(name, version)] = version, version
		}
	}
	for _, d := range docs {
		times[d.Name]++
		if d.PartOf != "" {
			c.checkMember(d)
			continue
		}
		if id, _ := c.ids.Load(d.Name); id != d.ID {
			t.Errorf("%s has another id than it was given: %s, %v", d.Name, d.ID, id)
		}
		if d.Status != ibid.DocumentReady || d.Chunks == 0 || d.Bytes != int64(len(fileText(d.Name, want[d.Name]))) {
			t.Errorf("%s is %s with %d chunks of %d bytes: %s", d.Name, d.Status, d.Chunks, d.Bytes, d.Error)
		}
	}
	for name := range want {
		if times[name] != 1 {
			t.Errorf("%s is there %d times", name, times[name])
		}
	}
	if len(docs) != len(want) {
		t.Errorf("%d documents, want %d", len(docs), len(want))
	}
	for i := range c.files {
		for _, version := range []int{1, 2} {
			name := fileName(i)
			found := c.find(base, word(name, version))
			switch {
			case want[name] == version && (len(found) != 1 || found[0] != place(name)):
				t.Errorf("%s of %s is found in %v", word(name, version), name, found)
			case want[name] != version && len(found) > 0:
				t.Errorf("%s is not in the library, but is found in %v", word(name, version), found)
			}
		}
	}
	c.checkDoctor(base)
}

// checkMember holds that a document out of an archive is whole and belongs to one
// that is there.
func (c *ingestCrash) checkMember(d ibid.Document) {
	archive, _, _ := strings.Cut(d.Source, "!/")
	if id, _ := c.ids.Load(filepath.Base(archive)); id != d.PartOf || d.Status != ibid.DocumentReady || d.Chunks == 0 {
		c.t.Errorf("%s is %s with %d chunks and belongs to %s, not %v: %s", d.Source, d.Status, d.Chunks, d.PartOf, id, d.Error)
	}
}

// find returns the names of the documents that hold a word.
func (c *ingestCrash) find(base, word string) []string {
	var result api.SearchResult
	getInto(c.t, base+"/v1/search?mode=lexical&q="+url.QueryEscape(word), &result)
	var names []string
	for _, p := range result.Passages {
		if strings.Contains(p.Text, word) {
			names = append(names, p.Document.Name)
		}
	}
	return names
}

func (c *ingestCrash) checkDoctor(base string) {
	var report struct{ Checks []api.Check }
	getInto(c.t, base+"/v1/doctor", &report)
	for _, ch := range report.Checks {
		if (ch.Name == "index" || ch.Name == "database") && ch.Level != api.LevelOK {
			c.t.Errorf("doctor: %+v", ch)
		}
		if ch.Name == "index" {
			c.t.Logf("doctor: %s", ch.Message)
		}
	}
}

// The index is built anew from the database beside a server that runs, and
// without one.
func TestDoctorRepairs(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	want := "agrees with the database: 1 document with "
	if out := h.must("doctor", "--repair"); !strings.Contains(out, "✓ repair") || !strings.Contains(out, want) {
		t.Errorf("doctor --repair said:\n%s", out)
	}
	h.serve()
	if out := h.must("doctor", "--repair"); !strings.Contains(out, "built anew from 1 document") || !strings.Contains(out, want) {
		t.Errorf("beside a server doctor --repair said:\n%s", out)
	}
	if out := h.must("search", "damage by water"); !strings.Contains(out, "Terms of sale") {
		t.Errorf("search said:\n%s", out)
	}
}
