package document_test

import (
	"strings"
	"testing"

	"ibid/internal/document"
)

const (
	wordNS    = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	kinds     = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
)

func relation(id, kind, target string) string {
	return `<Relationship Id="` + id + `" Type="` + kinds + kind + `" Target="` + target + `"/>`
}

// The numbers of clauses are in no paragraph: the reader counts.
func TestDOCXNumbers(t *testing.T) {
	level := func(n, format, text string) string {
		return `<w:lvl w:ilvl="` + n + `"><w:start w:val="1"/><w:numFmt w:val="` + format + `"/><w:lvlText w:val="` + text + `"/></w:lvl>`
	}
	item := func(id, depth, text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + depth + `"/><w:numId w:val="` + id + `"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	clause := func(style, text string) string {
		return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	data := document.ZipOf(
		"_rels/.rels", relations+relation("r1", "officeDocument", "word/document.xml")+`</Relationships>`,
		"word/_rels/document.xml.rels", relations+relation("r1", "styles", "styles.xml")+relation("r2", "numbering", "numbering.xml")+
			relation("r3", "header", "header1.xml")+relation("r4", "footer", "footer1.xml")+relation("r5", "header", "header2.xml")+`</Relationships>`,
		"word/styles.xml", `<w:styles `+wordNS+`><w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style></w:styles>`,
		"word/numbering.xml", `<w:numbering `+wordNS+`><w:abstractNum w:abstractNumId="0">`+level("0", "decimal", "%1.")+level("1", "lowerLetter", "(%2)")+`</w:abstractNum>
<w:abstractNum w:abstractNumId="1">`+level("0", "bullet", "·")+`</w:abstractNum>
<w:abstractNum w:abstractNumId="2">`+level("0", "upperRoman", "Part %1")+level("1", "decimal", "%1.%2")+`</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num></w:numbering>`,
		"word/header1.xml", `<w:hdr `+wordNS+`><w:p><w:r><w:t>Contract No. 4711</w:t></w:r></w:p></w:hdr>`,
		"word/header2.xml", `<w:hdr `+wordNS+`><w:p><w:r><w:t>Contract No. 4711</w:t></w:r></w:p></w:hdr>`,
		"word/footer1.xml", `<w:ftr `+wordNS+`><w:p><w:r><w:t>Page </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:ftr>`,
		"word/document.xml", `<w:document `+wordNS+`><w:body>`+clause("H1", "Terms")+item("1", "0", "first")+item("1", "1", "inner")+item("1", "1", "inner again")+item("1", "0", "second")+
			item("2", "0", "bullet")+clause("H2", "Notice")+clause("H2", "Price")+item("1", "0", "third goes on")+item("4", "0", "seventh")+clause("H1", "End")+clause("H2", "Law")+
			`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:t> yes</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`,
	)
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: data, Name: "a.docx"})
	checkDump(t, x, `
format: docx
title: Part I Terms
[heading 1] Part I Terms
[list] (Part I Terms)
  1. first
    (a) inner
    (b) inner again
  2. second
  • bullet
[heading 2] (Part I Terms) I.1 Notice
[heading 2] (Part I Terms) I.2 Price
[list] (Part I Terms > I.2 Price)
  3. third goes on
  7. seventh
[heading 1] Part II End
[heading 2] (Part II End) II.1 Law
[table] (Part II End > II.1 Law) wide |  | ☑ yes
[paragraph] Contract No. 4711
`)
}

func TestPPTXBeside(t *testing.T) {
	slide := `<p:sp><p:nvPr><p:ph type="title"/></p:nvPr><p:txBody><a:p><a:r><a:t>Steps</a:t></a:r></a:p></p:txBody></p:sp>` +
		`<p:sp><p:txBody><a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>open</a:t></a:r></a:p><a:p><a:pPr lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr><a:r><a:t>slowly</a:t></a:r></a:p>` +
		`<a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>close</a:t></a:r></a:p></p:txBody></p:sp>` +
		`<mc:AlternateContent><mc:Choice><p:sp><p:txBody><a:p><a:r><a:t>once</a:t></a:r></a:p></p:txBody></p:sp></mc:Choice><mc:Fallback><p:sp><p:txBody><a:p><a:r><a:t>twice</a:t></a:r></a:p></p:txBody></p:sp></mc:Fallback></mc:AlternateContent>`
	const ns = `xmlns:p="p" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="r" xmlns:mc="m"`
	data := document.ZipOf(
		"_rels/.rels", relations+relation("r1", "officeDocument", "ppt/presentation.xml")+`</Relationships>`,
		"ppt/presentation.xml", `<p:presentation `+ns+`><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", relations+relation("r1", "slide", "slides/slide1.xml")+`</Relationships>`,
		"ppt/slides/_rels/slide1.xml.rels", relations+relation("r1", "comments", "../comments/comment1.xml")+relation("r2", "comments", "../comments/modern.xml")+`</Relationships>`,
		"ppt/slides/slide1.xml", `<p:sld `+ns+`>`+slide+`</p:sld>`,
		"ppt/comments/comment1.xml", `<p:cmLst `+ns+`><p:cm><p:text>Is this so?</p:text></p:cm></p:cmLst>`,
		"ppt/comments/modern.xml", `<p188:cmLst xmlns:p188="q" `+ns+`><p188:cm><p188:txBody><a:p><a:r><a:t>It is.</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>`,
	)
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: data, Name: "a.pptx"})
	checkDump(t, x, `
format: pptx
title: Steps
[page 1 heading 1] Steps
[page 1 list] (Steps)
  1. open
    a) slowly
  2. close
[page 1 paragraph] (Steps) once
[page 1 paragraph] (Steps) Comment: Is this so?
[page 1 paragraph] (Steps) Comment: It is.
`)
}

