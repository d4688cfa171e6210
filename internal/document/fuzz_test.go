package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/format"
	"ibid/internal/document/image"
)

// inProcess reads data without a worker: what the parsers do between the pipes.
func inProcess(kind, name string, data []byte, limit int) (ibid.Extract, error) {
	c := newCollector(Formats(), Limits{TextBytes: limit, Pages: 1000}.withDefaults(), func(Progress) {})
	c.head = format.Head{Format: kind}
	b := format.NewBuilder(limit, c.add)
	file := format.File{Name: name, Data: data}
	if format.IsZip(data) {
		var err error
		if file.Zip, err = format.OpenZip(data); err != nil {
			return ibid.Extract{}, err
		}
	}
	d, err := c.format().Read(b, file)
	b.Flush()
	c.done = d
	if err == nil && !errors.Is(b.Err, format.ErrTextLimit) {
		err = b.Err
	}
	if err != nil {
		return ibid.Extract{}, err
	}
	return c.finish()
}

// formatOf tells what a zip file is read as.
func formatOf(t *testing.T, data []byte) string {
	t.Helper()
	z, err := format.OpenZip(data)
	if err != nil {
		t.Fatal(err)
	}
	return Formats().Unzipped(z, format.Format{Name: "zip"}).Name
}

// fuzzFormat checks a parser of ours: no crash, and an extract as promised.
func fuzzFormat(f *testing.F, format, name string) {
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzed(t, format, name, data)
	})
}

// fuzzed reads a file that may be anything: refused, or an extract as promised.
func fuzzed(t *testing.T, format, name string, data []byte) {
	x, err := inProcess(format, name, data, 64<<10)
	var refused *ibid.Error
	if errors.As(err, &refused) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	CheckExtract(t, x)
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"---\ntitle: x\n---\n# A\n\nb *c* [d](e) ![f](g)\n", "```\na\n", "a | b\n-|-\nc | d\n", "<!-- a\n--> b", "- a\n  - b\n\n1. c",
		"A\n===\nB\n---\n", "[[[[](", "> > a", "<table><tr><td>a</table>", "~~a~~ __b__ \\* `` ` ``", "---\n", "+++\ntitle = 'a'\n+++", "<h1>a\n\n# b",
	} {
		f.Add([]byte(s))
	}
	fuzzFormat(f, "markdown", "a.md")
}

func FuzzHTML(f *testing.F) {
	for _, s := range []string{
		"<title>a</title><p>b<br>c<h1>d</h1>", "<table><tr><td>a<table><td>b</table><td colspan=3>c", "<ul><li>a<ol><li>b</ul>", "<pre>\na\n b</pre>",
		"<nav>a", "<svg><p>a", "<td>a<h1>b", "<script>a", "<li><table><td><ul><li>a", "&#0;&#x110000;&amp", "<p hidden>a<p>b", "<table><h2>a<tr><td>b",
		"<meta charset=shift_jis>\x83\x65", "<option>a<option>b",
	} {
		f.Add([]byte(s))
	}
	fuzzFormat(f, "html", "a.html")
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"a\n\nb", "\xFF\xFEa\x00", "\xFE\xFF\x00a", "Gr\xF6\xDFe", "a\x00b\r\nc\r\rd\f", "\uFEFFa", strings.Repeat("a b", 20_000)} {
		f.Add([]byte(s))
	}
	fuzzFormat(f, "text", "a.txt")
}

func FuzzCode(f *testing.F) {
	for _, s := range []string{"// a\nfunc b() {\n\n}\n", "class A:\n\n  b\n", "int main(void)\n{\n}\n", "}\n\n)\n", "\t\n a\nb", "{\"a\":1}"} {
		f.Add([]byte(s))
	}
	fuzzFormat(f, "code", "a.c")
}

// FuzzDetect checks that every beginning of a file is either given to a parser
// or refused with one line.
func FuzzDetect(f *testing.F) {
	for _, s := range []string{"\x7FELF", "MZ", "BZh", "ID3", "%!PS", "\x1F\x8B", "SQLite format 3\x00", "RIFF1234WEBP", "{\\rtf", "GIF89a"} {
		f.Add([]byte(s), "a.md", "")
	}
	f.Add([]byte("x%PDF-1.4"), "a", "html")
	f.Add([]byte("<?xml version='1.0'?><html>"), "a.xml", "")
	f.Fuzz(func(t *testing.T, beginning []byte, name, hint string) {
		format, err := Formats().Detect(beginning, name, hint)
		if (format.Name == "") == (err == nil) {
			t.Errorf("format %q, error %v", format.Name, err)
		}
	})
}

