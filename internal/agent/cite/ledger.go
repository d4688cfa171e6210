// Package cite makes footnotes of an answer: it numbers the passages that were found,
// finds the markers that name them while the answer is written, and places each
// footnote behind the statement that it backs, at the words that back it.
package cite

import (
	"fmt"
	"slices"
	"strings"

	"ibid"
)

// Ledger numbers the passages of one run, in the order in which they became
// known. Number n has the handle "c<n>".
type Ledger struct {
	Citations []ibid.Citation
	Number    map[string]int // chunk id → n
	Last      int            // the highest number given out
}

// Add takes a citation into the ledger.
func (l *Ledger) Add(c ibid.Citation) {
	if l.Number == nil {
		l.Number = map[string]int{}
	}
	if _, known := l.Number[c.ChunkID]; known {
		return
	}
	l.Number[c.ChunkID] = c.N
	l.Citations = append(l.Citations, c)
	l.Last = max(l.Last, c.N)
}

// OnlyTools reports whether something is known, and nothing of it was read anywhere:
// it is what tools reckoned or listed, and pictures.
func (l *Ledger) OnlyTools() bool {
	return len(l.Citations) > 0 && !slices.ContainsFunc(l.Citations, func(c ibid.Citation) bool {
		return c.Kind != ibid.SourceTool && c.Kind != ibid.SourceImage
	})
}

// OnlyPictures reports whether all of some passages are pictures, of whose words
// nothing is known.
func (l *Ledger) OnlyPictures(chunkIDs []string) bool {
	return len(chunkIDs) > 0 && !slices.ContainsFunc(chunkIDs, func(id string) bool {
		c, known := l.At(l.Number[id])
		return known && c.Kind != ibid.SourceImage
	})
}

// At returns the citation numbered n.
func (l *Ledger) At(n int) (ibid.Citation, bool) {
	for _, c := range l.Citations {
		if c.N == n {
			return c, true
		}
	}
	return ibid.Citation{}, false
}

// begun reports whether some chunk id begins with s.
func (l *Ledger) begun(s string) bool {
	for _, c := range l.Citations {
		if strings.HasPrefix(c.ChunkID, s) {
			return true
		}
	}
	return false
}

// Handle is how a model names the passage numbered n.
func Handle(n int) string { return fmt.Sprintf("c%d", n) }

// Of makes the citation of a passage. The pages are those of the quote,
// where it is known where the quote stands. drawn reports whether the pages of a format
// can be drawn, so that an address may lead to one of them; nil: those of none.
func Of(p ibid.Passage, n int, drawn func(format string) bool) ibid.Citation {
	c := ibid.Citation{
		N: n, ChunkID: p.ID, DocumentID: p.DocumentID, Version: p.Version, Title: p.Document.Title,
		Path: []string{}, Pages: p.Pages, Heading: strings.Join(p.Heading, " › "),
		Quote: p.Quote.Text, Start: p.Quote.Start, End: p.Quote.End, Text: p.Text, TextStart: p.Start,
		Level: LevelName(p.Level), Score: p.Score, Kind: p.Kind, Match: p.Match,
	}
	if p.Kind == ibid.SourceQuery {
		c.Query = p.Quote.Text
	}
	if c.Title == "" {
		c.Title = p.Document.Name
	}
	if p.Document.Folder != "" {
		c.Path = strings.Split(p.Document.Folder, "/")
	}
	if p.Document.Name != "" {
		c.Path = append(c.Path, p.Document.Name)
	}
	if c.Quote == "" {
		c.Quote, c.Start, c.End = p.Text, p.Start, p.End
	}
	if p.Quote.Page > 0 {
		c.Pages = []int{p.Quote.Page}
	}
	if c.Pages == nil {
		c.Pages = []int{}
	}
	c.URL = sourceURL(p, c.Pages, drawn)
	return c
}

// sourceURL is where the source opens, at its page where the format has pages.
func sourceURL(p ibid.Passage, pages []int, drawn func(format string) bool) string {
	if p.URL != "" || p.Kind == ibid.SourceQuery || p.Kind == ibid.SourceTool {
		return p.URL
	}
	if s := p.Document.Source; strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		if len(pages) > 0 && drawn != nil && drawn(p.Document.Format) {
			return ibid.AtPage(s, pages[0])
		}
		return s
	}
	u := "/v1/documents/" + p.DocumentID + "/file?version=" + p.Version
	if len(pages) > 0 {
		u = ibid.AtPage(u, pages[0])
	}
	return u
}

// LevelName is how events name the level of a chunk.
func LevelName(level int) string {
	if level < 1 || level > 3 {
		level = 2
	}
	return fmt.Sprintf("L%d", level)
}

// IsTable reports whether a citation is what a tool or a database answered: its
// figures and names are compared, not its sentences.
func IsTable(c ibid.Citation) bool { return c.Kind == ibid.SourceQuery || c.Kind == ibid.SourceTool }
