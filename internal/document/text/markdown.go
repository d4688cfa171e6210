package text

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"

	"ibid"
	"ibid/internal/document/format"
)

// readMarkdown reads Markdown line by line: front matter, headings of both
// kinds, fenced code, tables, lists, quotes, paragraphs. It takes time and memory
// in proportion to its input, whatever that is. It returns the title that the
// front matter gives.
func readMarkdown(b *format.Builder, s string) (title string) {
	s = format.Clean(s)
	title, s = frontMatter(s)
	m := markdown{builder: b}
	for line := range format.Lines(s) {
		if b.Err != nil {
			return title
		}
		m.line(line)
	}
	m.flush()
	return title
}

// frontMatter cuts off the YAML or TOML between two lines of "---" or "+++" at
// the beginning, and returns its title.
func frontMatter(s string) (title, rest string) {
	const most = 64 << 10
	for _, fence := range []string{"---\n", "+++\n"} {
		if !strings.HasPrefix(s, fence) {
			continue
		}
		body := s[len(fence):min(len(s), most)]
		end := strings.Index(body, "\n"+fence)
		if end < 0 {
			if !strings.HasSuffix(body, "\n"+fence[:3]) {
				return "", s
			}
			end = len(body) - len(fence)
		}
		for line := range format.Lines(body[:end]) {
			key, value, ok := strings.Cut(line, fieldSign(fence))
			if ok && strings.TrimSpace(key) == "title" {
				title = strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
		return format.OneLine(title), s[min(len(s), len(fence)+end+1+len(fence)):]
	}
	return "", s
}

func fieldSign(fence string) string {
	if fence[0] == '+' {
		return "="
	}
	return ":"
}

// markdown is the state between lines.
type markdown struct {
	builder *format.Builder
	kind    ibid.BlockKind // of the open block
	open    []string       // its lines, without markup of blocks
	bytes   int
	fence   string // that ends the open code block, "" outside of one
	comment bool   // inside <!-- -->
	blank   bool   // the line before was blank
}

func (m *markdown) line(raw string) {
	if m.fence != "" {
		m.fenced(raw)
		return
	}
	if m.comment {
		_, after, ended := strings.Cut(raw, "-->")
		if !ended {
			return
		}
		m.comment, raw = false, after
	}
	line, indent := unquote(raw)
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		m.blankLine()
		return
	case indent >= 4 && (m.kind == ibid.BlockCode && len(m.open) > 0 || len(m.open) == 0):
		m.add(ibid.BlockCode, strings.TrimRight(line, " "))
	case fenceOf(text) != "":
		m.flush()
		m.fence = fenceOf(text)
	case headingLevel(text) > 0:
		m.flush()
		n := headingLevel(text)
		m.builder.Heading(n, inlineText(strings.TrimRight(text[n:], "# ")))
	case underline(text) > 0 && m.kind == ibid.BlockParagraph && len(m.open) > 0:
		m.setext(underline(text))
	case isRule(text):
		m.flush()
	case strings.HasPrefix(text, "<!--"):
		m.htmlComment(text)
	case isTableLine(text) && m.mayBeTable():
		m.add(ibid.BlockTable, text)
	case isListItem(text):
		m.item(text, indent)
	case isReference(text):
		m.flush()
	default:
		m.running(text)
	}
	m.blank = false
}

// mayBeTable reports whether a row of a table may stand here: not in the middle
// of a paragraph or an item.
func (m *markdown) mayBeTable() bool {
	return m.kind != ibid.BlockParagraph && (m.kind != ibid.BlockList || m.blank)
}

// blankLine ends a paragraph or table. Lists and indented code may go on.
func (m *markdown) blankLine() {
	switch m.kind {
	case ibid.BlockList:
	case ibid.BlockCode:
		m.open = append(m.open, "")
	default:
		m.flush()
	}
	m.blank = true
}

// running is a line of a paragraph, or of the item of a list.
func (m *markdown) running(text string) {
	kind := ibid.BlockParagraph
	if m.kind == ibid.BlockList && !m.blank {
		kind = ibid.BlockList
	}
	m.add(kind, text)
}

func (m *markdown) item(text string, indent int) {
	depth := min(indent/2, 8)
	m.add(ibid.BlockList, strings.Repeat("  ", depth)+text)
}

func (m *markdown) fenced(raw string) {
	text := strings.TrimSpace(raw)
	if strings.HasPrefix(text, m.fence) && strings.Trim(text, m.fence[:1]) == "" {
		m.fence = ""
		m.flush()
		return
	}
	m.add(ibid.BlockCode, raw)
}

// setext makes the open paragraph a heading.
func (m *markdown) setext(level int) {
	title := strings.Join(m.open, " ")
	m.reset()
	m.builder.Heading(level, inlineText(title))
}

func (m *markdown) htmlComment(text string) {
	_, after, ended := strings.Cut(text, "-->")
	if !ended {
		m.comment = true
		return
	}
	if after = strings.TrimSpace(after); after != "" && !strings.HasPrefix(after, "<!--") {
		m.running(after)
	}
}

// add adds a line to the open block, or opens another.
func (m *markdown) add(kind ibid.BlockKind, line string) {
	if len(m.open) > 0 && m.kind != kind || m.bytes > format.MaxBlock {
		m.flush()
	}
	m.kind = kind
	m.open = append(m.open, line)
	m.bytes += len(line) + 1
}

func (m *markdown) reset() { m.kind, m.open, m.bytes = "", nil, 0 }

func (m *markdown) flush() {
	kind, open := m.kind, m.open
	m.reset()
	if len(open) == 0 {
		return
	}
	switch kind {
	case ibid.BlockTable:
		m.table(open)
	case ibid.BlockCode:
		m.builder.Add(kind, strings.Join(open, "\n"))
	case ibid.BlockList:
		for i := range open {
			open[i] = inlineText(open[i])
		}
		m.builder.Add(kind, strings.Join(open, "\n"))
	default:
		m.paragraph(strings.Join(open, "\n"))
	}
}

// paragraph adds running text, or what a block of HTML shows.
func (m *markdown) paragraph(s string) {
	if alts := onlyPictures(s); len(alts) > 0 {
		m.builder.AddImages(alts)
		return
	}
	if !isHTMLBlock(s) {
		m.builder.Add(ibid.BlockParagraph, inlineText(s))
		return
	}
	// Its notice can only be that one element is too large; no Markdown gets
	// that far, since blocks are bounded.
	if _, err := ReadPage(m.builder, s, false); err != nil && m.builder.Err == nil {
		m.builder.Err = err
	}
}

// isHTMLBlock recognises text that begins with a tag that begins a block.
func isHTMLBlock(s string) bool {
	if !strings.HasPrefix(s, "<") {
		return false
	}
	name := strings.TrimPrefix(s[1:], "/")
	end := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end <= 0 {
		return false
	}
	a := atom.Lookup([]byte(strings.ToLower(name[:end])))
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Table, atom.Tr, atom.Td, atom.Th,
		atom.Thead, atom.Tbody, atom.Tfoot, atom.Pre:
		return true
	}
	return breaking[a] || skipped[a]
}

