package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid"
	"ibid/internal/document/format"
)

// Assemble turns pages of lines into text and blocks. It runs in the parent,
// because what a line is shows only in the whole document: the size of its body
// text, its outline, what repeats on every page.
func Assemble(h format.Head, pages []format.Page, b *format.Builder) (title string) {
	dropRunning(pages)
	dropRunningImages(pages)
	styles := measureStyles(pages)
	marks := placeOutline(h.Outline, pages)
	if !marks.covers(len(h.Outline)) {
		markByFont(pages, styles, marks)
	}
	a := assembler{builder: b, styles: styles, words: compounds(pages)}
	for i := range pages {
		b.NewPage()
		a.page(pages[i].Lines, marks.onPage(i), placeImages(&pages[i]))
		for _, note := range pages[i].Notes {
			b.Add(ibid.BlockParagraph, "Comment: "+note)
		}
		if b.Err != nil {
			break
		}
	}
	return titleByFont(pages, styles)
}

// assembler builds the paragraphs of one page after the other. A paragraph that
// goes on over a page break is two blocks, so that every block has one page.
type assembler struct {
	builder *format.Builder
	styles  styles
	words   map[string]bool
	open    paragraph
	images  []string // descriptions of pictures that stand beside the open paragraph
}

// paragraph is a block that is being collected.
type paragraph struct {
	kind  ibid.BlockKind
	level int  // of a heading
	alone bool // a heading with nothing below it
	lines []*format.Line
	right int // the furthest end of a line
}

func (a *assembler) page(lines []format.Line, marks map[int][]mark, images map[int][]string) {
	pitches := linePitches(lines)
	for i := range lines {
		l := &lines[i]
		a.images = append(a.images, images[i]...)
		if len(a.open.lines) == 0 {
			a.flush()
		}
		heading, alone := 0, false
		for _, m := range marks[i] {
			if !m.line || m.first {
				a.flush()
			}
			if m.line {
				heading, alone = m.level, m.alone
				continue
			}
			a.builder.Enter(m.level, m.title)
		}
		kind := a.kindOf(l, heading)
		if len(a.open.lines) > 0 && a.breaks(l, kind, heading, pitches[roundSize(l.Size)]) {
			a.flush()
			kind = a.kindOf(l, heading)
		}
		a.open.kind, a.open.level, a.open.alone = kind, heading, alone
		if len(a.open.lines) == 0 {
			a.open.right = 0
		}
		a.open.lines = append(a.open.lines, l)
		a.open.right = max(a.open.right, l.X1)
	}
	a.images = append(a.images, images[len(lines)]...)
	a.flush()
	for _, m := range marks[len(lines)] {
		a.builder.Enter(m.level, m.title)
	}
}

func (a *assembler) kindOf(l *format.Line, heading int) ibid.BlockKind {
	switch {
	case heading > 0:
		return ibid.BlockHeading
	case l.Row:
		return ibid.BlockTable
	case l.Mono && !a.styles.mono:
		return ibid.BlockCode
	case startsItem(l.Text):
		return ibid.BlockList
	case a.open.kind == ibid.BlockList && len(a.open.lines) > 0:
		return ibid.BlockList // a line of the item, if it does not break
	}
	return ibid.BlockParagraph
}

// breaks reports whether a line begins a new block. Measures are in tenths of a
// point; a size is the height of the letters' body, the pitch the distance from
// line to line.
func (a *assembler) breaks(l *format.Line, kind ibid.BlockKind, heading, pitch int) bool {
	open := &a.open
	prev := open.lines[len(open.lines)-1]
	size := max(l.Size, prev.Size, 40)
	step := l.Base - prev.Base
	switch {
	case l.Running || prev.Running:
		return true
	case kind != open.kind && !(open.kind == ibid.BlockList && kind == ibid.BlockParagraph):
		return true
	case kind == ibid.BlockHeading:
		return heading != open.level || step > 2*size || step < 0
	case kind == ibid.BlockTable:
		return step > 4*size || step < 0
	case kind == ibid.BlockCode:
		return step > 3*size || step < -size/2
	case startsItem(l.Text) && kind == ibid.BlockList:
		return open.kind != ibid.BlockList || step > 2*size || step < 0
	case step < -size/2: // the top of the next column
		return endsSentence(prev.Text) || !continues(l.Text)
	case step > max(pitch*14/10, size*12/10) || l.Size*10 > prev.Size*12 || prev.Size*10 > l.Size*12:
		return !smallPrint(l, prev)
	case prev.X1 < open.right-4*size && endsSentence(prev.Text):
		return true
	}
	return a.indents(l, prev, size)
}

// smallPrint reports a footnote mark or the like, set apart on its own line.
func smallPrint(l, prev *format.Line) bool {
	return len(l.Text) <= 3 && l.Y0 < prev.Y1 || len(prev.Text) <= 3 && prev.Y0 < l.Y1 && l.Y0 < prev.Y1
}

// indents reports whether a line begins a paragraph by its indentation: the
// first line of one stands further right than the line before, or, after the
// second line of a hanging one, further left.
func (a *assembler) indents(l, prev *format.Line, size int) bool {
	shift := l.X0 - prev.X0
	n := len(a.open.lines)
	switch {
	case shift > size*8/10 && shift < size*6:
		hanging := startsItem(prev.Text) || n == 1 && !endsSentence(prev.Text)
		return !hanging
	case shift < -size*8/10:
		return n > 1 && endsSentence(prev.Text)
	}
	return false
}

// flush adds the open paragraph to the document.
func (a *assembler) flush() {
	open, images := a.open, a.images
	a.open, a.images = paragraph{}, nil
	if len(open.lines) > 0 {
		a.addParagraph(open)
	}
	a.builder.AddImages(images)
}

