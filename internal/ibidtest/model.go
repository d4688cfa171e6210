package ibidtest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ibid"
	"ibid/internal/llm/prompt"
)

// Reply is one turn of a scripted model. The same script runs inside the
// process (Script) and behind a real wire format (OllamaServer, OpenAIServer).
type Reply struct {
	// When says which request the reply is for; nil is for any. A script gives
	// the first reply not yet used that fits.
	When   func(ibid.ModelRequest) bool
	Repeat bool // the reply is never used up

	Reasoning []string // pieces of thinking, in order
	Text      []string // pieces of the answer, after the thinking
	Calls     []ibid.ToolCall
	Written   []ibid.CallDelta // pieces of the arguments of calls, after the text; in process only
	Stop      ibid.StopReason  // "": StopTools when there are calls, else StopEnd
	Usage     ibid.Usage
	Endless   bool          // the pieces of text go on from the first again until the client leaves
	Pace      time.Duration // before each piece
	Gate      *Gate         // blocks at a piece until it is opened

	// Err is returned after the last piece. Servers send it as an error inside
	// the stream.
	Err error

	Fault      Fault
	FaultAt    int    // pieces that come before the fault
	Status     int    // of FaultStatus
	Body       string // of FaultStatus; "": an error of the server's own shape
	RetryAfter string // header of FaultStatus
}

// Fault is what goes wrong on the wire. In process, every fault but the wedge
// and the stall is an LLM_UNAVAILABLE error.
type Fault int

// The faults, as seen from real servers.
const (
	FaultNone        Fault = iota
	FaultCut               // the connection is torn
	FaultQuietEnd          // the stream ends politely, without its terminal marker
	FaultGarbage           // something that is not the protocol
	FaultHalfJSON          // the stream ends within a value
	FaultStatus            // an HTTP status instead of a stream
	FaultWedge             // no answer at all, not even headers; Ollama's lasts until the model is unloaded
	FaultStall             // the stream stands still
	FaultErrorInside       // an error object inside a stream that began with 200
)

func (r Reply) stop() ibid.StopReason {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return ibid.StopTools
	}
	return ibid.StopEnd
}

// piece returns piece i of the reply, thinking first.
func (r Reply) piece(i int) (d ibid.ModelDelta, ok bool) {
	if i < len(r.Reasoning) {
		return ibid.ModelDelta{Reasoning: r.Reasoning[i]}, true
	}
	i -= len(r.Reasoning)
	if r.Endless && len(r.Text) > 0 {
		i %= len(r.Text)
	}
	if i < len(r.Text) {
		return ibid.ModelDelta{Text: r.Text[i]}, true
	}
	if i -= len(r.Text); i < len(r.Written) {
		return ibid.ModelDelta{Call: &r.Written[i]}, true
	}
	return d, false
}

// wait holds piece i back as the reply says. It returns ctx's error when the
// client leaves meanwhile.
func (r Reply) wait(ctx context.Context, i int) error {
	if r.Pace > 0 {
		timer := time.NewTimer(r.Pace)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if r.Gate != nil && i == r.Gate.at {
		r.Gate.reach()
		select {
		case <-r.Gate.open:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// Gate holds a reply at one of its pieces until a test opens it.
type Gate struct {
	at      int
	reached chan struct{}
	open    chan struct{}
	once    sync.Once
	opened  sync.Once
}

// NewGate returns a gate before piece at (from 0; the number of pieces: before
// the end of the turn).
func NewGate(at int) *Gate {
	return &Gate{at: at, reached: make(chan struct{}), open: make(chan struct{})}
}

// Reached is closed once the reply stands at the gate.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// Open lets the reply go on. It may be called more than once.
func (g *Gate) Open() { g.opened.Do(func() { close(g.open) }) }

func (g *Gate) reach() { g.once.Do(func() { close(g.reached) }) }

// Say is a reply of plain text, cut into words.
func Say(text string) Reply { return Reply{Text: words(text)} }

// Plan is a reply for the plan phase: thinking only, to requests without tools
// that ask for it.
func Plan(text string) Reply {
	return Reply{Reasoning: words(text), When: func(r ibid.ModelRequest) bool {
		return r.Think == ibid.ThinkOn && len(r.Tools) == 0
	}}
}

// CallTool is a reply that calls one tool.
func CallTool(name, arguments string) Reply {
	return Reply{Calls: []ibid.ToolCall{{Name: name, Arguments: []byte(arguments)}}}
}

// words cuts text after each space, so that the pieces joined are the text.
func words(text string) []string {
	var pieces []string
	start := 0
	for i := range len(text) {
		if text[i] == ' ' {
			pieces = append(pieces, text[start:i+1])
			start = i + 1
		}
	}
	if start < len(text) {
		pieces = append(pieces, text[start:])
	}
	return pieces
}

// Script is a model that says what it was told to say. It is an ibid.Model and
// an ibid.Prober.
type Script struct {
	Caps ibid.Capabilities

	mu       sync.Mutex
	replies  []Reply
	requests []ibid.ModelRequest
	calls    int
}

// NewScript returns a model that gives the replies.
func NewScript(replies ...Reply) *Script {
	return &Script{
		replies: replies,
		Caps:    ibid.Capabilities{Thinking: true, Tools: true, Images: true, ContextTokens: 32768},
	}
}

// Name implements ibid.Model.
func (s *Script) Name() string { return "script" }

// Probe implements ibid.Prober.
func (s *Script) Probe(context.Context) (ibid.Capabilities, error) { return s.Caps, nil }

// Add appends replies.
func (s *Script) Add(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Requests returns all requests so far, also those that no reply fitted.
func (s *Script) Requests() []ibid.ModelRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]ibid.ModelRequest(nil), s.requests...)
}

// Left returns how many replies have not been used.
func (s *Script) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.replies {
		if !r.Repeat {
			n++
		}
	}
	return n
}

// Drop takes away all replies that were not used.
func (s *Script) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = nil
}

