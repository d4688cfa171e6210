package office

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/ooxml"
	"ibid/internal/document/zipfile"
)

// readDOCX reads a Word file. Notes and comments follow the paragraph that refers
// to them. Pages are those of Word's last layout, where the file says where they
// began.
func readDOCX(b *format.Builder, z *zipFile) (format.Done, error) {
	main := ooxml.MainPart(z)
	arrows := ooxml.RelationshipsOf(z, main)
	d := &docx{builder: b, styles: z.wordStyles(arrows.Targets("styles")), notes: make(map[noteKey]string)}
	d.numbers = z.wordNumbering(arrows.Targets("numbering"))
	for _, kind := range []string{"footnote", "endnote", "comment"} {
		for _, part := range arrows.Targets(kind + "s") {
			d.readNotes(z, part, kind)
		}
	}
	d.paged = z.Contains(main, pageMark)
	if d.paged {
		b.NewPage()
	}
	err := z.Each(main, d.token)
	d.endStory()
	if err == nil {
		addMargins(b, z.wordMargins(append(arrows.Targets("header"), arrows.Targets("footer")...)))
	}
	notice, err := format.PartError(b, err)
	return format.Done{Title: z.coreTitle(), Notice: notice}, err
}

// noteKey names a footnote, endnote or comment.
type noteKey struct{ kind, id string }

// readNotes keeps the notes of a part. A part that cannot be read costs only
// its notes.
func (d *docx) readNotes(z *zipFile, part, kind string) {
	const most = 8 << 20
	var note strings.Builder
	id, inText, all := "", false, 0
	_ = z.Each(part, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			inText = e.Name.Local == "t"
			if e.Name.Local == kind {
				id = zipfile.Attr(e, "id")
				note.Reset()
			}
		case xml.EndElement:
			inText = false
			if e.Name.Local == "p" {
				note.WriteByte(' ')
			}
			if e.Name.Local == kind {
				d.notes[noteKey{kind, id}] = format.OneLine(note.String())
			}
		case xml.CharData:
			if inText && all < most {
				all += len(e)
				note.Write(e)
			}
		}
		return nil
	})
}

// pageMark is the element that Word leaves where a page began.
const pageMark = "lastRenderedPageBreak"

// docx is the state between the elements of a story.
type docx struct {
	builder *format.Builder
	styles  map[string]wordStyle
	numbers *wordNumbering
	paged   bool
	skip    skip
	inText  bool
	paras   []*wordParagraph // a text box is a paragraph within one
	tables  []*wordTable
	list    []string
	notes   map[noteKey]string
	pending []string // notes that the open paragraph refers to
	picture wordPicture
	images  []string // descriptions of pictures that the open paragraph holds
}

type wordParagraph struct {
	text    strings.Builder
	level   int // of a heading
	list    bool
	depth   int    // of a list item, from 0
	numbers string // the list that it is counted in, "" for that of its style
	style   string
	counted bool // what comes after a page break within it has no number
}

// wordPicture is a drawing that is being read.
type wordPicture struct {
	description string
	there       bool // it holds a picture, not only shapes
	small       bool
}

// measure takes the sides of a picture in English Metric Units, 914,400 to the
// inch. One below a quarter of an inch is a bullet or a rule.
func (p *wordPicture) measure(cx, cy string) {
	const smallest = 914_400 / 4
	for _, side := range []string{cx, cy} {
		n, err := strconv.Atoi(side)
		p.small = p.small || err == nil && n < smallest
	}
}

func (p *wordPicture) shows() bool {
	return format.Describes(p.description) != "" || p.there && !p.small
}

type wordTable struct {
	rows [][]string
	cell *strings.Builder
	span int // columns of the open cell
}

// drawingML is the namespace of shapes, which have paragraphs of their own kind.
const drawingML = "http://schemas.openxmlformats.org/drawingml/2006/main"

