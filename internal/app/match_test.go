package app

import (
	"strings"
	"testing"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/client"
)

func TestFindDocuments(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(*config.Config) {})
	for _, d := range []ibid.Document{
		{ID: "aaaaaa11", Name: "report.pdf", Folder: "2024", Source: "/home/me/2024/report.pdf"},
		{ID: "aaaaaa22", Name: "report.pdf", Folder: "2025", Source: "/home/me/2025/report.pdf"},
		{ID: "bbbbbb33", Name: "notes.md", Title: "My notes", Source: "https://example.org/notes"},
		{ID: "cccccc44", Name: "odd[1].md", Source: "upload:/odd[1].md"},
	} {
		d.Principal = ibid.Owner
		if _, _, err := p.app.DB.PutDocument(t.Context(), d, "v"); err != nil {
			t.Fatal(err)
		}
	}
	c := client.New(client.Endpoint{URL: p.url}, nil)
	t.Cleanup(c.Close)
	s := &Session{Client: c}
	for name, want := range map[string]string{
		"bbbbbb33": "bbbbbb33", "bbbbbb": "bbbbbb33", "notes.md": "bbbbbb33", "My notes": "bbbbbb33",
		"https://example.org/notes": "bbbbbb33", "2024/report.pdf": "aaaaaa11", "/home/me/2025/report.pdf": "aaaaaa22",
		"*.pdf": "aaaaaa11 aaaaaa22", "2025/*": "aaaaaa22", "odd[1].md": "cccccc44",
	} {
		found, err := s.FindDocuments(t.Context(), name)
		var ids []string
		for _, d := range found {
			ids = append(ids, d.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != want {
			t.Errorf("%s means %q (%v), want %q", name, got, err, want)
		}
	}
	listed, err := s.NamedIn(t.Context(), ibid.Scope{}, []string{"notes.md", "report.pdf"})
	if err != nil || len(listed) != 3 {
		t.Errorf("ls lists %v (%v)", listed, err)
	}
	for name, want := range map[string]string{
		"report.pdf": "fits 2 documents", "aaaaaa": "fits 2 documents", "bbb": "no document", "note.md": `did you mean "notes.md"?`,
		"*.docx": "no document", "[": "no pattern", "": "no document",
	} {
		if found, err := s.FindDocuments(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q means %v (%v), want an error with %q", name, found, err, want)
		}
	}
}
