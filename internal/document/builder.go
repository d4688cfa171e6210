package document

import (
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ibid"
)

// part is a piece of a document on its way to the parent. Offsets count from
// the beginning of Text; the parent moves them.
type part struct {
	Text   string       `json:"text"`
	Blocks []ibid.Block `json:"blocks,omitempty"`
	PageAt []int        `json:"page_at,omitempty"` // starts of the pages that begin in this part
}

const (
	partBytes = 256 << 10 // a part is sent when it has grown to this
	// maxBlock bounds a block; longer text is several blocks of one kind. It
	// bounds what later stages hold at once, and no reader wants more.
	maxBlock = 32 << 10
	// maxHeading bounds a heading in a path; a longer one is no heading.
	maxHeading = 300
	maxDepth   = 12 // levels of headings
)

// errTextLimit ends the reading of a document whose text is too long. What was
// read is kept.
var errTextLimit = errors.New("text limit reached")

// Builder collects blocks in reading order, keeps the path of headings, and
// sends parts. Its first error sticks; a parser of long input looks at err from
// time to time and returns.
type Builder struct {
	send   func(part) error
	left   int // bytes of text that may still be added
	err    error
	text   strings.Builder
	part   part
	begun  bool // something was written before this part
	page   int
	path   []section
	images int // that were added
}

type section struct {
	level int
	title string
}

func newBuilder(limit int, send func(part) error) *Builder {
	return &Builder{left: limit, send: send}
}

// heading adds a heading, which then stands in the path of what follows until
// one of the same or a higher level comes.
func (b *Builder) heading(level int, s string) {
	s = oneLine(clean(s))
	if s == "" || b.err != nil {
		return
	}
	if len(s) > maxHeading {
		b.add(ibid.BlockParagraph, s)
		return
	}
	level = min(max(level, 1), maxDepth)
	b.leave(level)
	b.addBlock(ibid.Block{Kind: ibid.BlockHeading, Level: level}, s)
	b.path = append(b.path, section{level, s})
}

// enter puts a title into the path without adding text.
func (b *Builder) enter(level int, title string) {
	b.leave(level)
	if title = oneLine(clean(title)); title != "" && len(title) <= maxHeading {
		b.path = append(b.path, section{level, title})
	}
}

// leave drops the headings of a level and below from the path.
func (b *Builder) leave(level int) {
	for len(b.path) > 0 && b.path[len(b.path)-1].level >= level {
		b.path = b.path[:len(b.path)-1]
	}
}

// newPage begins the next page, slide or sheet.
func (b *Builder) newPage() {
	b.page++
	at := b.text.Len()
	if b.separated() {
		at += len(blockSeparator)
	}
	b.part.PageAt = append(b.part.PageAt, at)
}

// add adds a block of text, cleaned. Blank text is dropped.
func (b *Builder) add(kind ibid.BlockKind, s string) {
	s = strings.Trim(clean(s), "\n")
	if kind != ibid.BlockCode {
		s = strings.TrimSpace(s)
	}
	for len(s) > maxBlock && b.err == nil {
		n := cutBefore(s, maxBlock)
		b.addBlock(ibid.Block{Kind: kind}, s[:n])
		s = strings.TrimLeft(s[n:], "\n ")
	}
	if strings.TrimSpace(s) != "" {
		b.addBlock(ibid.Block{Kind: kind}, s)
	}
}

// table adds rows. Rows without text are dropped.
func (b *Builder) table(rows [][]string) {
	var s strings.Builder
	for _, row := range rows {
		line := tableRow(row)
		if line == "" {
			continue
		}
		if s.Len()+len(line) > maxBlock && s.Len() > 0 {
			b.add(ibid.BlockTable, s.String())
			s.Reset()
		}
		if s.Len() > 0 {
			s.WriteByte('\n')
		}
		s.WriteString(line)
	}
	b.add(ibid.BlockTable, s.String())
}

const cellSeparator = " | "

// tableRow joins the cells of a row, without those that are empty at its end.
func tableRow(cells []string) string {
	end := len(cells)
	for end > 0 && strings.TrimSpace(cells[end-1]) == "" {
		end--
	}
	var s strings.Builder
	for i, c := range cells[:end] {
		if i > 0 {
			s.WriteString(cellSeparator)
		}
		s.WriteString(oneLine(c))
	}
	return s.String()
}

const blockSeparator = "\n\n"

func (b *Builder) separated() bool { return b.begun || b.text.Len() > 0 }

// addBlock appends s, which is clean and not blank, as one block.
func (b *Builder) addBlock(block ibid.Block, s string) {
	if b.err != nil {
		return
	}
	if len(s)+len(blockSeparator) > b.left {
		b.err = errTextLimit
		return
	}
	if b.separated() {
		b.text.WriteString(blockSeparator)
		b.left -= len(blockSeparator)
	}
	block.Start = b.text.Len()
	b.text.WriteString(s)
	b.left -= len(s)
	block.End = b.text.Len()
	block.Page = b.page
	block.Heading = b.headings()
	b.part.Blocks = append(b.part.Blocks, block)
	if b.text.Len() >= partBytes {
		b.flush()
	}
}

func (b *Builder) headings() []string {
	var path []string
	for _, s := range b.path {
		path = append(path, s.title)
	}
	return path
}

// flush sends what has been collected. Whoever made the builder calls it last.
func (b *Builder) flush() {
	if b.text.Len() == 0 && len(b.part.PageAt) == 0 && len(b.part.Blocks) == 0 {
		return
	}
	b.begun = b.begun || b.text.Len() > 0
	b.part.Text = b.text.String()
	if err := b.send(b.part); err != nil && b.err == nil {
		b.err = err
	}
	b.text.Reset()
	b.part = part{}
}

// cutBefore returns where to cut s, at most limit bytes in: after a newline or
// a blank, else between characters.
func cutBefore(s string, limit int) int {
	for _, sep := range []string{"\n", ". ", " "} {
		if i := strings.LastIndex(s[:limit], sep); i > limit/2 {
			return i + len(sep)
		}
	}
	for limit > 1 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return limit
}

// clean makes text fit to be kept: valid UTF-8 in normal form C, lines ended by
// "\n", no NUL or other control characters, no byte order marks.
func clean(s string) string {
	if isPlain(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r == '\r':
			if i+1 == len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
		case r == '\f' || r == '\v' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			b.WriteByte('\n')
		case r < ' ' && r != '\t' && r != '\n', r >= 0x7F && r < 0xA0, r == '\uFEFF', r == '\u200B', r == '\u00AD', r >= 0xFFFE && r <= 0xFFFF:
		case r == '\u00A0':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// isPlain reports whether s is ASCII that clean would not change.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x7F || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// oneLine replaces every run of white space by one blank.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
