package ibid

import (
	"fmt"
	"slices"
	"strings"
)

// SourceKind says what a passage or a citation was taken from.
type SourceKind string

// A source is a document of the library unless it says otherwise.
const (
	SourceDocument   SourceKind = ""
	SourceQuery      SourceKind = "query"      // the result of a database query: Quote is the query, Text the table
	SourceWeb        SourceKind = "web"        // a page of the web, at URL
	SourceAttachment SourceKind = "attachment" // a file of the conversation, at URL; DocumentID is its File.ID
	SourceTool       SourceKind = "tool"       // what a tool said, in Text: a calculator, a clock, a list of documents
	SourceImage      SourceKind = "image"      // a whole page, seen as a picture: no words of it are quoted
)

// UnmarshalText reads a kind. Attachments were called "file" in messages of
// earlier versions.
func (k *SourceKind) UnmarshalText(b []byte) error {
	*k = SourceKind(b)
	if *k == "file" {
		*k = SourceAttachment
	}
	return nil
}

// CitedKind says what a footnote opens.
type CitedKind string

// CitedPassage is the kind of footnotes that open words of a document of the
// library. The others are named like their sources.
const CitedPassage CitedKind = "passage"

// Cited is the kind of the footnotes that sources of a kind have.
func (k SourceKind) Cited() CitedKind {
	if k == SourceDocument {
		return CitedPassage
	}
	return CitedKind(k)
}

// SupportDegree says how far sources bear a statement out.
type SupportDegree string

// The degrees of support, from the best on.
const (
	SupportQuoted       SupportDegree = "quoted"       // the source has the very words
	SupportFull         SupportDegree = "supported"    // the source says it in other words
	SupportPartly       SupportDegree = "partly"       // the source says a part of it
	SupportNotFound     SupportDegree = "not_found"    // the sources do not say it
	SupportContradicted SupportDegree = "contradicted" // the source says otherwise
)

// Citation is a passage that was found for an answer, or a footnote of it: the
// words that back a statement. It holds enough to stay true after the document was
// indexed anew or removed.
type Citation struct {
	N          int        `json:"n"`               // of a footnote: its number, in reading order, from 1; of what was found: its place there, from 1
	Found      int        `json:"found,omitempty"` // of a footnote: the place of its passage among what was found
	ChunkID    string     `json:"chunk_id"`
	DocumentID string     `json:"document_id"`
	Version    string     `json:"version"`
	Title      string     `json:"title"`
	Path       []string   `json:"path"`  // folder parts, then the file name
	Pages      []int      `json:"pages"` // the pages of the quote; the first is the one to open
	Heading    string     `json:"heading"`
	Quote      string     `json:"quote"`
	Start      int        `json:"start"` // of the quote in the document's text, in bytes
	End        int        `json:"end"`
	Text       string     `json:"text,omitempty"`       // the whole passage
	TextStart  int        `json:"text_start,omitempty"` // of the passage in the document's text, in bytes
	Query      string     `json:"query,omitempty"`      // of the result of a database query: the SQL
	Level      string     `json:"level"`                // "L1" section, "L2" passage, "L3" sentence
	Score      float64    `json:"score"`
	URL        string     `json:"url"` // where the source opens, at its page
	Kind       SourceKind `json:"kind,omitempty"`
	Match      Match      `json:"match,omitzero"` // why the search found it
	// Statements are what a footnote backs, in reading order; nil for what was found.
	Statements []CitedStatement `json:"statements,omitempty"`
}

// CitedStatement is a statement of an answer that a footnote backs.
type CitedStatement struct {
	Start   int           `json:"start"` // bytes of the answer's text
	End     int           `json:"end"`
	Marker  int           `json:"marker"` // byte where the marker begins that shows the footnote
	Support SupportDegree `json:"support"`
}

// AtPage is the address of a file at one of its pages, as viewers of browsers read it.
func AtPage(url string, page int) string {
	before, _, _ := strings.Cut(url, "#")
	return fmt.Sprintf("%s#page=%d", before, page)
}

// Place adds a footnote to those of an answer, by number. The passage that it was
// taken from is looked up in found.
func Place(footnotes, found []Citation, p CitationPlaced) []Citation {
	statement := CitedStatement{Start: p.Statement.Start, End: p.Statement.End, Marker: p.Marker, Support: p.Support}
	for i, c := range footnotes {
		if c.N != p.N {
			continue
		}
		if !slices.Contains(c.Statements, statement) {
			footnotes = slices.Clone(footnotes) // whoever was given them before keeps what he has
			footnotes[i].Statements = append(slices.Clip(c.Statements), statement)
		}
		return footnotes
	}
	c := Citation{ChunkID: p.ChunkID, Path: []string{}}
	for _, f := range found {
		if f.ChunkID == p.ChunkID {
			c = f
			break
		}
	}
	c.N, c.Found, c.DocumentID, c.Version = p.N, p.Found, p.DocumentID, p.Version
	c.Start, c.End, c.Pages, c.Quote, c.URL = p.Start, p.End, p.Pages, p.Quote, p.URL
	c.Statements = []CitedStatement{statement}
	return append(footnotes, c)
}
