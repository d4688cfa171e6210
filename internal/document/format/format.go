// Package format says what a kind of file is to ibid (Format), and holds what the
// readers of all kinds share: the builder that makes blocks of what they find, the
// pages of those that have a layout, the unpacker, and what is said to people of files.
//
// The readers stand in rooms beside it, a room for a family: pdf, office, text, mail,
// archive, image. None of them opens a file or a connection.
package format

import (
	"context"
	"io"

	"ibid/internal/document/charset"
	"ibid/internal/document/zipfile"
)

// Format is a kind of file that ibid reads. It is the one place that says so: how such
// a file is called and recognised, how it is read, and what the page shows for it.
// internal/document/formats.go lists all of them.
type Format struct {
	Name       string   // of documents: Extract.Format, Document.Format
	Label      string   // for people: "PDF"
	Kind       Kind     // what it is to people
	Extensions []string // of file names, in small letters: ".md"; the first is the usual one
	MIME       []string // media types; the first is the usual one

	// A file is of the first format that recognises it: by its first bytes, whatever
	// it is called; by the parts of the zip file that it is; by the first words of a
	// text. A text that nothing recognises is what its name says.
	Begins func(start []byte) bool
	Zipped func(z *zipfile.File) bool
	Looks  func(start []byte) bool
	Named  func(name string) bool // where Extensions do not say it all
	// Mistaken returns the error of a file that its name says is of the format, and that
	// is not, nil where that does not matter.
	Mistaken func(start []byte, name string) error
	// Refuse is the error of such files, where they are recognised but not read.
	Refuse func(file io.Reader, name string) error

	// Read reads a file that is in memory, in order.
	Read func(b *Builder, f File) (Done, error)
	// Pages reads a file page by page. What its lines say is found out when all pages are
	// there: by Assemble, which returns the title and is run by the parent of the worker.
	Pages    func(ctx context.Context, j Job, file io.Reader, out Output) error
	Assemble func(h Head, pages []Page, b *Builder) (title string)
	// Resumes says that Pages may begin at any page, so that one that ends its worker
	// costs no other.
	Resumes bool
	// Draw draws one page, nil where none can be drawn.
	Draw func(ctx context.Context, j Job, file io.Reader, out Output) error
	// Members unpacks the files that lie in such a file, nil where none do.
	Members func(f File, u *Unpacker) error
	// NoTitle reports whether a heading at the beginning tells no document from
	// another; nil: each does.
	NoTitle func(heading string) bool
}

// Kind is what a file is to people, in broad terms. The page has a picture for each.
type Kind string

// The kinds of files.
const (
	KindPages   Kind = "pages" // set in pages: PDF
	KindText    Kind = "text"  // written: Word, plain text
	KindMarkup  Kind = "markup"
	KindWeb     Kind = "web"
	KindBook    Kind = "book"
	KindSlides  Kind = "slides"
	KindTable   Kind = "table"
	KindCode    Kind = "code"
	KindMail    Kind = "mail"
	KindPicture Kind = "picture"
	KindArchive Kind = "archive"
)

// File is a file that is read from memory.
type File struct {
	Name string
	Data []byte
	Zip  *zipfile.File // Data opened, where it is a zip file
}

// Text is a file of text as UTF-8, as far as b has room for it.
func (f File) Text(b *Builder) string { return charset.Decode(f.Data, b.Left) }

// Done is what is known of a file once it was read.
type Done struct {
	Title  string `json:"title,omitempty"`
	Notice string `json:"notice,omitempty"`
}

// Job is what a format that reads page by page is asked for.
type Job struct {
	Size     int64  `json:"size"` // bytes of the file
	Name     string `json:"name"`
	Format   string `json:"format,omitempty"`
	Password string `json:"password,omitempty"`
	From     int    `json:"from,omitempty"`  // first page to read
	Page     int    `json:"page,omitempty"`  // page to draw
	Width    int    `json:"width,omitempty"` // of the drawing, in pixels

	NoOCR        bool   `json:"no_ocr,omitempty"`
	OCRLanguages string `json:"ocr_languages,omitempty"`

	CacheDir    string `json:"cache_dir"`
	MemoryBytes int64  `json:"memory_bytes"`
	TextBytes   int    `json:"text_bytes"`
	Pages       int    `json:"pages"`
}

// Output is where the pages of a file go.
type Output interface {
	// Starting says that a worker is made ready (true), which says nothing of the file,
	// and then that it is (false).
	Starting(bool) error
	Head(Head) error
	Page(Page) error
	// Recognising says that a page is read as a picture, which takes longer.
	Recognising(page int) error
	Drawing(png []byte) error
}
