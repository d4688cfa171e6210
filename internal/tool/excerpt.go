package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// What is not in the library (a page of the web, a file of the conversation) has
// no chunks. It is cut into passages here, which can be cited like any other, and
// the model is shown those that answer best.

const (
	// excerptBytes is how long such a passage is, roughly.
	excerptBytes = 1200
	// excerptText bounds how much of a text is looked at, in bytes.
	excerptText = 2 << 20
	// excerptRoom is what one call shows of a text, in bytes.
	excerptRoom = 12_000
)

// excerpts cuts a text into passages, at the borders of blocks and sentences,
// with a new one under each heading and on each page. from names where the text is from: the same
// words from there always have the same id.
func excerpts(x ibid.Extract, from string, like ibid.Passage) []ibid.Passage {
	var passages []ibid.Passage
	open := ibid.Block{Start: -1} // what the next passage is made of
	flush := func() {
		if open.Start >= 0 && strings.TrimSpace(x.Text[open.Start:open.End]) != "" {
			p := like
			p.Start, p.End, p.Text = open.Start, open.End, x.Text[open.Start:open.End]
			p.Heading, p.Level, p.Ordinal = open.Heading, passageLevel, len(passages)
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
		if open.Start >= 0 && (end-open.Start > excerptBytes || turned || !slices.Equal(open.Heading, heading)) {
			flush()
		}
		if open.Start < 0 {
			open.Start, open.Heading = start, heading
		}
		open.End = end
	}
	for _, b := range x.Blocks {
		if b.Start < 0 || b.End > len(x.Text) || b.Start >= b.End || b.Start > excerptText {
			continue
		}
		switch {
		case b.Kind == ibid.BlockHeading:
			flush()
		case b.End-b.Start <= excerptBytes:
			take(b.Start, b.End, b.Heading)
		default:
			for _, s := range text.Sentences(x.Text[b.Start:b.End]) {
				for at := s.Start; at < s.End; {
					piece := text.Clip(x.Text[b.Start+at:b.Start+s.End], 2*excerptBytes)
					take(b.Start+at, b.Start+at+len(piece), b.Heading)
					at += len(piece)
				}
			}
		}
	}
	flush()
	if whole := text.Clip(x.Text, 2*excerptBytes); len(passages) == 0 && strings.TrimSpace(whole) != "" { // nothing but headings
		x.Blocks = []ibid.Block{{Kind: ibid.BlockParagraph, End: len(whole)}}
		return excerpts(x, from, like)
	}
	return passages
}

// relevant returns the passages that answer a question best, as many as fit into
// so many bytes, in the order of their text. The first one is always there: it
// says what the text is. Where nothing has to do with the question the text is
// shown from its beginning.
func relevant(question string, passages []ibid.Passage, bytes int) []ibid.Passage {
	sections := make([]text.Section, len(passages))
	for i, p := range passages {
		sections[i] = text.Section{Under: text.Passage(title(p.Document), p.Heading, ""), Text: p.Text}
	}
	order := []int{}
	if len(passages) > 0 {
		order = append(order, 0)
	}
	for _, c := range text.ChooseFrom(question, sections) {
		p := &passages[c.Passage]
		if p.Quote.Text == "" {
			p.Quote = ibid.Quote{Text: p.Text[c.Start:c.End], Start: p.Start + c.Start, End: p.Start + c.End, Page: firstPage(p.Pages)}
			p.Score = c.Within
		}
		if c.Within > 0 && !slices.Contains(order, c.Passage) {
			order = append(order, c.Passage)
		}
	}
	if len(order) == 1 {
		for i := range passages[1:] {
			order = append(order, i+1)
		}
	}
	return shownInOrder(passages, order, bytes)
}

// shownInOrder takes passages by rank as long as they fit, and puts them in the
// order of the text.
func shownInOrder(passages []ibid.Passage, ranked []int, bytes int) []ibid.Passage {
	var fit []int
	for _, i := range ranked {
		need := len(ibid.FormatPassages([]ibid.Handled{handled("c0000", passages[i])}))
		if need > bytes {
			continue
		}
		bytes -= need
		fit = append(fit, i)
	}
	slices.Sort(fit)
	shown := make([]ibid.Passage, len(fit))
	for i, at := range fit {
		shown[i] = passages[at]
	}
	return shown
}

func firstPage(pages []int) int {
	if len(pages) == 0 {
		return 0
	}
	return pages[0]
}
