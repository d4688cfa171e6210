package recovery

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// A document that has lost its name gets one whose ending tells how it is read.
func TestEndingOf(t *testing.T) {
	zipped := func(namesAndContents ...string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := 0; i < len(namesAndContents); i += 2 {
			if w, err := z.Create(namesAndContents[i]); err != nil {
				t.Fatal(err)
			} else if _, err := w.Write([]byte(namesAndContents[i+1])); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for content, want := range map[string]string{
		"%PDF-1.7\n": ".pdf", "{\\rtf1 a}": ".rtf", "<!doctype html><p>a": ".html", "words\n": ".txt", "# A\n\nwords\n": ".md",
		"Received: from a\r\nSubject: b\r\n\r\nc": ".eml", "From: a@b.c\nSubject: d\n\ne": ".eml", "a;b\n1;2\n3;4\n5;6\n": ".csv", "a\tb\n1\t2\n3\t4\n5\t6\n": ".tsv",
		"\x89PNG\r\n\x1a\n": ".png", "\xFF\xD8\xFF\xE0": ".jpeg", "\x7FELF\x01\x02": "", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1": "",
		zipped("a.txt", "a"): ".zip", "PK\x03\x04 and no more": ".zip", zipped("mimetype", "application/epub+zip"): ".epub",
		zipped("mimetype", "application/vnd.oasis.opendocument.spreadsheet"): ".ods",
		zipped("_rels/.rels", "<r/>", "word/document.xml", "<d/>"):           ".docx", zipped("_rels/.rels", "<r/>", "xl/workbook.xml", "<w/>"): ".xlsx",
	} {
		path := filepath.Join(t.TempDir(), "original")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := endingOf(path, int64(len(content))); err != nil || got != want {
			t.Errorf("%.30q ends in %q, want %q (%v)", content, got, want, err)
		}
	}
}
