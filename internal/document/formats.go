package document

import (
	"ibid/internal/document/archive"
	"ibid/internal/document/format"
	"ibid/internal/document/image"
	"ibid/internal/document/mail"
	"ibid/internal/document/office"
	"ibid/internal/document/pdf"
	"ibid/internal/document/text"
)

// Formats are the kinds of files that are read, in the order in which they are tried.
// A format is one value, made beside the code that reads it; a new one is a file
// there and a line here.
func Formats() format.List {
	scans := &image.Finder{}
	return format.List{
		office.Old(),
		pdf.Format(scans),
		office.OpenText(),
		office.OpenTable(),
		office.OpenSlides(),
		office.Book(),
		office.Word(),
		office.Slides(),
		office.Workbook(),
		archive.Format(), // zip files that are none of those above
		office.RTF(),
		image.Format(scans),
		text.Page(),
		mail.Format(),
		text.Markdown(),
		text.Table(),
		text.Code(),
		text.Plain(), // whatever else is text
	}
}
