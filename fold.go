package ibid

import "strings"

// Fold folds the events of one run, in order, into the message that the run
// becomes. The zero Fold is ready to use.
type Fold struct {
	// Work adds what an event of a kind of work makes of the message. It replaces what
	// it changes, and does not write into it. nil: such events are skipped.
	Work func(m *Message, data EventData)

	msg       Message
	text      strings.Builder
	reasoning strings.Builder
}

// Add takes the next event.
func (f *Fold) Add(e Event) {
	m := &f.msg
	m.LastSeq = e.Seq
	switch d := e.Data.(type) {
	case RunStarted:
		m.ID, m.ThreadID, m.ParentID = d.MessageID, d.ThreadID, d.UserMessageID
		m.Role = RoleAssistant
		m.Status = StatusRunning
		m.Attempts = d.Attempt
		m.Kind = d.Kind
		if m.CreatedAt.IsZero() {
			m.CreatedAt = At(e.At)
		}
	case ReasoningDelta:
		f.reasoning.WriteString(d.Text)
	case ToolStarted:
		for i := range m.Steps {
			if m.Steps[i].CallID == d.CallID { // run again after a crash
				m.Steps[i] = Step{CallID: d.CallID, Tool: d.Tool, Detail: d.Detail, Iteration: d.Iteration}
				return
			}
		}
		m.Steps = append(m.Steps, Step{CallID: d.CallID, Tool: d.Tool, Detail: d.Detail, Iteration: d.Iteration})
	case ToolFinished:
		for i := range m.Steps {
			if s := &m.Steps[i]; s.CallID == d.CallID {
				s.Done, s.OK, s.Summary, s.Error = true, d.OK, d.Summary, d.Error
				s.DurationMS, s.Retrieval, s.Table, s.Files = d.DurationMS, d.Retrieval, d.Table, d.Files
			}
		}
	case QueryAnalyzed:
		m.Analysis = &d
	case CacheChecked:
		m.Cache = &d
	case PassagesGraded:
		for _, g := range d.Details {
			f.grade(g)
		}
	case AnswerVerified:
		m.Verification = &d
	case CitationAdded:
		m.Found = append(m.Found, d.Citation)
	case CitationPlaced:
		m.Citations = Place(m.Citations, m.Found, d)
	case AnswerStarted:
		m.Model = d.Model
	case AnswerDelta:
		f.text.WriteString(d.Text)
	case AnswerRetracted:
		f.text.Reset()
		m.Citations = nil
		m.Retracted++
		m.Verification = nil
	case SourcesNamed:
		m.Sources = d.Sources
	case MemoryMeasured:
		m.Memory = &d.Memory
	case RunFailed:
		m.Error = &d
	case RunFinished:
		m.Status = d.Status
		m.Finished = &d.Finished
	case RunQueued, PassagesReranked: // nothing of them stands in the message
	default:
		if f.Work != nil {
			f.Work(m, d)
		}
	}
}

// grade keeps the last verdict on a passage.
func (f *Fold) grade(g Grade) {
	for i, old := range f.msg.Grades {
		if old.ChunkID == g.ChunkID {
			f.msg.Grades[i] = g
			return
		}
	}
	f.msg.Grades = append(f.msg.Grades, g)
}

// Message returns the message as it stands.
func (f *Fold) Message() Message {
	m := f.msg
	m.Text, m.Reasoning = f.text.String(), f.reasoning.String()
	return m
}

// Preview returns the message as it would stand after more events, which it
// does not take.
func (f *Fold) Preview(more []Event) Message {
	g := Fold{Work: f.Work, msg: f.msg}
	g.msg.Steps = append([]Step(nil), f.msg.Steps...)
	g.msg.Citations = append([]Citation(nil), f.msg.Citations...)
	g.msg.Found = append([]Citation(nil), f.msg.Found...)
	g.msg.Grades = append([]Grade(nil), f.msg.Grades...)
	g.text.WriteString(f.text.String())
	g.reasoning.WriteString(f.reasoning.String())
	for _, e := range more {
		g.Add(e)
	}
	return g.Message()
}

// FoldEvents folds a whole log.
func FoldEvents(events []Event) Message {
	var f Fold
	for _, e := range events {
		f.Add(e)
	}
	return f.Message()
}
