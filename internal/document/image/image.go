// Package image reads the words in pictures, and in pages of PDFs that are pictures.
package image

import (
	"bytes"
	"encoding/binary"

	"ibid/internal/document/format"
	"ibid/internal/document/pdf"
)

// Format is the format of pictures, of which the words in them are read.
func Format(r *Finder) format.Format {
	return format.Format{
		Name: "image", Label: "Picture", Kind: format.KindPicture,
		Extensions: []string{".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif"},
		MIME:       []string{"image/png", "image/jpeg", "image/tiff", "image/webp", "image/bmp", "image/gif"},
		Begins:     isPicture, Pages: r.readPicture, Assemble: pdf.Assemble,
	}
}

// pictures are how the files begin that tesseract reads.
var pictures = []string{"\x89PNG\r\n\x1a\n", "\xFF\xD8\xFF", "GIF87a", "GIF89a", "II*\x00", "MM\x00*"}

func isPicture(b []byte) bool {
	for _, magic := range pictures {
		if bytes.HasPrefix(b, []byte(magic)) && !format.LooksLikeText(b, magic) {
			return true
		}
	}
	return isBitmap(b) || len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP"
}

// isBitmap recognises BMP by its header, as a text may begin with "BM" and most
// bytes of a white page are none that text lacks: two reserved fields that are
// zero, then the size of one of the headers that there are.
func isBitmap(b []byte) bool {
	if len(b) < 18 || string(b[:2]) != "BM" || string(b[6:10]) != "\x00\x00\x00\x00" {
		return false
	}
	switch binary.LittleEndian.Uint32(b[14:]) {
	case 12, 16, 40, 52, 56, 64, 108, 124:
		return true
	}
	return false
}