func (d *docx) token(token xml.Token) error {
	switch e := token.(type) {
	case xml.StartElement:
		if d.skip.begins() {
			d.start(e)
		}
	case xml.EndElement:
		if d.skip.ends() {
			d.end(e)
		}
	case xml.CharData:
		if d.inText && d.skip == 0 {
			d.write(string(e))
		}
	}
	return d.builder.Err
}

func (d *docx) write(s string) {
	if n := len(d.paras); n > 0 {
		d.paras[n-1].text.WriteString(s)
	}
}

func (d *docx) start(e xml.StartElement) {
	switch e.Name.Local {
	case "del", "moveFrom", "delText", "instrText", "Fallback", "rt":
		// What was deleted, the codes of fields, a second writing of what newer
		// programs read from the first, and how a word is pronounced.
		d.skip = 1
	case "p":
		if e.Name.Space != drawingML {
			d.paras = append(d.paras, &wordParagraph{})
		}
	case "t":
		d.inText = true
	case "sym":
		d.write(symbol(zipfile.Attr(e, "char")))
	case "tab":
		if zipfile.Attr(e, "val") == "" {
			d.write("\t")
		}
	case "br", "cr":
		d.write("\n")
	case "noBreakHyphen":
		d.write("-")
	case pageMark:
		d.pageBreak()
	case "footnoteReference", "endnoteReference", "commentReference":
		d.refer(strings.TrimSuffix(e.Name.Local, "Reference"), zipfile.Attr(e, "id"))
	case "drawing", "pict":
		d.picture = wordPicture{}
	case "docPr", "shape":
		d.picture.description = cmp.Or(zipfile.Attr(e, "descr"), zipfile.Attr(e, "alt"))
	case "extent":
		d.picture.measure(zipfile.Attr(e, "cx"), zipfile.Attr(e, "cy"))
	case "blip", "imagedata", "chart":
		d.picture.there = true
	case "tbl":
		d.tables = append(d.tables, &wordTable{})
	case "tr":
		if t := d.table(); t != nil {
			t.rows = append(t.rows, nil)
		}
	case "tc":
		if t := d.table(); t != nil {
			t.cell, t.span = &strings.Builder{}, 1
		}
	case "gridSpan":
		if t := d.table(); t != nil {
			t.span, _ = strconv.Atoi(zipfile.Attr(e, "val"))
		}
	default:
		d.property(e)
	}
}

// refer puts a note behind the open paragraph.
func (d *docx) refer(kind, id string) {
	s := d.notes[noteKey{kind, id}]
	if s == "" {
		return
	}
	delete(d.notes, noteKey{kind, id})
	if kind == "comment" {
		s = "Comment: " + s
	}
	d.pending = append(d.pending, s)
}

// addNotes adds the pictures and notes of what came before, outside of tables.
func (d *docx) addNotes() {
	if len(d.tables) > 0 || len(d.paras) > 0 || len(d.pending)+len(d.images) == 0 {
		return
	}
	d.endList()
	d.builder.AddImages(d.images)
	d.images = nil
	for _, s := range d.pending {
		d.builder.Add(ibid.BlockParagraph, s)
	}
	d.pending = nil
}

// property takes what says how the open paragraph is set.
func (d *docx) property(e xml.StartElement) {
	n := len(d.paras)
	if n == 0 {
		return
	}
	p := d.paras[n-1]
	value := zipfile.Attr(e, "val")
	switch e.Name.Local {
	case "pStyle":
		p.level, p.style = d.headingLevel(value), value
		p.list = p.list || strings.Contains(strings.ToLower(value), "list")
	case "outlineLvl":
		if level, err := strconv.Atoi(value); err == nil && level >= 0 && level < 9 {
			p.level = level + 1
		}
	case "ilvl":
		p.depth, _ = strconv.Atoi(value)
	case "numId":
		p.numbers = value
		p.list = p.list || value != "0"
	}
}

