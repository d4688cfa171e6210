package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
	"ibid/internal/engine/local"
	"ibid/internal/lsa"
	"ibid/internal/store/sqlite"
)

// remote is an engine in another process, as far as a pipeline can tell: it can be
// away, and take only some of what it is told.
type remote struct {
	*local.Index
	library local.Library

	mu   sync.Mutex
	away bool
	some bool // takes the first change only, and says that it failed
	told int  // calls of Apply
}

func (r *remote) set(change func(*remote)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
}

func (r *remote) Apply(ctx context.Context, changes []engine.Change) error {
	r.mu.Lock()
	away, some := r.away, r.some
	r.told++
	r.mu.Unlock()
	switch {
	case away:
		return errors.New("nobody answers")
	case some && len(changes) > 1:
		return errors.Join(r.Index.Apply(ctx, changes[:1]), errors.New("the line broke"))
	}
	return r.Index.Apply(ctx, changes)
}

func (r *remote) Compare(ctx context.Context) (engine.Agreement, error) {
	return local.Compare(ctx, r.Index, r.library)
}

// State says that nothing is lost by a crash: it is another process's.
func (r *remote) State(ctx context.Context) (engine.State, error) {
	s, err := r.Index.State(ctx)
	s.Saved = s.Applied
	return s, err
}

// openAway opens a shop whose engine is remote.
func openAway(t *testing.T, dir string, r *remote, change ...func(*Config)) *shop {
	return openShop(t, dir, newParagraphs(), append(change, func(c *Config) {
		r.library, c.Engine = c.Store.(*sqlite.DB), r
	})...)
}

