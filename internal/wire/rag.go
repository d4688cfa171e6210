package wire

import "ibid"

// RAG is POST /rag: NDJSON lines {"type","data"}, always in this order:
//
//	thinking* metadata* text* [error] memory
//
// The memory is measured before it is known whether the run failed, so it is
// held back until the run has finished: clients take its line for the last one.
//
// To keep it, thinking that comes after the first citation is left to the
// other protocols; there is little of it, since the answer phase runs with
// thinking off. A retraction is a line of its own, "retracted", which clients
// that do not know it pass over.
type RAG struct {
	cursor
	cited  bool
	memory *ibid.Memory // measured, not yet shown
}

// Next implements Projection.
func (p *RAG) Next(e ibid.Event) []Frame {
	out := p.begin(e)
	line := func(typ string, data any) { out.add("", nil, field{"type", typ}, field{"data", data}) }
	switch d := e.Data.(type) {
	case ibid.ReasoningDelta:
		if !p.cited {
			line("thinking", d.Text)
		}
	case ibid.CitationAdded:
		p.cited = true
		line("metadata", d.Citation)
	case ibid.AnswerDelta:
		p.cited = true
		line("text", d.Text)
	case ibid.AnswerRetracted:
		line("retracted", d)
	case ibid.MemoryMeasured:
		p.memory = &d.Memory
	case ibid.RunFailed:
		line("error", d)
	case ibid.RunFinished:
		if p.memory != nil {
			line("memory", p.memory)
		}
	}
	return out.done()
}
