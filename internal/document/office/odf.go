package office

import (
	"encoding/xml"
	"strconv"
	"strings"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/zipfile"
)

// odfKind is what an OpenDocument file is.
type odfKind int

const (
	odfText odfKind = iota
	odfSheets
	odfSlides
)

// readODF reads an OpenDocument text, spreadsheet or presentation. Slides and
// sheets are pages; texts have pages where the program that wrote them said
// where they break.
func readODF(b *format.Builder, z *zipFile, kind odfKind) (format.Done, error) {
	o := &odf{builder: b, text: &strings.Builder{}, sheets: kind == odfSheets}
	o.paged = kind == odfText && z.Contains("content.xml", "soft-page-break")
	if o.paged {
		b.NewPage()
	}
	if kind == odfText {
		_ = z.Each("styles.xml", o.numbers.token) // without it lists have bullets
	}
	err := z.Each("content.xml", o.token)
	for len(o.asides) > 0 {
		o.endAside(o.asides[len(o.asides)-1].element)
	}
	o.endParagraph()
	o.endList()
	o.open, o.lists, o.tables = 0, 0, 0
	o.addImages()
	o.addNotes()
	if kind == odfText && err == nil {
		addMargins(b, z.odfMargins())
	}
	notice, err := format.PartError(b, err)
	return format.Done{Title: z.odfTitle(), Notice: notice}, err
}

func (z *zipFile) odfTitle() string {
	title, in := "", false
	_ = z.Each("meta.xml", func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			in = e.Name.Local == "title"
		case xml.EndElement:
			in = false
		case xml.CharData:
			if in && len(title) < format.MaxHeading {
				title += string(e)
			}
		}
		return nil
	})
	return format.Title(title)
}

// odf is the state between the elements of a document.
type odf struct {
	builder   *format.Builder
	paged     bool // page breaks are marked
	sheets    bool // tables are sheets
	skip      skip
	text      *strings.Builder // of the open paragraph
	level     int              // of the open heading
	open      int              // paragraphs that are open, one within another
	lists     int
	list      []string
	tables    int
	rows      [][]string
	row       []string
	cell      strings.Builder
	inCell    bool
	repeat    int // how often the open cell stands
	rowRepeat int
	frames    []odfFrame
	images    []string // descriptions of pictures that the open paragraph, list or table holds
	asides    []odfAside
	notes     []string // that the open paragraph, list or table refers to
	numbers   odfNumbers
}

// odfAside is a note or comment that is being read, in the middle of a
// paragraph, which goes on behind it.
type odfAside struct {
	element string
	before  *strings.Builder // text of the paragraph
	level   int
	inCell  bool
	words   strings.Builder
}

// odfFrame is a frame that is being read; a text box is one with others in it.
type odfFrame struct {
	description strings.Builder
	describing  bool // the description stands here
	picture     bool
	title       bool // of a slide
}

func (o *odf) token(token xml.Token) error {
	switch e := token.(type) {
	case xml.StartElement:
		if o.skip.begins() {
			o.start(e)
		}
	case xml.EndElement:
		if o.skip.ends() {
			o.end(e.Name.Local)
		}
	case xml.CharData:
		switch n := len(o.frames); {
		case o.skip > 0:
		case n > 0 && o.frames[n-1].describing:
			o.frames[n-1].description.Write(e)
		case o.open > 0:
			o.text.Write(e)
		}
	}
	return o.builder.Err
}

