package agent

import (
	"context"
	"fmt"
	"strings"

	"ibid"
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
			if _, known := s.state.ledger.number[p.ID]; known {
				continue
			}
			if err := s.emit(ibid.CitationAdded{Citation: citationOf(p, s.state.ledger.last+1)}); err != nil {
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

// userTurn is the user's turn: the words of the question as a part of their own
// and first, then what is attached, the notes, and the images. Short texts stand
// there whole, in passages with handles where they can be cited; of other files,
// and of images without bytes (the model cannot see, or they are not there), stands
// what they are called and how to read them.
func (s *session) userTurn(notes string) ibid.Turn {
	task := s.task
	turn := ibid.UserTurn(task.Request.Text)
	for i, a := range task.Request.Attachments {
		f := ibid.File{MessageID: task.UserMessageID, N: i, Attachment: a}
		if text := attached(f, s.state.attached[f.ID()]); text != "" {
			turn.Parts = append(turn.Parts, ibid.Part{Text: text})
		}
	}
	if notes != "" {
		turn.Parts = append(turn.Parts, ibid.Part{Text: notes})
	}
	for _, a := range task.Request.Attachments {
		if isImage(a) && len(a.Data) > 0 {
			turn.Parts = append(turn.Parts, ibid.Part{Image: &ibid.Image{MIME: a.MIME, Data: a.Data}})
		}
	}
	return turn
}

// attached writes a file that came with the question. Of a picture that the model
// sees it is only its name and its handle.
func attached(f ibid.File, passages []ibid.Citation) string {
	if isImage(f.Attachment) && len(f.Data) > 0 {
		if len(passages) == 0 {
			return ""
		}
		return attachmentElement(fmt.Sprintf("name=%q type=%q", f.Name, f.MIME), ibid.FormatResult(handle(passages[0].N))+"\n")
	}
	if len(passages) > 0 {
		var b strings.Builder
		for _, c := range passages {
			b.WriteString(fence(c, ibid.Passage{Chunk: ibid.Chunk{Text: c.Text}, Score: c.Score}))
		}
		return attachmentElement(fmt.Sprintf("name=%q", f.Name), b.String())
	}
	if IsShortText(f.Attachment) && len(f.Data) > 0 {
		text := strings.ReplaceAll(strings.ToValidUTF8(string(f.Data), "\uFFFD"), "<passage", "<\u200bpassage")
		return attachmentElement(fmt.Sprintf("name=%q", f.Name), text+"\n")
	}
	return attachmentElement(fmt.Sprintf("name=%q type=%q id=%q", f.Name, f.MIME, f.ID()), "read it with retrieve_file\n")
}

func attachmentElement(attributes, body string) string {
	return fmt.Sprintf("\n\n<attachment %s>\n%s</attachment>", attributes, strings.ReplaceAll(body, "</attachment", "</ attachment"))
}
