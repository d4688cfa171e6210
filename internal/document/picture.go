package document

import (
	"path"
	"regexp"
	"strings"

	"ibid"
)

// maxImages bounds the pictures of a document; those without words cost no text,
// which is bounded otherwise.
const maxImages = 10_000

// image adds a picture. Its text is the description that the file gives, so that
// it is found by it; without one the block is empty and stands where the next
// one begins.
func (b *Builder) image(description string) {
	if b.images == maxImages || b.err != nil {
		return
	}
	b.images++
	if s := describes(description); s != "" {
		b.add(ibid.BlockImage, s)
		return
	}
	at := b.text.Len()
	if b.separated() {
		at += len(blockSeparator)
	}
	b.part.Blocks = append(b.part.Blocks, ibid.Block{Kind: ibid.BlockImage, Start: at, End: at, Page: b.page, Heading: b.headings()})
}

// addImages adds pictures that a paragraph, list or table held, behind it.
func (b *Builder) addImages(descriptions []string) {
	for _, s := range descriptions {
		b.image(s)
	}
}

// madeByProgram ends the descriptions that Office guesses.
var madeByProgram = regexp.MustCompile(`(?i)[\s.]*\b(?:description automatically generated|AI-generated content may be incorrect\.?)(?: with \w+ confidence)?$`)

// namedByProgram matches the names that programs give to pictures.
var namedByProgram = regexp.MustCompile(`(?i)^(?:image|img|picture|photo|graphic|grafik|bild|abbildung|figure|logo|icon|object|screenshot)?[\s_.-]*\d*$`)

// describes returns what of a picture's description says something: neither the
// name of its file nor what programs call every picture.
func describes(s string) string {
	s = oneLine(clean(s))
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
