package ibidtest

import (
	"fmt"
	"strings"

	"ibid"
)

// SoundFootnotes holds what is true of the footnotes of every log, wherever it was
// cut and continued: a footnote is of a passage that was found before, it stands
// before the text that shows its marker, its marker stands where it says, it backs a
// part of the answer, and footnotes are numbered in reading order.
func SoundFootnotes(log []ibid.Event) error {
	found := map[string]ibid.Citation{}
	var text string
	var notes []ibid.CitationPlaced
	check := func() error {
		for i, n := range notes {
			switch {
			case n.Marker > len(text) || !strings.HasPrefix(text[n.Marker:], "["+n.ChunkID+"]"):
				return fmt.Errorf("no marker of footnote %d stands at byte %d of %q", n.N, n.Marker, text)
			case n.Statement.Start < 0 || n.Statement.Start >= n.Statement.End || n.Statement.End > len(text):
				return fmt.Errorf("footnote %d backs bytes %v of an answer of %d", n.N, n.Statement, len(text))
			case i > 0 && n.Marker < notes[i-1].Marker:
				return fmt.Errorf("footnote %d comes before footnote %d, whose marker stands further on", notes[i-1].N, n.N)
			}
		}
		return nil
	}
	for _, e := range log {
		switch d := e.Data.(type) {
		case ibid.CitationAdded:
			found[d.ChunkID] = d.Citation
		case ibid.CitationPlaced:
			c, ok := found[d.ChunkID]
			highest := 0
			for _, n := range notes {
				highest = max(highest, n.N)
			}
			switch {
			case !ok || c.N != d.Found || c.DocumentID != d.DocumentID || c.Version != d.Version:
				return fmt.Errorf("footnote %d is of a passage that was not found: %+v", d.N, d)
			case d.Marker < len(text):
				return fmt.Errorf("footnote %d comes after the text that shows its marker", d.N)
			case d.N < 1 || d.N > highest+1:
				return fmt.Errorf("footnote %d comes after footnote %d", d.N, highest)
			}
			notes = append(notes, d)
		case ibid.AnswerDelta:
			text += d.Text
		case ibid.AnswerRetracted:
			text, notes = "", nil
		case ibid.RunFinished:
			if d.Status == ibid.StatusCompleted {
				return check()
			}
		}
	}
	return nil
}
