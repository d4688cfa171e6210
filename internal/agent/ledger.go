package agent

import (
	"fmt"
	"slices"
	"strings"

	"ibid"
)

// ledger numbers the passages of one run, in the order in which they became
// known. Number n has the handle "c<n>".
type ledger struct {
	citations []ibid.Citation
	number    map[string]int // chunk id → n
	last      int            // the highest number given out
}

// add takes a citation into the ledger.
func (l *ledger) add(c ibid.Citation) {
	if l.number == nil {
		l.number = map[string]int{}
	}
	if _, known := l.number[c.ChunkID]; known {
		return
	}
	l.number[c.ChunkID] = c.N
	l.citations = append(l.citations, c)
	l.last = max(l.last, c.N)
}

// onlyTools reports whether something is known, and nothing of it was read anywhere:
// it is what tools reckoned or listed, and pictures.
func (l *ledger) onlyTools() bool {
	return len(l.citations) > 0 && !slices.ContainsFunc(l.citations, func(c ibid.Citation) bool {
		return c.Kind != ibid.SourceTool && c.Kind != ibid.SourceImage
	})
}

// onlyPictures reports whether all of some passages are pictures, of whose words
// nothing is known.
func (l *ledger) onlyPictures(chunkIDs []string) bool {
	return len(chunkIDs) > 0 && !slices.ContainsFunc(chunkIDs, func(id string) bool {
		c, known := l.at(l.number[id])
		return known && c.Kind != ibid.SourceImage
	})
}

// at returns the citation numbered n.
func (l *ledger) at(n int) (ibid.Citation, bool) {
	for _, c := range l.citations {
		if c.N == n {
			return c, true
		}
	}
	return ibid.Citation{}, false
}

// begun reports whether some chunk id begins with s.
func (l *ledger) begun(s string) bool {
	for _, c := range l.citations {
		if strings.HasPrefix(c.ChunkID, s) {
			return true
		}
	}
	return false
}

func handle(n int) string { return fmt.Sprintf("c%d", n) }

// citationOf makes the citation of a passage. The pages are those of the quote,
// where it is known where the quote stands.
func citationOf(p ibid.Passage, n int) ibid.Citation {
	c := ibid.Citation{
		N: n, ChunkID: p.ID, DocumentID: p.DocumentID, Version: p.Version, Title: p.Document.Title,
		Path: []string{}, Pages: p.Pages, Heading: strings.Join(p.Heading, " › "),
		Quote: p.Quote.Text, Start: p.Quote.Start, End: p.Quote.End, Text: p.Text, TextStart: p.Start,
		Level: levelName(p.Level), Score: p.Score, Kind: p.Kind, Match: p.Match,
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
	c.URL = sourceURL(p, c.Pages)
	return c
}

// sourceURL is where the source opens, at its page where the format has pages.
func sourceURL(p ibid.Passage, pages []int) string {
	if p.URL != "" || p.Kind == ibid.SourceQuery || p.Kind == ibid.SourceTool {
		return p.URL
	}
	if s := p.Document.Source; strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") {
		if len(pages) > 0 && p.Document.Format == "pdf" {
			return fmt.Sprintf("%s#page=%d", s, pages[0])
		}
		return s
	}
	u := "/v1/documents/" + p.DocumentID + "/file?version=" + p.Version
	if len(pages) > 0 {
		u += fmt.Sprintf("#page=%d", pages[0])
	}
	return u
}

func levelName(level int) string {
	if level < 1 || level > 3 {
		level = 2
	}
	return fmt.Sprintf("L%d", level)
}
