package text

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/format"
)

// readHTML reads a page from its tokens. No tree is built: pages with thousands
// of nested elements exist, honest ones too, and a tree of them is slow or
// refused. Scripts, styles, navigation, footers and forms are left out; where
// that leaves nothing, navigation and footers are read after all.
func readHTML(b *format.Builder, data []byte) (format.Done, error) {
	s := charset.Page(data, b.Left)
	before := b.Left
	d, err := ReadPage(b, s, true)
	if err == nil && b.Err == nil && b.Left == before {
		return ReadPage(b, s, false)
	}
	return d, err
}

func ReadPage(b *format.Builder, s string, dropFrame bool) (format.Done, error) {
	z := html.NewTokenizer(strings.NewReader(s))
	z.SetMaxBuf(MaxToken)
	p := &page{builder: b, tokens: z, dropFrame: dropFrame}
	err := p.read()
	d := format.Done{Title: format.OneLine(format.Clean(p.title.String()))}
	if len(d.Title) > format.MaxHeading {
		d.Title = ""
	}
	if errors.Is(err, html.ErrBufferExceeded) {
		d.Notice = "the page could not be read to its end: one of its elements is too large"
		err = nil
	}
	return d, err
}

// MaxToken bounds one tag or one stretch of text, in bytes.
const MaxToken = 32 << 20

// page is the state between the tokens of a page.
type page struct {
	builder   *format.Builder
	tokens    *html.Tokenizer
	dropFrame bool // leave navigation, footers and side bars out
	title     strings.Builder
	inTitle   bool

	content   int       // elements open that hold what the page is about
	skip      atom.Atom // element whose content is left out
	skipDepth int       // of elements of that name

	text    strings.Builder
	link    openLink
	kind    ibid.BlockKind
	level   int // of a heading
	lists   []listState
	pre     int
	tables  []*tableState
	list    strings.Builder // lines of the list that is open
	pending string          // sign of a list item that has no text yet
	// pictures are the descriptions of those that stand in the open block
	pictures []string
}

type listState struct {
	ordered bool
	format  string // of its numbers, as listNumber takes it
	n       int
}

// tableState is a table that is being read. A table within a cell becomes text
// of the cell.
type tableState struct {
	rows   [][]string
	cell   *strings.Builder
	span   int   // columns of the open cell
	height int   // its rows
	down   []int // how many rows the cells above reach further down, by column
	layout bool  // the table only places text: its cells are not kept together
}

func (p *page) read() error {
	for p.builder.Err == nil {
		switch p.tokens.Next() {
		case html.ErrorToken:
			p.closeTables()
			p.flush()
			p.lists = nil
			p.endList()
			p.showPictures()
			if err := p.tokens.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		case html.TextToken:
			p.addText(p.tokens.Text())
		case html.StartTagToken:
			p.start(false)
		case html.SelfClosingTagToken:
			p.start(true)
		case html.EndTagToken:
			name, _ := p.tokens.TagName()
			p.end(atom.Lookup(name))
		}
	}
	return nil
}

func (p *page) addText(raw []byte) {
	switch {
	case p.inTitle:
		if p.title.Len() < format.MaxHeading {
			p.title.WriteString(html.UnescapeString(string(raw)))
		}
	case p.skip == 0:
		p.text.WriteString(strings.ReplaceAll(html.UnescapeString(string(raw)), "\x00", ""))
		if p.text.Len() > format.MaxBlock && len(p.tables) == 0 && p.kind != ibid.BlockHeading {
			p.flushKeepingKind()
		}
	}
}

// skipped are elements without text for readers.
var skipped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true,
	atom.Textarea: true, atom.Select: true, atom.Iframe: true, atom.Object: true, atom.Canvas: true, atom.Button: true,
	atom.Audio: true, atom.Video: true, atom.Datalist: true,
}

// framing are elements around what a page is about.
var framing = map[atom.Atom]bool{atom.Nav: true, atom.Footer: true, atom.Aside: true, atom.Menu: true, atom.Dialog: true}

