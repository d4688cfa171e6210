package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid"
	"ibid/internal/text"
)

// Sizes of a passage, in bytes. A thousand bytes are some 170 words: enough to
// be understood by itself, and small enough that a hit says where to look.
const (
	targetChunk = 1000
	maxChunk    = 1600
)

// maxHeading bounds, in bytes, what is a heading; what is longer is prose.
const maxHeading = 500

// passageLevel is the level of a chunk between section and sentence.
const passageLevel = 2

// Chunks divides the text of a document into passages. A passage is a span of
// the text; it stays on one page and under one heading, begins and ends with a
// sentence, a row of a table or a line of code where these are not longer than
// a passage may be, and all that is not blank in a block is in exactly one.
func Chunks(doc ibid.Document, x ibid.Extract) []ibid.Chunk {
	m := chunker{doc: doc, extract: x, seen: make(map[contentSum]int)}
	var group []unit
	for _, b := range x.Blocks {
		for _, u := range unitsOf(x, b) {
			if len(group) > 0 && !group[len(group)-1].joins(u) {
				m.addGroup(group)
				group = group[:0]
			}
			group = append(group, u)
		}
	}
	m.addGroup(group)
	return m.chunks
}

// unit is what is never divided: a sentence, a row, a line of code, or a whole
// block where that is small.
type unit struct {
	start, end int
	page       int
	path       []string // of headings, with the unit itself where it is one
	heading    bool
}

// joins reports whether v may stand in the same passage behind u: on the same
// page and under the same heading. A heading may be followed by those below it.
func (u unit) joins(v unit) bool {
	if u.page != v.page {
		return false
	}
	if slices.Equal(u.path, v.path) {
		return !v.heading
	}
	return u.heading && len(v.path) > len(u.path) && slices.Equal(u.path, v.path[:len(u.path)])
}

// chunker collects the passages of one document.
type chunker struct {
	doc     ibid.Document
	extract ibid.Extract
	chunks  []ibid.Chunk
	seen    map[contentSum]int // how often a content came before
}

type contentSum [sha256.Size]byte

// addGroup divides units that could stand together into passages near the
// target size.
func (m *chunker) addGroup(group []unit) {
	for _, c := range divide(group) {
		m.add(c)
	}
}

// divide fills one passage after the other. A paragraph that would make a
// passage larger than the target begins the next one, unless what is there is
// small; a small rest goes to the passage before it.
func divide(group []unit) [][]unit {
	const small = targetChunk / 3
	var out [][]unit
	first := 0
	for i := 1; i < len(group); i++ {
		have := group[i-1].end - group[first].start
		with := group[i].end - group[first].start
		onlyHeadings := group[i-1].heading
		if with <= targetChunk || with <= maxChunk && (have < small || onlyHeadings) {
			continue
		}
		out = append(out, group[first:i])
		first = i
	}
	if first == len(group) {
		return out
	}
	last := group[first:]
	if n := len(out); n > 0 {
		whole := last[len(last)-1].end - out[n-1][0].start
		if last[len(last)-1].end-last[0].start < small && whole <= maxChunk {
			out[n-1] = group[first-len(out[n-1]):]
			return out
		}
	}
	return append(out, last)
}

// add makes a chunk of units.
func (m *chunker) add(units []unit) {
	first, last := units[0], units[len(units)-1]
	c := ibid.Chunk{
		DocumentID: m.doc.ID,
		Version:    m.doc.Version,
		Ordinal:    len(m.chunks),
		Level:      passageLevel,
		Heading:    withoutTitle(last.path, m.doc.Title, m.extract.Title),
		Text:       m.extract.Text[first.start:last.end],
		Start:      first.start,
		End:        last.end,
	}
	if first.page > 0 {
		c.Pages = []int{first.page}
	}
	c.ID = m.id(passageLevel, last.path, c.Text)
	m.chunks = append(m.chunks, c)
}

// id names a chunk by what it says and where it stands, so that a chunk which a
// new version leaves as it was keeps its name. Equal chunks are counted.
func (m *chunker) id(level int, path []string, s string) string {
	const separator = "\x00" // text has none
	content := strings.Join(append([]string{m.doc.ID, s}, path...), separator)
	if level != passageLevel {
		content += separator + "level " + strconv.Itoa(level)
	}
	sum := contentSum(sha256.Sum256([]byte(content)))
	n := m.seen[sum]
	m.seen[sum] = n + 1
	if n > 0 {
		sum = sha256.Sum256([]byte(content + separator + strconv.Itoa(n)))
	}
	return "c_" + hex.EncodeToString(sum[:8])
}

// withoutTitle leaves out the heading that only repeats the document's title.
func withoutTitle(path []string, titles ...string) []string {
	if len(path) == 0 {
		return nil
	}
	for _, t := range titles {
		if t != "" && sameLetters(t, path[0]) {
			path = path[1:]
			break
		}
	}
	if len(path) == 0 {
		return nil
	}
	return path
}

func sameLetters(a, b string) bool {
	letters := func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}
	return strings.Map(letters, a) == strings.Map(letters, b)
}

// unitsOf divides a block.
func unitsOf(x ibid.Extract, b ibid.Block) []unit {
	s := x.Text[b.Start:b.End]
	path := b.Heading
	heading := b.Kind == ibid.BlockHeading && len(s) <= maxHeading
	if heading {
		path = append(slices.Clone(path), strings.TrimSpace(s))
	}
	var units []unit
	add := func(start, end int) {
		start, end = trim(x.Text, start, end)
		for start < end {
			stop := pageEnd(x.PageAt, start, end)
			if stop-start > maxChunk {
				stop = start + cut(x.Text[start:stop])
			}
			from, to := trim(x.Text, start, stop)
			if from < to {
				units = append(units, unit{from, to, ibid.PageOf(x.PageAt, from), path, heading})
			}
			start = stop
		}
	}
	if len(s) <= targetChunk {
		add(b.Start, b.End)
		return units
	}
	for _, p := range partsOf(b.Kind, s) {
		add(b.Start+p.Start, b.Start+p.End)
	}
	return units
}

// partsOf divides a large block where its kind allows: rows, lines of code,
// items, sentences.
func partsOf(kind ibid.BlockKind, s string) []text.Span {
	switch kind {
	case ibid.BlockTable, ibid.BlockCode:
		return lineSpans(s)
	}
	return text.Sentences(s)
}

func lineSpans(s string) []text.Span {
	var spans []text.Span
	for start := 0; start < len(s); {
		end := strings.IndexByte(s[start:], '\n')
		if end < 0 {
			end = len(s)
		} else {
			end += start
		}
		spans = append(spans, text.Span{Start: start, End: end})
		start = end + 1
	}
	return spans
}

// pageEnd returns end, or the end of the page of start where that comes first.
func pageEnd(pageAt []int, start, end int) int {
	if page := ibid.PageOf(pageAt, start); page > 0 && page < len(pageAt) {
		return min(end, pageAt[page])
	}
	return end
}

// cut returns where to divide what is longer than a passage and has no end of a
// sentence: behind the last blank, else between characters.
func cut(s string) int {
	if i := strings.LastIndexAny(s[:maxChunk], " \n\t"); i > maxChunk/2 {
		return i + 1
	}
	n := maxChunk
	for n > 1 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// trim leaves out the white space at both ends of a span.
func trim(s string, start, end int) (int, int) {
	t := strings.TrimLeftFunc(s[start:end], unicode.IsSpace)
	start = end - len(t)
	return start, start + len(strings.TrimRightFunc(t, unicode.IsSpace))
}
