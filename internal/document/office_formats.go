package document

import (
	"bytes"
	"strings"

	"ibid/internal/document/ooxml"
	"ibid/internal/document/zipfile"
)

// wordFormat is the format of Word files.
func wordFormat() Format {
	return Format{
		Name: "docx", Label: "Word", Kind: KindText, Extensions: []string{".docx", ".docm", ".dotx"},
		MIME:   []string{"application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		Zipped: withMainPart("word/"), Read: reading(readDOCX),
	}
}

// slidesFormat is the format of PowerPoint files.
func slidesFormat() Format {
	return Format{
		Name: "pptx", Label: "PowerPoint", Kind: KindSlides, Extensions: []string{".pptx", ".pptm", ".ppsx"},
		MIME:   []string{"application/vnd.openxmlformats-officedocument.presentationml.presentation"},
		Zipped: withMainPart("ppt/"), Read: reading(readPPTX),
	}
}

// workbookFormat is the format of Excel files.
func workbookFormat() Format {
	return Format{
		Name: "xlsx", Label: "Excel", Kind: KindTable, Extensions: ooxml.WorkbookExtensions,
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
func reading(read func(b *Builder, z *zipFile) (Done, error)) func(b *Builder, f File) (Done, error) {
	return func(b *Builder, f File) (Done, error) { return read(b, &zipFile{f.Zip}) }
}

const openDocument = "application/vnd.oasis.opendocument."

// openTextFormat, openTableFormat and openSlidesFormat are those of OpenDocument.
func openTextFormat() Format {
	return openFormat(Format{Name: "odt", Label: "OpenDocument text", Kind: KindText, Extensions: []string{".odt", ".ott"},
		MIME: []string{openDocument + "text", openDocument + "text-template"}}, odfText)
}

func openTableFormat() Format {
	return openFormat(Format{Name: "ods", Label: "OpenDocument spreadsheet", Kind: KindTable, Extensions: []string{".ods"},
		MIME: []string{openDocument + "spreadsheet"}, NoTitle: nameOfSheet}, odfSheets)
}

func openSlidesFormat() Format {
	return openFormat(Format{Name: "odp", Label: "OpenDocument slides", Kind: KindSlides, Extensions: []string{".odp"},
		MIME: []string{openDocument + "presentation"}}, odfSlides)
}

func openFormat(f Format, kind odfKind) Format {
	f.Zipped = func(z *zipfile.File) bool { return hasMIME(z, f.MIME...) }
	f.Read = reading(func(b *Builder, z *zipFile) (Done, error) { return readODF(b, z, kind) })
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

// bookFormat is the format of e-books. Some lack the part that says so, and are
// recognised by where the list of their parts stands, as Java archives are not.
func bookFormat() Format {
	const epub = "application/epub+zip"
	return Format{
		Name: "epub", Label: "EPUB", Kind: KindBook, Extensions: []string{".epub"}, MIME: []string{epub},
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

// rtfFormat is the format of RTF.
func rtfFormat() Format {
	return Format{
		Name: "rtf", Label: "RTF", Kind: KindText, Extensions: []string{".rtf"}, MIME: []string{"application/rtf", "text/rtf"},
		Begins: func(start []byte) bool { return bytes.HasPrefix(start, []byte("{\\rtf")) },
		Read:   func(b *Builder, f File) (Done, error) { return readRTF(b, f.Data), nil },
	}
}
