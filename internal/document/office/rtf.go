package office

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"ibid"
	"ibid/internal/document/format"
)

// readRTF reads Rich Text Format (version 1.9.1): the words of paragraphs and of
// tables, and headings where paragraphs have an outline level. Groups may nest
// as deep as they like; nothing here is recursive.
func readRTF(b *format.Builder, data []byte) format.Done {
	r := &rtf{builder: b, text: &strings.Builder{}, data: data, codepage: charmap.Windows1252, state: rtfState{unicodeSkip: 1, level: -1}}
	r.read()
	return format.Done{Title: format.Title(r.title.String())}
}

// rtfState is what a group restores at its end.
type rtfState struct {
	skip        bool // the group's text is not the document's
	title       bool // it is the title
	unicodeSkip int  // characters after \u that repeat it for old readers
	level       int  // of a heading, from 0; -1 for none
	inTable     bool
	note        bool              // the group is a note, a comment or a text box
	encoding    encoding.Encoding // of the font, nil for that of the file
}

type rtf struct {
	builder  *format.Builder
	data     []byte
	at       int
	codepage encoding.Encoding
	state    rtfState
	stack    []rtfState
	text     *strings.Builder
	bytes    []byte // characters of the code page that are not decoded yet
	high     rune   // first half of a character beyond the basic plane
	skipNext int    // characters to leave out after \u
	title    strings.Builder
	row      []string
	rows     [][]string
	fonts    map[int]encoding.Encoding
	font     int              // that is being described
	before   *strings.Builder // text of the paragraph that the open note stands in
	comment  bool             // the open note is a comment
	notes    []string
	item     bool // the open paragraph is one of a list
	items    []string
}

const maxRTFDepth = 10_000

func (r *rtf) read() {
	for r.at < len(r.data) && r.builder.Err == nil {
		switch c := r.data[r.at]; c {
		case '{':
			r.decode()
			if len(r.stack) < maxRTFDepth {
				r.stack = append(r.stack, r.state)
			}
			r.at++
		case '}':
			r.decode()
			r.endGroup()
			r.at++
		case '\\':
			r.control()
		case '\r', '\n':
			r.at++
		default:
			r.character(c)
			r.at++
		}
	}
	for len(r.stack) > 0 {
		r.endGroup()
	}
	r.endParagraph()
	r.endList()
	r.endTable()
	r.addNotes()
}

func (r *rtf) endGroup() {
	n := len(r.stack)
	if n == 0 {
		return
	}
	if r.state.note && !r.stack[n-1].note {
		r.endNote()
	}
	r.state = r.stack[n-1]
	r.stack = r.stack[:n-1]
}

// startNote puts the open paragraph by until a note, a comment or a text box has
// ended.
func (r *rtf) startNote(comment bool) {
	if r.state.note || len(r.stack) == 0 || r.stack[len(r.stack)-1].skip && comment {
		return
	}
	r.state.skip, r.state.note, r.state.inTable = false, true, false
	r.comment = comment
	r.before, r.text = r.text, &strings.Builder{}
}

// endNote goes on with the paragraph.
func (r *rtf) endNote() {
	words := format.OneLine(r.text.String())
	r.text = r.before
	if words != "" && r.comment {
		words = "Comment: " + words
	}
	if words != "" {
		r.notes = append(r.notes, words)
	}
}

// addNotes adds the notes of what came before.
func (r *rtf) addNotes() {
	for _, s := range r.notes {
		r.builder.Add(ibid.BlockParagraph, s)
	}
	r.notes = nil
}

