package ingest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	dirblob "ibid/internal/blob/dir"
	"ibid/internal/disk"
	"ibid/internal/engine"
	"ibid/internal/engine/local"
	"ibid/internal/store/sqlite"
)

// shop is a pipeline over a real database and a real index; files are read by
// the test.
type shop struct {
	*Pipeline
	t     *testing.T
	db    *sqlite.DB
	index *local.Kept
	stop  func()
}

// paragraphs reads a file as one block per paragraph. What a file begins with
// can make it fail, hang or panic.
type paragraphs struct {
	mu      sync.Mutex
	read    map[string]int // name → times it was read
	block   chan struct{}  // files that begin with "wait" wait for it
	waiting chan string
}

func newParagraphs() *paragraphs {
	return &paragraphs{read: map[string]int{}, block: make(chan struct{}), waiting: make(chan string, 100)}
}

func (p *paragraphs) Extract(ctx context.Context, o Original, progress func(page, pages int)) (ibid.Extract, error) {
	name, password := o.Name, o.Password
	p.mu.Lock()
	p.read[name]++
	p.mu.Unlock()
	raw, err := os.ReadFile(o.Path)
	if err != nil {
		return ibid.Extract{}, err
	}
	text := string(raw)
	switch {
	case strings.HasPrefix(text, "bad"):
		return ibid.Extract{}, &ibid.Error{Code: ibid.CodeBadRequest, Message: "not readable", Hint: "save it anew"}
	case strings.HasPrefix(text, "locked") && password != "swordfish":
		return ibid.Extract{}, ibid.Errorf(ibid.CodeBadRequest, "a password is needed")
	case strings.HasPrefix(text, "panic"):
		panic("a parser's bug")
	case strings.HasPrefix(text, "wait"):
		p.waiting <- name
		select {
		case <-p.block:
		case <-ctx.Done():
			return ibid.Extract{}, ctx.Err()
		}
	}
	progress(1, 1)
	x := ibid.Extract{Format: "text", Text: text}
	if strings.HasSuffix(name, ".zip") {
		x.Format = "zip"
	}
	at := 0
	for _, para := range strings.SplitAfter(text, "\n\n") {
		if strings.TrimSpace(para) != "" {
			x.Blocks = append(x.Blocks, ibid.Block{Kind: ibid.BlockParagraph, Start: at, End: at + len(para)})
		}
		at += len(para)
	}
	return x, nil
}

func (p *paragraphs) PageImage(context.Context, string, int, int) ([]byte, error) {
	return nil, errors.New("no pages")
}

// hang is after how long a test that waits gives up.
const hang = 3 * time.Minute

