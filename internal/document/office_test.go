package document_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/document"
)

func TestDOCX(t *testing.T) {
	body := `<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">Some </w:t></w:r><w:del><w:r><w:t>deleted</w:t></w:r></w:del><w:r><w:t>words</w:t><w:footnoteReference w:id="2"/><w:tab/><w:t>and more.</w:t></w:r></w:p>
<w:p><w:pPr><w:pStyle w:val="Mine"/></w:pPr><w:r><w:t>Section</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>inner</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p><w:p><w:r><w:t>C</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p/></w:tc><w:tc><w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>y</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl>
<w:p><w:r><w:t>Look:</w:t><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><wp:docPr name="Picture 2" descr="A duck with paper&#10;&#10;Description automatically generated"/><pic:pic><a:blip/></pic:pic></wp:inline></w:drawing><w:drawing><wp:docPr name="Arrow 1"/></w:drawing></w:r></w:p>
<w:p><w:r><w:pict><v:shape alt="image1.png"><v:imagedata/></v:shape></w:pict></w:r></w:p>
<w:p><w:r><w:t>The first page ends</w:t></w:r><w:r><w:lastRenderedPageBreak/><w:t xml:space="preserve"> in this paragraph.</w:t></w:r></w:p>`
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: document.DOCX(body), Name: "a.docx"})
	checkDump(t, x, `
format: docx
title: Title
[page 1 heading 1] Title
[page 1 paragraph] (Title) Some words	and more.
[page 1 paragraph] (Title) A note.
[page 1 heading 2] (Title) Section
[page 1 list] (Title > Section)
  • one
    • inner
[page 1 table] (Title > Section)
  A | B C
   | x, y
[page 1 paragraph] (Title > Section) Look:
[page 1 image] (Title > Section) A duck with paper
[page 1 image] (Title > Section)
[page 1 paragraph] (Title > Section) The first page ends
[page 2 paragraph] (Title > Section) in this paragraph.
`)
}

func TestPPTX(t *testing.T) {
	title := func(s string) string {
		return `<p:sp><p:nvPr><p:ph type="title"/></p:nvPr><p:txBody><a:p><a:r><a:t>` + s + `</a:t></a:r></a:p></p:txBody></p:sp>`
	}
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: document.PPTX(
		title("First")+`<p:sp><p:txBody><a:p><a:r><a:t>one</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:t>two</a:t></a:r></a:p></p:txBody></p:sp>`+
			`<p:sp><p:nvPr><p:ph type="ftr"/></p:nvPr><p:txBody><a:p><a:r><a:t>Footer</a:t></a:r></a:p></p:txBody></p:sp>`,
		`<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>A</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>B</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame><p:pic><p:cNvPr name="Picture 4" descr="A map of the harbour"/></p:pic>`,
		title("Third")+`<p:pic><p:cNvPr name="Picture 4"/></p:pic>`,
	), Name: "a.pptx"})
	checkDump(t, x, `
format: pptx
title: First
[page 1 heading 1] First
[page 1 list] (First)
  one
    two
[page 1 paragraph] (First) Say hello.
[page 2 table] A | B
[page 2 image] A map of the harbour
[page 3 heading 1] Third
[page 3 image] (Third)
`)
}

func TestXLSX(t *testing.T) {
	rows := `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
<row r="2"><c r="A2"><v>0.30000000000000004</v></c><c r="B2" s="1"><v>43831</v></c><c r="C2" s="2"><v>0.125</v></c><c r="D2" s="3"><v>43831.5</v></c></row>
<row r="3"><c t="b"><v>1</v></c><c t="inlineStr"><is><t>inline</t></is></c><c t="s"><v>99</v></c><c t="str"><f>A1</f><v>formula</v></c></row>
<row r="1048576"><c r="XFD1048576"><v>1e30</v></c></row>`
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: document.XLSX(rows), Name: "a.xlsx"})
	checkDump(t, x, `
format: xlsx
[page 1 heading 1] Data
[page 1 table] (Data)
  shared |  | rich text
  0.3 | 2020-01-01 | 12.5% | 2020-01-01 12:00:00
  TRUE | inline |  | formula
  1e+30
`)
}

