package cite

import (
	"slices"
	"strings"

	"ibid"
	"ibid/internal/evidence"
)

// spanKey names the words of a span: whatever passage they were found by, they are the
// same.
type spanKey struct {
	from       string // the version of a document, else the chunk
	start, end int
}

// placeSource is a passage that was found, with what stands around it.
type placeSource struct {
	citation ibid.Citation
	pieces   []piece
}

// piece is a stretch of a document's text that lies on one page.
type piece struct {
	start int // in the document's text
	pages []int
}

// shown reports whether a statement has a footnote already, as where two markers
// stand behind it and the words of both are the same.
func (p *Placer) shown(s backed) bool {
	n, known := p.numbers[p.key(s.Span)]
	has := func(c ibid.CitationPlaced) bool {
		return known && c.N == n && c.Statement == ibid.Range{Start: s.statement.start, End: s.statement.end}
	}
	return slices.ContainsFunc(p.Placed, has) || slices.ContainsFunc(p.of.Placed(), has)
}

// key says which words a span is.
func (p *Placer) key(s evidence.Span) spanKey {
	src := p.sources[s.Source]
	from := src.citation.ChunkID
	if src.citation.Version != "" && !p.wordless(s.Source) {
		from = src.citation.DocumentID + " " + src.citation.Version
	}
	start := src.pieces[s.Piece].start
	return spanKey{from, start + s.Start, start + s.End}
}

// footnote makes the footnote of a span.
func (p *Placer) footnote(s backed, at int) ibid.CitationPlaced {
	key := p.key(s.Span)
	n, known := p.numbers[key]
	if !known {
		n = len(p.numbers) + 1
		p.numbers[key] = n
	}
	src := p.sources[s.Source]
	c := src.citation
	placed := ibid.CitationPlaced{N: n, Found: c.N, ChunkID: c.ChunkID, DocumentID: c.DocumentID, Version: c.Version,
		Start: key.start, End: key.end, Pages: src.pieces[s.Piece].pages, Quote: p.match().Text(s.Span), URL: c.URL, Kind: c.Kind.Cited(),
		Statement: ibid.Range{Start: s.statement.start, End: s.statement.end}, Marker: at, Support: s.support}
	if placed.Pages == nil {
		placed.Pages = []int{}
	}
	if p.wordless(s.Source) {
		placed.Support = "" // nobody has looked at the picture
	}
	if len(placed.Pages) > 0 {
		placed.URL = atPage(c.URL, placed.Pages[0])
	}
	return placed
}

// atPage is an address that opens at a page, at another one.
func atPage(url string, page int) string {
	if !strings.Contains(url, "#page=") {
		return url
	}
	return ibid.AtPage(url, page)
}

// indexes are the sources of chunks.
func (p *Placer) indexes(ids []string) []int {
	p.match()
	var at []int
	for _, id := range ids {
		if i, ok := p.known[id]; ok && !slices.Contains(at, i) {
			at = append(at, i)
		}
	}
	return at
}

// match returns the matcher over all that was found, and what stands around it.
func (p *Placer) match() *evidence.Matcher {
	if p.matcher != nil {
		return p.matcher
	}
	p.sources, p.known = nil, map[string]int{}
	around := p.of.Around(p.ctx)
	var sources []evidence.Source
	for _, c := range p.of.Ledger.Citations {
		p.known[c.ChunkID] = len(sources)
		src, of := sourceOf(c, around[c.ChunkID])
		sources, p.sources = append(sources, src), append(p.sources, of)
	}
	p.matcher = evidence.New(sources)
	return p.matcher
}

// Passage is what a chunk that was found says, with what stands around it; false
// for one that is not known.
func (p *Placer) Passage(chunkID string) (evidence.Passage, bool) {
	m := p.match()
	i, ok := p.known[chunkID]
	if !ok {
		return evidence.Passage{}, false
	}
	return m.Passage(i), true
}

// sourceOf makes a source of a passage and the chunks around it.
func sourceOf(c ibid.Citation, around []ibid.Chunk) (evidence.Source, placeSource) {
	src := evidence.Source{Under: c.Title + "\n" + c.Heading, Found: -1, Table: IsTable(c), Head: c.Kind == ibid.SourceQuery}
	of := placeSource{citation: c}
	for i, chunk := range around {
		if chunk.ID == c.ChunkID || chunk.Start <= c.TextStart && c.TextStart < chunk.End && c.Level == "L3" {
			src.Found = i
		}
		src.Pieces = append(src.Pieces, chunk.Text)
		of.pieces = append(of.pieces, piece{chunk.Start, chunk.Pages})
	}
	if len(src.Pieces) == 0 {
		src.Pieces, of.pieces = []string{c.Text}, []piece{{c.TextStart, c.Pages}}
	}
	return src, of
}
