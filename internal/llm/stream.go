package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"ibid"
	"ibid/internal/llm/prompt"
)

// streamed is a model whose dialect is a record and nothing else: its answers are
// server-sent events.
type streamed struct {
	origin
	dialect Dialect
	base    string

	forms     forms[form]
	templates templates
}

// form is what a request is like after what was refused of it: the zero form asks for
// everything in the clearest way.
type form struct {
	thinking int  // which of the dialect's ways
	prompt   bool // the schema stands in the prompt
	short    bool // the answer may be no longer than old models can
}

// newStreamed returns the model. keySetting is where its key is configured.
func newStreamed(cfg Config, d Dialect, s spec) (*streamed, error) {
	o, err := d.origin(cfg.withDefaults(), s, "api_key")
	if err != nil {
		return nil, err
	}
	return &streamed{origin: o, dialect: d, base: s.base.String()}, nil
}

// origin is the server of a spec. setting is where its key is configured.
func (d Dialect) origin(cfg Config, s spec, setting string) (origin, error) {
	o := origin{http: newClient(cfg), server: d.Server, model: s.model, host: s.base.Host, key: cfg.keyFor(s.base),
		header: d.Key.Header, headers: d.Header, hint: d.Absent}
	if d.Model != nil {
		o.model = d.Model(s.model)
	}
	if !d.Key.Encrypted {
		return o, nil
	}
	if d.Key.Env != "" {
		o.keyHint = "set " + setting + ", or " + d.Key.Env + " in the environment"
	}
	return o, o.onlyEncrypted(s)
}

// Name implements ibid.Model.
func (m *streamed) Name() string { return m.dialect.Name + "/" + m.model }

// Probe implements ibid.Prober. A dialect that does not tell what its models can is
// taken to be able to do everything.
func (m *streamed) Probe(ctx context.Context) (ibid.Capabilities, error) {
	if m.dialect.Capabilities == nil {
		return ibid.Capabilities{Thinking: true, Tools: true, Images: true}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var info json.RawMessage
	if f := m.get(ctx, m.base+"/models/"+url.PathEscape(m.model), &info); f != nil {
		return ibid.Capabilities{}, result(ctx, f)
	}
	return m.dialect.Capabilities(info), nil
}

// Generate implements ibid.Model. What a model refuses is left out and the request
// sent again; an empty turn is asked for again.
func (m *streamed) Generate(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	req = prompt.Render(req)
	return converse(ctx, m.origin, m.forms.of(req.Think), req,
		func(f form) (ibid.ModelResponse, *failure) { return m.turn(ctx, req, f, emit) },
		func(f form, said apiError) (form, bool) { return m.without(f, said, req) })
}

// ways are the dialect's ways to say how much thinking is wanted.
func (m *streamed) ways(t ibid.Think) []any {
	if m.dialect.Thinking == nil {
		return []any{nil}
	}
	return m.dialect.Thinking(t)
}

// without returns a form without what a refusal is about. ok is false when there is
// nothing left to leave out.
func (m *streamed) without(f form, said apiError, req ibid.ModelRequest) (simpler form, ok bool) {
	words := m.dialect.Refusals
	switch {
	case said.overflow(), said.mentions(words.Final...):
		return f, false
	case said.mentions(words.Schema...) && len(req.Schema) > 0 && !f.prompt:
		f.prompt = true
	case said.mentions(words.Thinking...) && f.thinking+1 < len(m.ways(req.Think)):
		f.thinking++
	case said.mentions(words.Length...) && !f.short:
		f.short = true
	default:
		return f, false
	}
	return f, true
}

// turn asks once.
func (m *streamed) turn(ctx context.Context, req ibid.ModelRequest, f form, emit func(ibid.ModelDelta)) (ibid.ModelResponse, *failure) {
	asked := Asked{ModelRequest: req, Model: m.model, Name: m.Name(), Thinking: m.ways(req.Think)[f.thinking], Short: f.short}
	if f.prompt && len(req.Schema) > 0 {
		asked.System, asked.Schema = askForJSON(req.System, req.Schema), nil
	}
	resp, failed := m.post(ctx, m.base+m.dialect.Endpoint(m.model), m.dialect.Body(asked))
	if failed != nil {
		return ibid.ModelResponse{}, failed
	}
	defer resp.Body.Close()
	var end Ending
	res, failed := m.take(req, m.templates.of(req.Think == ibid.ThinkOn), emit, func(a *Assembler) (ibid.ModelResponse, *failure) {
		reader := m.dialect.Read()
		err := readEvents(resp.Body, func(data []byte) error { return reader.Event(data, a) })
		end = reader.End(a)
		res := ibid.ModelResponse{Usage: a.Usage}
		res.Usage.ModelRequests = 1
		var said ServerError
		switch {
		case errors.As(err, &said):
			return res, m.inStream(said)
		case end.Withheld != "":
			return res, &failure{Error: ibid.Errorf(ibid.CodeLLM, "%s (%s) %s", m.server, m.model, end.Withheld)}
		case err != nil && !end.Complete:
			return res, m.broken(err)
		case !end.Complete:
			return res, m.brokenOff()
		case end.Length:
			res.StopReason = ibid.StopLength
		}
		return res, nil
	})
	if failed == nil {
		res.Turn = withRaw(res.Turn, m.Name(), end.Replay)
	}
	return res, failed
}