func (o *odf) start(e xml.StartElement) {
	switch e.Name.Local {
	case "tracked-changes", "forms", "scripts", "settings", "binary-data", "note-citation", "ruby-text":
		o.skip = 1
	case "creator", "date", "date-string", "creator-initials", "sender-initials":
		if n := len(o.asides); n > 0 && o.asides[n-1].element == "annotation" {
			o.skip = 1
		}
	case "note", "annotation":
		o.startAside(e.Name.Local)
	case "frame":
		o.startFrame(zipfile.Attr(e, "class"))
	case "desc", "title":
		o.describe(true)
	case "image":
		if n := len(o.frames); n > 0 {
			o.frames[n-1].picture = true
		}
	case "p", "h":
		o.endParagraph()
		o.open++
		o.level = 0
		if e.Name.Local == "h" {
			o.level, _ = strconv.Atoi(zipfile.Attr(e, "outline-level"))
			o.level = max(o.level, 1)
			o.numbers.startHeading(o.level, zipfile.Attr(e, "is-list-header") == "true")
		}
		if n := len(o.frames); n > 0 && o.frames[n-1].title || o.level == 0 && o.lists == 0 && o.numbers.titles[zipfile.Attr(e, "style-name")] {
			o.level = 1
		}
	case "s":
		n, _ := strconv.Atoi(zipfile.Attr(e, "c"))
		o.text.WriteString(strings.Repeat(" ", min(max(n, 1), 100)))
	case "tab":
		o.text.WriteByte('\t')
	case "line-break":
		o.text.WriteByte('\n')
	case "soft-page-break":
		o.pageBreak()
	case "page": // of a presentation
		o.newPage("")
	case "list":
		o.endParagraph()
		o.lists++
		o.numbers.startList(e)
	case "list-item":
		o.numbers.startItem(zipfile.Attr(e, "start-value"))
	case "list-header":
		o.numbers.startHeader()
	case "table":
		if o.tables++; o.tables == 1 && o.sheets {
			o.newPage(zipfile.Attr(e, "name"))
		}
	case "table-row":
		o.rowRepeat, _ = strconv.Atoi(zipfile.Attr(e, "number-rows-repeated"))
	case "table-cell", "covered-table-cell":
		o.inCell = true
		o.repeat, _ = strconv.Atoi(zipfile.Attr(e, "number-columns-repeated"))
	default:
		o.numbers.define(e)
	}
}

// startFrame begins a frame. Those of a slide say what they are for.
func (o *odf) startFrame(class string) {
	switch class {
	case "header", "footer", "date-time", "page-number", "page":
		o.skip = 1
		return
	}
	o.frames = append(o.frames, odfFrame{title: class == "title"})
}

// startAside puts the open paragraph by until a note or comment has ended.
func (o *odf) startAside(element string) {
	o.asides = append(o.asides, odfAside{element: element, before: o.text, level: o.level, inCell: o.inCell})
	o.text = &strings.Builder{}
	o.level, o.inCell = 0, false
}

// endAside goes on with the paragraph. A note in a cell becomes part of it,
// another one follows the paragraph.
func (o *odf) endAside(element string) {
	n := len(o.asides)
	if n == 0 || o.asides[n-1].element != element {
		return
	}
	o.endParagraph()
	a := &o.asides[n-1]
	o.asides = o.asides[:n-1]
	o.level, o.inCell = a.level, a.inCell
	o.text = a.before
	words := a.words.String()
	if words == "" {
		return
	}
	if element == "annotation" {
		words = "Comment: " + words
	}
	if o.inCell {
		o.text.WriteString(" (" + words + ")")
		if o.open == 0 {
			o.endParagraph()
		}
		return
	}
	o.notes = append(o.notes, words)
	o.addNotes()
}

// addNotes adds the notes of what came before, outside of tables and lists.
func (o *odf) addNotes() {
	if o.open > 0 || o.tables > 0 || o.lists > 0 || len(o.notes) == 0 {
		return
	}
	for _, s := range o.notes {
		o.builder.Add(ibid.BlockParagraph, s)
	}
	o.notes = nil
}

// describe begins or ends the description of the open frame.
func (o *odf) describe(begins bool) {
	n := len(o.frames)
	if n == 0 {
		return
	}
	f := &o.frames[n-1]
	f.describing = begins
	if begins && f.description.Len() > 0 {
		f.description.WriteString(": ")
	}
}