// next records the request and takes the reply for it. Like any model that reads words
// it is told everything in words.
func (s *Script) next(req ibid.ModelRequest) (Reply, error) {
	req = prompt.Render(req)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	for i, r := range s.replies {
		if r.When != nil && !r.When(req) {
			continue
		}
		if !r.Repeat {
			s.replies = append(s.replies[:i:i], s.replies[i+1:]...)
		}
		r.Calls = s.withIDs(r.Calls)
		return r, nil
	}
	return Reply{}, ibid.Errorf(ibid.CodeLLM, "script: no reply fits request %d (think %q, %d tools, %d turns)",
		len(s.requests), req.Think, len(req.Tools), len(req.Turns))
}

// withIDs gives an id to each call that has none.
func (s *Script) withIDs(calls []ibid.ToolCall) []ibid.ToolCall {
	out := append([]ibid.ToolCall(nil), calls...)
	for i := range out {
		if out[i].ID == "" {
			s.calls++
			out[i].ID = fmt.Sprintf("call_%d", s.calls)
		}
		if len(out[i].Arguments) == 0 {
			out[i].Arguments = []byte("{}")
		}
	}
	return out
}

// Generate implements ibid.Model.
func (s *Script) Generate(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	reply, err := s.next(req)
	if err != nil {
		return ibid.ModelResponse{}, err
	}
	var reasoning, text string
	response := func() ibid.ModelResponse {
		turn := ibid.Turn{Role: ibid.RoleAssistant}
		if reasoning != "" {
			turn.Parts = append(turn.Parts, ibid.Part{Reasoning: reasoning})
		}
		if text != "" {
			turn.Parts = append(turn.Parts, ibid.Part{Text: text})
		}
		return ibid.ModelResponse{Turn: turn, StopReason: reply.stop(), Usage: usageOf(reply)}
	}
	for i := 0; ; i++ {
		if err := reply.wait(ctx, i); err != nil {
			return response(), err
		}
		if reply.Fault != FaultNone && (i == reply.FaultAt || reply.Fault == FaultStatus || reply.Fault == FaultWedge) {
			return response(), reply.fail(ctx)
		}
		d, ok := reply.piece(i)
		if !ok {
			break
		}
		reasoning += d.Reasoning
		text += d.Text
		emit(d)
	}
	if reply.Err != nil {
		return response(), reply.Err
	}
	res := response()
	for _, c := range reply.Calls {
		res.Turn.Parts = append(res.Turn.Parts, ibid.Part{Call: &c})
	}
	return res, nil
}

// fail is what a fault on the wire comes to for whoever called the model.
func (r Reply) fail(ctx context.Context) error {
	switch r.Fault {
	case FaultWedge, FaultStall:
		<-ctx.Done()
		return ctx.Err()
	}
	return &ibid.Error{Code: ibid.CodeLLMUnavailable, Message: "script: the model failed", Retryable: true}
}

func usageOf(r Reply) ibid.Usage {
	u := r.Usage
	if u.OutputTokens == 0 {
		u.OutputTokens = max(1, len(r.Reasoning)+len(r.Text)+len(r.Calls))
		u.ReasoningTokens = len(r.Reasoning)
	}
	if u.InputTokens == 0 {
		u.InputTokens = 10
	}
	u.ModelRequests = 1
	return u
}
