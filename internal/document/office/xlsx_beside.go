package office

import (
	"encoding/xml"
	"strings"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/ooxml"
	"ibid/internal/document/zipfile"
)

// besideSheet adds what lies on a sheet: the comments on its cells, and the words
// of its text boxes and charts.
func (z *zipFile) besideSheet(b *format.Builder, sheet string) error {
	for _, r := range ooxml.RelationshipsOf(z, sheet) {
		var err error
		switch r.Kind {
		case "comments":
			err = z.sheetComments(b, r.Target)
		case "drawing":
			err = z.shapes(b, r.Target, false)
			for _, c := range ooxml.RelationshipsOf(z, r.Target) {
				if c.Kind == "chart" && err == nil && z.Has(c.Target) {
					// The numbers stand on a sheet.
					err = z.readShapes(c.Target, &slideReader{builder: b, words: true})
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (z *zipFile) sheetComments(b *format.Builder, part string) error {
	if !z.Has(part) {
		return nil
	}
	var lines []string
	var words strings.Builder
	ref, inText := "", false
	add := func() {
		b.Add(ibid.BlockList, strings.Join(lines, "\n"))
		lines = nil
	}
	err := z.Each(part, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			inText = e.Name.Local == "t"
			if e.Name.Local == "comment" {
				ref = zipfile.Attr(e, "ref")
				words.Reset()
			}
		case xml.EndElement:
			inText = false
			if s := format.OneLine(words.String()); e.Name.Local == "comment" && s != "" {
				if lines = append(lines, "Comment on "+ref+": "+s); len(lines) == sheetRows {
					add()
				}
			}
		case xml.CharData:
			if inText && words.Len() < format.MaxBlock {
				words.Write(e)
			}
		}
		return b.Err
	})
	add()
	return err
}
