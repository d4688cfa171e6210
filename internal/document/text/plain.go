package text

import (
	"ibid"
	"ibid/internal/document/format"
)

// ReadPlain reads plain text: paragraphs are divided by blank lines.
func ReadPlain(b *format.Builder, s string) {
	for para := range format.Paragraphs(s) {
		b.Add(ibid.BlockParagraph, para)
		if b.Err != nil {
			return
		}
	}
}
