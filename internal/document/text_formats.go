package document

import "ibid/internal/document/csv"

// plainFormat is the format of texts that nothing says more of.
func plainFormat() Format {
	return Format{
		Name: Plain, Label: "Text", Kind: KindText, Extensions: []string{".txt", ".text", ".log", ".rst", ".tex"}, MIME: []string{"text/plain"},
		Read: func(b *Builder, f File) (Done, error) {
			readText(b, f.Text(b))
			return Done{}, nil
		},
	}
}

// markdownFormat is the format of Markdown.
func markdownFormat() Format {
	return Format{
		Name: "markdown", Label: "Markdown", Kind: KindText, MIME: []string{"text/markdown"},
		Extensions: []string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"},
		Read:       func(b *Builder, f File) (Done, error) { return Done{Title: readMarkdown(b, f.Text(b))}, nil },
	}
}

// pageFormat is the format of pages of the web.
func pageFormat() Format {
	return Format{
		Name: "html", Label: "Web page", Kind: KindWeb, Extensions: []string{".html", ".htm", ".xhtml"},
		MIME: []string{"text/html", "application/xhtml+xml"}, Looks: looksLikeHTML,
		Read: func(b *Builder, f File) (Done, error) { return readHTML(b, f.Data) },
	}
}

// tableFormat is the format of tables of values.
func tableFormat() Format {
	return Format{
		Name: "csv", Label: "CSV", Kind: KindTable, Extensions: csv.Extensions, MIME: []string{"text/csv", "text/tab-separated-values"},
		Read: func(b *Builder, f File) (Done, error) {
			readCSV(b, f.Text(b))
			return Done{}, nil
		},
	}
}