func TestODT(t *testing.T) {
	body := `<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>
<text:h text:outline-level="1">Title</text:h><text:p>Some<text:s text:c="2"/>words<text:line-break/>and <text:span>more</text:span>.</text:p>
<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item></text:list>
<table:table><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>B</text:p></table:table-cell><table:table-cell table:number-columns-repeated="1000"/></table:table-row></table:table>
<text:p>Before<text:soft-page-break/> after<draw:frame><draw:image><office:binary-data>AAAA</office:binary-data></draw:image><svg:title>Harbour</svg:title><svg:desc>A map of it</svg:desc></draw:frame></text:p><text:p><draw:frame><draw:image/></draw:frame></text:p></office:text>`
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: document.ODT("application/vnd.oasis.opendocument.text", body), Name: "a.odt"})
	checkDump(t, x, `
format: odt
title: An open document
[page 1 heading 1] Title
[page 1 paragraph] (Title)
  Some  words
  and more.
[page 1 list] (Title)
  • one
    • inner
[page 1 table] (Title) A | B | B
[page 1 paragraph] (Title) Before
[page 2 paragraph] (Title) after
[page 2 image] (Title) Harbour: A map of it
[page 2 image] (Title)
`)
	sheet := `<office:spreadsheet><table:table table:name="Sums"><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`
	x = mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: document.ODT("application/vnd.oasis.opendocument.spreadsheet", sheet), Name: "a.ods"})
	checkDump(t, x, `
format: ods
title: An open document
[page 1 heading 1] Sums
[page 1 table] (Sums) 1
`)
}

func TestEPUB(t *testing.T) {
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: document.EPUB(
		`<html><body><nav><a>Contents</a></nav><h1>One</h1><p>First words.</p></body></html>`,
		`<html><body><p>Second words.</p><figure><img src="a.png" alt="A map of the harbour"/></figure></body></html>`,
	), Name: "a.epub"})
	checkDump(t, x, `
format: epub
title: A book
[heading 1] One
[paragraph] (One) First words.
[paragraph] Second words.
[image] A map of the harbour
`)
}

func TestRTF(t *testing.T) {
	rtf := `{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}{\info{\title A letter}{\author nobody}}{\*\generator x}
\pard\outlinelevel0 Chapter\par
\pard Gr\'f6\'dfe \u8364?5 \emdash  \uc0\u-10179 \u-8704  \b bold\b0\~text\line next\par
{\field{\*\fldinst HYPERLINK "x"}{\fldrslt a link}}\par
\trowd\pard\intbl A\cell B\cell\row
\trowd\pard\intbl C\par more\cell D\cell\row
\pard {\pict\bin4 abcd}After.\par}`
	x := mustExtract(t, newPool(t, document.Limits{}), document.Request{Data: []byte(rtf), Name: "a.rtf"})
	checkDump(t, x, `
format: rtf
title: A letter
[heading 1] Chapter
[paragraph] (Chapter)
  Größe €5 — 😀 bold text
  next
[paragraph] (Chapter) a link
[table] (Chapter)
  A | B
  C more | D
[paragraph] (Chapter) After.
`)
}

func TestCSV(t *testing.T) {
	pool := newPool(t, document.Limits{})
	for name, data := range map[string]string{
		"comma.csv":     "Name,Note\r\nAlpha,\"a, \"\"b\"\"\nc\"\nBeta,x\"y\n",
		"semicolon.csv": "Name;Note\nAlpha;\"a, \"\"b\"\"\nc\"\nBeta;x\"y\n",
		"tab.tsv":       "Name\tNote\nAlpha\t\"a, \"\"b\"\"\nc\"\nBeta\tx\"y\n",
	} {
		x := mustExtract(t, pool, document.Request{Data: []byte(data), Name: name})
		checkDump(t, x, `
format: csv
[table]
  Name | Note
  Alpha | a, "b" c
  Beta | x"y
`)
	}
}

