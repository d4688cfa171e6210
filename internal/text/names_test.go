package text

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// What names are found by is kept in databases: a name that was added by an older ibid
// has the keys of testdata/names.golden, and must be found by them for ever. They are
// never made anew, but for a migration that makes the stored ones anew, too.
func TestKeysOfNamesStay(t *testing.T) {
	golden, err := os.ReadFile("testdata/names.golden")
	if err != nil {
		t.Fatal(err)
	}
	quoted := func(s string) string {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	var got strings.Builder
	names := 0
	for line := range strings.Lines(string(golden)) {
		if strings.HasPrefix(line, " ") {
			continue
		}
		var name string
		if err := json.Unmarshal([]byte(line), &name); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		names++
		fmt.Fprintf(&got, "%s\n  folded %s\n  stem   %s\n  key    %s\n  words  %s\n  entity %s\n", quoted(name), quoted(NormalizeName(name)),
			quoted(NameStem(NormalizeName(name))), quoted(NameKey(name)), quoted(strings.Join(NameWords(name), " ")), quoted(EntityKey(name)))
	}
	want := strings.Split(string(golden), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if line != want[i] {
			t.Errorf("line %d is %q, want %q", i+1, line, want[i])
		}
	}
	if names < 60 {
		t.Errorf("the golden file has %d names", names)
	}
}

func TestFileNames(t *testing.T) {
	for s, want := range map[string]string{
		"What does report-2023.pdf say about a.txt?": "report-2023.pdf a.txt",
		"see q3_report.final.DOCX, and x.tar.gz.":    "q3_report.final.DOCX",
		"a.pdf.md.pdfx":                   "a.pdf.md",
		"a.pdfé and -b.md, .txt, c..htm":  "a.pdf b.md c..htm",
		"年度报告.xlsx 合同.doc":                "年度报告.xlsx 合同.doc",
		"no.file, main.go, a.pdf_b":       "",
		"":                                "",
		"Überblick.html\xff.md x.eml\xff": "Überblick.html x.eml",
	} {
		var got []string
		for _, at := range FileNames(s) {
			got = append(got, s[at.Start:at.End])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q names %q, want %q", s, got, want)
		}
	}
	for name, want := range map[string]bool{"a.pdf": true, "My report (v2).docx": true, "main.go": true, "": false, ".pdf": false, "a": false, "what is it": false,
		"-a.pdf": false, "a,b.pdf": false, "x.exe": false, "folder/a b.md": true, "table.ods": true} {
		if IsFileName(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}
