package local

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/engine"
	"ibid/internal/ibidtest"
)

// inMemory is one index, which all openings share: there is one process.
func inMemory(testing.TB) ibidtest.Opener[ibidtest.Engine] {
	x := New(Config{SegmentChunks: 16})
	return func(testing.TB) ibidtest.Engine { return x }
}

func onDisk(t testing.TB) ibidtest.Opener[ibidtest.Engine] {
	k := NewKept(KeptConfig{Path: filepath.Join(t.TempDir(), "index.snapshot")})
	k.Open()
	k.Start()
	t.Cleanup(k.Stop)
	return func(testing.TB) ibidtest.Engine { return k }
}

func TestEngine(t *testing.T) {
	ibidtest.Run(t, ibidtest.EngineCases, inMemory)
	t.Run("kept on disk", func(t *testing.T) { ibidtest.Run(t, ibidtest.EngineCases, onDisk) })
}

// faulty is an engine with one fault; what is nil is right.
type faulty struct {
	ibidtest.Engine
	apply   func(ctx context.Context, e ibidtest.Engine, changes []engine.Change) error
	lexical func(ctx context.Context, e ibidtest.Engine, view access.View, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error)
	vector  func(ctx context.Context, e ibidtest.Engine, view access.View, space string, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error)
	state   func(engine.State) engine.State
	lacking func(ctx context.Context, e ibidtest.Engine, space string, page ibid.Page) ([]string, string, error)
}

func (f faulty) Apply(ctx context.Context, changes []engine.Change) error {
	if f.apply == nil {
		return f.Engine.Apply(ctx, changes)
	}
	return f.apply(ctx, f.Engine, changes)
}

func (f faulty) Lexical(ctx context.Context, view access.View, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
	if f.lexical == nil {
		return f.Engine.Lexical(ctx, view, query, limit, scope)
	}
	return f.lexical(ctx, f.Engine, view, query, limit, scope)
}

func (f faulty) Vector(ctx context.Context, view access.View, space string, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
	if f.vector == nil {
		return f.Engine.Vector(ctx, view, space, vec, limit, scope)
	}
	return f.vector(ctx, f.Engine, view, space, vec, limit, scope)
}

func (f faulty) State(ctx context.Context) (engine.State, error) {
	s, err := f.Engine.State(ctx)
	if f.state != nil {
		s = f.state(s)
	}
	return s, err
}

func (f faulty) Lacking(ctx context.Context, space string, page ibid.Page) ([]string, string, error) {
	if f.lacking == nil {
		return f.Engine.Lacking(ctx, space, page)
	}
	return f.lacking(ctx, f.Engine, space, page)
}

// each makes a fault of one that changes a change into others; none is nothing.
func each(change func(engine.Change) []engine.Change) func(ibidtest.Engine) ibidtest.Engine {
	return func(e ibidtest.Engine) ibidtest.Engine {
		return faulty{Engine: e, apply: func(ctx context.Context, e ibidtest.Engine, changes []engine.Change) error {
			for _, c := range changes {
				for _, c := range change(c) {
					if _, ok := c.(dawdling); ok {
						new(shared).dawdle()
						continue
					}
					if err := e.Apply(ctx, []engine.Change{c}); err != nil {
						return err
					}
				}
			}
			return nil
		}}
	}
}

// dawdling is no change, but some time between two.
type dawdling struct{ engine.Reset }

// without leaves out changes of one kind.
func without[C engine.Change](e ibidtest.Engine) ibidtest.Engine {
	return each(func(c engine.Change) []engine.Change {
		if _, is := c.(C); is {
			return nil
		}
		return []engine.Change{c}
	})(e)
}

// shared is what several openings of a mutant have in common.
type shared struct {
	mu     sync.Mutex
	busy   sync.Mutex
	number int64
	newest map[string]int64
	text   map[string][]ibid.Chunk
}

// dawdle gives others time to come in between.
func (s *shared) dawdle() {
	for range 1000 {
		runtime.Gosched()
	}
}

