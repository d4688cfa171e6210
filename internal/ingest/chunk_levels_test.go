package ingest

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"ibid"
)

func TestChunkLevelsKnowTheirParents(t *testing.T) {
	for seed := range uint64(100) {
		d := randomDocument(rand.New(rand.NewPCG(seed, 2)))
		doc := ibid.Document{ID: "d1"}
		want := Chunks(doc, d.x)
		all := ChunkLevels(doc, d.x, want)
		byID := make(map[string]ibid.Chunk)
		inSentences := make([]int, len(d.x.Text))
		var passages []ibid.Chunk
		for i, c := range all {
			if _, twice := byID[c.ID]; twice || c.Text != d.x.Text[c.Start:c.End] {
				t.Fatalf("seed %d: chunk %d: %+v", seed, i, c)
			}
			byID[c.ID] = c
			parent := byID[c.ParentID]
			if c.Level == sectionLevel {
				if c.ParentID != "" {
					t.Errorf("a section has the parent %s", c.ParentID)
				}
			} else if parent.Level != c.Level-1 || c.Start < parent.Start || c.End > parent.End {
				t.Fatalf("seed %d: chunk %d of level %d, %d to %d, in one of level %d, %d to %d", seed, i, c.Level, c.Start, c.End, parent.Level, parent.Start, parent.End)
			}
			switch c.Level {
			case passageLevel:
				passages = append(passages, c)
			case sentenceLevel:
				for k := c.Start; k < c.End; k++ {
					inSentences[k]++
				}
			}
		}
		if len(passages) != len(want) {
			t.Fatalf("%d passages, want %d", len(passages), len(want))
		}
		for i, p := range passages {
			if p.ID != want[i].ID || p.Start != want[i].Start || p.Ordinal != i {
				t.Fatalf("passage %d is %s, want %s", i, p.ID, want[i].ID)
			}
			for k, r := range p.Text {
				if !unicode.IsSpace(r) && inSentences[p.Start+k] != 1 {
					t.Fatalf("%q is in %d sentences", r, inSentences[p.Start+k])
				}
			}
		}
	}
}

func TestSectionsCrossPages(t *testing.T) {
	var d document
	d.page()
	d.add(ibid.BlockHeading, nil, "One")
	d.add(ibid.BlockParagraph, []string{"One"}, sentences(10))
	d.page()
	d.add(ibid.BlockParagraph, []string{"One"}, sentences(10))
	d.add(ibid.BlockHeading, nil, "Two")
	d.add(ibid.BlockParagraph, []string{"Two"}, "Short.")
	var sections []ibid.Chunk
	for _, c := range ChunkLevels(ibid.Document{ID: "d1"}, d.x, Chunks(ibid.Document{ID: "d1"}, d.x)) {
		if c.Level == sectionLevel {
			sections = append(sections, c)
		}
	}
	if len(sections) != 2 || len(sections[0].Pages) != 2 || !strings.HasPrefix(sections[1].Text, "Two") {
		t.Errorf("%d sections, the first on pages %v", len(sections), sections[0].Pages)
	}
}