func (o *odf) endFrame() {
	n := len(o.frames)
	if n == 0 {
		return
	}
	f := &o.frames[n-1]
	if s := f.description.String(); f.picture || format.Describes(s) != "" {
		o.images = append(o.images, s)
	}
	o.frames = o.frames[:n-1]
	if o.open == 0 {
		o.addImages()
	}
}

// addImages adds the pictures of what came before, outside of tables and lists.
func (o *odf) addImages() {
	if o.tables > 0 || o.lists > 0 || len(o.images) == 0 {
		return
	}
	o.builder.AddImages(o.images)
	o.images = nil
}

func (o *odf) newPage(title string) {
	o.endList()
	o.builder.NewPage()
	o.builder.Leave(1)
	if title != "" {
		o.builder.Heading(1, title)
	}
}

func (o *odf) pageBreak() {
	if !o.paged || o.tables > 0 || len(o.asides) > 0 {
		return
	}
	open := o.open
	o.endParagraph()
	o.open = open
	o.endList()
	o.builder.NewPage()
}

func (o *odf) end(name string) {
	switch name {
	case "p", "h":
		o.endParagraph()
		if o.open = max(o.open-1, 0); o.open == 0 {
			o.addImages()
			o.addNotes()
		}
	case "desc", "title":
		o.describe(false)
	case "frame":
		o.endFrame()
	case "list":
		o.endParagraph()
		o.numbers.endList()
		if o.lists = max(o.lists-1, 0); o.lists == 0 {
			o.endList()
			o.addImages()
			o.addNotes()
		}
	case "note", "annotation":
		o.endAside(name)
	case "table-cell", "covered-table-cell":
		o.endCell()
	case "table-row":
		o.endRow()
	case "table":
		if o.tables = max(o.tables-1, 0); o.tables == 0 {
			o.builder.Table(o.rows)
			o.rows = nil
			o.addImages()
			o.addNotes()
		}
	}
}

func (o *odf) endParagraph() {
	s := strings.TrimSpace(o.text.String())
	o.text.Reset()
	switch {
	case s == "":
	case len(o.asides) > 0:
		appendWord(&o.asides[len(o.asides)-1].words, s)
	case o.inCell:
		if number, first := o.numbers.take(); first && o.lists > 0 {
			s = strings.TrimSpace(number + " " + s)
		}
		appendWord(&o.cell, s)
	case o.level > 0:
		o.endList()
		o.builder.Heading(o.level, strings.TrimSpace(o.numbers.heading()+" "+s))
	case o.lists > 0:
		o.listLine(s)
	default:
		o.endList()
		o.builder.Add(ibid.BlockParagraph, s)
	}
}

// listLine adds a paragraph of an item, of which only the first has a number.
func (o *odf) listLine(s string) {
	number, first := o.numbers.take()
	line := listItem(o.lists-1, number, s)
	if !first {
		line = strings.Repeat("  ", min(o.lists, maxLevels)) + format.OneLine(s)
	}
	o.list = append(o.list, line)
}

func (o *odf) endList() {
	o.builder.Add(ibid.BlockList, strings.Join(o.list, "\n"))
	o.list = nil
}

// endCell ends a cell. Empty ones are repeated to the edge of the sheet, and
// only kept as far as something may follow.
func (o *odf) endCell() {
	o.endParagraph()
	s := o.cell.String()
	o.cell.Reset()
	o.inCell = false
	for range min(max(o.repeat, 1), maxColumn) {
		if len(o.row) < maxColumn {
			o.row = append(o.row, s)
		}
	}
}

func (o *odf) endRow() {
	if format.TableRow(o.row) != "" {
		const most = 1000 // a hostile sheet has a million
		o.endList()
		for range min(max(o.rowRepeat, 1), most) {
			o.rows = append(o.rows, o.row)
		}
	}
	o.row, o.rowRepeat = nil, 0
	if len(o.rows) >= sheetRows {
		o.builder.Table(o.rows)
		o.rows = nil
	}
}
