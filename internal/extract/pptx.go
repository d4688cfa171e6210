package extract

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"ibid"
	"ibid/internal/ooxml"
)

// maxSlides bounds a presentation; a list of slides may name one slide a
// million times.
const maxSlides = 5000

// readPPTX reads a presentation. A slide is a page; its title is a heading.
// Notes, charts and diagrams follow the slide they belong to.
func readPPTX(b *builder, z *zipFile) (done, error) {
	main := ooxml.MainPart(z)
	slides, err := z.slides(main)
	d := done{Title: z.coreTitle()}
	if len(slides) > maxSlides {
		d.Notice = pageRange(1, maxSlides) + " of " + strconv.Itoa(len(slides)) + " read"
		slides = slides[:maxSlides]
	}
	for _, part := range slides {
		if err != nil || b.err != nil {
			break
		}
		b.newPage()
		b.leave(1)
		err = z.slide(b, part)
	}
	notice, err := partError(b, err)
	d.Notice = joinNotices(d.Notice, notice)
	return d, err
}

// slides returns the parts of the slides in their order.
func (z *zipFile) slides(main string) ([]string, error) {
	arrows := ooxml.RelationshipsOf(z, main)
	var parts []string
	err := z.Each(main, func(token xml.Token) error {
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "sldId" {
			if part := arrows.Target(e); part != "" {
				parts = append(parts, part)
			}
		}
		return nil
	})
	if len(parts) == 0 && err == nil {
		for _, f := range z.files {
			if name := partName(f.Name); strings.HasPrefix(name, "ppt/slides/slide") {
				parts = append(parts, name)
			}
		}
		slices.Sort(parts)
	}
	return parts, err
}

// slide reads a slide and what belongs to it.
func (z *zipFile) slide(b *builder, part string) error {
	if err := z.shapes(b, part, false); err != nil {
		return err
	}
	for _, r := range ooxml.RelationshipsOf(z, part) {
		var err error
		switch r.Kind {
		case "notesSlide":
			err = z.shapes(b, r.Target, true)
		case "chart", "diagramData":
			err = z.shapes(b, r.Target, false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (z *zipFile) shapes(b *builder, part string, notes bool) error {
	if !z.Has(part) {
		return nil
	}
	s := &slideReader{builder: b, notes: notes}
	err := z.Each(part, s.token)
	s.endShape()
	return err
}

// slideReader is the state between the elements of a slide.
type slideReader struct {
	builder     *builder
	notes       bool   // only the body of notes is read
	placeholder string // what the open shape is for
	inText      bool
	para        strings.Builder
	depth       int // of a list item
	lines       []string
	rows        [][]string
	cell        *strings.Builder
	picture     string // what the open picture shows, as far as the file says
}

func (s *slideReader) token(token xml.Token) error {
	switch e := token.(type) {
	case xml.StartElement:
		s.start(e)
	case xml.EndElement:
		s.end(e.Name.Local)
	case xml.CharData:
		if s.inText {
			s.para.Write(e)
		}
	}
	return s.builder.err
}

func (s *slideReader) start(e xml.StartElement) {
	switch e.Name.Local {
	case "sp", "graphicFrame", "pic":
		s.endShape()
		s.placeholder, s.picture = "", ""
	case "cNvPr":
		s.picture = attr(e, "descr")
	case "ph":
		s.placeholder = attr(e, "type")
		if s.placeholder == "" {
			s.placeholder = "body"
		}
	case "pPr":
		s.depth, _ = strconv.Atoi(attr(e, "lvl"))
	case "p", "pt":
		s.para.Reset()
		s.depth = 0
	case "t", "v":
		s.inText = true
	case "br":
		s.para.WriteByte('\n')
	case "tr":
		s.rows = append(s.rows, nil)
	case "tc":
		s.cell = &strings.Builder{}
	}
}

func (s *slideReader) end(name string) {
	switch name {
	case "t", "v":
		s.inText = false
	case "p", "pt":
		s.paragraph(strings.TrimSpace(s.para.String()))
		s.para.Reset()
	case "tc":
		if s.cell != nil && len(s.rows) > 0 {
			last := len(s.rows) - 1
			s.rows[last] = append(s.rows[last], s.cell.String())
		}
		s.cell = nil
	case "tbl":
		s.endShape()
		s.builder.table(s.rows)
		s.rows = nil
	case "sp":
		s.endShape()
	case "graphicFrame", "pic":
		s.endShape()
		if !s.notes && (name == "pic" || describes(s.picture) != "") {
			s.builder.image(s.picture)
		}
	}
}

func (s *slideReader) paragraph(text string) {
	switch {
	case text == "":
	case s.notes && s.placeholder != "body":
	case s.placeholder == "sldNum" || s.placeholder == "dt" || s.placeholder == "ftr":
	case s.cell != nil:
		appendWord(s.cell, text)
	default:
		const deepest = 8
		s.lines = append(s.lines, strings.Repeat("  ", min(max(s.depth, 0), deepest))+text)
	}
}

// endShape adds the paragraphs of a shape: a title as a heading, several lines
// as a list.
func (s *slideReader) endShape() {
	lines := s.lines
	s.lines = nil
	switch {
	case len(lines) == 0:
	case s.placeholder == "title" || s.placeholder == "ctrTitle":
		s.builder.heading(1, strings.Join(lines, " "))
	case len(lines) == 1 || s.notes:
		s.builder.add(ibid.BlockParagraph, strings.Join(lines, "\n"))
	default:
		s.builder.add(ibid.BlockList, strings.Join(lines, "\n"))
	}
}
