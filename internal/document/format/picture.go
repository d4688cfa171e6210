package format

import (
	"path"
	"regexp"
	"strings"

	"ibid"
)

// maxImages bounds the pictures of a document; those without words cost no text,
// which is bounded otherwise.
const maxImages = 10_000

// Image adds a picture. Its text is the description that the file gives, so that
// it is found by it; without one the block is empty and stands where the next
// one begins.
func (b *Builder) Image(description string) {
	if b.images == maxImages || b.Err != nil {
		return
	}
	b.images++
	if s := Describes(description); s != "" {
		b.Add(ibid.BlockImage, s)
		return
	}
	at := b.text.Len()
	if b.separated() {
		at += len(BlockSeparator)
	}
	b.part.Blocks = append(b.part.Blocks, ibid.Block{Kind: ibid.BlockImage, Start: at, End: at, Page: b.page, Heading: b.headings()})
}

// AddImages adds pictures that a paragraph, list or table held, behind it.
func (b *Builder) AddImages(descriptions []string) {
	for _, s := range descriptions {
		b.Image(s)
	}
}

// madeByProgram ends the descriptions that Office guesses.
var madeByProgram = regexp.MustCompile(`(?i)[\s.]*\b(?:description automatically generated|AI-generated content may be incorrect\.?)(?: with \w+ confidence)?$`)

// namedByProgram matches the names that programs give to pictures.
var namedByProgram = regexp.MustCompile(`(?i)^(?:image|img|picture|photo|graphic|grafik|bild|abbildung|figure|logo|icon|object|screenshot)?[\s_.-]*\d*$`)

// Describes returns what of a picture's description says something: neither the
// name of its file nor what programs call every picture.
func Describes(s string) string {
	s = OneLine(Clean(s))
	s = madeByProgram.ReplaceAllString(s, "")
	if namedByProgram.MatchString(s) || isPictureFile(s) {
		return ""
	}
	return s
}

func isPictureFile(s string) bool {
	switch strings.ToLower(path.Ext(s)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".tif", ".tiff", ".emf", ".wmf":
		return !strings.Contains(s, " ")
	}
	return false
}
