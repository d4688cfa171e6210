package document

import (
	"bytes"
	"encoding/binary"
	"io"
	"path"
	"strings"

	"ibid/internal/document/charset"
	"ibid/internal/document/zipfile"
)

// signature is how files of a kind begin.
type signature struct {
	magic string
	kind  string // for people: "this is …"
}

// binaries are files that are not read. Those that could be turned into one that
// is have a hint at refuseBinary.
var binaries = []signature{
	{"PK\x05\x06", "an empty zip archive"},
	{"\x1F\x8B", "a gzip archive"},
	{"BZh", "a bzip2 archive"},
	{"\xFD7zXZ\x00", "an xz archive"},
	{"7z\xBC\xAF\x27\x1C", "a 7z archive"},
	{"Rar!\x1A\x07", "a RAR archive"},
	{"\x28\xB5\x2F\xFD", "a zstd archive"},
	{"\x7FELF", "a program"},
	{"MZ", "a program"},
	{"\xCF\xFA\xED\xFE", "a program"},
	{"\xCA\xFE\xBA\xBE", "a program"},
	{"\x00asm", "a WebAssembly program"},
	{"SQLite format 3\x00", "an SQLite database"},
	{"ID3", "a sound file"},
	{"fLaC", "a sound file"},
	{"OggS", "a sound or video file"},
	{"RIFF", "a sound or video file"},
	{"\x1A\x45\xDF\xA3", "a video file"},
	{"wOFF", "a font"},
	{"wOF2", "a font"},
	{"\x00\x01\x00\x00\x00", "a font"},
	{"OTTO", "a font"},
	{"%!PS", "a PostScript file"},
}

// pictures are how the files begin that tesseract reads.
var pictures = []string{"\x89PNG\r\n\x1a\n", "\xFF\xD8\xFF", "GIF87a", "GIF89a", "II*\x00", "MM\x00*"}

func isPicture(b []byte) bool {
	for _, magic := range pictures {
		if bytes.HasPrefix(b, []byte(magic)) && !looksLikeText(b, magic) {
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

// oldOffice is how the files begin that Office wrote before 2007, those it
// encrypts, and those of Outlook.
const oldOffice = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

// refuseOldOffice tells them apart by their names and by a part that encrypted
// files have, whose name is in UTF-16.
func refuseOldOffice(r io.Reader, fileName string) error {
	var name strings.Builder
	for _, c := range "EncryptedPackage" {
		name.WriteRune(c)
		name.WriteByte(0)
	}
	if zipfile.StreamContains(r, name.String()) {
		return refuseHint("this Office file needs a password", "remove the password")
	}
	switch strings.ToLower(path.Ext(fileName)) {
	case ".msg":
		return refuseHint("this is a message of Outlook", "save it as .eml")
	case ".msi":
		return refuseBinary("a program")
	}
	return refuseHint("this is an Office file of the kind before 2007", "save it as DOCX, XLSX or PPTX")
}

// detect decides how a file is read: by what it contains, then by what the
// caller says, then by its name.
func detect(beginning []byte, name, hint string) (string, error) {
	if hasPDFHeader(beginning) {
		return formatPDF, nil
	}
	switch {
	case bytes.HasPrefix(beginning, []byte("PK\x03\x04")):
		return formatZip, nil
	case bytes.HasPrefix(beginning, []byte("{\\rtf")):
		return formatRTF, nil
	case isPicture(beginning):
		return formatImage, nil
	}
	for _, s := range binaries {
		if bytes.HasPrefix(beginning, []byte(s.magic)) && !looksLikeText(beginning, s.magic) {
			return "", refuseBinary(s.kind)
		}
	}
	if len(beginning) >= 12 && string(beginning[4:8]) == "ftyp" {
		return "", refuseBinary("a video or HEIC image")
	}
	if isTar(beginning) {
		return "", refuseBinary("a tar archive")
	}
	ext := strings.ToLower(path.Ext(name))
	if ext == ".pdf" && !looksLikeHTML(beginning) {
		return "", refuse("this PDF is damaged and cannot be opened")
	}
	if charset.IsBinary(beginning) {
		return "", refuseBinary("a binary file of an unknown kind")
	}
	if strings.TrimSpace(clean(charset.Decode(beginning, charset.SampleSize))) == "" && len(beginning) < charset.SampleSize {
		return "", refuse("there is no text in the file")
	}
	return textFormat(beginning, name, hint), nil
}

// isTar recognises the header of the first file in a tar archive (POSIX.1).
func isTar(b []byte) bool {
	const at, magic = 257, "ustar"
	return len(b) >= at+len(magic) && string(b[at:at+len(magic)]) == magic && bytes.IndexByte(b[:at], 0) >= 0
}

// hasPDFHeader accepts what readers do: the header within the first kilobyte.
func hasPDFHeader(b []byte) bool {
	i := bytes.Index(b[:min(len(b), 1024)], []byte("%PDF-"))
	return i == 0 || i > 0 && !looksLikeHTML(b)
}

// looksLikeText saves texts that happen to begin like a binary: "MZ", "ID3",
// "RIFF", "BZh" are letters.
func looksLikeText(b []byte, magic string) bool {
	for i := 0; i < len(magic); i++ {
		if magic[i] < ' ' || magic[i] >= 0x7F {
			return false
		}
	}
	return magic != "%!PS" && !charset.IsBinary(b)
}

func refuseBinary(kind string) error {
	message := "this is " + kind + ", not text"
	switch {
	case strings.Contains(kind, "PostScript"):
		return refuseHint("this is "+kind, "turn it into a PDF")
	case strings.Contains(kind, "archive"):
		return refuseHint("this is "+kind, "unpack it and add its files")
	}
	return refuse(message)
}

// textFormat decides between the formats that are text.
func textFormat(b []byte, name, hint string) string {
	switch {
	case looksLikeHTML(b):
		return formatHTML
	case looksLikeMail(b):
		return formatEML
	case hint == formatCSV || hint == formatEML || hint == formatMarkdown || hint == formatHTML || hint == formatCode || hint == formatText:
		return hint
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd":
		return formatMarkdown
	case ".html", ".htm", ".xhtml":
		return formatHTML
	case ".csv", ".tsv", ".tab":
		return formatCSV
	case ".eml":
		return formatEML
	}
	if languageOf(name) != "" {
		return formatCode
	}
	return formatText
}

// looksLikeHTML recognises whole pages, whatever they are named.
func looksLikeHTML(b []byte) bool {
	s := strings.ToLower(strings.TrimSpace(charset.Decode(b[:min(len(b), 2048)], 2048)))
	for strings.HasPrefix(s, "<!--") {
		_, after, ok := strings.Cut(s, "-->")
		if !ok {
			return false
		}
		s = strings.TrimSpace(after)
	}
	if strings.HasPrefix(s, "<?xml") {
		return strings.Contains(s, "<!doctype html") || strings.Contains(s, "<html")
	}
	return strings.HasPrefix(s, "<!doctype html") || strings.HasPrefix(s, "<html") || strings.HasPrefix(s, "<head>") || strings.HasPrefix(s, "<body")
}
