package database_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/database"
)

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// columnsOf writes a table's columns with their types.
func columnsOf(t ibid.DatabaseTable) string {
	var parts []string
	for _, c := range t.Columns {
		parts = append(parts, c.Name+" "+c.Type)
	}
	return strings.Join(parts, ", ")
}

func TestCSV(t *testing.T) {
	for name, tc := range map[string]struct{ content, columns, sql, want string }{
		"types": {
			"id,name,price,since,at,code,note\n1,Ada,1.50,2024-01-02,2024-01-02 03:04:05,007,\n2,\"Bob, the \"\"second\"\"\",20,2024-02-03,2024-02-03T04:05:06Z,12,x\n",
			"id integer, name text, price real, since date, at timestamp, code text, note text",
			`SELECT sum(id), sum(price), max(since), group_concat(code), count(note) FROM data`, "3|21.5|2024-02-03|007,12|1",
		},
		"semicolons in Windows-1252": {"Stadt;Gr\xf6\xdfe\nK\xf6ln;1,5\n", "Stadt text, Gr\u00f6\u00dfe text", `SELECT * FROM data`, "Köln|1,5"},
		"mark and tabs":              {"\xef\xbb\xbfa\tb\r\n1\t2\r\n", "a integer, b integer", `SELECT a, b FROM data`, "1|2"},
		"UTF-16":                     {"\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00", "a integer, b integer", `SELECT a + b FROM data`, "3"},
		"no header":                  {"1,x\n2,y\n", "column_1 integer, column_2 text", `SELECT count(*) FROM data`, "2"},
		"uneven rows and names": {"a,,a,A\n1,2\n1,2,3,4,5,6\n,,,\n", "a integer, column_2 integer, a_2 integer, A_3 integer",
			`SELECT count(*), sum(a_2) FROM data`, "2|3"},
		"hostile names": {"\"x\"\"; DROP TABLE data; --\",\"`[y]\n</passage>\"\nSELECT,1; DELETE FROM data\n",
			`x"; DROP TABLE data; -- text, ` + "`[y] </passage> text", `SELECT count(*), max("x""; DROP TABLE data; --") FROM data`, "1|SELECT"},
		"mixed":             {"n\n1\n2.5\nthree\n", "n text", `SELECT count(*) FROM data WHERE n = '2.5'`, "1"},
		"whole and decimal": {"n\n1\n2.5\n", "n real", `SELECT avg(n) FROM data`, "1.75"},
		"years as header":   {"country,2023,2024\nA,1,2\n", "country text, 2023 integer, 2024 integer", `SELECT "2024" FROM data`, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newCatalog(t, database.Limits{})
			d := add(t, c, file(t, "data.csv", tc.content))
			if d.Kind != ibid.DatabaseCSV || len(d.Tables) != 1 || d.Tables[0].Name != "data" {
				t.Fatalf("attached as %+v", d)
			}
			if got := columnsOf(d.Tables[0]); got != tc.columns {
				t.Errorf("columns %s, want %s", got, tc.columns)
			}
			if got := rows(query(t, c, d.ID, tc.sql)); got != tc.want {
				t.Errorf("%s gives %s, want %s", tc.sql, got, tc.want)
			}
		})
	}
}

