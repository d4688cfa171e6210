// Package ooxml reads what all Office files (ECMA-376, "Office Open XML") have in
// common, and workbooks row by row.
//
// Such a file is a zip file of parts in XML. Parts point to each other by
// relationships, which stand in parts of their own.
package ooxml

import (
	"encoding/xml"
	"path"
	"strings"
)

// Parts are the parts of a file. Who opens the file bounds what reading it may
// cost.
type Parts interface {
	// Has reports whether there is a part of a name.
	Has(part string) bool
	// Each calls visit for every token of a part until it returns an error. A part
	// that is not there is an error.
	Each(part string, visit func(xml.Token) error) error
}

// Relationship is an arrow from one part to another.
type Relationship struct {
	ID     string // which elements of the part refer to it by
	Kind   string // the last word of its type: "worksheet", "styles"
	Target string // a part
}

// Relationships are the arrows from one part, in their order.
type Relationships []Relationship

// RelationshipsOf returns the arrows from a part, "" being the file. Those that
// point out of the file are left out: nothing is fetched. A part without readable
// relationships has none.
func RelationshipsOf(parts Parts, part string) Relationships {
	dir, base := path.Split(part)
	var out Relationships
	_ = parts.Each(dir+"_rels/"+base+".rels", func(token xml.Token) error {
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "Relationship" || attribute(e, "TargetMode") == "External" {
			return nil
		}
		target := attribute(e, "Target")
		if strings.HasPrefix(target, "/") {
			target = target[1:]
		} else {
			target = path.Join(dir, target)
		}
		kind := attribute(e, "Type")
		out = append(out, Relationship{ID: attribute(e, "Id"), Kind: kind[strings.LastIndexByte(kind, '/')+1:], Target: target})
		return nil
	})
	return out
}

// Targets returns the parts that the arrows of one kind point to.
func (r Relationships) Targets(kind string) []string {
	var out []string
	for _, arrow := range r {
		if arrow.Kind == kind {
			out = append(out, arrow.Target)
		}
	}
	return out
}

// Target returns the part that the arrow an element refers to points to, "" for
// none. An element refers to an arrow by its attribute "id" in the namespace of
// relationships.
func (r Relationships) Target(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local != "id" || a.Name.Space == "" {
			continue
		}
		for _, arrow := range r {
			if arrow.ID == a.Value {
				return arrow.Target
			}
		}
	}
	return ""
}

// MainPart returns the part that a file is about, "" for none.
func MainPart(parts Parts) string {
	if main := RelationshipsOf(parts, "").Targets("officeDocument"); len(main) > 0 {
		return main[0]
	}
	for _, name := range []string{"word/document.xml", "ppt/presentation.xml", "xl/workbook.xml", "xl/workbook.bin"} {
		if parts.Has(name) {
			return name
		}
	}
	return ""
}

// attribute returns an attribute by its local name, "" for none.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
