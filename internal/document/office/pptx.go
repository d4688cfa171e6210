package office

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/ooxml"
	"ibid/internal/document/zipfile"
)

// maxSlides bounds a presentation; a list of slides may name one slide a
// million times.
const maxSlides = 5000

// readPPTX reads a presentation. A slide is a page; its title is a heading.
// Notes, charts and diagrams follow the slide they belong to.
func readPPTX(b *format.Builder, z *zipFile) (format.Done, error) {
	main := ooxml.MainPart(z)
	slides, err := z.slides(main)
	d := format.Done{Title: z.coreTitle()}
	if len(slides) > maxSlides {
		d.Notice = format.PageRange(1, maxSlides) + " of " + strconv.Itoa(len(slides)) + " read"
		slides = slides[:maxSlides]
	}
	for _, part := range slides {
		if err != nil || b.Err != nil {
			break
		}
		b.NewPage()
		b.Leave(1)
		err = z.slide(b, part)
	}
	notice, err := format.PartError(b, err)
	d.Notice = format.JoinNotices(d.Notice, notice)
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
		for _, f := range z.Files {
			if name := zipfile.PartName(f.Name); strings.HasPrefix(name, "ppt/slides/slide") {
				parts = append(parts, name)
			}
		}
		slices.Sort(parts)
	}
	return parts, err
}

// slide reads a slide and what belongs to it.
func (z *zipFile) slide(b *format.Builder, part string) error {
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
		case "comments":
			err = z.slideComments(b, r.Target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (z *zipFile) shapes(b *format.Builder, part string, notes bool) error {
	if !z.Has(part) {
		return nil
	}
	return z.readShapes(part, &slideReader{builder: b, notes: notes})
}

func (z *zipFile) readShapes(part string, s *slideReader) error {
	err := z.Each(part, s.token)
	s.endShape()
	return err
}

// slideComments adds what reviewers wrote. Files of PowerPoint 2021 and later
// have paragraphs of drawings there, older ones text.
func (z *zipFile) slideComments(b *format.Builder, part string) error {
	if !z.Has(part) {
		return nil
	}
	var words strings.Builder
	inText := false
	return z.Each(part, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			inText = e.Name.Local == "text" || e.Name.Local == "t"
		case xml.EndElement:
			inText = false
			if name := e.Name.Local; words.Len() > 0 && (name == "text" || name == "txBody") {
				b.Add(ibid.BlockParagraph, "Comment: "+words.String())
				words.Reset()
			}
		case xml.CharData:
			if inText && words.Len() < format.MaxBlock {
				words.Write(e)
			}
		}
		return b.Err
	})
}

// slideReader is the state between the elements of a slide.
type slideReader struct {
	builder     *format.Builder
	notes       bool   // only the body of notes is read
	words       bool   // the numbers of charts are left out
	placeholder string // what the open shape is for
	inText      bool
	para        strings.Builder
	depth       int    // of a list item
	auto        string // how the open paragraph is numbered, "" for not
	from        int    // the number to begin with
	numbers     counter
	counted     numbering
	lines       []string
	skip        skip
	rows        [][]string
	cell        *strings.Builder
	picture     string // what the open picture shows, as far as the file says
}

func (s *slideReader) token(token xml.Token) error {
	switch e := token.(type) {
	case xml.StartElement:
		// A fallback is a second writing of what newer programs read from the first.
		if !s.skip.begins() {
			return nil
		}
		if e.Name.Local == "Fallback" {
			s.skip = 1
			return nil
		}
		s.start(e)
	case xml.EndElement:
		if s.skip.ends() {
			s.end(e.Name.Local)
		}
	case xml.CharData:
		if s.inText && s.skip == 0 {
			s.para.Write(e)
		}
	}
	return s.builder.Err
}

func (s *slideReader) start(e xml.StartElement) {
	switch e.Name.Local {
	case "sp", "graphicFrame", "pic":
		s.endShape()
		s.placeholder, s.picture = "", ""
		s.numbers = counter{}
	case "cNvPr":
		s.picture = zipfile.Attr(e, "descr")
	case "ph":
		s.placeholder = zipfile.Attr(e, "type")
		if s.placeholder == "" {
			s.placeholder = "body"
		}
	case "pPr":
		s.depth, _ = strconv.Atoi(zipfile.Attr(e, "lvl"))
	case "buAutoNum":
		s.auto = zipfile.Attr(e, "type")
		s.from, _ = strconv.Atoi(zipfile.Attr(e, "startAt"))
	case "p", "pt":
		s.para.Reset()
		s.depth, s.auto, s.from = 0, "", 0
	case "t", "v":
		s.inText = e.Name.Local == "t" || !s.words
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
		s.builder.Table(s.rows)
		s.rows = nil
	case "sp":
		s.endShape()
	case "graphicFrame", "pic":
		s.endShape()
		if !s.notes && (name == "pic" || format.Describes(s.picture) != "") {
			s.builder.Image(s.picture)
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
		if number := s.number(); number != "" {
			text = number + " " + text
		}
		s.lines = append(s.lines, strings.Repeat("  ", min(max(s.depth, 0), deepest))+text)
	}
}

// number counts the open paragraph, if it is to be. The formats are those of
// ECMA-376, part 1, 20.1.10.61: "arabicPeriod", "alphaLcParenR"…
func (s *slideReader) number() string {
	level := min(max(s.depth, 0), maxLevels-1)
	if s.auto == "" {
		for i := level; i < maxLevels; i++ {
			s.numbers.begun[i] = false
		}
		return ""
	}
	l := numberLevel{format: "decimal", text: "%" + strconv.Itoa(level+1), start: max(s.from, 1)}
	for prefix, format := range map[string]string{"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"} {
		if strings.HasPrefix(s.auto, prefix) {
			l.format = format
		}
	}
	switch {
	case strings.HasSuffix(s.auto, "Period"):
		l.text += "."
	case strings.HasSuffix(s.auto, "ParenR"):
		l.text += ")"
	case strings.HasSuffix(s.auto, "ParenBoth"):
		l.text = "(" + l.text + ")"
	}
	s.counted.levels[level] = l
	return s.numbers.next(&s.counted, level)
}

// endShape adds the paragraphs of a shape: a title as a heading, several lines
// as a list.
func (s *slideReader) endShape() {
	lines := s.lines
	s.lines = nil
	switch {
	case len(lines) == 0:
	case s.placeholder == "title" || s.placeholder == "ctrTitle":
		s.builder.Heading(1, strings.Join(lines, " "))
	case len(lines) == 1 || s.notes:
		s.builder.Add(ibid.BlockParagraph, strings.Join(lines, "\n"))
	default:
		s.builder.Add(ibid.BlockList, strings.Join(lines, "\n"))
	}
}