func TestEngineMutants(t *testing.T) {
	s := &shared{newest: map[string]int64{}, text: map[string][]ibid.Chunk{}}
	// inOrder gives changes numbers in the order in which they come.
	inOrder := func(p engine.Put) engine.Put {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.number++
		p.Number = 1000 + s.number
		return p
	}
	ibidtest.Mutants(t, ibidtest.EngineCases, inMemory, []ibidtest.Mutant[ibidtest.Engine]{
		{Name: "removals are forgotten", Case: "what is removed is not found", Break: without[engine.Remove]},
		{Name: "spaces are never forgotten", Case: "a space that is forgotten is gone", Break: without[engine.Forget]},
		{Name: "nothing is reset", Case: "a reset empties it", Break: without[engine.Reset]},
		{Name: "a search is worst first", Case: "what is put is found by words, best first", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, lexical: func(ctx context.Context, e ibidtest.Engine, view access.View, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
				found, err := e.Lexical(ctx, view, query, limit, scope)
				slices.Reverse(found)
				return found, err
			}}
		}},
		{Name: "a search knows no limit", Case: "what is put is found by words, best first", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, lexical: func(ctx context.Context, e ibidtest.Engine, view access.View, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
				return e.Lexical(ctx, view, query, 100, scope)
			}}
		}},
		{Name: "old passages stay beside the new ones", Case: "a document that is put again has its new passages alone", Break: each(func(c engine.Change) []engine.Change {
			if p, ok := c.(engine.Put); ok {
				s.text[p.Document.ID] = append(s.text[p.Document.ID], p.Passages...)
				p.Passages = s.text[p.Document.ID]
				return []engine.Change{p}
			}
			return []engine.Change{c}
		})},
		{Name: "words know no scope", Case: "a scope narrows both halves", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, lexical: func(ctx context.Context, e ibidtest.Engine, view access.View, query string, limit int, _ ibid.Scope) ([]ibid.Candidate, error) {
				return e.Lexical(ctx, view, query, limit, ibid.Scope{})
			}}
		}},
		{Name: "vectors know no scope", Case: "a scope narrows both halves", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, vector: func(ctx context.Context, e ibidtest.Engine, view access.View, space string, vec []float32, limit int, _ ibid.Scope) ([]ibid.Candidate, error) {
				return e.Vector(ctx, view, space, vec, limit, ibid.Scope{})
			}}
		}},
		{Name: "words know no view", Case: "a view narrows both halves", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, lexical: func(ctx context.Context, e ibidtest.Engine, _ access.View, query string, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
				return e.Lexical(ctx, access.System("a mutant"), query, limit, scope)
			}}
		}},
		{Name: "vectors know no view", Case: "a view narrows both halves", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, vector: func(ctx context.Context, e ibidtest.Engine, _ access.View, space string, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
				return e.Vector(ctx, access.System("a mutant"), space, vec, limit, scope)
			}}
		}},
		{Name: "whoever comes last wins", Case: "a late change does not undo a newer one", Break: each(func(c engine.Change) []engine.Change {
			if p, ok := c.(engine.Put); ok {
				c = inOrder(p)
			}
			return []engine.Change{c}
		})},
		{Name: "a number is compared first and stored later", Case: "of changes of one document at once the newest stays", Break: each(func(c engine.Change) []engine.Change {
			p, ok := c.(engine.Put)
			if !ok {
				return []engine.Change{c}
			}
			s.mu.Lock()
			newest := s.newest[p.Document.ID]
			s.mu.Unlock()
			if p.Number < newest {
				return nil
			}
			s.dawdle()
			s.mu.Lock()
			s.newest[p.Document.ID] = p.Number
			s.mu.Unlock()
			return []engine.Change{inOrder(p)}
		})},
		{Name: "a change that is there already is refused", Case: "the same changes again do no harm", Break: each(func(c engine.Change) []engine.Change {
			if p, ok := c.(engine.Put); ok {
				if s.newest[p.Document.ID] == p.Number { // removed and put anew
					return []engine.Change{engine.Remove{DocumentID: p.Document.ID, Number: p.Number}, p}
				}
				s.newest[p.Document.ID] = p.Number
			}
			return []engine.Change{c}
		})},
		{Name: "a document is removed before it is put again", Case: "a document that is put again is never missing", Break: each(func(c engine.Change) []engine.Change {
			if p, ok := c.(engine.Put); ok {
				s.dawdle() // after the one before was put
				return []engine.Change{engine.Remove{Number: p.Number, DocumentID: p.Document.ID}, dawdling{}, p}
			}
			return []engine.Change{c}
		})},
		{Name: "what comes while another is busy is lost", Case: "what several put at once is all there", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, apply: func(ctx context.Context, e ibidtest.Engine, changes []engine.Change) error {
				if !s.busy.TryLock() {
					return nil
				}
				defer s.busy.Unlock()
				s.dawdle()
				return e.Apply(ctx, changes)
			}}
		}},
		{Name: "a change counts before it is in", Case: "the state says how far the engine is", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, state: func(s engine.State) engine.State { s.Applied++; return s }}
		}},
		{Name: "vectors of nobody are counted", Case: "the state says how far the engine is", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, state: func(s engine.State) engine.State {
				for name := range s.Vectors {
					s.Vectors[name]++
				}
				return s
			}}
		}},
		{Name: "all spaces are one", Case: "the nearest vectors come first, each space for itself", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: each(func(c engine.Change) []engine.Change {
				if v, ok := c.(engine.Vectors); ok {
					v.Space = "s"
					c = v
				}
				return []engine.Change{c}
			})(e), vector: func(ctx context.Context, e ibidtest.Engine, view access.View, _ string, vec []float32, limit int, scope ibid.Scope) ([]ibid.Candidate, error) {
				return e.Vector(ctx, view, "s", vec, limit, scope)
			}}
		}},
		{Name: "a put drops all vectors of its document", Case: "a passage keeps its vectors as long as it is there", Break: each(func(c engine.Change) []engine.Change {
			if p, ok := c.(engine.Put); ok {
				return []engine.Change{engine.Remove{Number: p.Number, DocumentID: p.Document.ID}, p}
			}
			return []engine.Change{c}
		})},
		{Name: "errors are swallowed", Case: "vectors that do not fit are refused whole", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, apply: func(ctx context.Context, e ibidtest.Engine, changes []engine.Change) error {
				_ = e.Apply(ctx, changes)
				return nil
			}}
		}},
		{Name: "vectors are taken one by one", Case: "vectors that do not fit are refused whole", Break: each(func(c engine.Change) []engine.Change {
			v, ok := c.(engine.Vectors)
			if !ok || len(v.IDs) != len(v.Vectors) {
				return []engine.Change{c}
			}
			var single []engine.Change
			for i := range v.IDs {
				single = append(single, engine.Vectors{Space: v.Space, IDs: v.IDs[i : i+1], Vectors: v.Vectors[i : i+1]})
			}
			return single
		})},
		{Name: "a list has one page", Case: "passages without a vector are listed by pages", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, lacking: func(ctx context.Context, e ibidtest.Engine, space string, page ibid.Page) ([]string, string, error) {
				ids, _, err := e.Lacking(ctx, space, page)
				return ids, "", err
			}}
		}},
		{Name: "a list takes every passage for lacking", Case: "passages without a vector are listed by pages", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, lacking: func(ctx context.Context, e ibidtest.Engine, _ string, page ibid.Page) ([]string, string, error) {
				return e.Lacking(ctx, "no space", page)
			}}
		}},
		{Name: "an end is not noticed", Case: "nothing begins once its context is done", Break: func(e ibidtest.Engine) ibidtest.Engine {
			return faulty{Engine: e, apply: func(ctx context.Context, e ibidtest.Engine, changes []engine.Change) error {
				return e.Apply(context.WithoutCancel(ctx), changes)
			}}
		}},
	})
}
