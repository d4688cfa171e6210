// Package excerpt cuts what is not in the library (a page of the web, a file of the
// conversation) into passages: it has no chunks, and can be cited like any other then.
package excerpt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

const (
	// passageBytes is how long a passage is, roughly.
	passageBytes = 1200
	// textBytes bounds how much of a text is looked at.
	textBytes = 2 << 20
	// level is that of the chunks that are read; see ibid.Chunk.
	level = 2
)

// Cut cuts a text into passages, at the borders of blocks and sentences,
// with a new one under each heading and on each page. from names where the text is from: the same
// words from there always have the same id.
func Cut(x ibid.Extract, from string, like ibid.Passage) []ibid.Passage {
	var passages []ibid.Passage
	open := ibid.Block{Start: -1} // what the next passage is made of
	flush := func() {
		if open.Start >= 0 && strings.TrimSpace(x.Text[open.Start:open.End]) != "" {
			p := like
			p.Start, p.End, p.Text = open.Start, open.End, x.Text[open.Start:open.End]
			p.Heading, p.Level, p.Ordinal = open.Heading, level, len(passages)
			if first := ibid.PageOf(x.PageAt, open.Start); first > 0 {
				for n := first; n <= ibid.PageOf(x.PageAt, open.End-1); n++ {
					p.Pages = append(p.Pages, n)
				}
			}
			sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%s", from, p.Start, p.Text))
			p.ID = "c_" + hex.EncodeToString(sum[:8])
			passages = append(passages, p)
		}
		open = ibid.Block{Start: -1}
	}
	take := func(start, end int, heading []string) {
		turned := open.Start >= 0 && ibid.PageOf(x.PageAt, open.Start) != ibid.PageOf(x.PageAt, start)
		if open.Start >= 0 && (end-open.Start > passageBytes || turned || !slices.Equal(open.Heading, heading)) {
			flush()
		}
		if open.Start < 0 {
			open.Start, open.Heading = start, heading
		}
		open.End = end
	}
	for _, b := range x.Blocks {
		if b.Start < 0 || b.End > len(x.Text) || b.Start >= b.End || b.Start > textBytes {
			continue
		}
		switch {
		case b.Kind == ibid.BlockHeading:
			flush()
		case b.End-b.Start <= passageBytes:
			take(b.Start, b.End, b.Heading)
		default:
			for _, s := range text.Sentences(x.Text[b.Start:b.End]) {
				for at := s.Start; at < s.End; {
					piece := text.Clip(x.Text[b.Start+at:b.Start+s.End], 2*passageBytes)
					take(b.Start+at, b.Start+at+len(piece), b.Heading)
					at += len(piece)
				}
			}
		}
	}
	flush()
	if whole := text.Clip(x.Text, 2*passageBytes); len(passages) == 0 && strings.TrimSpace(whole) != "" { // nothing but headings
		x.Blocks = []ibid.Block{{Kind: ibid.BlockParagraph, End: len(whole)}}
		return Cut(x, from, like)
	}
	return passages
}
