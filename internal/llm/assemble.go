package llm

import (
	"fmt"
	"strings"
	"sync/atomic"

	"ibid"
	"ibid/internal/llm/sift"
)

// Assembler puts one streamed turn together and hands its pieces on.
type Assembler struct {
	emit      func(ibid.ModelDelta)
	think     *sift.ThinkSplitter
	open      bool // think began inside a block, because the template opens it
	sift      *sift.Calls
	reasoning strings.Builder
	text      strings.Builder
	calls     []ibid.ToolCall
	void      bool // text that was handed on turned out to be thinking
	unclosed  bool // thinking that the template was said to have opened turned out to be text

	Usage ibid.Usage // as far as the server has told

	reasoningProvider string // where thinking must go back to its provider: whose it is,
	reasoningOpaque   []byte // and what has to go with it
}

func newAssembler(req ibid.ModelRequest, open bool, emit func(ibid.ModelDelta)) *Assembler {
	a := &Assembler{emit: emit, think: &sift.ThinkSplitter{}, open: open, sift: sift.NewCalls(req.Tools)}
	if open {
		a.think = sift.NewOpenThinkSplitter()
	}
	return a
}

// AddReasoning takes thinking.
func (a *Assembler) AddReasoning(s string) {
	if s == "" {
		return
	}
	a.reasoning.WriteString(s)
	a.emit(ibid.ModelDelta{Reasoning: s})
}

// AddText takes text as the server calls it, in which thinking and tool calls
// may hide.
func (a *Assembler) AddText(s string) {
	if s != "" {
		a.think.Write(s, a.piece)
	}
}

func (a *Assembler) piece(p sift.Piece) {
	switch p.Kind {
	case sift.PieceReasoning:
		a.AddReasoning(p.Text)
	case sift.PieceText:
		a.sift.Write(p.Text, a.show)
	case sift.PieceVoid:
		a.void = true
		a.sift.Close(a.show)
		a.reasoning.WriteString(a.text.String())
		a.text.Reset()
	}
}

func (a *Assembler) show(s string) {
	a.text.WriteString(s)
	a.emit(ibid.ModelDelta{Text: s})
}

// AddArguments hands on a piece of the arguments of the turn's call n.
func (a *Assembler) AddArguments(n int, name, piece string) {
	if name != "" && piece != "" {
		a.emit(ibid.ModelDelta{Call: &ibid.CallDelta{N: n, Name: name, Arguments: piece}})
	}
}

// AddCall takes a whole call. An id that is missing or was seen is made up.
func (a *Assembler) AddCall(id, name string, arguments []byte) {
	for _, c := range a.calls {
		if c.ID == id {
			id = ""
		}
	}
	if id == "" {
		id = sift.NewCallID()
	}
	a.calls = append(a.calls, ibid.ToolCall{ID: id, Name: name, Arguments: sift.CleanArguments(arguments)})
}

// finish ends the turn and returns it.
func (a *Assembler) finish() ibid.Turn {
	if a.unclosed = a.open && a.think.Unclosed(); a.unclosed {
		a.reasoning.Reset()
	}
	a.think.Close(a.piece)
	a.sift.Close(a.show)
	a.calls = append(a.calls, a.sift.Found...)
	a.sift.Found = nil
	return a.turn()
}

// turn returns the turn as far as it has come.
func (a *Assembler) turn() ibid.Turn {
	t := ibid.Turn{Role: ibid.RoleAssistant}
	if a.reasoning.Len() > 0 {
		t.Parts = append(t.Parts, ibid.Part{Reasoning: a.reasoning.String(),
			Provider: a.reasoningProvider, Opaque: a.reasoningOpaque})
	}
	if a.text.Len() > 0 {
		t.Parts = append(t.Parts, ibid.Part{Text: a.text.String()})
	}
	for i := range a.calls {
		t.Parts = append(t.Parts, ibid.Part{Call: &a.calls[i]})
	}
	return t
}

// stopReason is why a turn stopped, when the server does not say it was cut.
func stopReason(t ibid.Turn) ibid.StopReason {
	if len(t.Calls()) > 0 {
		return ibid.StopTools
	}
	return ibid.StopEnd
}

// templates remembers whether a model's prompt template opens the thinking tag
// itself, with thinking off and with thinking on.
type templates struct{ opens [2]atomic.Bool }

func (t *templates) of(think bool) *atomic.Bool {
	if think {
		return &t.opens[1]
	}
	return &t.opens[0]
}

// Empty reports whether neither text nor a call has come.
func (a *Assembler) Empty() bool { return a.text.Len() == 0 && len(a.calls) == 0 }

// take reads one turn of an answer and makes of it what it is. opens says
// whether the model's template opens the tag of thinking, and learns it.
func (o origin) take(req ibid.ModelRequest, opens *atomic.Bool, emit func(ibid.ModelDelta),
	read func(*Assembler) (ibid.ModelResponse, *failure)) (ibid.ModelResponse, *failure) {
	a := newAssembler(req, opens.Load(), emit)
	res, f := read(a)
	if f != nil {
		res.Turn = a.turn()
		return res, f
	}
	res.Turn = a.finish()
	if res.StopReason != ibid.StopLength {
		res.StopReason = stopReason(res.Turn)
	}
	if a.unclosed {
		opens.Store(false)
	}
	if a.void {
		opens.Store(true)
		return res, o.misread(req)
	}
	return res, nil
}

// misread is the failure of a turn whose thinking was shown as text, because the
// model's template opens the tag and nobody knew. It happens once: the next try
// knows. A request that only wants thinking does not mind.
func (o origin) misread(req ibid.ModelRequest) *failure {
	if req.Think == ibid.ThinkOn && len(req.Tools) == 0 {
		return nil
	}
	return &failure{Error: &ibid.Error{Code: ibid.CodeLLM, Retryable: true,
		Message: fmt.Sprintf("%s (%s) sent its thinking as text; it is asked again", o.server, o.model)}}
}
