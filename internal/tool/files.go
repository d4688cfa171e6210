package tool

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/excerpt"
)

// Files are the files of conversations.
type Files interface {
	// Files returns a page of the files of a thread without their bytes, newest first.
	Files(ctx context.Context, view access.View, threadID string, page ibid.Page) (files []ibid.File, next string, err error)
	File(ctx context.Context, view access.View, messageID string, n int) (ibid.File, error)
	// FileText returns what a file says, NOT_FOUND until SetFileText has kept it.
	FileText(ctx context.Context, view access.View, messageID string, n int) (ibid.Extract, error)
	SetFileText(ctx context.Context, messageID string, n int, x ibid.Extract) error
}

// Formats knows the kinds of files, as document/format.List does.
type Formats interface {
	// Drawn reports whether files of a format have pages that can be drawn, so that an
	// address may lead to one of them.
	Drawn(format string) bool
}

// atPages makes the addresses of passages lead to their pages, where the format of
// their file has pages that can be drawn.
func atPages(passages []ibid.Passage, format string, formats Formats) {
	if !formats.Drawn(format) {
		return
	}
	for i, p := range passages {
		if len(p.Pages) > 0 {
			passages[i].URL = ibid.AtPage(p.URL, p.Pages[0])
		}
	}
}

// FileTexts are what the files of conversations say. A file is read once, and what
// it says is kept beside it, so it goes with its message.
type FileTexts struct {
	store   Files
	reader  FileReader
	formats Formats
}

// NewFileTexts returns the texts of stored files.
func NewFileTexts(store Files, reader FileReader, formats Formats) FileTexts {
	return FileTexts{store, reader, formats}
}

// inThread yields the files of a conversation, newest first.
func (t FileTexts) inThread(ctx context.Context, view access.View, threadID string) iter.Seq2[ibid.File, error] {
	return ibid.Each(func(page ibid.Page) ([]ibid.File, string, error) { return t.store.Files(ctx, view, threadID, page) })
}

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
	return t.passages(f, x), nil
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

// passages cuts what a file says into passages. The same file always gives the
// same ones, with the same ids.
func (t FileTexts) passages(f ibid.File, x ibid.Extract) []ibid.Passage {
	d := documentOf(f, x)
	like := ibid.Passage{Document: d, Kind: ibid.SourceAttachment, URL: f.URL(), Score: 1}
	like.DocumentID, like.Version = d.ID, d.Version
	all := excerpt.Cut(x, f.ID(), like)
	atPages(all, x.Format, t.formats)
	return all
}

// isPicture reports whether a file is one that only an OCR engine can read.
func isPicture(f ibid.File) bool { return strings.HasPrefix(f.MIME, "image/") }