// control reads a control word or symbol.
func (r *rtf) control() {
	r.at++
	if r.at >= len(r.data) {
		return
	}
	c := r.data[r.at]
	if !isLetter(c) {
		r.at++
		r.symbol(c)
		return
	}
	start := r.at
	for r.at < len(r.data) && isLetter(r.data[r.at]) && r.at-start < 32 {
		r.at++
	}
	word := string(r.data[start:r.at])
	start = r.at
	if r.at < len(r.data) && r.data[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' && r.at-start < 11 {
		r.at++
	}
	value, err := strconv.Atoi(string(r.data[start:r.at]))
	if err != nil {
		value = -1
	}
	if r.at < len(r.data) && r.data[r.at] == ' ' {
		r.at++
	}
	r.word(word, value)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (r *rtf) symbol(c byte) {
	switch c {
	case '\'':
		if r.at+2 <= len(r.data) {
			if v, err := strconv.ParseUint(string(r.data[r.at:r.at+2]), 16, 8); err == nil {
				r.character(byte(v))
			}
			r.at += 2
		}
	case '*':
		rest := bytes.TrimLeft(r.data[r.at:min(len(r.data), r.at+40)], "\r\n ")
		if !bytes.HasPrefix(rest, []byte(`\footnote`)) && !bytes.HasPrefix(rest, []byte(`\annotation`)) {
			r.state.skip = true
		}
	case '~':
		r.write(" ")
	case '_':
		r.write("-")
	case '\\', '{', '}':
		r.character(c)
	case '\r', '\n':
		r.endParagraph()
	}
}

// destinations are groups whose text is no part of the document's.
var destinations = map[string]bool{
	"fonttbl": true, "colortbl": true, "stylesheet": true, "info": true, "pict": true, "object": true, "listtable": true,
	"listoverridetable": true, "rsidtbl": true, "generator": true, "themedata": true, "colorschememapping": true,
	"datastore": true, "latentstyles": true, "header": true, "footer": true, "headerl": true, "headerr": true, "headerf": true,
	"footerl": true, "footerr": true, "footerf": true, "fldinst": true, "xmlnstbl": true, "mmathPr": true, "nonshppict": true,
	"filetbl": true, "revtbl": true, "bkmkstart": true, "bkmkend": true, "atnid": true, "atnauthor": true, "shprslt": true,
}

func (r *rtf) word(word string, value int) {
	r.decode()
	if destinations[word] {
		r.state.skip = true
		return
	}
	switch word {
	case "f":
		r.font = value
		r.state.encoding = r.fonts[value]
	case "fcharset":
		r.describeFont(value)
	case "plain":
		r.state.encoding = nil
	case "footnote", "shptxt":
		r.startNote(false)
	case "annotation":
		r.startNote(true)
	case "listtext", "pntext":
		r.item = r.item || !r.state.skip && !r.state.note
	case "title":
		r.state.title = true
	case "par", "page", "sect":
		r.endParagraph()
	case "line":
		r.write("\n")
	case "tab":
		r.write("\t")
	case "pard":
		r.state.level, r.state.inTable = -1, false
	case "outlinelevel":
		r.state.level = value
	case "intbl":
		r.state.inTable = true
	case "cell":
		r.row = append(r.row, r.takeText())
		r.item = false
	case "row":
		r.endList()
		r.rows = append(r.rows, r.row)
		r.row = nil
		if len(r.rows) >= sheetRows {
			r.endTable()
		}
	case "u":
		r.unicode(value)
	case "uc":
		r.state.unicodeSkip = max(value, 0)
	case "ansicpg":
		r.codepage = codePage(value)
	case "bin":
		r.at = min(len(r.data), r.at+max(value, 0))
	default:
		r.write(rtfSymbols[word])
	}
}

// describeFont takes the set of characters of the font that the table describes;
// the numbers are those of Windows. Set 0 is that of the file.
func (r *rtf) describeFont(set int) {
	const most = 10_000
	pages := map[int]int{128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 255: 437}
	if page := pages[set]; page != 0 && len(r.fonts) < most {
		if r.fonts == nil {
			r.fonts = make(map[int]encoding.Encoding)
		}
		r.fonts[r.font] = codePage(page)
	}
}

var rtfSymbols = map[string]string{
	"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
	"emspace": " ", "enspace": " ",
}

func codePage(n int) encoding.Encoding {
	switch n {
	case 932:
		return japanese.ShiftJIS
	case 936:
		return simplifiedchinese.GBK
	case 949:
		return korean.EUCKR
	case 950:
		return traditionalchinese.Big5
	case 437:
		return charmap.CodePage437
	case 850:
		return charmap.CodePage850
	case 874:
		return charmap.Windows874
	}
	pages := map[int]encoding.Encoding{
		1250: charmap.Windows1250, 1251: charmap.Windows1251, 1253: charmap.Windows1253, 1254: charmap.Windows1254,
		1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258,
	}
	if e := pages[n]; e != nil {
		return e
	}
	return charmap.Windows1252
}

// unicode writes a character given by its number, which is negative above 32767,
// and leaves out the characters that repeat it.
func (r *rtf) unicode(value int) {
	c := rune(uint16(value))
	r.skipNext = r.state.unicodeSkip
	switch {
	case c >= 0xD800 && c < 0xDC00:
		r.high = c
		return
	case c >= 0xDC00 && c < 0xE000 && r.high != 0:
		c = (r.high-0xD800)<<10 + (c - 0xDC00) + 0x10000
	}
	r.high = 0
	if utf8.ValidRune(c) {
		r.write(string(c))
	}
}

// character takes one byte of text.
func (r *rtf) character(c byte) {
	if r.skipNext > 0 {
		r.skipNext--
		return
	}
	if r.state.skip && !r.state.title {
		return
	}
	r.bytes = append(r.bytes, c)
	if len(r.bytes) >= format.MaxBlock {
		r.decode()
	}
}

// decode turns the bytes that were collected into text.
func (r *rtf) decode() {
	if len(r.bytes) == 0 {
		return
	}
	page := r.codepage
	if r.state.encoding != nil {
		page = r.state.encoding
	}
	s, err := page.NewDecoder().Bytes(r.bytes)
	if err != nil {
		s = r.bytes
	}
	r.bytes = r.bytes[:0]
	r.write(string(s))
}

func (r *rtf) write(s string) {
	switch {
	case r.state.title:
		if r.title.Len() < format.MaxHeading {
			r.title.WriteString(s)
		}
	case !r.state.skip:
		r.text.WriteString(s)
		if r.text.Len() > format.MaxBlock && len(r.row) == 0 {
			r.endParagraph()
		}
	}
}

func (r *rtf) takeText() string {
	r.decode()
	s := strings.TrimSpace(r.text.String())
	r.text.Reset()
	return s
}

func (r *rtf) endParagraph() {
	r.decode()
	if r.state.inTable || r.state.note || len(r.row) > 0 {
		r.text.WriteByte(' ')
		return
	}
	s := r.takeText()
	if s == "" {
		return
	}
	defer r.addNotes()
	item := r.item && r.state.level < 0
	r.item = false
	if item {
		if r.items = append(r.items, format.OneLine(s)); len(r.items) < sheetRows && len(r.notes) == 0 {
			return
		}
	}
	r.endList()
	r.endTable()
	if item {
		return
	}
	if r.state.level >= 0 && r.state.level < 9 {
		r.builder.Heading(r.state.level+1, s)
		return
	}
	r.builder.Add(ibid.BlockParagraph, s)
}

// endList adds the items before a paragraph that is in no list.
func (r *rtf) endList() {
	r.builder.Add(ibid.BlockList, strings.Join(r.items, "\n"))
	r.items = nil
}

// endTable adds the rows before a paragraph that is in no table.
func (r *rtf) endTable() {
	if len(r.row) > 0 {
		r.rows = append(r.rows, r.row)
		r.row = nil
	}
	r.builder.Table(r.rows)
	r.rows = nil
}