func TestXLSXBeside(t *testing.T) {
	data := document.ZipOf(
		"_rels/.rels", relations+relation("r1", "officeDocument", "xl/workbook.xml")+`</Relationships>`,
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="Sums" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relations+relation("r1", "worksheet", "worksheets/sheet1.xml")+relation("r2", "styles", "styles.xml")+`</Relationships>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm:ss"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
		"xl/worksheets/_rels/sheet1.xml.rels", relations+relation("r1", "comments", "../comments1.xml")+relation("r2", "drawing", "../drawings/drawing1.xml")+`</Relationships>`,
		"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>SUM(A1:A1)</f><v></v></c><c r="C1" s="1"><v>1.5</v></c><c r="D1" t="e"><f>1/0</f><v>#DIV/0!</v></c></row></sheetData></worksheet>`,
		"xl/comments1.xml", `<comments><commentList><comment ref="A1"><text><r><t>Checked </t></r><r><t>twice.</t></r></text></comment></commentList></comments>`,
		"xl/drawings/drawing1.xml", `<xdr:wsDr xmlns:xdr="x" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:sp><xdr:txBody><a:p><a:r><a:t>A box on the sheet</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>`,
	)
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: data, Name: "a.xlsx"})
	checkDump(t, x, `
format: xlsx
[page 1 heading 1] Sums
[page 1 table] (Sums) 2 | =SUM(A1:A1) | 36:00:00 | #DIV/0!
[page 1 list] (Sums) Comment on A1: Checked twice.
[page 1 paragraph] (Sums) A box on the sheet
`)
}

