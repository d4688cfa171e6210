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

// ChunkLevels divides a document on three levels: each section followed by its
// passages and each passage by its sentences, every child knowing its parent.
// passages are those of Chunks, and keep their names.
func ChunkLevels(doc ibid.Document, x ibid.Extract, passages []ibid.Chunk) []ibid.Chunk {
	m := chunker{doc: doc, extract: x, seen: make(map[contentSum]int)}
	var out []ibid.Chunk
	for sections := 0; len(passages) > 0; sections++ {
		n := sectionEnd(passages)
		section := m.section(passages[:n])
		section.Ordinal = sections
		out = append(out, section)
		for _, p := range passages[:n] {
			p.ParentID = section.ID
			out = append(append(out, p), sentencesOf(p)...)
		}
		passages = passages[n:]
	}
	return out
}

// sentencesOf divides a passage.
func sentencesOf(p ibid.Chunk) []ibid.Chunk {
	var out []ibid.Chunk
	for i, s := range text.Sentences(p.Text) {
		c := p
		c.ID, c.ParentID, c.Level, c.Ordinal = ibid.SentenceID(p.ID, i), p.ID, sentenceLevel, i
		c.Text, c.Start, c.End = p.Text[s.Start:s.End], p.Start+s.Start, p.Start+s.End
		out = append(out, c)
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

// section makes one chunk of the passages of a section.
func (m *chunker) section(passages []ibid.Chunk) ibid.Chunk {
	start, end := passages[0].Start, passages[len(passages)-1].End
	c := ibid.Chunk{
		DocumentID: m.doc.ID,
		Version:    m.doc.Version,
		Level:      sectionLevel,
		Heading:    passages[0].Heading,
		Text:       m.extract.Text[start:end],
		Start:      start,
		End:        end,
	}
	first, last := ibid.PageOf(m.extract.PageAt, start), ibid.PageOf(m.extract.PageAt, end-1)
	for page := first; page <= last && page > 0; page++ {
		c.Pages = append(c.Pages, page)
	}
	c.ID = m.id(sectionLevel, c.Heading, c.Text)
	return c
}
