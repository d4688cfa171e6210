package office

import (
	"encoding/xml"
	"errors"
	"net/url"
	"path"
	"strings"

	"ibid/internal/document/charset"
	"ibid/internal/document/format"
	"ibid/internal/document/text"
	"ibid/internal/document/zipfile"
)

// maxChapters bounds a book.
const maxChapters = 5000

// readEPUB reads the chapters of a book in their order, each once.
func readEPUB(b *format.Builder, z *zipFile) (format.Done, error) {
	if protected, _ := z.Read("META-INF/encryption.xml", 1<<20); strings.Contains(string(protected), "html") {
		return format.Done{}, format.Refuse("this book is protected against copying and cannot be read")
	}
	book, err := z.findBook()
	if err != nil {
		return format.Done{}, err
	}
	d := format.Done{Title: format.OneLine(format.Clean(book.title))}
	seen := make(map[string]bool)
	for _, part := range book.chapters {
		if seen[part] || !z.Has(part) || b.Err != nil {
			continue
		}
		seen[part] = true
		if len(seen) > maxChapters {
			d.Notice = format.JoinNotices(d.Notice, "only the first chapters were read")
			break
		}
		notice, err := z.readChapter(b, part)
		if err != nil {
			return d, err
		}
		if d.Notice == "" {
			d.Notice = notice
		}
	}
	return d, nil
}

func (z *zipFile) readChapter(b *format.Builder, part string) (notice string, err error) {
	data, err := z.Read(part, text.MaxToken)
	if err != nil {
		if errors.Is(err, zipfile.ErrTooLarge) {
			return "a chapter is too large to be read", nil
		}
		return "a chapter is damaged and could not be read", nil
	}
	b.Leave(1)
	d, err := text.ReadPage(b, charset.Page(data, b.Left), true)
	return d.Notice, err
}

// book is the package document of an EPUB.
type book struct {
	title    string
	chapters []string // parts, in reading order
}

func (z *zipFile) findBook() (book, error) {
	damaged := format.Refuse("this book is damaged and cannot be opened")
	root := ""
	err := z.Each("META-INF/container.xml", func(token xml.Token) error {
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rootfile" && root == "" {
			root = zipfile.Attr(e, "full-path")
		}
		return nil
	})
	if err != nil && root == "" {
		return book{}, damaged
	}
	p := packageReader{dir: path.Dir(root), parts: make(map[string]string)}
	// What could be read of a damaged list of chapters is read.
	if err := z.Each(root, p.token); err != nil && len(p.book.chapters) == 0 {
		return book{}, damaged
	}
	return p.book, nil
}

type packageReader struct {
	dir     string
	parts   map[string]string // by id
	inTitle bool
	book    book
}

func (p *packageReader) token(token xml.Token) error {
	switch e := token.(type) {
	case xml.StartElement:
		switch e.Name.Local {
		case "item":
			href := zipfile.Attr(e, "href")
			if plain, err := url.PathUnescape(href); err == nil {
				href = plain
			}
			p.parts[zipfile.Attr(e, "id")] = path.Join(p.dir, href)
		case "itemref":
			if part := p.parts[zipfile.Attr(e, "idref")]; part != "" && zipfile.Attr(e, "linear") != "no" && len(p.book.chapters) < zipfile.MaxTokens/10 {
				p.book.chapters = append(p.book.chapters, part)
			}
		case "title":
			p.inTitle = p.book.title == ""
		}
	case xml.EndElement:
		p.inTitle = false
	case xml.CharData:
		if p.inTitle && len(p.book.title) < format.MaxHeading {
			p.book.title += string(e)
		}
	}
	return nil
}