// table adds rows. Lines with bars of which none divides head and body are no
// table.
func (m *markdown) table(lines []string) {
	isTable := len(lines) >= 2 && isDelimiterRow(lines[1])
	if !isTable {
		m.builder.Add(ibid.BlockParagraph, inlineText(strings.Join(lines, "\n")))
		return
	}
	var rows [][]string
	for i, l := range lines {
		if i != 1 {
			rows = append(rows, tableCells(l))
		}
	}
	m.builder.Table(rows)
}

func tableCells(line string) []string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	line = strings.TrimSuffix(line, "|")
	line = strings.ReplaceAll(line, `\|`, "\x00")
	cells := strings.Split(line, "|")
	for i, c := range cells {
		cells[i] = inlineText(strings.ReplaceAll(strings.TrimSpace(c), "\x00", "|"))
	}
	return cells
}

// unquote removes the signs of block quotes and returns what is left and how
// far it is indented, a tab counting four.
func unquote(line string) (rest string, indent int) {
	for {
		trimmed := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(trimmed, ">") {
			break
		}
		line = strings.TrimPrefix(trimmed[1:], " ")
	}
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			indent++
		case '\t':
			indent += 4
		default:
			return line, indent
		}
	}
	return line, indent
}

// headingLevel returns the level of "## Title", 0 for other lines.
func headingLevel(text string) int {
	n := 0
	for n < len(text) && text[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n < len(text) && text[n] != ' ' && text[n] != '\t' {
		return 0
	}
	return n
}

// underline returns the level of the heading that a line of "===" or "---" makes
// of the paragraph above it.
func underline(text string) int {
	switch {
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "" && len(text) >= 2:
		return 2
	}
	return 0
}

func isRule(text string) bool {
	if len(text) < 3 {
		return false
	}
	c := text[0]
	return (c == '-' || c == '*' || c == '_') && strings.Trim(text, string(c)+" ") == "" && strings.Count(text, string(c)) >= 3
}

// fenceOf returns what ends a code block that begins with a line, "" for other
// lines.
func fenceOf(text string) string {
	for _, c := range []string{"`", "~"} {
		n := len(text) - len(strings.TrimLeft(text, c))
		if n >= 3 && !(c == "`" && strings.Contains(text[n:], "`")) {
			return text[:n]
		}
	}
	return ""
}

// isListItem recognises "- a", "* a", "+ a", "1. a", "1) a".
func isListItem(text string) bool {
	if len(text) >= 2 && strings.IndexByte("-*+", text[0]) >= 0 && (text[1] == ' ' || text[1] == '\t') {
		return true
	}
	n := 0
	for n < len(text) && n < 9 && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n > 0 && n+1 < len(text) && (text[n] == '.' || text[n] == ')') && text[n+1] == ' '
}

// isReference recognises the address of a link: "[name]: https://…".
func isReference(text string) bool {
	name, target, ok := strings.Cut(text, "]:")
	return ok && strings.HasPrefix(name, "[") && !strings.HasPrefix(name, "[^") && strings.TrimSpace(target) != "" && len(name) < 200
}

func isTableLine(text string) bool {
	return strings.HasPrefix(text, "|") || strings.Contains(text, " | ") || isDelimiterRow(text)
}

func isDelimiterRow(text string) bool {
	return strings.Contains(text, "-") && strings.Contains(text, "|") && strings.Trim(text, "|-: \t") == ""
}
