package wire

import (
	"strings"

	"ibid"
)

// Threads is the native protocol: GET /v1/threads/{id}/stream, as server-sent
// events with "id: <position>".
//
//	message_start (reasoning_start reasoning_delta* reasoning_end | step | citations)*
//	(text_start (citation_placed* text_delta)* text_end [text_retracted …])* message_end done
//
// An event of a kind of work that is no answer is a frame of its own name: of
// "quiz.item" comes item.
type Threads struct {
	cursor
	message   string
	work      string // the kind of work and a point, where it is no answer
	reasoning bool   // reasoning_start stands without reasoning_end
	text      bool
}

// Next implements Projection.
func (p *Threads) Next(e ibid.Event) []Frame {
	out := p.begin(e)
	p.message = e.Run
	if _, still := e.Data.(ibid.ReasoningDelta); p.reasoning && !still {
		p.reasoning = false
		p.add(&out, "reasoning_end", nil)
	}
	switch d := e.Data.(type) {
	case ibid.RunStarted:
		if d.Kind != "" {
			p.work = d.Kind + "."
		}
		if d.Attempt <= 1 {
			out.add("message_start", d, field{"type", "message_start"}) // it names the message itself
		} else {
			out.add("step", d, field{"type", "step"}, field{"kind", "continued"})
		}
	case ibid.RunQueued:
		p.step(&out, "queued", d)
	case ibid.QueryAnalyzed:
		p.step(&out, "analysis", d)
	case ibid.CacheChecked:
		p.step(&out, "cache", d)
	case ibid.ReasoningDelta:
		if !p.reasoning {
			p.reasoning = true
			p.add(&out, "reasoning_start", nil)
		}
		p.add(&out, "reasoning_delta", d)
	case ibid.ToolStarted:
		d.Replay = nil
		p.step(&out, "tool_call", d)
	case ibid.ToolFinished:
		p.step(&out, "tool_result", d)
	case ibid.PassagesGraded:
		p.step(&out, "grading", d)
	case ibid.PassagesReranked:
		p.step(&out, "reranking", d)
	case ibid.CitationAdded:
		p.add(&out, "citations", map[string]any{"citations": []ibid.Citation{d.Citation}})
	case ibid.CitationPlaced:
		p.add(&out, "citation_placed", d)
	case ibid.AnswerStarted:
		p.openText(&out, d)
	case ibid.AnswerDelta:
		p.openText(&out, nil)
		p.add(&out, "text_delta", d)
	case ibid.AnswerRetracted:
		p.closeText(&out)
		p.add(&out, "text_retracted", d)
	case ibid.SourcesNamed:
		p.step(&out, "sources", d)
	case ibid.AnswerVerified:
		p.closeText(&out)
		p.step(&out, "verification", d)
	case ibid.MemoryMeasured:
		p.closeText(&out)
		p.step(&out, "memory", d)
	case ibid.RunFailed:
		p.closeText(&out)
		p.step(&out, "error", d)
	case ibid.RunFinished:
		p.closeText(&out)
		p.add(&out, "message_end", d)
		p.add(&out, "done", nil)
	default:
		if name, own := strings.CutPrefix(d.EventType(), p.work); own && p.work != "" {
			p.closeText(&out)
			p.add(&out, name, d)
		}
	}
	return out.done()
}

func (p *Threads) openText(out *frames, data any) {
	if !p.text {
		p.text = true
		p.add(out, "text_start", data)
	}
}

func (p *Threads) closeText(out *frames) {
	if p.text {
		p.text = false
		p.add(out, "text_end", nil)
	}
}

func (p *Threads) add(out *frames, event string, data any) {
	out.add(event, data, field{"type", event}, field{"message_id", p.message})
}

func (p *Threads) step(out *frames, kind string, data any) {
	out.add("step", data, field{"type", "step"}, field{"kind", kind}, field{"message_id", p.message})
}

// NotStreaming is the only frame of a stream whose run has ended; the message
// is to be fetched instead.
func NotStreaming(messageID string) Frame {
	return Frame{Event: "message_not_streaming",
		Data: object(nil, field{"type", "message_not_streaming"}, field{"message_id", messageID})}
}