const message = "From nobody Thu Jan  1 00:00:00 1970\n" + `From: =?utf-8?q?J=C3=B6rg?= <j@example.org>
To: a@example.org,
 b@example.org
Subject: =?utf-8?b?R3LDvMOfZQ==?=
Date: Thu, 1 Jan 1970 00:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="outer"

--outer
Content-Type: multipart/alternative; boundary="inner"

--inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe aus=
 Wien.
--inner
Content-Type: text/html

<p>HTML</p>
--inner--
--outer
Content-Type: text/plain; name="notes.txt"
Content-Disposition: attachment; filename="../notes.txt"
Content-Transfer-Encoding: base64

QXR0YWNo
ZWQu
--outer
Content-Type: message/rfc822

Subject: Inner
From: c@example.org

Inner words.
--outer--
`

func TestEML(t *testing.T) {
	pool := newPool(t, document.Limits{})
	req := document.Request{Data: []byte(strings.ReplaceAll(message, "\n", "\r\n")), Name: "message"}
	checkDump(t, mustExtract(t, pool, req), `
format: eml
title: Grüße
[heading 1] Grüße
[paragraph] (Grüße)
  From: Jörg <j@example.org>
  To: a@example.org, b@example.org
  Date: Thu, 1 Jan 1970 00:00:00 +0000
[paragraph] (Grüße) Grüße aus Wien.
[paragraph] (Grüße)
  Subject: Inner
  From: c@example.org
[paragraph] (Grüße) Inner words.
[list] (Grüße)
  Attachments:
  • ../notes.txt
`)
	checkMembers(t, pool, req, "", "notes.txt", "Attached.")
}

func TestZip(t *testing.T) {
	pool := newPool(t, document.Limits{})
	req := document.Request{Data: document.ZipOf("b/two.md", "# Two", "one.txt", "One.", "../../etc/three.txt", "Three.", "/etc/passwd", "x",
		`C:\x.txt`, "x", `win\four.txt`, "Four.", "one.txt", "Another.", "b/../one.md", "x", "__MACOSX/x", "x", "folder/", ""), Name: "a.zip"}
	checkDump(t, mustExtract(t, pool, req), `
format: zip
[paragraph] This archive holds 3 files:
[list]
  • b/two.md
  • one.txt
  • win/four.txt
`)
	checkMembers(t, pool, req, "left out: 4 of its files, which have names that lead out of the archive; left out: 1 of its files, which have the name of another file in it",
		"b/two.md", "# Two", "one.txt", "One.", "win/four.txt", "Four.")
	checkMembers(t, pool, document.Request{Data: []byte("Words."), Name: "a.txt"}, "")
	checkMembers(t, pool, document.Request{Data: []byte("%PDF-1.4 nothing"), Name: "a.pdf"}, "")

	large := document.Request{Data: document.ZipOf("a.txt", "a", "bomb.txt", strings.Repeat(" ", 65<<20)), Name: "a.zip"}
	checkMembers(t, pool, large, "left out: 1 of its files, which are too large", "a.txt", "a")

	stop := errors.New("stop")
	if _, err := pool.Members(t.Context(), req, func(document.Member) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of the callback", err)
	}
	mustExtract(t, pool, req)
}

