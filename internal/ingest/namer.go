package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ibid"
)

// namerSchema is what a model answers with: the names in each passage.
var namerSchema = json.RawMessage(`{
"type":"object",
"properties":{"passages":{"type":"array","items":{
 "type":"object",
 "properties":{"id":{"type":"string"},"names":{"type":"array","items":{"type":"string"}}},
 "required":["id","names"],"additionalProperties":false}}},
"required":["passages"],
"additionalProperties":false}`)

const (
	// A request shows a model up to namerBatch passages of together namerBytes,
	// some 3,000 tokens: that fits the smallest windows with the answer.
	namerBatch  = 8
	namerBytes  = 10_000
	namerTokens = 1500 // that the answer may have
	// heuristicBatch is how many passages of an old library are named at once.
	heuristicBatch = 100
	// namerPause is how long the model is left alone after it was out of reach.
	namerPause = time.Minute
)

// namerState is what is known of the model that names.
type namerState struct {
	mu  sync.Mutex
	err error // why passages wait for it
}

func (p *Pipeline) nudgeNamer() { nudge(p.unread) }

// nameLoop names the passages that an older ibid has taken in, and then has the
// model read what only the heuristic has named. It goes on where it was
// interrupted: each passage knows who has named it.
func (p *Pipeline) nameLoop() {
	if err := p.nameOld(p.base); err != nil && p.base.Err() == nil {
		p.cfg.Log.Warn("cannot find what older passages name", "error", err)
	}
	for p.cfg.Namer != nil {
		err := p.nameByModel(p.base)
		if p.base.Err() != nil {
			return
		}
		p.namer.mu.Lock()
		p.namer.err = err
		p.namer.mu.Unlock()
		var again <-chan time.Time
		if err != nil {
			p.cfg.Log.Warn("the model cannot say what passages name; it is asked again later", "error", err)
			again = time.After(namerPause)
		}
		select {
		case <-p.base.Done():
			return
		case <-p.unread:
		case <-again:
		}
	}
}

// nameOld names what nobody has looked at, by the heuristic.
func (p *Pipeline) nameOld(ctx context.Context) error {
	for ctx.Err() == nil {
		if named, err := p.nameSome(ctx); err != nil || named == 0 {
			return err
		}
	}
	return ctx.Err()
}

func (p *Pipeline) nameSome(ctx context.Context) (named int, err error) {
	defer p.slots.take()()
	passages, err := p.cfg.Graph.PassagesNamedBy(ctx, ibid.NamedByNobody, heuristicBatch)
	if err != nil || len(passages) == 0 {
		return 0, err
	}
	return len(passages), p.cfg.Graph.PutNamings(ctx, Namings(passages), ibid.NamedByHeuristic)
}

// nameByModel asks the model about all passages that it has not read. The error
// says why it must be asked again later.
func (p *Pipeline) nameByModel(ctx context.Context) error {
	for ctx.Err() == nil {
		passages, err := p.cfg.Graph.PassagesNamedBy(ctx, ibid.NamedByHeuristic, namerBatch)
		if err != nil || len(passages) == 0 {
			return err
		}
		if err := p.nameBatch(ctx, fitting(passages)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// fitting returns as many passages as are shown to a model at once, one at least.
func fitting(passages []ibid.Chunk) []ibid.Chunk {
	bytes := 0
	for i, c := range passages {
		if bytes += len(c.Text); bytes > namerBytes && i > 0 {
			return passages[:i]
		}
	}
	return passages
}

// nameBatch asks the model about some passages. Where it fails at them it is
// asked about each alone, and where it fails at one the heuristic stands.
func (p *Pipeline) nameBatch(ctx context.Context, passages []ibid.Chunk) error {
	named, err := askNamer(ctx, p.cfg.Namer, passages)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && waits(err):
		return err
	case err != nil && len(passages) > 1:
		for i := range passages {
			if err := p.nameBatch(ctx, passages[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	var vain []string
	for _, c := range passages {
		if !slices.ContainsFunc(named, func(n ibid.Naming) bool { return n.ChunkID == c.ID }) {
			vain = append(vain, c.ID)
		}
	}
	if err := p.cfg.Graph.PutNamings(ctx, named, ibid.NamedByModel); err != nil {
		return err
	}
	return p.cfg.Graph.MarkNamed(ctx, vain, ibid.NamedInVain)
}

// waits reports whether an error has nothing to do with what was asked: the
// model is out of reach, or busy.
func waits(err error) bool {
	var known *ibid.Error
	return errors.As(err, &known) && (known.Retryable || known.Code.Retryable())
}

// askNamer returns what a model says that passages name, of those that it has
// spoken of. What stands in them can make it name too much or too little, but
// nothing that they do not say.
func askNamer(ctx context.Context, model ibid.Model, passages []ibid.Chunk) ([]ibid.Naming, error) {
	shown, byHandle := make([]ibid.Handled, len(passages)), map[string]ibid.Chunk{}
	for i, c := range passages {
		handle := fmt.Sprintf("p%d", i+1)
		shown[i], byHandle[handle] = ibid.Handled{Handle: handle, Heading: strings.Join(c.Heading, " > "), Text: c.Text}, c
	}
	res, err := model.Generate(ctx, ibid.ModelRequest{
		Brief: &ibid.Brief{Instruction: ibid.InstructName}, Schema: namerSchema, Think: ibid.ThinkOff, MaxTokens: namerTokens,
		Turns: []ibid.Turn{ibid.About(ibid.Subject{Passages: shown})},
	}, func(ibid.ModelDelta) {})
	if err != nil {
		return nil, fmt.Errorf("ask %s what passages name: %w", model.Name(), err)
	}
	var answer struct {
		Passages []struct {
			ID    string   `json:"id"`
			Names []string `json:"names"`
		} `json:"passages"`
	}
	said := res.Turn.Text()
	start, end := strings.IndexByte(said, '{'), strings.LastIndexByte(said, '}')
	if start < 0 || end < start || json.Unmarshal([]byte(said[start:end+1]), &answer) != nil {
		return nil, errors.New("what the model says that passages name is not readable")
	}
	var named []ibid.Naming
	for _, a := range answer.Passages {
		if c, ok := byHandle[a.ID]; ok {
			delete(byHandle, a.ID) // each once
			named = append(named, naming(c, a.Names))
		}
	}
	return named, nil
}

// NamingProgress says how far it is known what the passages name.
type NamingProgress struct {
	Entities int    `json:"entities"`           // that there are
	Passages int    `json:"passages"`           // that there are
	Named    int    `json:"named"`              // that somebody has looked at
	Model    string `json:"model,omitempty"`    // that is asked as well
	ByModel  int    `json:"by_model,omitempty"` // that a model has named
	InVain   int    `json:"in_vain,omitempty"`  // that the model could make nothing of: the heuristic stands
	Err      error  `json:"-"`                  // why passages wait for the model
}

// Naming returns how far it is known what the passages name.
func (p *Pipeline) Naming(ctx context.Context) (NamingProgress, error) {
	passages, entities, err := p.cfg.Graph.NamingCounts(ctx)
	n := NamingProgress{Entities: entities, ByModel: passages[ibid.NamedByModel], InVain: passages[ibid.NamedInVain]}
	for _, count := range passages {
		n.Passages += count
	}
	n.Named = n.Passages - passages[ibid.NamedByNobody]
	if p.cfg.Namer != nil {
		n.Model = p.cfg.Namer.Name()
	}
	p.namer.mu.Lock()
	n.Err = p.namer.err
	p.namer.mu.Unlock()
	return n, err
}