func openShop(t *testing.T, dir string, files Extractor, change ...func(*Config)) *shop {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	self, err := db.Join()
	if err != nil {
		t.Fatal(err)
	}
	var ids atomic.Int64
	cfg := Config{Dir: dir, Owner: self.Owner(), Notifier: self, Store: db, Leases: db, Library: db, Sweeper: db, Divider: db, Graph: db, Embeddings: db, Extractor: files, Unpacker: boxes{}, Formats: boxFormats, Now: time.Now,
		NewID: func() string { return fmt.Sprintf("d%d-%d", time.Now().UnixNano(), ids.Add(1)) }}
	for _, c := range change {
		c(&cfg)
	}
	x := local.NewKept(local.KeptConfig{Path: filepath.Join(dir, "index.snapshot"), Disk: cfg.Disk, Library: db, Log: cfg.Log})
	x.Open()
	x.Start()
	if cfg.Engine == nil {
		cfg.Engine = x
	}
	if cfg.Blobs == nil {
		fsys := cfg.Disk
		if fsys == nil {
			fsys = disk.OS{}
		}
		if cfg.Blobs, err = dirblob.Open(fsys, filepath.Join(dir, "files")); err != nil {
			t.Fatal(err)
		}
	}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &shop{Pipeline: p, t: t, db: db, index: x}
	s.stop = sync.OnceFunc(func() {
		p.Stop()
		x.Stop()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

func (s *shop) add(name, content string) ibid.Document {
	s.t.Helper()
	d, err := s.Add(s.t.Context(), access.For(ibid.Owner), File{Name: name, Source: "/x/" + name}, strings.NewReader(content))
	if err != nil {
		s.t.Fatal(err)
	}
	return d.Document
}

// settled waits until a document is ready or failed.
func (s *shop) settled(id string) ibid.Document {
	s.t.Helper()
	deadline := time.Now().Add(hang)
	for {
		d, err := s.db.Document(s.t.Context(), access.For(ibid.Owner), id)
		if err != nil {
			s.t.Fatal(err)
		}
		if d.Status == ibid.DocumentReady || d.Status == ibid.DocumentFailed {
			return d
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("document stays %+v", d)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// finds returns the texts that a search by words finds.
func (s *shop) finds(query string) string {
	s.t.Helper()
	found, err := s.index.Lexical(s.t.Context(), access.For(ibid.Owner), query, 20, ibid.Scope{})
	if err != nil {
		s.t.Fatal(err)
	}
	var ids []string
	for _, c := range found {
		ids = append(ids, c.ChunkID)
	}
	chunks, err := s.db.Chunks(s.t.Context(), access.For(ibid.Owner), ids)
	if err != nil || len(chunks) != len(ids) {
		s.t.Fatalf("index and database disagree: %d of %d, %v", len(chunks), len(ids), err)
	}
	var texts []string
	for _, c := range chunks {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "|")
}

// chunks is how many the engine searches.
func (s *shop) chunks() int {
	s.t.Helper()
	state, err := s.index.State(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return state.Chunks
}

// lacking is how many passages have no vector in a space, 500 at most.
func (s *shop) lacking(space string) int {
	s.t.Helper()
	ids, _, err := s.index.Lacking(s.t.Context(), space, ibid.Page{Limit: ibid.MaxLimit})
	if err != nil {
		s.t.Fatal(err)
	}
	return len(ids)
}

// spaces is how many spaces there are.
func (s *shop) spaces() int {
	s.t.Helper()
	state, err := s.index.State(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return len(state.Vectors)
}

// misinform tells the engine what is not so.
func (s *shop) misinform(changes ...engine.Change) {
	s.t.Helper()
	if err := s.index.Apply(s.t.Context(), changes); err != nil {
		s.t.Fatal(err)
	}
}

// long makes paragraphs that are chunks of their own.
func long(word string) string { return strings.Repeat("The "+word+" is described here. ", 50) + "\n\n" }

func TestANewVersionKeepsWhatDidNotChange(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	first := s.settled(s.add("a.txt", long("walrus")+long("giraffe")+long("pelican")).ID)
	if first.Status != ibid.DocumentReady || first.Chunks < 3 || first.Embedded != first.Chunks || first.Kept != 0 {
		t.Fatalf("first version %+v", first)
	}
	second := s.settled(s.add("a.txt", long("walrus")+long("octopus")+long("pelican")).ID)
	if second.ID != first.ID || second.Version == first.Version || second.Embedded == 0 || second.Kept == 0 || second.Kept+second.Embedded != second.Chunks {
		t.Fatalf("second version %+v", second)
	}
	if s.finds("giraffe") != "" || s.finds("octopus") == "" || s.finds("walrus") == "" {
		t.Fatal("the search does not show the second version")
	}
	old, err := s.db.Extract(t.Context(), access.For(ibid.Owner), first.ID, first.Version)
	if err != nil || !strings.Contains(old.Text, "giraffe") {
		t.Fatalf("the first version's text is gone: %v", err)
	}
	if _, err := s.Original(t.Context(), access.For(ibid.Owner), first.ID, first.Version); err != nil {
		t.Fatalf("the first version's bytes are gone: %v", err)
	}
	again, err := s.Add(t.Context(), access.For(ibid.Owner), File{Name: "a.txt", Source: "/x/a.txt"}, strings.NewReader(long("walrus")+long("octopus")+long("pelican")))
	if err != nil || !again.Unchanged {
		t.Fatalf("the same bytes again: %+v, %v", again, err)
	}
}

func TestABadVersionLeavesTheGoodOne(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	good := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	for _, content := range []string{"bad file", "panic file", " \n "} {
		d := s.settled(s.add("a.txt", content).ID)
		if d.Status != ibid.DocumentFailed || d.Error == "" || strings.Contains(d.Error, "\n") || strings.Contains(d.Error, "parser's bug") {
			t.Fatalf("%q gives %+v", content, d)
		}
		if d.Version != good.Version || s.finds("walrus") == "" {
			t.Fatalf("%q took the good version away", content)
		}
	}
	if _, err := s.Add(t.Context(), access.For(ibid.Owner), File{Name: "e.txt"}, strings.NewReader("")); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Fatalf("an empty file: %v", err)
	}
	if d := s.settled(s.add("a.txt", "The walrus wakes.").ID); d.Status != ibid.DocumentReady || d.Error != "" {
		t.Fatalf("a good version after bad ones: %+v", d)
	}
}

func TestRemovedWhileItIsRead(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files)
	d := s.add("a.txt", "wait for the walrus.")
	<-files.waiting
	if err := s.Remove(t.Context(), access.For(ibid.Owner), d.ID); err != nil {
		t.Fatal(err)
	}
	close(files.block)
	other := s.settled(s.add("b.txt", "The giraffe eats.").ID)
	if s.finds("walrus") != "" || s.chunks() != other.Chunks {
		t.Fatal("a removed document came back")
	}
	if err := s.Remove(t.Context(), access.For(ibid.Owner), d.ID); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Fatalf("removed twice: %v", err)
	}
}

func TestANewerVersionWhileOneIsRead(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files)
	d := s.add("a.txt", "wait for the walrus.")
	<-files.waiting
	s.add("a.txt", "The giraffe eats.")
	close(files.block)
	deadline := time.Now().Add(hang)
	for s.finds("giraffe") == "" {
		if time.Now().After(deadline) {
			t.Fatal("the newer version is not searched")
		}
		time.Sleep(2 * time.Millisecond)
	}
	if now := s.settled(d.ID); now.Status != ibid.DocumentReady || s.finds("walrus") != "" {
		t.Fatalf("document %+v", now)
	}
}

// TestARestartGoesOn closes the shop while files are read, and opens it again,
// with a snapshot, with a damaged one and without: the index always equals the
// database, and no finished file is read twice.
func TestARestartGoesOn(t *testing.T) {
	dir := t.TempDir()
	files := newParagraphs()
	s := openShop(t, dir, files)
	var ids []string
	for _, animal := range []string{"walrus", "giraffe", "octopus", "beaver", "falcon"} {
		ids = append(ids, s.add(animal+".txt", "The "+animal+" sleeps.").ID)
	}
	for _, id := range ids {
		s.settled(id)
	}
	slow := s.add("slow.txt", "wait for the pelican.")
	<-files.waiting
	s.stop()

	close(files.block)
	s = openShop(t, dir, files)
	if d := s.settled(slow.ID); d.Status != ibid.DocumentReady || s.finds("pelican") == "" || s.finds("beaver") == "" {
		t.Fatalf("after a restart: %+v", d)
	}
	if err := s.Remove(t.Context(), access.For(ibid.Owner), ids[0]); err != nil {
		t.Fatal(err)
	}
	s.stop()
	for name, spoil := range map[string]func(string) error{
		"damaged":  func(p string) error { return os.WriteFile(p, []byte("nonsense"), 0o600) },
		"missing":  os.Remove,
		"as it is": func(string) error { return nil },
	} {
		if err := spoil(filepath.Join(dir, "index.snapshot")); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		s = openShop(t, dir, files)
		if s.finds("walrus") != "" || s.finds("giraffe") == "" || s.finds("pelican") == "" || s.chunks() != 5 {
			t.Fatalf("%s snapshot: %d chunks", name, s.chunks())
		}
		s.stop()
	}
	for name, times := range files.read {
		if times > 1 && name != "slow.txt" {
			t.Errorf("%s was read %d times", name, times)
		}
	}
}

// hashEmbedder embeds a text by the hash of its first word; it can be out of
// reach.
type hashEmbedder struct {
	mu    sync.Mutex
	down  bool
	texts int
}

func (h *hashEmbedder) Name() string    { return "test/hash" }
func (h *hashEmbedder) Dimensions() int { return 8 }

func (h *hashEmbedder) Embed(_ context.Context, texts []string, _ ibid.EmbedUse) ([][]float32, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down {
		return nil, &ibid.Error{Code: ibid.CodeLLMUnavailable, Message: "nobody answers", Hint: "start it"}
	}
	h.texts += len(texts)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		sum := fnv.New32()
		sum.Write([]byte(text))
		angle := float64(sum.Sum32()%628) / 100
		out[i] = make([]float32, 8)
		out[i][0], out[i][1] = float32(math.Cos(angle)), float32(math.Sin(angle))
	}
	return out, nil
}

func TestEmbeddingsAreKept(t *testing.T) {
	dir := t.TempDir()
	e := &hashEmbedder{}
	use := func(c *Config) { c.Embedder = e }
	s := openShop(t, dir, newParagraphs(), use)
	d := s.settled(s.add("a.txt", long("walrus")+long("giraffe")+long("pelican")).ID)
	if e.texts != d.Chunks {
		t.Fatalf("%d texts embedded for %d chunks", e.texts, d.Chunks)
	}
	again := s.settled(s.add("a.txt", long("walrus")+long("octopus")+long("pelican")).ID)
	if e.texts != d.Chunks+again.Embedded {
		t.Fatalf("%d texts embedded in all, %d in the second version", e.texts, again.Embedded)
	}
	s.stop()
	if err := os.Remove(filepath.Join(dir, "index.snapshot")); err != nil {
		t.Fatal(err)
	}
	before := e.texts
	s = openShop(t, dir, newParagraphs(), use)
	deadline := time.Now().Add(hang)
	for s.lacking(e.Name()) > 0 {
		if time.Now().After(deadline) {
			t.Fatal("vectors do not come back from the database")
		}
		time.Sleep(2 * time.Millisecond)
	}
	if e.texts != before+1 { // one text tells whether it is the same model
		t.Fatalf("%d texts were embedded again after a restart", e.texts-before)
	}
}

func TestAnEmbedderOutOfReachHoldsNothingUp(t *testing.T) {
	e := &hashEmbedder{down: true}
	s := openShop(t, t.TempDir(), newParagraphs(), func(c *Config) { c.Embedder = e })
	d := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	if d.Status != ibid.DocumentReady || !strings.Contains(d.Notice, "nobody answers") || s.finds("walrus") == "" {
		t.Fatalf("document %+v", d)
	}
	e.mu.Lock()
	e.down = false
	e.mu.Unlock()
	s.nudgeEmbed()
	deadline := time.Now().Add(hang)
	for s.lacking(e.Name()) > 0 {
		if time.Now().After(deadline) {
			t.Fatal("the vectors never followed")
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// TestTheBuiltInEmbedderIsFitted adds enough for a fit and waits for vectors.
func TestTheBuiltInEmbedderIsFitted(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var told []string
	use := func(c *Config) {
		c.SetEmbedder = func(e ibid.Embedder) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, e.Name())
		}
	}
	s := openShop(t, dir, newParagraphs(), use)
	words := strings.Fields("walrus giraffe pelican octopus beaver falcon lizard salmon badger ferret otter heron")
	var added []string
	for i, w := range words {
		d := s.add(w+".txt", fmt.Sprintf("The %s lives near the %s and eats what the %s leaves.", w, words[(i+1)%len(words)], words[(i+5)%len(words)]))
		added = append(added, d.ID)
	}
	for _, id := range added {
		s.settled(id)
	}
	deadline := time.Now().Add(hang)
	for s.fitted() == nil || s.lacking(s.fitted().Name()) > 0 {
		if time.Now().After(deadline) {
			t.Fatal("no fit, or chunks without vectors")
		}
		time.Sleep(2 * time.Millisecond)
	}
	name := s.fitted().Name()
	s.stop()
	openShop(t, dir, newParagraphs(), use)
	mu.Lock()
	defer mu.Unlock()
	if n := len(told); n < 2 || told[n-1] == "" || !strings.HasPrefix(name, "lsa-") {
		t.Fatalf("queries were told %v", told)
	}
}