// A zip none of whose files can be taken in says why, and one of whose files some
// cannot names each reason with its number.
func TestZipSaysWhatWasLeftOut(t *testing.T) {
	pool := newPool(t, document.Limits{})
	pack := func(change func(h *zip.FileHeader), names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			h := &zip.FileHeader{Name: name, Method: zip.Store}
			h.SetMode(0o644)
			change(h)
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = w.Write([]byte("The walrus swims."))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	as := func(kind fs.FileMode, only string) func(h *zip.FileHeader) {
		return func(h *zip.FileHeader) {
			if strings.Contains(h.Name, only) {
				h.SetMode(kind | 0o644)
			}
		}
	}
	for want, data := range map[string][]byte{
		"there are no files in this archive":                                                        document.ZipOf("folder/", "", "__MACOSX/a.txt", "x"),
		"all files in this archive are empty":                                                       document.ZipOf("a.txt", "", "b.txt", ""),
		"no file in this archive can be read; left out: 2 of its files, which are links or devices": pack(as(fs.ModeSymlink, ""), "a.txt", "b.txt"),
		"no file in this archive can be read; left out: 1 of its files, which are links or devices; " +
			"left out: 2 of its files, which have names that lead out of the archive": pack(as(fs.ModeSymlink, "link"), "link", "../a.txt", "/b.txt"),
	} {
		_, err := pool.Extract(t.Context(), document.Request{Data: data, Name: "a.zip"}, nil)
		var refused *ibid.Error
		if !errors.As(err, &refused) || refused.Message != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}

	locked := pack(func(h *zip.FileHeader) {
		if h.Name == "b.txt" {
			h.Flags |= 1 // encrypted
		}
	}, "a.txt", "b.txt")
	checkMembers(t, pool, document.Request{Data: locked, Name: "a.zip"}, "left out: 1 of its files, which need a password", "a.txt", "The walrus swims.")
	// The first of two files loses a byte, which its checksum tells.
	damaged := bytes.Replace(pack(func(*zip.FileHeader) {}, "a.txt", "b.txt"), []byte("walrus"), []byte("valrus"), 1)
	checkMembers(t, pool, document.Request{Data: damaged, Name: "a.zip"}, "left out: 1 of its files, which are damaged", "b.txt", "The walrus swims.")
}

func checkMembers(t *testing.T, pool *document.Pool, req document.Request, notice string, namesAndContents ...string) {
	t.Helper()
	var got []string
	said, err := pool.Members(t.Context(), req, func(m document.Member) error {
		got = append(got, m.Name, string(m.Data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if said != notice || strings.Join(got, "\n") != strings.Join(namesAndContents, "\n") {
		t.Errorf("notice %q, members %q, want %q and %q", said, got, notice, namesAndContents)
	}
}

func TestOfficeFilesThatAreRefused(t *testing.T) {
	pool := newPool(t, document.Limits{})
	const binaryBook = `<Relationships><Relationship Id="r1" Type="http://x/officeDocument" Target="xl/workbook.bin"/></Relationships>`
	ole := "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + strings.Repeat("\x00", 100_000)
	for want, data := range map[string][]byte{
		"this Office file needs a password":                        []byte(ole + "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"),
		"kind before 2007":                                         []byte(ole),
		"this zip file is damaged":                                 []byte("PK\x03\x04 and nothing more"),
		"declares entities of XML":                                 document.ZipOf("_rels/.rels", "", "word/document.xml", `<!DOCTYPE l [<!ENTITY a "b">]><w:p>&a;</w:p>`),
		"(.xlsb), a format that cannot be read (save it as .xlsx)": document.ZipOf("_rels/.rels", binaryBook, "xl/workbook.bin", "\x83\x01\x00\x99\x01"),
		"this book is protected":                                   document.ZipOf("mimetype", "application/epub+zip", "META-INF/encryption.xml", "ch.xhtml"),
		"there are no files in this archive":                       document.ZipOf("folder/", ""),
		"it inflates to more than a file of its kind":              document.DOCX(strings.Repeat("<w:a>", 300)),
	} {
		_, err := pool.Extract(t.Context(), document.Request{Data: data, Name: "a.docx"}, nil)
		var refused *ibid.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