// FuzzClean checks that clean gives what it promises, and that cleaning twice
// changes nothing.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\r\nb\rc", "e\u0301", "\xFF\x00", "\u2028\u00A0\uFEFF", "a\u0085", "\u1100\u1161"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := format.Clean(s)
		if !utf8.ValidString(c) || strings.ContainsAny(c, "\x00\r") || format.Clean(c) != c {
			t.Errorf("clean(%q) = %q, then %q", s, c, format.Clean(c))
		}
	})
}

// FuzzFrames checks that the parent believes nothing that a worker sends.
func FuzzFrames(f *testing.F) {
	page, _ := json.Marshal(format.Page{Number: 1, Lines: []format.Line{{Text: "a"}}})
	var b bytes.Buffer
	_ = writeJSON(&b, frameHead, format.Head{Format: "pdf", Pages: 1, Outline: []format.Bookmark{{Title: "a", Level: 1, Page: 1}}})
	_ = writeFrame(&b, framePage, page)
	_ = writeJSON(&b, frameDone, format.Done{})
	f.Add(b.Bytes())
	b.Reset()
	_ = writeJSON(&b, frameHead, format.Head{Format: "text"})
	_ = writeJSON(&b, framePart, format.Part{Text: "ab", Blocks: []ibid.Block{{Kind: ibid.BlockParagraph, End: 2}}, PageAt: []int{0}})
	f.Add(b.Bytes())
	f.Add([]byte{0, 0, 0, 2, 'b', '{'})
	f.Fuzz(func(t *testing.T, stream []byte) {
		c := newCollector(Formats(), Limits{TextBytes: 1 << 16, Pages: 100}.withDefaults(), func(Progress) {})
		r := bytes.NewReader(stream)
		for {
			kind, payload, err := readFrame(r)
			if err != nil || c.frame(kind, payload) != nil {
				break
			}
		}
		if x, err := c.finish(); err == nil {
			for _, b := range x.Blocks {
				_ = x.Text[b.Start:b.End]
			}
			if !utf8.ValidString(x.Text) || len(x.Text) > 1<<16 || len(x.PageAt) != x.Pages {
				t.Errorf("%d bytes, %d of %d pages", len(x.Text), len(x.PageAt), x.Pages)
			}
		}
	})
}

// FuzzAssemble makes documents of pages of lines.
func FuzzAssemble(f *testing.F) {
	f.Add([]byte("\x01\x02\x03Heading\n\x10\x20\x30• item one\n\x10\x21\x30two-\nthree"), "a\x00b")
	f.Fuzz(func(t *testing.T, data []byte, titles string) {
		pages := fuzzPages(data)
		c := newCollector(Formats(), Limits{TextBytes: 1 << 20, Pages: 1000}.withDefaults(), func(Progress) {})
		c.head = format.Head{Format: "pdf", Pages: len(pages)}
		for i, title := range strings.Split(titles, "\x00") {
			c.head.Outline = append(c.head.Outline, format.Bookmark{Title: format.OneLine(format.Clean(title)), Level: i%4 + 1, Page: i % 5, Y: i * 100})
		}
		c.pdf = pages
		x, err := c.finish()
		if err != nil {
			return
		}
		CheckExtract(t, x)
		if x.Pages != len(pages) {
			t.Errorf("%d pages of %d", x.Pages, len(pages))
		}
	})
}

