package document_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"ibid/internal/document"
)

// Before zip files had a mark for UTF-8, and where their makers ignore it, names
// are in the encoding of the machine that packed them.
func TestZipNames(t *testing.T) {
	for _, c := range []struct {
		encoding encoding.Encoding
		names    []string
	}{
		{charmap.CodePage866, []string{"Договоры/Аренда помещения.txt", "Отчёт.txt"}},
		{japanese.ShiftJIS, []string{"契約書のひな形.txt", "議事録/これまでのまとめ.txt"}},
		{charmap.CodePage850, []string{"Größe und Übermaß.txt", "Verträge/Kündigung.txt"}},
		{encoding.Nop, []string{"Ärger.txt"}},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range c.names {
			raw, err := c.encoding.NewEncoder().String(name)
			if err != nil {
				t.Fatal(err)
			}
			w, err := z.CreateHeader(&zip.FileHeader{Name: raw, NonUTF8: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte("Words.")); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		var got []string
		if _, err := newPool(t, document.Limits{}).Members(t.Context(), document.Request{Data: b.Bytes(), Name: "a.zip"}, func(m document.Member) error {
			got = append(got, m.Name)
			return nil
		}); err != nil || !slices.Equal(got, c.names) {
			t.Errorf("in %v the names are %q, %v; want %q", c.encoding, got, err, c.names)
		}
	}
}

func TestRefusedKinds(t *testing.T) {
	tar := append([]byte("notes.txt"), make([]byte, 503)...)
	copy(tar[257:], "ustar\x0000")
	old := "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + string(make([]byte, 600))
	for _, c := range []struct{ name, data, want string }{
		{"a.tar", string(tar), "this is a tar archive (unpack it and add its files)"},
		{"a.tar.gz", "\x1F\x8B\x08 and so on", "this is a gzip archive (unpack it and add its files)"},
		{"a.msg", old, "this is a message of Outlook (save it as .eml)"},
		{"a.doc", old, "this is an Office file of the kind before 2007 (save it as DOCX, XLSX or PPTX)"},
	} {
		_, err := newPool(t, document.Limits{}).Extract(t.Context(), document.Request{Data: []byte(c.data), Name: c.name}, nil)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
