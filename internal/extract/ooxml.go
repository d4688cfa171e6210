package extract

import (
	"encoding/xml"
	"path"
	"strings"
)

// Parts of Office files (ECMA-376) refer to each other by relationships that
// stand in a part of their own.

// relationship is one arrow from a part to another.
type relationship struct{ id, kind, target string }

// relationships returns the arrows from a part, "" being the file, in their
// order. Those that point out of the file are left out: nothing is fetched.
func (z *zipFile) relationships(part string) []relationship {
	dir, base := path.Split(part)
	var out []relationship
	// A file without relationships is read as far as it goes.
	_ = z.each(dir+"_rels/"+base+".rels", func(token xml.Token) error {
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "Relationship" || attr(e, "TargetMode") == "External" {
			return nil
		}
		target := attr(e, "Target")
		if strings.HasPrefix(target, "/") {
			target = target[1:]
		} else {
			target = path.Join(dir, target)
		}
		kind := attr(e, "Type")
		out = append(out, relationship{id: attr(e, "Id"), kind: kind[strings.LastIndexByte(kind, '/')+1:], target: target})
		return nil
	})
	return out
}

// mainPart returns the part that a file is about.
func (z *zipFile) mainPart() string {
	for _, r := range z.relationships("") {
		if r.kind == "officeDocument" {
			return r.target
		}
	}
	for _, name := range []string{"word/document.xml", "ppt/presentation.xml", "xl/workbook.xml"} {
		if z.has(name) {
			return name
		}
	}
	return ""
}

// targets returns the parts that a part points to with one kind of arrow.
func targets(arrows []relationship, kind string) []string {
	var out []string
	for _, r := range arrows {
		if r.kind == kind {
			out = append(out, r.target)
		}
	}
	return out
}

// targetByID returns where the arrow of a name points, "" for nowhere.
func targetByID(arrows []relationship, id string) string {
	for _, r := range arrows {
		if r.id == id {
			return r.target
		}
	}
	return ""
}

// relationshipID returns the name of the arrow that an element refers to: its
// attribute "id" in the namespace of relationships.
func relationshipID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// coreTitle returns the title in a file's properties.
func (z *zipFile) coreTitle() string {
	title, in := "", false
	for _, part := range targets(z.relationships(""), "core-properties") {
		_ = z.each(part, func(token xml.Token) error {
			switch token := token.(type) {
			case xml.StartElement:
				in = token.Name.Local == "title"
			case xml.EndElement:
				in = false
			case xml.CharData:
				if in && len(title) < maxHeading {
					title += string(token)
				}
			}
			return nil
		})
	}
	return pdfTitle(title)
}
