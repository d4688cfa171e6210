package tool

import (
	"context"
	"fmt"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/excerpt"
)

// Files are the files of conversations.
type Files interface {
	// Files returns the files of a thread without their bytes, oldest first.
	Files(ctx context.Context, view access.View, threadID string) ([]ibid.File, error)
	File(ctx context.Context, view access.View, messageID string, n int) (ibid.File, error)
	// FileText returns what a file says, NOT_FOUND until SetFileText has kept it.
	FileText(ctx context.Context, view access.View, messageID string, n int) (ibid.Extract, error)
	SetFileText(ctx context.Context, messageID string, n int, x ibid.Extract) error
}

// FileTexts are what the files of conversations say. A file is read once, and what
// it says is kept beside it, so it goes with its message.
type FileTexts struct {
	store  Files
	reader FileReader
}

// NewFileTexts returns the texts of stored files.
func NewFileTexts(store Files, reader FileReader) FileTexts { return FileTexts{store, reader} }

// Text returns what a file says. Its bytes are fetched where f has none and nobody
// has read it yet.
func (t FileTexts) Text(ctx context.Context, view access.View, f ibid.File) (ibid.Extract, error) {
	x, err := t.store.FileText(ctx, view, f.MessageID, f.N)
	if ibid.CodeOf(err) != ibid.CodeNotFound {
		return x, err
	}
	if len(f.Data) == 0 {
		if f, err = t.store.File(ctx, view, f.MessageID, f.N); err != nil {
			return x, err
		}
	}
	if x, err = t.reader.ReadFile(ctx, f.Name, f.Data); err != nil {
		return x, err
	}
	if err := t.store.SetFileText(ctx, f.MessageID, f.N, x); err != nil {
		return x, fmt.Errorf("keep what %s says: %w", f.ID(), err)
	}
	return x, nil
}

// Passages returns what a file says in passages that can be cited, none where it
// holds no text.
func (t FileTexts) Passages(ctx context.Context, view access.View, f ibid.File) ([]ibid.Passage, error) {
	x, err := t.Text(ctx, view, f)
	if err != nil {
		return nil, err
	}
	return filePassages(f, x), nil
}

// documentOf is a file as a document of its conversation.
func documentOf(f ibid.File, x ibid.Extract) ibid.Document {
	name := line(f.Name, 200)
	return ibid.Document{ID: f.ID(), Title: name, Name: name, Format: x.Format, Pages: x.Pages, Version: versionOf(f)}
}

func versionOf(f ibid.File) string {
	if f.Version == "" && len(f.Data) > 0 {
		return ibid.VersionOf(f.Data)
	}
	return f.Version
}

// filePassages cuts what a file says into passages. The same file always gives the
// same ones, with the same ids.
func filePassages(f ibid.File, x ibid.Extract) []ibid.Passage {
	d := documentOf(f, x)
	like := ibid.Passage{Document: d, Kind: ibid.SourceAttachment, URL: f.URL(), Score: 1}
	like.DocumentID, like.Version = d.ID, d.Version
	all := excerpt.Cut(x, f.ID(), like)
	if x.Format == "pdf" {
		for i, p := range all {
			if n := firstPage(p.Pages); n > 0 {
				all[i].URL = fmt.Sprintf("%s#page=%d", f.URL(), n)
			}
		}
	}
	return all
}

// isPicture reports whether a file is one that only an OCR engine can read.
func isPicture(f ibid.File) bool { return strings.HasPrefix(f.MIME, "image/") }
