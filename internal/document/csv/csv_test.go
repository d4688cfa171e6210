package csv_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ibid/internal/document/csv"
)

// rowsOf reads all rows, in which values are divided by ¦.
func rowsOf(t *testing.T, text io.Reader, longest, most int) []string {
	t.Helper()
	r := csv.NewReader(text, longest)
	var rows []string
	for {
		row, err := r.Row(most)
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, strings.Join(row, "¦"))
	}
}

func TestRows(t *testing.T) {
	long := strings.Repeat("x", 99)
	for text, want := range map[string][]string{
		"a,b\n1,2\n":                  {"a¦b", "1¦2"},
		"a;b\r\n1,5;2\r\n":            {"a¦b", "1,5¦2"},
		"a\tb\r1\t2":                  {"a¦b", "1¦2"},
		"\uFEFFa|b\n1|2\n":            {"a¦b", "1¦2"},
		"sep=,\na;b,c;d\n":            {"a;b¦c;d"},
		"\"sep=|\"\r\na,b|c\r\n":      {"a,b¦c"},
		"a,\"b, \"\"c\"\"\nd\"\ne,\n": {"a¦b, \"c\"\nd", "e¦"},
		"\"a\"b,c\n":                  {"ab¦c"},
		"a,x\"y\n":                    {"a¦x\"y"},
		"\"a,b\nc,d\n":                {"\"a¦b", "c¦d"},
		"\"" + long + "\",b\n":        {long + "¦b"},
		"\"" + long + "x\",b\n":       {"\"" + long + "x\"¦b"}, // too long to be in quotes
		"\"\"\"\",b\n":                {"\"¦b"},
		"a,b\n\n":                     {"a¦b", ""},
		"a,b,c,d\n":                   {"a¦b¦c", "d"}, // more values than were asked for
		"":                            nil,
		"\"":                          {"\""},
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
			if got := rowsOf(t, r, 101, 3); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
				t.Errorf("%s, %q:\n%q\nwant\n%q", name, text, got, want)
			}
		}
	}
}

// What goes wrong while the text is read is no end of it.
func TestErrorOfReading(t *testing.T) {
	broken := errors.New("the disk is gone")
	r := csv.NewReader(io.MultiReader(strings.NewReader("a,b\n1,"), iotest.ErrReader(broken)), 100)
	if row, err := r.Row(10); err != nil || len(row) != 2 {
		t.Fatalf("the first row is %q, %v", row, err)
	}
	if row, err := r.Row(10); !errors.Is(err, broken) {
		t.Errorf("the second row is %q, %v", row, err)
	}
}

// FuzzRows holds that rows come to an end, and that no letter is lost or made up.
func FuzzRows(f *testing.F) {
	f.Add("a,\"b\"\"\nc\"\n\"d;e\r\nf")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "sep=") {
			t.Skip("a letter may be the sign between values")
		}
		letters := func(s string) int { return strings.Count(s, "a") + strings.Count(s, "b") }
		rows := rowsOf(t, strings.NewReader(text), 1000, 50)
		if got, want := letters(strings.Join(rows, "")), letters(text); got != want {
			t.Errorf("%d letters of %d in %q", got, want, rows)
		}
		if len(rows) > len(text) {
			t.Errorf("%d rows of %d bytes", len(rows), len(text))
		}
	})
}
