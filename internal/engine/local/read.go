package local

import (
	"math"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/text"
)

// Positions count terms, stop words left out. Those from headingPosition on are
// of the heading path; the body's stop before them, and terms beyond share the
// last position.
const (
	headingPosition  = 0xF000
	lastBodyPosition = headingPosition - 2
	lastPosition     = 0xFFFE
)

// readDocument is a document cut into terms.
type readDocument struct {
	language string
	title    []string
	chunks   []readChunk
}

// readChunk is a chunk cut into terms. Its body is the document's title, the
// heading path and the text: a chunk often leaves out the words that say what it
// is about, and they stand in what it is part of.
type readChunk struct {
	id            string
	terms         []occurrence
	headingLength int
}

type occurrence struct {
	term     string
	position uint16
}

// reader cuts text into terms, remembering stems. It serves one goroutine at a
// time.
type reader struct {
	memos map[string]*text.Memo
	terms []occurrence // of the document it reads; used again for the next
}

// memo returns the analyzer of a language. Text of no recognisable language is
// read as English, which does little harm; languages we have no rules for are
// left unstemmed.
func (r *reader) memo(language string) *text.Memo {
	if language == "" {
		language = "en"
	}
	m := r.memos[language]
	if m == nil {
		m = text.NewMemo(text.NewAnalyzer(language))
		r.memos[language] = m
	}
	return m
}

func (r *reader) document(doc ibid.Document, chunks []ibid.Chunk) readDocument {
	language := doc.Language
	if language == "" {
		language = languageOf(chunks)
	}
	memo := r.memo(language)
	name := doc.Name
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	read := readDocument{language: language, title: titleTerms(memo, doc.Title, name), chunks: make([]readChunk, 0, len(chunks))}
	if r.terms = r.terms[:0]; cap(r.terms) > keptTerms {
		r.terms = nil
	}
	for _, c := range chunks {
		read.chunks = append(read.chunks, r.chunk(memo, doc.Title, c))
	}
	return read
}

// languageOf guesses the language of a document from its beginning.
func languageOf(chunks []ibid.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		b.WriteString(c.Text)
		b.WriteByte('\n')
		if b.Len() > 4<<10 {
			break
		}
	}
	return text.Language(b.String())
}

// titleTerms returns the terms of a title, and those of the file name that the
// title lacks.
func titleTerms(memo *text.Memo, title, name string) []string {
	terms := slices.Collect(termsOf(memo, title))
	for t := range termsOf(memo, name) {
		if !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	}
	return terms
}

// keptTerms bounds what a reader keeps of its memory between documents.
const keptTerms = 1 << 16

// chunk reads a chunk. Its terms hold until the next document is read.
func (r *reader) chunk(memo *text.Memo, title string, c ibid.Chunk) readChunk {
	if guess := len(c.Text)/4 + 64; cap(r.terms)-len(r.terms) < guess {
		r.terms = make([]occurrence, 0, max(guess, 2*cap(r.terms)))
	}
	read := readChunk{id: c.ID, terms: r.terms[len(r.terms):]}
	next := read.append(memo, title, 0, lastBodyPosition)
	read.append(memo, c.Text, next+1, lastBodyPosition)
	body := len(read.terms)
	next = headingPosition
	for _, h := range c.Heading {
		next = read.append(memo, h, next, lastPosition) + 1
	}
	read.headingLength = min(len(read.terms)-body, math.MaxUint16)
	if n := len(r.terms) + len(read.terms); n <= cap(r.terms) { // else they lie elsewhere
		r.terms = r.terms[:n]
	}
	read.terms = slices.Clip(read.terms)
	return read
}

// append adds the terms of s from position next on and returns the position
// after them. Joined forms share the position of their last part.
func (c *readChunk) append(memo *text.Memo, s string, next, last int) int {
	for w := range text.Words(s) {
		term, ok := memo.Term(w.Text)
		switch {
		case !ok:
		case w.Joined:
			c.terms = append(c.terms, occurrence{term: term, position: uint16(min(max(next-1, 0), last))})
		default:
			c.terms = append(c.terms, occurrence{term: term, position: uint16(min(next, last))})
			next++
		}
	}
	return next
}

// termsOf yields the terms of a short text; one of stop words only ("The Who")
// keeps them.
func termsOf(memo *text.Memo, s string) func(yield func(string) bool) {
	return slices.Values(memo.Terms(s))
}
