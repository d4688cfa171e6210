package office

import (
	"encoding/xml"

	"ibid/internal/document/format"
	"ibid/internal/document/ooxml"
	"ibid/internal/document/zipfile"
)

// zipFile is a zip file with what is asked of Office files.
type zipFile struct{ *zipfile.File }

// coreTitle returns the title in an Office file's properties.
func (z *zipFile) coreTitle() string {
	title, in := "", false
	for _, part := range ooxml.RelationshipsOf(z, "").Targets("core-properties") {
		_ = z.Each(part, func(token xml.Token) error {
			switch token := token.(type) {
			case xml.StartElement:
				in = token.Name.Local == "title"
			case xml.EndElement:
				in = false
			case xml.CharData:
				if in && len(title) < format.MaxHeading {
					title += string(token)
				}
			}
			return nil
		})
	}
	return format.Title(title)
}
