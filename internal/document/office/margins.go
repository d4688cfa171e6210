package office

import (
	"encoding/xml"
	"strconv"
	"strings"
	"unicode"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/zipfile"
)

// What stands above and below the pages of an Office file names the document,
// its number or its date. It is no part of the running text, and the same on
// every page: each line is added once, at the end.

// maxMargins bounds the headers and footers of a file.
const maxMargins = 50

// addMargins adds the lines of headers and footers.
func addMargins(b *format.Builder, lines []string) {
	seen := make(map[string]bool)
	var once []string
	for _, line := range lines {
		if line = format.OneLine(line); !seen[line] && strings.IndexFunc(line, unicode.IsLetter) >= 0 {
			once = append(once, line)
		}
		seen[line] = true
	}
	b.Leave(1)
	b.Add(ibid.BlockParagraph, strings.Join(once, "\n"))
}

// marginReader is the state between the elements of a header or footer.
type marginReader struct {
	lines  []string
	line   strings.Builder
	inText bool
	fields int  // that are open, one within another
	paged  bool // the line has a field, such as the number of the page
}

// endLine keeps a line. "Page 3 of 7" without its numbers is none.
func (m *marginReader) endLine() {
	const fewest = 3 // words beside a number
	line := format.OneLine(m.line.String())
	m.line.Reset()
	if line != "" && !(m.paged && len(strings.Fields(line)) < fewest) && len(m.lines) < maxMargins {
		m.lines = append(m.lines, line)
	}
	m.paged = false
}

func (m *marginReader) write(s string) {
	if m.fields == 0 && m.line.Len() < format.MaxHeading {
		m.line.WriteString(s)
	}
}

// wordMargins returns the lines of the headers and footers of a Word file.
func (z *zipFile) wordMargins(parts []string) []string {
	m := &marginReader{}
	for _, part := range parts[:min(len(parts), maxMargins)] {
		m.fields, m.inText = 0, false
		_ = z.Each(part, m.word) // one that cannot be read costs only itself
		m.endLine()
	}
	return m.lines
}

func (m *marginReader) word(token xml.Token) error {
	switch e := token.(type) {
	case xml.StartElement:
		switch e.Name.Local {
		case "t":
			m.inText = true
		case "tab", "ptab", "br":
			m.write(" ")
		case "fldSimple":
			m.fields++
			m.paged = true
		case "fldChar":
			m.fieldPart(zipfile.Attr(e, "fldCharType"))
		}
	case xml.EndElement:
		switch e.Name.Local {
		case "t":
			m.inText = false
		case "fldSimple":
			m.fields = max(m.fields-1, 0)
		case "p":
			m.endLine()
		}
	case xml.CharData:
		if m.inText {
			m.write(string(e))
		}
	}
	return nil
}

func (m *marginReader) fieldPart(kind string) {
	switch kind {
	case "begin":
		m.fields++
		m.paged = true
	case "end":
		m.fields = max(m.fields-1, 0)
	}
}

// odfMargins returns the lines of the headers and footers of an OpenDocument
// text.
func (z *zipFile) odfMargins() []string {
	m := &marginReader{}
	depth, paragraphs := 0, 0 // elements within a header or footer, and open paragraphs in it
	_ = z.Each("styles.xml", func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			switch name := e.Name.Local; {
			case depth > 0:
				depth++
				m.odfStart(name, &paragraphs)
			case strings.HasPrefix(name, "header") || strings.HasPrefix(name, "footer"):
				if !strings.HasSuffix(name, "-style") {
					depth = 1
				}
			}
		case xml.EndElement:
			if depth > 0 {
				depth--
				m.odfEnd(e.Name.Local, &paragraphs)
			}
		case xml.CharData:
			if depth > 0 && paragraphs > 0 {
				m.write(string(e))
			}
		}
		return nil
	})
	return m.lines
}

func (m *marginReader) odfStart(name string, paragraphs *int) {
	switch name {
	case "p", "h":
		*paragraphs++
	case "tab", "s", "line-break":
		m.write(" ")
	case "page-number", "page-count", "date", "time", "file-name", "sheet-name":
		m.fields++
		m.paged = true
	}
}

func (m *marginReader) odfEnd(name string, paragraphs *int) {
	switch name {
	case "p", "h":
		*paragraphs--
		m.endLine()
	case "page-number", "page-count", "date", "time", "file-name", "sheet-name":
		m.fields = max(m.fields-1, 0)
	}
}

// symbol returns what a character of a symbol font shows, given by its number in
// hexadecimal; "" for shapes that Unicode does not have. Symbol fonts put theirs
// at F000.
func symbol(code string) string {
	n, err := strconv.ParseUint(code, 16, 16)
	if err != nil {
		return ""
	}
	shown := map[uint64]string{
		0xFE: "☑", 0xFD: "☒", 0xA8: "☐", 0x6F: "☐", 0xFC: "✓", 0xFB: "✗", 0xB7: "•", 0xA7: "•", 0xE0: "→", 0xDF: "←",
	}
	if s := shown[n&0xFF]; s != "" && (n >= 0xF000 || n < 0x100) {
		return s
	}
	return ""
}
