// Package office reads the files of office programs, and e-books.
package office

import (
	"bytes"
	"strings"

	"ibid/internal/document/format"
	"ibid/internal/document/ooxml"
	"ibid/internal/document/zipfile"
)

// Word is the format of Word files.
func Word() format.Format {
	return format.Format{
		Name: "docx", Label: "Word", Kind: format.KindText, Extensions: []string{".docx", ".docm", ".dotx"},
		MIME:   []string{"application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		Zipped: withMainPart("word/"), Read: reading(readDOCX),
	}
}

// Slides is the format of PowerPoint files.
func Slides() format.Format {
	return format.Format{
		Name: "pptx", Label: "PowerPoint", Kind: format.KindSlides, Extensions: []string{".pptx", ".pptm", ".ppsx"},
		MIME:   []string{"application/vnd.openxmlformats-officedocument.presentationml.presentation"},
		Zipped: withMainPart("ppt/"), Read: reading(readPPTX),
	}
}

// Workbook is the format of Excel files.
func Workbook() format.Format {
	return format.Format{
		Name: "xlsx", Label: "Excel", Kind: format.KindTable, Extensions: ooxml.WorkbookExtensions,
		MIME:   []string{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		Zipped: withMainPart("xl/"), Read: reading(readXLSX), NoTitle: nameOfSheet,
	}
}

// nameOfSheet says that the headings of a workbook are the names of its sheets.
func nameOfSheet(string) bool { return true }

// withMainPart recognises Office files by where the part stands that they are about.
func withMainPart(dir string) func(z *zipfile.File) bool {
	return func(z *zipfile.File) bool { return isOffice(z) && strings.HasPrefix(ooxml.MainPart(z), dir) }
}

func isOffice(z *zipfile.File) bool { return z.Has("[Content_Types].xml") || z.Has("_rels/.rels") }

// reading reads a file by its parts.
func reading(read func(b *format.Builder, z *zipFile) (format.Done, error)) func(b *format.Builder, f format.File) (format.Done, error) {
	return func(b *format.Builder, f format.File) (format.Done, error) { return read(b, &zipFile{f.Zip}) }
}

const openDocument = "application/vnd.oasis.opendocument."

// OpenText is the format of texts of OpenDocument.
func OpenText() format.Format {
	return openFormat(format.Format{Name: "odt", Label: "OpenDocument text", Kind: format.KindText, Extensions: []string{".odt", ".ott"},
		MIME: []string{openDocument + "text", openDocument + "text-template"}}, odfText)
}

// OpenTable is the format of spreadsheets of OpenDocument.
func OpenTable() format.Format {
	return openFormat(format.Format{Name: "ods", Label: "OpenDocument spreadsheet", Kind: format.KindTable, Extensions: []string{".ods"},
		MIME: []string{openDocument + "spreadsheet"}, NoTitle: nameOfSheet}, odfSheets)
}

// OpenSlides is the format of presentations of OpenDocument.
func OpenSlides() format.Format {
	return openFormat(format.Format{Name: "odp", Label: "OpenDocument slides", Kind: format.KindSlides, Extensions: []string{".odp"},
		MIME: []string{openDocument + "presentation"}}, odfSlides)
}

func openFormat(f format.Format, kind odfKind) format.Format {
	f.Zipped = func(z *zipfile.File) bool { return hasMIME(z, f.MIME...) }
	f.Read = reading(func(b *format.Builder, z *zipFile) (format.Done, error) { return readODF(b, z, kind) })
	return f
}

// hasMIME reports whether a zip file says in its first part that it is of a media type.
func hasMIME(z *zipfile.File, kinds ...string) bool {
	said, _ := z.Read("mimetype", 200)
	for _, kind := range kinds {
		if strings.TrimSpace(string(said)) == kind {
			return true
		}
	}
	return false
}

// Book is the format of e-books. Some lack the part that says so, and are
// recognised by where the list of their parts stands, as Java archives are not.
func Book() format.Format {
	const epub = "application/epub+zip"
	return format.Format{
		Name: "epub", Label: "EPUB", Kind: format.KindBook, Extensions: []string{".epub"}, MIME: []string{epub},
		Zipped: func(z *zipfile.File) bool {
			return hasMIME(z, epub) || z.Has("META-INF/container.xml") && !z.Has("META-INF/MANIFEST.MF") && !isOfOffice(z)
		},
		Read: reading(readEPUB),
	}
}

func isOfOffice(z *zipfile.File) bool {
	for _, dir := range []string{"word/", "ppt/", "xl/"} {
		if withMainPart(dir)(z) {
			return true
		}
	}
	return false
}

// RTF is the format of RTF.
func RTF() format.Format {
	return format.Format{
		Name: "rtf", Label: "RTF", Kind: format.KindText, Extensions: []string{".rtf"}, MIME: []string{"application/rtf", "text/rtf"},
		Begins: func(start []byte) bool { return bytes.HasPrefix(start, []byte("{\\rtf")) },
		Read:   func(b *format.Builder, f format.File) (format.Done, error) { return readRTF(b, f.Data), nil },
	}
}