func (p *page) start(selfClosing bool) {
	name, hasAttr := p.tokens.TagName()
	a := atom.Lookup(name)
	attrs := p.attributes(a, hasAttr)
	if p.skip != 0 {
		if !p.inSkipped(a, selfClosing) {
			return
		}
	}
	hidden := attrs.hidden && !voidElement(a)
	if isContent(a) && !selfClosing {
		p.content++
	}
	frame := framing[a] && !((a == atom.Aside || a == atom.Footer) && p.content > 0) // a note in an article, its author
	if skipped[a] || p.dropFrame && (frame || attrs.navigation) || hidden {
		if !selfClosing && a != 0 {
			p.skip, p.skipDepth = a, 1
			if framing[a] {
				p.flush()
			}
		}
		return
	}
	p.open(a, attrs)
}

// inSkipped counts an element inside one that is left out. It reports whether
// the element ends that, because it can only stand outside: pages forget to
// close such elements.
func (p *page) inSkipped(a atom.Atom, selfClosing bool) bool {
	if a == p.skip && !selfClosing {
		p.skipDepth++
	}
	breaksOut := a == atom.Main || a == atom.Article || a == atom.H1 ||
		!framing[p.skip] && (a == atom.P || a == atom.Table || a == atom.H2 || a == atom.H3)
	closesItself := p.skip != atom.Div && p.skip != atom.Section && p.skip != atom.Template && p.skip != atom.Noscript
	if breaksOut && closesItself {
		p.skip = 0
		return true
	}
	return false
}

// attributes are those of a tag that matter.
type attributes struct {
	hidden, navigation bool
	alt                string
	hasAlt             bool
	side               int    // the shorter one of a picture in pixels, 0 when not said
	start              int    // the number that a list or an item begins with
	span, height       int    // of a cell, in columns and rows
	numbers            string // how a list is numbered
	permalink          bool   // of a link: it leads to a place of a page, or its class says so
}

// listFormats are the ways to number a list by the attribute "type" of HTML and
// by list-style-type of CSS.
var listFormats = map[string]string{
	"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
	"lower-alpha": "lowerLetter", "lower-latin": "lowerLetter", "upper-alpha": "upperLetter", "upper-latin": "upperLetter",
	"lower-roman": "lowerRoman", "upper-roman": "upperRoman",
}

func (p *page) attributes(a atom.Atom, more bool) attributes {
	const most = 200 // attributes of one tag that are looked at
	var found attributes
	for n := 0; more && n < most; n++ {
		var key, value []byte
		key, value, more = p.tokens.TagAttr()
		switch string(key) {
		case "hidden":
			found.hidden = true
		case "aria-hidden":
			found.hidden = found.hidden || string(value) == "true"
		case "style":
			v := strings.ReplaceAll(strings.ToLower(string(value)), " ", "")
			found.hidden = found.hidden || strings.Contains(v, "display:none")
			if _, style, ok := strings.Cut(v, "list-style-type:"); ok && a == atom.Ol {
				style, _, _ = strings.Cut(style, ";")
				found.numbers = listFormats[style]
			}
		case "type":
			if a == atom.Ol {
				found.numbers = listFormats[string(value)]
			}
		case "role":
			found.navigation = found.navigation || string(value) == "navigation" || string(value) == "contentinfo"
		case "class":
			found.navigation = found.navigation || a == atom.Aside && besideContent(string(value))
			found.permalink = found.permalink || a == atom.A && permalinkClass(string(value))
		case "href":
			found.permalink = found.permalink || a == atom.A && bytes.IndexByte(value, '#') >= 0
		case "alt":
			if a == atom.Img {
				found.alt, found.hasAlt = string(value), true
			}
		case "width", "height":
			if n, err := strconv.Atoi(string(value)); err == nil && n > 0 && (found.side == 0 || n < found.side) {
				found.side = n
			}
		case "start", "value":
			found.start, _ = strconv.Atoi(string(value))
		case "colspan":
			found.span, _ = strconv.Atoi(string(value))
		case "rowspan":
			found.height, _ = strconv.Atoi(string(value))
		}
	}
	return found
}

// besideContent reports whether the class of an aside says that it leads
// elsewhere.
func besideContent(class string) bool {
	class = strings.ToLower(class)
	for _, word := range []string{"sidebar", "related", "toc", "nav", "menu", "share", "social", "newsletter", "promo", "advert", "widget"} {
		if strings.Contains(class, word) {
			return true
		}
	}
	return false
}

// isContent tells the elements around what a page is about.
func isContent(a atom.Atom) bool {
	return a == atom.Main || a == atom.Article || a == atom.Blockquote
}