// knows is what the remote engine finds of a word.
func (r *remote) knows(t *testing.T, word string) int {
	t.Helper()
	found, err := r.Lexical(t.Context(), access.For(ibid.Owner), word, 20, ibid.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// TestAnEngineThatIsAway: a document is not called ready before the engine has it;
// what is removed meanwhile is removed, and the engine learns of it later.
func TestAnEngineThatIsAway(t *testing.T) {
	r := &remote{Index: local.New(local.Config{})}
	s := openAway(t, t.TempDir(), r)
	old := s.settled(s.add("old.txt", "The giraffe eats.").ID)
	r.set(func(r *remote) { r.away = true })
	d := s.add("a.txt", "The walrus sleeps.")
	s.eventually("it is kept, and waits for the engine", func() bool {
		now, err := s.db.Document(t.Context(), access.For(ibid.Owner), d.ID)
		r.mu.Lock()
		defer r.mu.Unlock()
		return err == nil && now.Stage == "index" && r.told > 3
	})
	if err := s.Remove(t.Context(), access.For(ibid.Owner), old.ID); err != nil {
		t.Fatalf("remove while the engine is away: %v", err)
	}
	if now, err := s.db.Document(t.Context(), access.For(ibid.Owner), d.ID); err != nil || now.Status != ibid.DocumentProcessing {
		t.Fatalf("called %s before the engine has it, %v", now.Status, err)
	}
	r.set(func(r *remote) { r.away = false })
	if now := s.settled(d.ID); now.Status != ibid.DocumentReady || r.knows(t, "walrus") != 1 || r.knows(t, "giraffe") != 0 {
		t.Fatalf("document %+v; the engine finds %d and %d", now, r.knows(t, "walrus"), r.knows(t, "giraffe"))
	}
	if a, err := s.Compare(t.Context()); err != nil || len(a.Differ) > 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestAnEngineThatTakesSome is told all of it again.
func TestAnEngineThatTakesSome(t *testing.T) {
	dir := t.TempDir()
	s := openShop(t, dir, newParagraphs())
	for i := range 12 {
		s.settled(s.add(fmt.Sprint(i, ".txt"), fmt.Sprintf("The walrus%d sleeps.", i)).ID)
	}
	s.stop()
	r := &remote{Index: local.New(local.Config{}), some: true}
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &Pipeline{cfg: Config{Library: db, Engine: r, Log: slog.New(slog.DiscardHandler)}}
	p.base = t.Context()
	r.library = db
	if err := p.openFeed(t.Context()); err == nil {
		t.Fatal("an engine that has not taken all is taken for whole")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r.set(func(r *remote) { r.some = false })
	openAway(t, dir, r)
	if n := r.knows(t, "sleeps"); n != 12 {
		t.Errorf("%d of 12 documents are found", n)
	}
}

// TestADatabaseThatWentBack: the engine was told of changes that the database does not
// have any more. It is filled anew, whatever their numbers were.
func TestADatabaseThatWentBack(t *testing.T) {
	dir := t.TempDir()
	s := openShop(t, dir, newParagraphs())
	d := s.settled(s.add("a.txt", "The walrus sleeps.").ID)
	s.misinform(engine.Put{Number: 99, Document: d, Passages: []ibid.Chunk{{ID: "c_later", DocumentID: d.ID, Text: "The giraffe eats."}}})
	s.stop() // the snapshot has change 99
	s = openShop(t, dir, newParagraphs())
	if s.finds("giraffe") != "" || s.finds("walrus") == "" {
		t.Error("the engine holds the later state")
	}
	s.settled(s.add("b.txt", "The pelican flies.").ID)
	if s.finds("pelican") == "" {
		t.Error("what came after is not found")
	}
	s.agrees(2)
}

// TestAHintFeedsTheEngine: what another process has published is told to the engine at
// its hint, and not only when the feed looks by itself.
func TestAHintFeedsTheEngine(t *testing.T) {
	a := openShop(t, t.TempDir(), newParagraphs())
	index := local.New(local.Config{})
	p, err := New(Config{Dir: t.TempDir(), Store: a.db, Library: a.db, Embeddings: a.db, Engine: &remote{Index: index, library: a.db}, Blobs: a.cfg.Blobs,
		Now: a.cfg.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	p.feedEvery = time.Hour
	if err := p.openFeed(t.Context()); err != nil {
		t.Fatal(err)
	}
	topics := make(chan string)
	p.group.Go(p.feedLoop)
	p.group.Go(func() { p.listen(topics) })
	defer func() {
		close(topics)
		p.cancel()
		p.group.Wait()
	}()
	for _, hint := range []string{topicDocument, ""} { // of a document, and that hints were lost
		d := a.settled(a.add("of "+hint+".txt", "The ibex climbs.").ID)
		if hint != "" {
			hint += d.ID
		}
		topics <- hint
		a.eventually("the document is found", func() bool { return (&remote{Index: index}).knows(t, "ibex") == 1 })
		if err := a.Remove(t.Context(), access.For(ibid.Owner), d.ID); err != nil {
			t.Fatal(err)
		}
		topics <- hint
		a.eventually("the document is gone", func() bool { return (&remote{Index: index}).knows(t, "ibex") == 0 })
	}
}

// TestTwoProcessesShareAFitAndTheirDocuments: what one adds the other finds, and both
// embed by the same fit.
func TestTwoProcessesShareAFitAndTheirDocuments(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	a := openShop(t, dir, newParagraphs())
	var text strings.Builder
	for _, w := range strings.Fields("walrus giraffe pelican octopus beaver falcon lizard salmon badger ferret otter heron") {
		text.WriteString(long(w))
	}
	a.settled(a.add("animals.txt", text.String()).ID)
	a.eventually("a fit", func() bool { return a.fitted() != nil })

	// Another pipeline with an index of its own, on the same database.
	index := local.New(local.Config{})
	p, err := New(Config{Dir: other, Store: a.db, Library: a.db, Embeddings: a.db, Engine: &remote{Index: index, library: a.db}, Blobs: a.cfg.Blobs,
		Now: a.cfg.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.cancel()
	if err := p.openFeed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.openVectors(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.refit(t.Context()); err != nil {
		t.Fatal(err)
	}
	fit := p.fitted()
	if fit == nil || fit.Name() != a.fitted().Name() {
		t.Fatal("the other process has another fit")
	}
	if state, err := index.State(t.Context()); err != nil || !state.Whole(fit.Name()) || state.Chunks != a.chunks() {
		t.Errorf("the other's state is %+v, %v", state, err)
	}

	// It fits anew; the first takes that over.
	var model bytes.Buffer
	refit, err := lsa.Fit(t.Context(), func(yield func(string) bool) {
		for i := range 30 {
			if !yield(fmt.Sprintf("The walrus%d and the otter%d and the heron live by the pond.", i%3, i%5)) {
				return
			}
		}
	}, lsa.Config{})
	if err == nil {
		err = refit.Save(&model)
	}
	if err == nil {
		err = a.db.PutFit(t.Context(), refit.Name(), model.Bytes(), fit.Name(), a.cfg.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	a.nudgeEmbed()
	a.eventually("the first takes the other's fit over", func() bool {
		state, err := a.index.State(t.Context())
		now := a.fitted()
		return err == nil && now != nil && now.Name() != fit.Name() && state.Whole(now.Name()) && len(state.Vectors) == 1
	})

	// What the first adds and removes the other hears of.
	d := a.settled(a.add("b.txt", "The ibex climbs.").ID)
	tell := func() {
		p.publish.Lock()
		defer p.publish.Unlock()
		if err := p.tell(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tell()
	if r := (&remote{Index: index}); r.knows(t, "ibex") != 1 {
		t.Error("what another process has added is not found")
	}
	if err := a.Remove(t.Context(), access.For(ibid.Owner), d.ID); err != nil {
		t.Fatal(err)
	}
	tell()
	if r := (&remote{Index: index}); r.knows(t, "ibex") != 0 {
		t.Error("what another process has removed is found")
	}
}

// TestTheFitOfAnOlderIbid is taken over from its file, once.
func TestTheFitOfAnOlderIbid(t *testing.T) {
	dir := t.TempDir()
	fit, err := lsa.Fit(t.Context(), func(yield func(string) bool) {
		for i := range 30 {
			if !yield(fmt.Sprintf("The walrus%d and the otter%d and the heron live by the pond.", i%3, i%5)) {
				return
			}
		}
	}, lsa.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var model bytes.Buffer
	if err := fit.Save(&model); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "lsa.model")
	leave := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leave([]byte("damaged"))
	s := openShop(t, dir, newParagraphs())
	if s.fitted() != nil {
		t.Error("a damaged file is a fit")
	}
	s.stop()
	leave(model.Bytes())
	s = openShop(t, dir, newParagraphs())
	if now := s.fitted(); now == nil || now.Name() != fit.Name() {
		t.Error("the fit was not taken over")
	}
	s.stop()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("its file stays: %v", err)
	}
	leave([]byte("of another"))
	s = openShop(t, dir, newParagraphs())
	if now := s.fitted(); now == nil || now.Name() != fit.Name() {
		t.Error("the stored fit was lost")
	}
}