func TestODTBeside(t *testing.T) {
	style := `<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-suffix="." style:num-format="1"/><text:list-level-style-number text:level="2" style:num-suffix=")" style:num-format="a"/></text:list-style>
<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>`
	margins := `<style:master-page><style:header><text:p>Contract No. 4711</text:p></style:header><style:footer><text:p>Page <text:page-number>3</text:page-number></text:p></style:footer></style:master-page>`
	body := `<office:text><text:p text:style-name="Title">Lease</text:p><text:h text:outline-level="1">Terms</text:h><text:h text:outline-level="2">Price</text:h>
<text:p>Words<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note> go on<office:annotation><dc:creator>Ann</dc:creator><dc:date>2020-01-01</dc:date><text:p>Why?</text:p></office:annotation> here.</text:p>
<text:list xml:id="a" text:style-name="L1"><text:list-item><text:p>one</text:p><text:p>still one</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item></text:list>
<text:p>Between.</text:p><text:list text:continue-list="a" text:style-name="L1"><text:list-item><text:p>two</text:p></text:list-item></text:list></office:text>`
	data := document.ZipOf(
		"mimetype", "application/vnd.oasis.opendocument.text",
		"styles.xml", `<office:document-styles xmlns:office="o" xmlns:text="t" xmlns:style="s"><style:style style:name="Title"/>`+style+margins+`</office:document-styles>`,
		"content.xml", `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:dc="c"><office:body>`+body+`</office:body></office:document-content>`,
	)
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: data, Name: "a.odt"})
	checkDump(t, x, `
format: odt
title: Lease
[heading 1] Lease
[heading 1] 1 Terms
[heading 2] (1 Terms) 1.1 Price
[paragraph] (1 Terms > 1.1 Price) Words go on here.
[paragraph] (1 Terms > 1.1 Price) A note.
[paragraph] (1 Terms > 1.1 Price) Comment: Why?
[list] (1 Terms > 1.1 Price)
  1. one
    still one
    a) inner
[paragraph] (1 Terms > 1.1 Price) Between.
[list] (1 Terms > 1.1 Price) 2. two
[paragraph] Contract No. 4711
`)
	slides := `<office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>First</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>Words.</text:p></draw:text-box></draw:frame></draw:page></office:presentation>`
	x = mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: document.ODT("application/vnd.oasis.opendocument.presentation", slides), Name: "a.odp"})
	checkDump(t, x, `
format: odp
title: An open document
[page 1 heading 1] First
[page 1 paragraph] (First) Words.
`)
	sheet := `<office:spreadsheet><table:table table:name="Sums"><table:table-row table:number-rows-repeated="2"><table:table-cell><office:annotation><dc:creator>Ann</dc:creator><text:p>Checked.</text:p></office:annotation><text:p>1</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`
	x = mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: document.ODT("application/vnd.oasis.opendocument.spreadsheet", sheet), Name: "a.ods"})
	if want := "(Comment: Checked.) 1\n(Comment: Checked.) 1"; !strings.HasSuffix(x.Text, want) {
		t.Errorf("the sheet says %q, want %q", x.Text, want)
	}
}

func TestRTFBeside(t *testing.T) {
	rtf := `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset238 Arial CE;}}
{\pard Words{\super\chftn}{\*\footnote\chftn A note.} go on{\*\annotation Why?} here.\par}
{\pard\f1 \'cf\'f0\'e8\'e2\'e5\'f2\f0  and \f2 \'b9\f0  \'e9.\par}
{\pard{\listtext 1.\tab}first\par}{\pard{\listtext 2.\tab}second\par}
{\pard Before{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt \pard In a box.\par}}{\shprslt In a box.}} after.\par}}`
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: []byte(rtf), Name: "a.rtf"})
	checkDump(t, x, `
format: rtf
[paragraph] Words go on here.
[paragraph] A note.
[paragraph] Comment: Why?
[paragraph] Привет and ą é.
[list]
  1. first
  2. second
[paragraph] Before after.
[paragraph] In a box.
`)
}

func TestHTMLNumbers(t *testing.T) {
	page := `<html><body><ol type="a"><li>one<li>two</ol><ol style="list-style-type: upper-roman"><li value="4">four<li>five</ol></body></html>`
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: []byte(page), Name: "a.html"})
	if want := "a. one\nb. two\n\nIV. four\nV. five"; x.Text != want {
		t.Errorf("the lists are %q, want %q", x.Text, want)
	}
}

func TestCSVSigns(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"1,5;2,5\n3,5;4,5\n", "1,5 | 2,5\n3,5 | 4,5"},
		{"sep=;\r\na,b;c\r\nd;e\r\n", "a,b | c\nd | e"},
		{"a,b\n\"1;2\",3\n", "a | b\n1;2 | 3"},
	} {
		x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: []byte(c.data), Name: "a.csv"})
		if x.Text != c.want {
			t.Errorf("%q is read as %q, want %q", c.data, x.Text, c.want)
		}
	}
}

func TestHTMLAside(t *testing.T) {
	page := `<html><body><aside>Elsewhere</aside><main><h1>Guide</h1><aside class="note"><p>Keep the lid closed.</p></aside><aside class="related-links">More</aside>
<article><p>Body.</p><footer>By Ann</footer></article><table><tr><th rowspan="2">Item</th><th colspan="2">Cost</th><th rowspan="2">Note</th></tr><tr><th>EU</th><th>US</th></tr><tr><td>Apple</td><td>1</td><td>2</td><td>red</td></tr></table></main><footer>© Corp</footer></body></html>`
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: []byte(page), Name: "a.html"})
	checkDump(t, x, `
format: html
title: Guide
[heading 1] Guide
[paragraph] (Guide) Keep the lid closed.
[paragraph] (Guide) Body.
[paragraph] (Guide) By Ann
[table] (Guide)
  Item | Cost |  | Note
   | EU | US
  Apple | 1 | 2 | red
`)
}