func (a *assembler) addParagraph(open paragraph) {
	switch open.kind {
	case ibid.BlockHeading:
		a.builder.Heading(open.level, a.joinLines(open.lines))
		if open.alone {
			a.builder.Leave(open.level)
		}
	case ibid.BlockTable:
		a.builder.Add(ibid.BlockTable, stackLines(open.lines))
	case ibid.BlockCode:
		a.builder.Add(ibid.BlockCode, indentLines(open.lines))
	case ibid.BlockList:
		a.builder.Add(ibid.BlockList, a.joinItems(open.lines))
	default:
		a.builder.Add(ibid.BlockParagraph, a.joinLines(open.lines))
	}
}

func stackLines(lines []*format.Line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.Text)
	}
	return b.String()
}

// indentLines keeps the indentation of code, as far as it shows.
func indentLines(lines []*format.Line) string {
	left, width := lines[0].X0, 0
	for _, l := range lines {
		left = min(left, l.X0)
		if n := utf8.RuneCountInString(l.Text); n > 0 {
			width = max(width, (l.X1-l.X0)/n)
		}
	}
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		if width > 0 {
			b.WriteString(strings.Repeat(" ", min((l.X0-left)/width, 40)))
		}
		b.WriteString(l.Text)
	}
	return b.String()
}

// joinItems puts every item of a list on a line of its own.
func (a *assembler) joinItems(lines []*format.Line) string {
	var b strings.Builder
	for i := 0; i < len(lines); {
		j := i + 1
		for j < len(lines) && !startsItem(lines[j].Text) {
			j++
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(a.joinLines(lines[i:j]))
		i = j
	}
	return b.String()
}

// joinLines makes running text of lines and joins words that were divided.
func (a *assembler) joinLines(lines []*format.Line) string {
	var b strings.Builder
	for i, l := range lines {
		text := l.Text
		if i+1 == len(lines) {
			if l.Hyphen {
				text += "-"
			}
			b.WriteString(text)
			break
		}
		head, divided := dividedWord(l)
		if !divided {
			b.WriteString(text)
			b.WriteByte(' ')
			continue
		}
		b.WriteString(text[:len(text)-len(head.suffix)])
		if a.keepsHyphen(head.word, lines[i+1].Text) {
			b.WriteByte('-')
		}
	}
	return strings.TrimSpace(b.String())
}

// division is the first half of a word at the end of a line.
type division struct{ word, suffix string }

// dividedWord reports whether a line ends within a word.
func dividedWord(l *format.Line) (division, bool) {
	text, suffix := l.Text, ""
	if !l.Hyphen {
		var ok bool
		for _, s := range []string{"-", "‐"} {
			if text, ok = strings.CutSuffix(l.Text, s); ok {
				suffix = s
				break
			}
		}
		if !ok {
			return division{}, false
		}
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	if !unicode.IsLetter(last) {
		return division{}, l.Hyphen
	}
	return division{word: lastWord(text), suffix: suffix}, true
}

// keepsHyphen reports whether the hyphen between two halves of a word belongs
// to it: before a capital or digit, or where the document writes the word so in
// the middle of a line.
func (a *assembler) keepsHyphen(first, rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	if !unicode.IsLower(r) {
		return true
	}
	whole := strings.ToLower(first + "-" + firstWord(rest))
	return a.words[whole]
}

func lastWord(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	if i < 0 {
		return s
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[i+n:]
}

func firstWord(s string) string {
	i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	if i < 0 {
		return s
	}
	return s[:i]
}

// compounds returns the words that are written with a hyphen within a line.
func compounds(pages []format.Page) map[string]bool {
	const most = 50_000
	words := make(map[string]bool)
	for i := range pages {
		for k := range pages[i].Lines {
			text := pages[i].Lines[k].Text
			if !strings.Contains(text, "-") {
				continue
			}
			for _, f := range strings.Fields(text) {
				f = strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) })
				if strings.Contains(f, "-") && len(words) < most {
					words[strings.ToLower(f)] = true
				}
			}
		}
	}
	return words
}

// startsItem reports whether a line begins an item of a list.
func startsItem(s string) bool {
	label, rest, ok := strings.Cut(s, " ")
	if !ok || strings.TrimSpace(rest) == "" || !isLabel(label) {
		return false
	}
	// "A. Smith" and "I. Introduction" are no items; neither is "2.1 Scope".
	c := label[0]
	return !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9' && !strings.HasSuffix(label, ".") && !strings.HasSuffix(label, ")"))
}

// endsSentence reports whether running text may end here.
func endsSentence(s string) bool {
	s = strings.TrimRight(s, " \"'”’)]")
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?:;。！？", r)
}

// continues reports whether a line looks like the middle of a sentence.
func continues(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r) || unicode.IsDigit(r) || strings.ContainsRune("(,;–—", r)
}

// linePitches returns, for every size of letters on a page, the usual distance
// from one line to the next, as far as there are enough lines to tell.
func linePitches(lines []format.Line) map[int]int {
	const step, fewest = 5, 3 // tenths of a point; lines
	counts := make(map[[2]int]int)
	for i := 1; i < len(lines); i++ {
		l, prev := &lines[i], &lines[i-1]
		distance := (l.Base - prev.Base + step/2) / step * step
		size := roundSize(l.Size)
		if size == roundSize(prev.Size) && distance > size/2 && distance < 5*size && !l.Row {
			counts[[2]int{size, distance}]++
		}
	}
	pitches := make(map[int]int)
	for k, n := range counts {
		size, distance := k[0], k[1]
		best := counts[[2]int{size, pitches[size]}]
		if n >= fewest && (n > best || n == best && distance < pitches[size]) {
			pitches[size] = distance
		}
	}
	return pitches
}
