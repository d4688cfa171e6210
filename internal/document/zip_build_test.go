package document

import (
	"archive/zip"
	"bytes"
	"fmt"
)

// zipOf builds a zip file of names and contents, in turn.
func zipOf(namesAndContents ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(namesAndContents); i += 2 {
		w, err := z.Create(namesAndContents[i])
		if err != nil {
			panic(err)
		}
		if _, err := w.Write([]byte(namesAndContents[i+1])); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

const packageKinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

// arrows builds a part of relationships of kinds and targets, in turn.
func arrows(kindsAndTargets ...string) string {
	s := `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	for i := 0; i+1 < len(kindsAndTargets); i += 2 {
		s += fmt.Sprintf(`<Relationship Id="rId%d" Type="%s%s" Target="%s"/>`, i/2+1, packageKinds, kindsAndTargets[i], kindsAndTargets[i+1])
	}
	return s + `</Relationships>`
}

// DOCX builds a Word file from the content of its body.
func DOCX(body string) []byte {
	const w = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	return zipOf(
		"[Content_Types].xml", `<Types/>`,
		"_rels/.rels", arrows("officeDocument", "word/document.xml"),
		"word/_rels/document.xml.rels", arrows("styles", "styles.xml", "footnotes", "footnotes.xml", "image", "http://127.0.0.1:9/x"),
		"word/styles.xml", `<w:styles `+w+`><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>`+
			`<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="Base"/></w:style>`+
			`<w:style w:styleId="Base"><w:name w:val="Base"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`,
		"word/footnotes.xml", `<w:footnotes `+w+`><w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"word/document.xml", `<w:document `+w+`><w:body>`+body+`</w:body></w:document>`,
	)
}

// PPTX builds a presentation from the shapes of its slides.
func PPTX(slides ...string) []byte {
	const ns = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	list, targets, parts := "", []string{}, []string{}
	for i, s := range slides {
		list += fmt.Sprintf(`<p:sldId r:id="rId%d"/>`, i+1)
		targets = append(targets, "slide", fmt.Sprintf("slides/slide%d.xml", i+1))
		parts = append(parts, fmt.Sprintf("ppt/slides/slide%d.xml", i+1), `<p:sld `+ns+`><p:cSld><p:spTree>`+s+`</p:spTree></p:cSld></p:sld>`)
	}
	return zipOf(append([]string{
		"_rels/.rels", arrows("officeDocument", "/ppt/presentation.xml"),
		"ppt/presentation.xml", `<p:presentation ` + ns + `><p:sldIdLst>` + list + `</p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", arrows(targets...),
		"ppt/slides/_rels/slide1.xml.rels", arrows("notesSlide", "../notesSlides/notesSlide1.xml"),
		"ppt/notesSlides/notesSlide1.xml", `<p:notes ` + ns + `><p:sp><p:ph type="sldNum"/><a:p><a:r><a:t>1</a:t></a:r></a:p></p:sp><p:sp><p:ph type="body"/><a:p><a:r><a:t>Say hello.</a:t></a:r></a:p></p:sp></p:notes>`,
	}, parts...)...)
}

// XLSX builds a workbook of one sheet from its rows.
func XLSX(rows string) []byte {
	return zipOf(
		"_rels/.rels", arrows("officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="Data" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", arrows("worksheet", "worksheets/sheet1.xml", "sharedStrings", "sharedStrings.xml", "styles", "styles.xml"),
		"xl/sharedStrings.xml", `<sst><si><t>shared</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>no</t></rPh></si></sst>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="9"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml", `<worksheet><sheetData>`+rows+`</sheetData></worksheet>`,
	)
}

// ODT builds an OpenDocument file of a kind from the content of its body.
func ODT(mime, body string) []byte {
	return zipOf(
		"mimetype", mime,
		"meta.xml", `<m><title>An open document</title></m>`,
		"content.xml", `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d"><office:body>`+body+`</office:body></office:document-content>`,
	)
}

// EPUB builds a book of chapters.
func EPUB(chapters ...string) []byte {
	items, spine, parts := "", "", []string{}
	for i, c := range chapters {
		items += fmt.Sprintf(`<item id="c%d" href="text/ch%%20%d.xhtml"/>`, i, i)
		spine += fmt.Sprintf(`<itemref idref="c%d"/><itemref idref="c%d"/>`, i, i)
		parts = append(parts, fmt.Sprintf("OEBPS/text/ch %d.xhtml", i), c)
	}
	return zipOf(append([]string{
		"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/book.opf", `<package><metadata><dc:title xmlns:dc="dc">A book</dc:title></metadata><manifest>` + items + `<item id="x" href="../../../etc/passwd"/></manifest><spine><itemref idref="x"/>` + spine + `</spine></package>`,
	}, parts...)...)
}

// ZipOf is zipOf for tests outside of the package.
var ZipOf = zipOf
