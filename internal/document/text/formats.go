// Package text reads texts: plain ones, Markdown, pages of the web, tables of values, code.
package text

import (
	"ibid/internal/document/csv"
	"ibid/internal/document/format"
)

// Plain is the format of texts that nothing says more of.
func Plain() format.Format {
	return format.Format{
		Name: format.Plain, Label: "Text", Kind: format.KindText, Extensions: []string{".txt", ".text", ".log", ".rst", ".tex"}, MIME: []string{"text/plain"},
		Read: func(b *format.Builder, f format.File) (format.Done, error) {
			ReadPlain(b, f.Text(b))
			return format.Done{}, nil
		},
	}
}

// Markdown is the format of Markdown.
func Markdown() format.Format {
	return format.Format{
		Name: "markdown", Label: "Markdown", Kind: format.KindMarkup, MIME: []string{"text/markdown"},
		Extensions: []string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"},
		Read: func(b *format.Builder, f format.File) (format.Done, error) {
			return format.Done{Title: readMarkdown(b, f.Text(b))}, nil
		},
	}
}

// Page is the format of pages of the web.
func Page() format.Format {
	return format.Format{
		Name: "html", Label: "Web page", Kind: format.KindWeb, Extensions: []string{".html", ".htm", ".xhtml"},
		MIME: []string{"text/html", "application/xhtml+xml"}, Looks: LooksLikeHTML,
		Read: func(b *format.Builder, f format.File) (format.Done, error) { return readHTML(b, f.Data) },
	}
}

// Table is the format of tables of values.
func Table() format.Format {
	return format.Format{
		Name: "csv", Label: "CSV", Kind: format.KindTable, Extensions: csv.Extensions, MIME: []string{"text/csv", "text/tab-separated-values"},
		Read: func(b *format.Builder, f format.File) (format.Done, error) {
			readCSV(b, f.Text(b))
			return format.Done{}, nil
		},
	}
}
