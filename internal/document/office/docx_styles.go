package office

import (
	"encoding/xml"
	"regexp"
	"strconv"
	"strings"

	"ibid/internal/document/zipfile"
)

// wordStyle is what a style says about headings.
type wordStyle struct {
	name, based string
	outline     int    // level from 0, -1 for none
	numbers     string // the list in which its paragraphs are counted
	level       int    // in that list
}

func (z *zipFile) wordStyles(parts []string) map[string]wordStyle {
	styles := make(map[string]wordStyle)
	id := ""
	for _, part := range parts {
		// A file without styles has no headings.
		_ = z.Each(part, func(token xml.Token) error {
			e, ok := token.(xml.StartElement)
			if !ok {
				return nil
			}
			s, value := styles[id], zipfile.Attr(e, "val")
			switch e.Name.Local {
			case "style":
				id = zipfile.Attr(e, "styleId")
				styles[id] = wordStyle{outline: -1}
				return nil
			case "name":
				s.name = value
			case "basedOn":
				s.based = value
			case "outlineLvl":
				if n, err := strconv.Atoi(value); err == nil {
					s.outline = n
				}
			case "numId":
				s.numbers = value
			case "ilvl":
				s.level, _ = strconv.Atoi(value)
			default:
				return nil
			}
			if id != "" {
				styles[id] = s
			}
			return nil
		})
	}
	return styles
}

// headingName matches the names of heading styles, which are translated.
var headingName = regexp.MustCompile(`(?i)^(?:heading|überschrift|titre|título|titulo|titolo|rubrik|kop|nagłówek|заголовок|otsikko|overskrift)\s*(\d)$`)

// deepestStyle is how many styles are based on each other at most.
const deepestStyle = 20

// headingLevel returns the level of the headings of a style, 0 for none.
func (d *docx) headingLevel(id string) int {
	for range deepestStyle {
		s, ok := d.styles[id]
		if !ok {
			return headingNumber(id)
		}
		if n := headingNumber(s.name); n > 0 {
			return n
		}
		if strings.EqualFold(s.name, "title") {
			return 1
		}
		if s.outline >= 0 && s.outline < 9 {
			return s.outline + 1
		}
		id = s.based
	}
	return 0
}

func headingNumber(name string) int {
	m := headingName.FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// number counts a paragraph in the list that it or its style names.
func (d *docx) number(p *wordParagraph) (number string, counted bool) {
	if d.numbers == nil || p.counted {
		return "", false
	}
	p.counted = true
	id := p.numbers
	if id == "" {
		var level int
		if id, level = d.styleNumbers(p.style); level > p.depth {
			p.depth = level
		}
	}
	if id == "" || id == "0" {
		return "", false
	}
	return d.numbers.next(id, p.depth)
}

// styleNumbers returns the list in which paragraphs of a style are counted.
func (d *docx) styleNumbers(id string) (list string, level int) {
	for range deepestStyle {
		s, ok := d.styles[id]
		if !ok || s.numbers != "" {
			return s.numbers, max(level, s.level)
		}
		level = max(level, s.level)
		id = s.based
	}
	return "", 0
}
