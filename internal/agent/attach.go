package agent

import (
	"context"
	"strings"

	"ibid"
	"ibid/internal/agent/cite"
)

// attachmentLimit is how long an attached text may be, in bytes, to be given to
// the model whole.
const attachmentLimit = 16 << 10

// attach makes the short texts and the pictures that came with the question citable:
// their passages are in the log before any model is called, and the question shows
// them with their handles. A run that goes on after a crash finds those in the log
// that are known. A text that cannot be cut into passages is shown as it is.
func (s *session) attach(ctx context.Context) (phase, error) {
	if s.cfg.FilePassages == nil {
		return phaseCache, nil
	}
	for i, a := range s.task.Request.Attachments {
		f := ibid.File{MessageID: s.task.UserMessageID, N: i, Attachment: a}
		passages, err := s.passagesOf(ctx, f)
		if err != nil {
			if ctx.Err() != nil {
				return 0, ctx.Err()
			}
			s.cfg.Log.Warn("an attached text cannot be cited", "file", f.ID(), "error", err)
			continue
		}
		for _, p := range passages {
			if _, known := s.state.ledger.Number[p.ID]; known {
				continue
			}
			if err := s.emit(ibid.CitationAdded{Citation: cite.Of(p, s.state.ledger.Last+1, s.cfg.Drawn)}); err != nil {
				return 0, err
			}
		}
	}
	return phaseCache, nil
}

// passagesOf returns what can be cited of a file that the model is shown: the passages
// of a short text, a picture as a whole.
func (s *session) passagesOf(ctx context.Context, f ibid.File) ([]ibid.Passage, error) {
	switch {
	case len(f.Data) == 0:
		return nil, nil
	case isImage(f.Attachment):
		return []ibid.Passage{pictureOf(f)}, nil
	case !IsShortText(f.Attachment):
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Limits.ToolTimeout)
	defer cancel()
	return s.cfg.FilePassages(ctx, s.task.View, f)
}

// pictureOf is an attached picture as something to cite.
func pictureOf(f ibid.File) ibid.Passage {
	p := ibid.Passage{Document: ibid.Document{ID: f.ID(), Title: f.Name, Name: f.Name}, Kind: ibid.SourceImage, URL: f.URL(), Score: 1}
	p.DocumentID, p.Version = f.ID(), ibid.VersionOf(f.Data)
	p.ID = "t_" + ibid.VersionOf([]byte(f.ID() + p.Version))[:16]
	return p
}

// attach keeps a passage of a text that came with the question. Those stand in the
// log before anything that a model did; what tools find of such a text later does
// not change how the question reads.
func (s *state) attach(c ibid.Citation) {
	if c.Kind != ibid.SourceAttachment && c.Kind != ibid.SourceImage || s.planned || len(s.rounds) > 0 {
		return
	}
	if s.attached == nil {
		s.attached = map[string][]ibid.Citation{}
	}
	s.attached[c.DocumentID] = append(s.attached[c.DocumentID], c)
}

// IsShortText reports whether an attachment is a text that is shown whole.
func IsShortText(a ibid.Attachment) bool {
	return strings.HasPrefix(a.MIME, "text/") && a.MIME != "text/html" && max(int(a.Bytes), len(a.Data)) <= attachmentLimit
}

func isImage(a ibid.Attachment) bool { return strings.HasPrefix(a.MIME, "image/") }

// userTurn is the user's turn: the words of the question first, then what is attached,
// what is to be heeded, and the images. Short texts stand there whole, in passages with
// handles where they can be cited; other files, and images without bytes (the model
// cannot see, or they are not there), are only named.
func (s *session) userTurn(heed *ibid.Note) ibid.Turn {
	task := s.task
	turn := ibid.Turn{Role: ibid.RoleUser, Parts: []ibid.Part{{Question: task.Request.Text}}}
	for i, a := range task.Request.Attachments {
		f := ibid.File{MessageID: task.UserMessageID, N: i, Attachment: a}
		if shown, ok := attached(f, s.state.attached[f.ID()]); ok {
			turn.Parts = append(turn.Parts, ibid.Part{File: &shown})
		}
	}
	if heed != nil {
		turn.Parts = append(turn.Parts, ibid.Part{Note: heed})
	}
	for _, a := range task.Request.Attachments {
		if isImage(a) && len(a.Data) > 0 {
			turn.Parts = append(turn.Parts, ibid.Part{Image: &ibid.Image{MIME: a.MIME, Data: a.Data}})
		}
	}
	return turn
}

// attached is a file that came with the question as the model is shown it. A picture
// that the model sees needs no more than a handle, and nothing without one.
func attached(f ibid.File, passages []ibid.Citation) (shown ibid.AttachedFile, ok bool) {
	shown = ibid.AttachedFile{ID: f.ID(), Name: f.Name, MIME: f.MIME}
	switch {
	case isImage(f.Attachment) && len(f.Data) > 0:
		if len(passages) == 0 {
			return shown, false
		}
		shown.Handle = cite.Handle(passages[0].N)
	case len(passages) > 0:
		for _, c := range passages {
			shown.Passages = append(shown.Passages, handled(c))
		}
	case IsShortText(f.Attachment) && len(f.Data) > 0:
		shown.Text = strings.ToValidUTF8(string(f.Data), "\uFFFD")
	}
	return shown, true
}