func (d *docx) table() *wordTable {
	if n := len(d.tables); n > 0 {
		return d.tables[n-1]
	}
	return nil
}

func (d *docx) end(e xml.EndElement) {
	switch e.Name.Local {
	case "t":
		d.inText = false
	case "p":
		if n := len(d.paras); n > 0 && e.Name.Space != drawingML {
			p := d.paras[n-1]
			d.paras = d.paras[:n-1]
			d.paragraph(p)
			d.addNotes()
		}
	case "drawing", "pict":
		if d.picture.shows() {
			d.images = append(d.images, d.picture.description)
		}
		d.picture = wordPicture{}
	case "tc":
		if t := d.table(); t != nil && t.cell != nil && len(t.rows) > 0 {
			const maxSpan = 20
			last := len(t.rows) - 1
			t.rows[last] = append(t.rows[last], t.cell.String())
			for range min(t.span, maxSpan) - 1 {
				t.rows[last] = append(t.rows[last], "")
			}
			t.cell = nil
		}
	case "tbl":
		if n := len(d.tables); n > 0 {
			t := d.tables[n-1]
			d.tables = d.tables[:n-1]
			d.endTable(t)
			d.addNotes()
		}
	}
}

// paragraph adds a paragraph to the cell or the document.
func (d *docx) paragraph(p *wordParagraph) {
	s := strings.TrimSpace(p.text.String())
	if s == "" {
		return
	}
	number, counted := d.number(p)
	if t := d.table(); t != nil && t.cell != nil {
		appendWord(t.cell, strings.TrimSpace(number+" "+s))
		return
	}
	if (p.list || counted) && p.level == 0 {
		d.list = append(d.list, listItem(p.depth, number, s))
		if len(d.list) >= 200 {
			d.endList()
		}
		return
	}
	d.endList()
	if p.level > 0 {
		d.builder.Heading(p.level, strings.TrimSpace(number+" "+s))
		return
	}
	d.builder.Add(ibid.BlockParagraph, s)
}

func (d *docx) endList() {
	d.builder.Add(ibid.BlockList, strings.Join(d.list, "\n"))
	d.list = nil
}

func (d *docx) endTable(t *wordTable) {
	if outer := d.table(); outer != nil && outer.cell != nil {
		for _, row := range t.rows {
			appendWord(outer.cell, strings.ReplaceAll(format.TableRow(row), format.CellSeparator, ", "))
		}
		return
	}
	d.endList()
	d.builder.Table(t.rows)
}

func appendWord(b *strings.Builder, s string) {
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	b.WriteString(s)
}

// pageBreak begins the next page where Word once did, which may be in the middle
// of a paragraph or a table; what was read of that stays on the page before.
func (d *docx) pageBreak() {
	if !d.paged {
		return
	}
	if len(d.tables) > 0 {
		if len(d.tables) == 1 && len(d.tables[0].rows) > 1 {
			t := d.tables[0]
			last := len(t.rows) - 1
			d.endList()
			d.builder.Table(t.rows[:last])
			t.rows = t.rows[last:]
		}
	} else if n := len(d.paras); n == 1 {
		p := d.paras[0]
		d.paragraph(p)
		d.paras[0] = &wordParagraph{list: p.list, depth: p.depth, counted: p.counted}
	}
	d.endList()
	d.builder.NewPage()
}

// endStory adds what a broken part left open.
func (d *docx) endStory() {
	for len(d.paras) > 0 {
		p := d.paras[len(d.paras)-1]
		d.paras = d.paras[:len(d.paras)-1]
		d.paragraph(p)
	}
	for len(d.tables) > 0 {
		t := d.tables[len(d.tables)-1]
		d.tables = d.tables[:len(d.tables)-1]
		if t.cell != nil && len(t.rows) > 0 {
			last := len(t.rows) - 1
			t.rows[last] = append(t.rows[last], t.cell.String())
		}
		d.endTable(t)
	}
	d.endList()
	d.addNotes()
}