// fuzzPages makes lines of data: three bytes of each say where and how it is
// set, and a form feed ends a page.
func fuzzPages(data []byte) []format.Page {
	pages := []format.Page{{Number: 1, Width: 6000, Height: 8000}}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("\f")) && len(pages) < 50 {
			pages = append(pages, format.Page{Number: len(pages) + 1, Width: 6000, Height: 8000})
			line = line[1:]
		}
		if len(line) < 4 || format.OneLine(format.Clean(string(line[3:]))) == "" {
			continue
		}
		y, x, flags := int(line[0])*30, int(line[1])*20, line[2]
		l := format.Line{Text: format.OneLine(format.Clean(string(line[3:]))), X0: x, X1: x + 50*len(line), Y0: y, Y1: y + 80, Base: y + 80, Size: 60 + int(flags>>4)*10}
		l.Bold, l.Mono, l.Hyphen, l.Row = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
		p := &pages[len(pages)-1]
		p.Lines = append(p.Lines, l)
	}
	return pages
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n1,2", "\"a\"\"b\";c\r\n", "\"open\n", "a\tb\r", "|\n|", "\"\"x,\n"} {
		f.Add([]byte(s))
	}
	fuzzFormat(f, "csv", "a.csv")
}

func FuzzRTF(f *testing.F) {
	for _, s := range []string{`{\rtf1 a\par b}`, `{\rtf1\u-10179 \u-8704 \'f6\uc2\u8364 xx}`, `{\rtf1\trowd\intbl a\cell\row\pard b}`, `{\rtf1{\*\x{y}}\bin9 a}`, `}}}\'`, `{\rtf1\ansicpg932\'83\'65\outlinelevel3 h\par}`, `{\info{\title a}}`} {
		f.Add([]byte(s))
	}
	fuzzFormat(f, "rtf", "a.rtf")
}

func FuzzEML(f *testing.F) {
	for _, s := range []string{
		"Subject: a\n\nb", "From x\nSubject: =?utf-8?q?a?=\n\nb", "Content-Type: text/html; charset=x\n\n<p>a",
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\na\n--b\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\nQQ\n--b--",
		"Content-Type: message/rfc822\n\nSubject: a\n\nb", "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>a\n--b--",
	} {
		f.Add([]byte(s))
	}
	fuzzFormat(f, "eml", "a.eml")
}

// fuzzOffice puts the data where the content of an Office file stands.
func fuzzOffice(f *testing.F, format string, build func(content string) []byte) {
	f.Fuzz(func(t *testing.T, content string) {
		data := build(content)
		if got := formatOf(t, data); got != format {
			t.Fatalf("format %s, want %s", got, format)
		}
		x, err := inProcess(format, "a", data, 64<<10)
		var refused *ibid.Error
		if errors.As(err, &refused) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		CheckExtract(t, x)
	})
}

func FuzzDOCX(f *testing.F) {
	f.Add(`<w:p><w:pPr><w:pStyle w:val="Mine"/></w:pPr><w:r><w:t>a</w:t><w:lastRenderedPageBreak/></w:r></w:p>`)
	f.Add(`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t><w:lastRenderedPageBreak/><w:footnoteReference w:id="2"/>`)
	fuzzOffice(f, "docx", DOCX)
}

func FuzzPPTX(f *testing.F) {
	f.Add(`<p:sp><p:ph type="title"/><a:p><a:t>a</a:t></a:p></p:sp><a:tbl><a:tr><a:tc><a:p><a:t>b</a:t></a:p></a:tc></a:tr></a:tbl>`)
	fuzzOffice(f, "pptx", func(s string) []byte { return PPTX(s, s) })
}

func FuzzXLSX(f *testing.F) {
	f.Add(`<row r="1"><c r="A1" t="s"><v>1</v></c><c r="ZZZ1" s="1"><v>-1e300</v></c><c s="3"><v>0.5</v></c></row>`)
	fuzzOffice(f, "xlsx", XLSX)
}

func FuzzODT(f *testing.F) {
	f.Add(`<text:h text:outline-level="-3">a</text:h><text:list><text:p>b<text:soft-page-break/><text:s text:c="9"/></text:p></text:list><table:table><table:table-cell>`)
	fuzzOffice(f, "odt", func(s string) []byte { return ODT("application/vnd.oasis.opendocument.text", s) })
}

func FuzzODS(f *testing.F) {
	f.Add(`<office:spreadsheet><table:table table:name="a"><table:table-row table:number-rows-repeated="9999999"><table:table-cell table:number-columns-repeated="-1"><text:p>b`)
	fuzzOffice(f, "ods", func(s string) []byte { return ODT("application/vnd.oasis.opendocument.spreadsheet", s) })
}