func voidElement(a atom.Atom) bool {
	switch a {
	case atom.Br, atom.Img, atom.Hr, atom.Input, atom.Meta, atom.Link, atom.Wbr, atom.Col, atom.Area, atom.Base, atom.Embed, atom.Source, atom.Track, atom.Param:
		return true
	}
	return false
}

// breaking are elements that begin and end a paragraph.
var breaking = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Section: true, atom.Article: true, atom.Blockquote: true, atom.Header: true,
	atom.Main: true, atom.Dt: true, atom.Dd: true, atom.Dl: true, atom.Figure: true, atom.Figcaption: true, atom.Hr: true,
	atom.Body: true, atom.Form: true, atom.Address: true, atom.Fieldset: true, atom.Details: true, atom.Summary: true,
	atom.Caption: true, atom.Nav: true, atom.Footer: true, atom.Aside: true, atom.Center: true, atom.Legend: true, atom.Label: true,
	atom.Menu: true, atom.Dialog: true, atom.Option: true,
}

func (p *page) open(a atom.Atom, attrs attributes) {
	switch a {
	case atom.Title:
		p.inTitle = p.title.Len() == 0
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.flush()
		if p.inCell() {
			p.openLayout()
		}
		p.kind, p.level = ibid.BlockHeading, headingOf(a)
	case atom.Ul, atom.Ol:
		p.flush()
		if len(p.lists) < maxNesting {
			p.lists = append(p.lists, listState{ordered: a == atom.Ol, format: attrs.numbers, n: max(attrs.start-1, 0)})
		}
	case atom.Li:
		if n := len(p.lists); n > 0 && attrs.start > 0 {
			p.lists[n-1].n = attrs.start - 1
		}
		p.item()
	case atom.Pre, atom.Listing, atom.Xmp:
		p.flush()
		p.pre++
		p.kind = ibid.BlockCode
	case atom.Br:
		p.text.WriteByte(lineBreak)
	case atom.A:
		p.link = openLink{at: p.text.Len(), open: true, permalink: attrs.permalink}
	case atom.Img:
		p.picture(attrs)
	case atom.Table:
		p.openTable()
	case atom.Tr:
		p.openRow()
	case atom.Td, atom.Th:
		p.openCell(attrs.span, attrs.height)
	default:
		if breaking[a] {
			p.breakParagraph()
		}
	}
}

// maxNesting bounds lists in lists and tables in tables; deeper ones are read
// as if they were not nested.
const maxNesting = 16

func headingOf(a atom.Atom) int {
	switch a {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	}
	return 6
}

func (p *page) end(a atom.Atom) {
	if p.skip != 0 {
		if a == p.skip {
			if p.skipDepth--; p.skipDepth == 0 {
				p.skip = 0
			}
		}
		return
	}
	if isContent(a) {
		p.content = max(p.content-1, 0)
	}
	switch a {
	case atom.Title:
		p.inTitle = false
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.flush()
	case atom.Li:
		p.flushItem()
	case atom.Ul, atom.Ol:
		p.flushItem()
		if n := len(p.lists); n > 0 {
			p.lists = p.lists[:n-1]
		}
		if len(p.lists) == 0 {
			p.endList()
			p.showPictures()
		}
	case atom.Pre, atom.Listing, atom.Xmp:
		p.flush()
		p.pre = max(p.pre-1, 0)
	case atom.Td, atom.Th:
		p.closeCell()
	case atom.Tr:
		p.closeCell()
	case atom.Table:
		p.closeTable()
	case atom.A:
		p.endLink()
	default:
		if breaking[a] {
			p.breakParagraph()
		}
	}
}

// LooksLikeHTML recognises whole pages, whatever they are named.
func LooksLikeHTML(b []byte) bool {
	s := strings.ToLower(strings.TrimSpace(charset.Decode(b[:min(len(b), 2048)], 2048)))
	for strings.HasPrefix(s, "<!--") {
		_, after, ok := strings.Cut(s, "-->")
		if !ok {
			return false
		}
		s = strings.TrimSpace(after)
	}
	if strings.HasPrefix(s, "<?xml") {
		return strings.Contains(s, "<!doctype html") || strings.Contains(s, "<html")
	}
	return strings.HasPrefix(s, "<!doctype html") || strings.HasPrefix(s, "<html") || strings.HasPrefix(s, "<head>") || strings.HasPrefix(s, "<body")
}
