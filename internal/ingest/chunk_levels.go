package ingest

import (
	"slices"

	"ibid"
	"ibid/internal/text"
)

// The levels of a chunk beside passageLevel.
const (
	sectionLevel  = 1
	sentenceLevel = 3
)

// maxSection bounds a section, in bytes: some 1,000 words, what a model can
// still be given whole. A longer one is several.
const maxSection = 6000

// ChunkLevels divides a document on three levels, each section followed by its
// passages and each passage by its sentences, and tells every child its parent.
// The passages are those of Chunks, with the same names. Ordinals count through
// all levels.
func ChunkLevels(doc ibid.Document, x ibid.Extract) []ibid.Chunk {
	passages := Chunks(doc, x)
	m := chunker{doc: doc, extract: x, seen: make(map[contentSum]int)}
	var out []ibid.Chunk
	for len(passages) > 0 {
		n := sectionEnd(passages)
		section := m.span(sectionLevel, passages[0].Start, passages[n-1].End, passages[0].Heading)
		section.Ordinal = len(out)
		out = append(out, section)
		for _, p := range passages[:n] {
			p.ParentID, p.Ordinal = section.ID, len(out)
			out = append(out, p)
			for _, s := range text.Sentences(p.Text) {
				c := m.span(sentenceLevel, p.Start+s.Start, p.Start+s.End, p.Heading)
				c.ParentID, c.Ordinal = p.ID, len(out)
				out = append(out, c)
			}
		}
		passages = passages[n:]
	}
	return out
}

// sectionEnd returns how many of the first passages are one section: those under
// the same heading, as far as they are not too long together.
func sectionEnd(passages []ibid.Chunk) int {
	n := 1
	for n < len(passages) && slices.Equal(passages[n].Heading, passages[0].Heading) && passages[n].End-passages[0].Start <= maxSection {
		n++
	}
	return n
}

// span makes a chunk of a span of the text.
func (m *chunker) span(level, start, end int, heading []string) ibid.Chunk {
	c := ibid.Chunk{
		DocumentID: m.doc.ID,
		Version:    m.doc.Version,
		Level:      level,
		Heading:    heading,
		Text:       m.extract.Text[start:end],
		Start:      start,
		End:        end,
	}
	first, last := ibid.PageOf(m.extract.PageAt, start), ibid.PageOf(m.extract.PageAt, end-1)
	for page := first; page <= last && page > 0; page++ {
		c.Pages = append(c.Pages, page)
	}
	c.ID = m.id(level, heading, c.Text)
	return c
}
