package format

import (
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ibid"
)

// Part is a piece of a document on its way to the parent. Offsets count from
// the beginning of Text; the parent moves them.
type Part struct {
	Text   string       `json:"text"`
	Blocks []ibid.Block `json:"blocks,omitempty"`
	PageAt []int        `json:"page_at,omitempty"` // starts of the pages that begin in this part
}

const (
	partBytes = 256 << 10 // a part is sent when it has grown to this
	// MaxBlock bounds a block; longer text is several blocks of one kind. It
	// bounds what later stages hold at once, and no reader wants more.
	MaxBlock = 32 << 10
	// MaxHeading bounds a heading in a path; a longer one is no heading.
	MaxHeading = 300
	maxDepth   = 12 // levels of headings
)

// ErrTextLimit ends the reading of a document whose text is too long. What was
// read is kept.
var ErrTextLimit = errors.New("text limit reached")

// Builder collects blocks in reading order, keeps the path of headings, and
// sends parts. Its first error sticks; a parser of long input looks at err from
// time to time and returns.
type Builder struct {
	send   func(Part) error
	Left   int // bytes of text that may still be added
	Err    error
	text   strings.Builder
	part   Part
	begun  bool // something was written before this part
	page   int
	path   []section
	images int // that were added
}

type section struct {
	level int
	title string
}

func NewBuilder(limit int, send func(Part) error) *Builder {
	return &Builder{Left: limit, send: send}
}

// Heading adds a heading, which then stands in the path of what follows until
// one of the same or a higher level comes.
func (b *Builder) Heading(level int, s string) {
	s = OneLine(Clean(s))
	if s == "" || b.Err != nil {
		return
	}
	if len(s) > MaxHeading {
		b.Add(ibid.BlockParagraph, s)
		return
	}
	level = min(max(level, 1), maxDepth)
	b.Leave(level)
	b.addBlock(ibid.Block{Kind: ibid.BlockHeading, Level: level}, s)
	b.path = append(b.path, section{level, s})
}

// Enter puts a title into the path without adding text.
func (b *Builder) Enter(level int, title string) {
	b.Leave(level)
	if title = OneLine(Clean(title)); title != "" && len(title) <= MaxHeading {
		b.path = append(b.path, section{level, title})
	}
}

// Leave drops the headings of a level and below from the path.
func (b *Builder) Leave(level int) {
	for len(b.path) > 0 && b.path[len(b.path)-1].level >= level {
		b.path = b.path[:len(b.path)-1]
	}
}

// NewPage begins the next page, slide or sheet.
func (b *Builder) NewPage() {
	b.page++
	at := b.text.Len()
	if b.separated() {
		at += len(BlockSeparator)
	}
	b.part.PageAt = append(b.part.PageAt, at)
}

// Add adds a block of text, cleaned. Blank text is dropped.
func (b *Builder) Add(kind ibid.BlockKind, s string) {
	s = strings.Trim(Clean(s), "\n")
	if kind != ibid.BlockCode {
		s = strings.TrimSpace(s)
	}
	for len(s) > MaxBlock && b.Err == nil {
		n := CutBefore(s, MaxBlock)
		b.addBlock(ibid.Block{Kind: kind}, s[:n])
		s = strings.TrimLeft(s[n:], "\n ")
	}
	if strings.TrimSpace(s) != "" {
		b.addBlock(ibid.Block{Kind: kind}, s)
	}
}

// Table adds rows. Rows without text are dropped.
func (b *Builder) Table(rows [][]string) {
	var s strings.Builder
	for _, row := range rows {
		line := TableRow(row)
		if line == "" {
			continue
		}
		if s.Len()+len(line) > MaxBlock && s.Len() > 0 {
			b.Add(ibid.BlockTable, s.String())
			s.Reset()
		}
		if s.Len() > 0 {
			s.WriteByte('\n')
		}
		s.WriteString(line)
	}
	b.Add(ibid.BlockTable, s.String())
}

const CellSeparator = " | "

// TableRow joins the cells of a row, without those that are empty at its end.
func TableRow(cells []string) string {
	end := len(cells)
	for end > 0 && strings.TrimSpace(cells[end-1]) == "" {
		end--
	}
	var s strings.Builder
	for i, c := range cells[:end] {
		if i > 0 {
			s.WriteString(CellSeparator)
		}
		s.WriteString(OneLine(c))
	}
	return s.String()
}

const BlockSeparator = "\n\n"

func (b *Builder) separated() bool { return b.begun || b.text.Len() > 0 }

// addBlock appends s, which is clean and not blank, as one block.
func (b *Builder) addBlock(block ibid.Block, s string) {
	if b.Err != nil {
		return
	}
	if len(s)+len(BlockSeparator) > b.Left {
		b.Err = ErrTextLimit
		return
	}
	if b.separated() {
		b.text.WriteString(BlockSeparator)
		b.Left -= len(BlockSeparator)
	}
	block.Start = b.text.Len()
	b.text.WriteString(s)
	b.Left -= len(s)
	block.End = b.text.Len()
	block.Page = b.page
	block.Heading = b.headings()
	b.part.Blocks = append(b.part.Blocks, block)
	if b.text.Len() >= partBytes {
		b.Flush()
	}
}

func (b *Builder) headings() []string {
	var path []string
	for _, s := range b.path {
		path = append(path, s.title)
	}
	return path
}

// Flush sends what has been collected. Whoever made the builder calls it last.
func (b *Builder) Flush() {
	if b.text.Len() == 0 && len(b.part.PageAt) == 0 && len(b.part.Blocks) == 0 {
		return
	}
	b.begun = b.begun || b.text.Len() > 0
	b.part.Text = b.text.String()
	if err := b.send(b.part); err != nil && b.Err == nil {
		b.Err = err
	}
	b.text.Reset()
	b.part = Part{}
}

// CutBefore returns where to cut s, at most limit bytes in: after a newline or
// a blank, else between characters.
func CutBefore(s string, limit int) int {
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

// Clean makes text fit to be kept: valid UTF-8 in normal form C, lines ended by
// "\n", no NUL or other control characters, no byte order marks.
func Clean(s string) string {
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

// OneLine replaces every run of white space by one blank.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
