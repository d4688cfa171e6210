package ingest

import (
	"context"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

// The database knows sections, passages and sentences; what is searched,
// embedded and counted are the passages.
func TestThreeLevelsAreStored(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	d := s.settled(s.add("a.txt", long("walrus")+long("giraffe")).ID)
	passages, err := ibidtest.Whole(s.db.DocumentChunks(t.Context(), access.For(ibid.Owner), d.ID, ibidtest.Everything))
	if err != nil || len(passages) != d.Chunks || s.chunks() != d.Chunks {
		t.Fatalf("%d passages, %d in the index, of %+v, %v", len(passages), s.chunks(), d, err)
	}
	s.hasLevels(passages)
	second := s.settled(s.add("a.txt", long("walrus")+long("giraffe")+long("pelican")).ID)
	if second.Kept < 2 || second.Kept+second.Embedded != second.Chunks {
		t.Fatalf("second version %+v", second)
	}
	passages, _ = ibidtest.Whole(s.db.DocumentChunks(t.Context(), access.For(ibid.Owner), d.ID, ibidtest.Everything))
	s.hasLevels(passages)
	if _, err := s.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.agrees(1)
}

// hasLevels holds that every passage lies in its section, and that its sentences
// are what it says.
func (s *shop) hasLevels(passages []ibid.Chunk) {
	s.t.Helper()
	for _, p := range passages {
		parents, err := s.db.Parents(s.t.Context(), access.For(ibid.Owner), []string{p.ID})
		section := parents[p.ID]
		if err != nil || section.Level != sectionLevel || section.ID != p.ParentID || section.Text[p.Start-section.Start:p.End-section.Start] != p.Text {
			s.t.Fatalf("section %+v of %+v, %v", section, p, err)
		}
		sentences, err := s.db.Sentences(s.t.Context(), access.For(ibid.Owner), []string{p.ID})
		var words []string
		for _, c := range sentences {
			words = append(words, strings.Fields(c.Text)...)
			if c.Text != p.Text[c.Start-p.Start:c.End-p.Start] {
				s.t.Fatalf("sentence %+v", c)
			}
		}
		if err != nil || strings.Join(words, " ") != strings.Join(strings.Fields(p.Text), " ") {
			s.t.Fatalf("sentences %v of %q, %v", sentences, p.Text, err)
		}
	}
}

// passagesOnly writes what an older ibid wrote.
type passagesOnly struct{ Leases }

func (p passagesOnly) FinishDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document, x ibid.Extract, _ []ibid.Chunk, _ []ibid.Naming, at time.Time) (ibid.Document, int64, error) {
	return p.Leases.FinishDocument(ctx, l, d, x, Chunks(d, x), nil, at)
}

// What an older ibid has taken in gets its sections and sentences when the house
// opens; the passages stay what they are.
func TestAnOldLibraryIsDivided(t *testing.T) {
	dir, files := t.TempDir(), newParagraphs()
	s := openShop(t, dir, files, func(c *Config) { c.Leases = passagesOnly{c.Leases} })
	d := s.settled(s.add("a.txt", long("walrus")+long("giraffe")).ID)
	before, _ := ibidtest.Whole(s.db.DocumentChunks(t.Context(), access.For(ibid.Owner), d.ID, ibidtest.Everything))
	if ids, _, err := s.db.Undivided(t.Context(), ibid.Page{}); err != nil || len(ids) != 1 {
		t.Fatalf("undivided are %v, %v", ids, err)
	}
	s.stop()

	s = openShop(t, dir, files)
	s.eventually("the document is divided", func() bool {
		ids, _, err := s.db.Undivided(t.Context(), ibid.Page{})
		return err == nil && len(ids) == 0
	})
	after, _ := ibidtest.Whole(s.db.DocumentChunks(t.Context(), access.For(ibid.Owner), d.ID, ibidtest.Everything))
	if len(after) != len(before) || after[0].ID != before[0].ID || files.read["a.txt"] != 1 {
		t.Fatalf("%d passages were %d; read %d times", len(after), len(before), files.read["a.txt"])
	}
	s.hasLevels(after)
	s.agrees(1)
}
