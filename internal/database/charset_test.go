package database_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"ibid/internal/database"
	"ibid/internal/ibidtest"
)

// A table is attached as it reads, however it was written: as a document of the
// library has long been.
func TestCSVEncodings(t *testing.T) {
	const russian = "Город;Население\nМосква;13010112\nСанкт-Петербург;5601911\nНовосибирск;1633595\n"
	for name, tc := range map[string]struct {
		encoding            encoding.Encoding
		text, columns, want string
	}{
		"Windows-1251":                  {charmap.Windows1251, russian, "Город text, Население integer", "Москва|13010112"},
		"KOI8-R":                        {charmap.KOI8R, russian, "Город text, Население integer", "Москва|13010112"},
		"DOS Cyrillic":                  {charmap.CodePage866, russian, "Город text, Население integer", "Москва|13010112"},
		"UTF-16 without a mark":         {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), russian, "Город text, Население integer", "Москва|13010112"},
		"UTF-16, big end first":         {unicode.UTF16(unicode.BigEndian, unicode.UseBOM), russian, "Город text, Население integer", "Москва|13010112"},
		"UTF-32":                        {utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), russian, "Город text, Население integer", "Москва|13010112"},
		"Windows-1250":                  {charmap.Windows1250, "město,řeka\nPříbram,Litavka\nŽďár nad Sázavou,Sázava\n", "město text, řeka text", "Příbram|Litavka"},
		"Windows-1253":                  {charmap.Windows1253, "πόλη\tπληθυσμός\nΑθήνα\t664046\nΘεσσαλονίκη\t315196\n", "πόλη text, πληθυσμός integer", "Αθήνα|664046"},
		"Shift JIS":                     {japanese.ShiftJIS, "都市,人口\nこれは東京です,14047594\n大阪のまち,2752412\n", "都市 text, 人口 integer", "これは東京です|14047594"},
		"GB 18030":                      {simplifiedchinese.GB18030, "城市,人口\n北京市是首都,21893095\n上海市在东部的长江口,24870895\n", "城市 text, 人口 integer", "北京市是首都|21893095"},
		"Windows-1252":                  {charmap.Windows1252, "Stadt;Größe\nKöln;1,5\n", "Stadt text, Größe text", "Köln|1,5"},
		"UTF-8 with a byte that is not": {encoding.Nop, "a,b\nM\u00fcnchen,K\xf6ln\n" + strings.Repeat("Zürich,Genève\n", 30), "a text, b text", "München|K\ufffdln"},
	} {
		t.Run(name, func(t *testing.T) {
			content, err := tc.encoding.NewEncoder().String(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			c, _ := newCatalog(t, database.Limits{})
			d := add(t, c, file(t, "data.csv", content))
			if got := columnsOf(d.Tables[0]); got != tc.columns {
				t.Errorf("columns %s, want %s", got, tc.columns)
			}
			if got := rows(query(t, c, d.ID, "SELECT * FROM data LIMIT 1")); got != tc.want {
				t.Errorf("the first row is %s, want %s", got, tc.want)
			}
		})
	}
}

// What tells how a file is written may stand far behind its beginning.
func TestCSVEncodingShowsLate(t *testing.T) {
	ibidtest.WithoutRace(t, "reads one long file; short ones are read under it")
	var b bytes.Buffer
	b.WriteString("n,city\n")
	for b.Len() < 1<<20 {
		b.WriteString("1,Ufa\n")
	}
	late, err := charmap.Windows1251.NewEncoder().String("2,Екатеринбург на Урале\n2,Нижний Новгород на Волге\n")
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(late)
	c, _ := newCatalog(t, database.Limits{})
	d := add(t, c, file(t, "data.csv", b.String()))
	if got := rows(query(t, c, d.ID, "SELECT city FROM data WHERE n = 2")); got != "Екатеринбург на Урале\nНижний Новгород на Волге" {
		t.Errorf("the last rows are %s", got)
	}
}

// The signs between values are those that a document of the same file has.
func TestCSVSigns(t *testing.T) {
	long := strings.Repeat("word ", 40_000) // 200 KB in one value
	for name, tc := range map[string]struct{ content, columns, sql, want string }{
		"declared":                    {"sep=|\na|b\n1;2|3\n", "a text, b integer", "SELECT * FROM data", "1;2|3"},
		"declared, in quotes":         {"\"sep=;\"\r\na;b\r\n1;2\r\n", "a integer, b integer", "SELECT * FROM data", "1|2"},
		"decimal commas, no header":   {"1;2,5\n3;4,5\n", "column_1 integer, column_2 text", "SELECT * FROM data LIMIT 1", "1|2,5"},
		"lines that end as on Macs":   {"a,b\r1,2\r3,4\r", "a integer, b integer", "SELECT sum(a), sum(b) FROM data", "4|6"},
		"an empty line":               {"a,b\n\n1,2\n\n", "a integer, b integer", "SELECT count(*) FROM data", "1"},
		"a line end in a value":       {"a,b\r\n\"x\r\ny\",2\r\n", "a text, b integer", "SELECT hex(a), b FROM data", "780A79|2"},
		"a long value":                {"a,b\n\"" + long + "\",2\n", "a text, b integer", "SELECT length(a), b FROM data", "199999|2"},
		"a quote that nothing closes": {"a,b\n\"x,2\n", "a text, b integer", "SELECT * FROM data", "\"x|2"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newCatalog(t, database.Limits{})
			d := add(t, c, file(t, "data.csv", tc.content))
			if got := columnsOf(d.Tables[0]); got != tc.columns {
				t.Errorf("columns %s, want %s", got, tc.columns)
			}
			if got := rows(query(t, c, d.ID, tc.sql)); got != tc.want {
				t.Errorf("%s gives %s, want %s", tc.sql, got, tc.want)
			}
		})
	}
}

// The parts of a workbook say how they are written, too.
func TestWorkbookEncodings(t *testing.T) {
	head := func(name string) string { return `<?xml version="1.0" encoding="` + name + `"?>` }
	utf16LE := func(s string) string {
		b := []byte{0xFF, 0xFE}
		for _, unit := range utf16.Encode([]rune(s)) {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
		return string(b)
	}
	windows := func(s string) string {
		out, err := charmap.Windows1251.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const cities = `<sst><si><t>Город</t></si><si><t>Москва</t></si></sst>`
	const sheet = `<row><c r="A1" t="s"><v>0</v></c></row><row><c r="A2" t="s"><v>1</v></c></row>`
	for name, shared := range map[string]string{
		"Windows-1251": windows(head("windows-1251") + cities),
		"UTF-16":       utf16LE(head("UTF-16") + cities),
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newCatalog(t, database.Limits{})
			d := add(t, c, workbookOf(t, shared, "cities", sheet))
			if got, want := columnsOf(d.Tables[0]), "Город text"; got != want {
				t.Errorf("columns %s, want %s", got, want)
			}
			if got := rows(query(t, c, d.ID, `SELECT * FROM cities`)); got != "Москва" {
				t.Errorf("the row is %s", got)
			}
		})
	}
}