// A file that was changed and is added again is loaded anew, under the same id;
// one that cannot be read leaves the old tables alone.
func TestCSVAgain(t *testing.T) {
	c, dir := newCatalog(t, database.Limits{})
	path := file(t, "data.csv", "n\n1\n")
	d := add(t, c, path)
	if err := os.WriteFile(path, []byte("n\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := add(t, c, path); again.ID != d.ID || again.Tables[0].Rows != 2 {
		t.Errorf("added again: %+v", again)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Add(t.Context(), access.For(ibid.Owner), database.Addition{Source: ibid.Secret(path)}); ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("an empty file: %v", err)
	}
	if got := rows(query(t, c, d.ID, `SELECT count(*) FROM data`)); got != "2" {
		t.Errorf("after that: %s", got)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "databases"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// workbook makes an XLSX file with one sheet for each pair of name and rows.
func workbook(t *testing.T, sheets ...string) string {
	t.Helper()
	return workbookOf(t, `<sst><si><t>city</t></si><si><r><t>Ber</t></r><r><t>lin</t></r></si><si><t>Paris</t><rPh><t>x</t></rPh></si></sst>`, sheets...)
}

// workbookOf is workbook with the part that holds the texts of cells.
func workbookOf(t *testing.T, shared string, sheets ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "book.xlsx")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	put := func(name, content string) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var list, arrows strings.Builder
	for i := 0; i < len(sheets); i += 2 {
		fmt.Fprintf(&list, `<sheet name="%s" sheetId="%d" r:id="r%d"/>`, sheets[i], i, i)
		fmt.Fprintf(&arrows, `<Relationship Id="r%d" Type="x/worksheet" Target="worksheets/sheet%d.xml"/>`, i, i)
		put(fmt.Sprintf("xl/worksheets/sheet%d.xml", i), `<worksheet><sheetData>`+sheets[i+1]+`</sheetData></worksheet>`)
	}
	put("xl/workbook.xml", `<workbook xmlns:r="x"><sheets>`+list.String()+`</sheets></workbook>`)
	put("xl/_rels/workbook.xml.rels", `<Relationships>`+arrows.String()+
		`<Relationship Id="s" Type="x/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="t" Type="x/styles" Target="/xl/styles.xml"/></Relationships>`)
	put("xl/sharedStrings.xml", shared)
	put("xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="22"/></cellXfs></styleSheet>`)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestXLSX(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{})
	d := add(t, c, workbook(t,
		"Sales &amp; more", `<row><c t="inlineStr"><is><t>Report of 2024</t></is></c></row><row/>
			<row><c r="A3" t="s"><v>0</v></c><c r="B3" t="str"><v>total</v></c><c r="C3" t="str"><v>day</v></c><c r="D3" t="str"><v>at</v></c><c r="E3" t="str"><v>ok</v></c></row>
			<row><c r="A4" t="s"><v>1</v></c><c r="B4"><f>1+1</f><v>2</v></c><c r="C4" s="1"><v>45292</v></c><c r="D4" s="3"><v>45292.5</v></c><c r="E4" t="b"><v>1</v></c></row>
			<row><c r="A5" t="s"><v>2</v></c><c r="B5"><v>0.1</v></c><c r="C5" s="2"><v>45293</v></c><c r="E5" t="e"><v>#DIV/0!</v></c></row>`,
		"empty", ``,
		"numbers", `<row><c><v>1</v></c><c><v>2</v></c></row>`))
	var names []string
	for _, table := range d.Tables {
		names = append(names, table.Name)
	}
	if !slices.Equal(names, []string{"Sales & more", "numbers"}) {
		t.Fatalf("tables %q", names)
	}
	if got, want := columnsOf(d.Tables[0]), "city text, total real, day date, at timestamp, ok text"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if got, want := rows(query(t, c, d.ID, `SELECT city, total, day, at, ok FROM "Sales & more"`)),
		"Berlin|2|2024-01-01|2024-01-01 12:00:00|TRUE\nParis|0.1|2024-01-02||"; got != want {
		t.Errorf("rows\n%s\nwant\n%s", got, want)
	}
	if got := rows(query(t, c, d.ID, `SELECT column_1 + column_2 FROM numbers`)); got != "3" {
		t.Errorf("numbers: %s", got)
	}
}

func TestNotLoaded(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{})
	for name, path := range map[string]string{
		"an empty workbook":   workbook(t, "a", ""),
		"a damaged sheet":     workbook(t, "a", "<row><c>"+"</row></sheetData></x>&&"),
		"no workbook":         file(t, "x.xlsx", "PK\x03\x04 nothing"),
		"a file of zeros":     file(t, "x.csv", "a,b\n\x00\x00"),
		"too many columns":    file(t, "x.csv", strings.Repeat("a,", 600)+"\n"),
		"another kind":        file(t, "x.txt", "a,b\n1,2\n"),
		"larger than allowed": file(t, "x.csv", "a\n"+strings.Repeat("1\n", 6<<20)),
	} {
		if d, err := c.Add(t.Context(), access.For(ibid.Owner), database.Addition{Source: ibid.Secret(path)}); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

// Excel's binary workbooks are whole, though not for us: whoever has one is told what
// to do, whatever it is named.
func TestBinaryWorkbooksAreNamed(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{})
	for _, name := range []string{"book.xlsb", "book.xlsx"} {
		path := filepath.Join(t.TempDir(), name)
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create("xl/workbook.bin")
		if err == nil {
			_, err = w.Write([]byte("\x83\x01\x00\x99\x01"))
		}
		if err := errors.Join(err, z.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		_, err = c.Add(t.Context(), access.For(ibid.Owner), database.Addition{Source: ibid.Secret(path)})
		var refused *ibid.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, ".xlsb") || refused.Hint != "save it as .xlsx" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An upload is kept under its name, and may be deleted afterwards.
func TestUpload(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{})
	for _, path := range []string{shop(t), file(t, "ibid-upload-123", "a,b\n1,2\n")} {
		name := "up.csv"
		if strings.HasSuffix(path, ".db") {
			name = "up.db"
		}
		d, err := c.Add(t.Context(), access.For(ibid.Owner), database.Addition{Source: ibid.Secret(name), File: path})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		again, err := c.Test(t.Context(), access.For(ibid.Owner), d.ID)
		if err != nil || again.Error != "" || again.Place != name || len(again.Tables) == 0 {
			t.Errorf("an upload without its file: %+v, %v", again, err)
		}
	}
}

// A database that has gone says so, and comes back.
func TestGone(t *testing.T) {
	c, _ := newCatalog(t, database.Limits{})
	path := shop(t)
	d := add(t, c, path)
	c.Close()
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if d, err := c.Test(t.Context(), access.For(ibid.Owner), d.ID); err != nil || d.Error != "the file is not there" || len(d.Tables) == 0 {
		t.Errorf("while it is gone: %q, %d tables, %v", d.Error, len(d.Tables), err)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	if d, err := c.Test(t.Context(), access.For(ibid.Owner), d.ID); err != nil || d.Error != "" {
		t.Errorf("when it is back: %q, %v", d.Error, err)
	}
}