func FuzzODP(f *testing.F) {
	f.Add(`<office:presentation><draw:page draw:name="a"><draw:frame><draw:text-box><text:p>b</text:p></draw:text-box></draw:frame></draw:page><draw:page><text:h>`)
	fuzzOffice(f, "odp", func(s string) []byte { return ODT("application/vnd.oasis.opendocument.presentation", s) })
}

// FuzzWordNumbers reads definitions of lists, and paragraphs that use them.
func FuzzWordNumbers(f *testing.F) {
	f.Add(`<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="-3"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="9"><w:startOverride w:val="999999999"/></w:lvlOverride></w:num>`,
		`<w:p><w:pPr><w:numPr><w:ilvl w:val="12"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`)
	f.Fuzz(func(t *testing.T, numbers, body string) {
		fuzzParts(t, "docx",
			"_rels/.rels", arrows("officeDocument", "word/document.xml"),
			"word/_rels/document.xml.rels", arrows("numbering", "numbering.xml", "header", "numbering.xml"),
			"word/numbering.xml", `<w:n xmlns:w="w">`+numbers+`</w:n>`, "word/document.xml", `<w:d xmlns:w="w">`+body+`</w:d>`)
	})
}

// FuzzOpenStyles reads the styles of an OpenDocument text, and a text in them.
func FuzzOpenStyles(f *testing.F) {
	f.Add(`<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="I" text:display-levels="99" text:start-value="-5"/></text:list-style><style:header><text:p>h`,
		`<text:list text:style-name="L" xml:id="a" text:continue-list="a"><text:list-item><text:h>a<text:note><text:note-body><text:p>b<office:annotation><text:p>c`)
	f.Fuzz(func(t *testing.T, styles, body string) {
		fuzzParts(t, "odt", "mimetype", "application/vnd.oasis.opendocument.text",
			"styles.xml", `<s>`+styles+`</s>`, "content.xml", `<c>`+body+`</c>`)
	})
}

func fuzzParts(t *testing.T, format string, namesAndContents ...string) {
	fuzzed(t, format, "a", zipOf(namesAndContents...))
}

// FuzzDecode checks that every file of text becomes UTF-8 without NUL.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("caf\xe9 \x1b$B7@Ls"))
	f.Add([]byte("\xcf\xf0\xe8\xe2\xe5\xf2\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s := format.Clean(charset.Decode(data, len(data))); !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			t.Errorf("%q becomes %q", data, s)
		}
	})
}

func FuzzEPUB(f *testing.F) {
	f.Add(`<html><h1>a</h1><p>b`)
	fuzzOffice(f, "epub", func(s string) []byte { return EPUB(s, s) })
}

// FuzzZip checks that no zip file breaks what looks into it.
func FuzzZip(f *testing.F) {
	f.Add(DOCX("<w:p/>"))
	f.Add(zipOf("../a", "b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := format.OpenZip(data)
		if err != nil || !format.IsZip(data) { // else nobody takes it for a zip file
			return
		}
		if x, err := inProcess(formatOf(t, data), "a.zip", data, 64<<10); err == nil {
			CheckExtract(t, x)
		}
		unpacker := format.NewUnpacker(func(name string, _ []byte) error {
			if name == "" || name[0] == '/' || strings.Contains("/"+name+"/", "/../") {
				t.Errorf("member %q", name)
			}
			return nil
		})
		_ = Formats().Named("zip").Members(format.File{Data: data, Zip: z}, unpacker)
	})
}

// FuzzOCRTable checks what is made of tesseract's answer.
func FuzzOCRTable(f *testing.F) {
	f.Add("1\t1\t0\t0\t0\t0\t0\t0\t2550\t3300\t-1\t\n5\t1\t1\t1\t1\t1\t100\t100\t300\t40\t96.1\tWords\n")
	f.Fuzz(func(t *testing.T, table string) {
		pages := image.PagesOfTable(table, 0.24)
		c := newCollector(Formats(), Limits{}.withDefaults(), func(Progress) {})
		c.head = format.Head{Format: "image", Pages: len(pages)}
		c.pdf = pages
		if x, err := c.finish(); err == nil {
			CheckExtract(t, x)
		}
	})
}
