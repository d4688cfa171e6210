package format

import (
	"bytes"
	"strings"

	"ibid/internal/document/charset"
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

// refuseBinaries returns the error of a file that is not read, nil for any other.
func refuseBinaries(start []byte) error {
	for _, s := range binaries {
		if bytes.HasPrefix(start, []byte(s.magic)) && !LooksLikeText(start, s.magic) {
			return refuseBinary(s.kind)
		}
	}
	if len(start) >= 12 && string(start[4:8]) == "ftyp" {
		return refuseBinary("a video or HEIC image")
	}
	if isTar(start) {
		return refuseBinary("a tar archive")
	}
	return nil
}

// isTar recognises the header of the first file in a tar archive (POSIX.1).
func isTar(b []byte) bool {
	const at, magic = 257, "ustar"
	return len(b) >= at+len(magic) && string(b[at:at+len(magic)]) == magic && bytes.IndexByte(b[:at], 0) >= 0
}

// LooksLikeText saves texts that happen to begin like a binary: "MZ", "ID3",
// "RIFF", "BZh" are letters.
func LooksLikeText(b []byte, magic string) bool {
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
		return RefuseHint("this is "+kind, "turn it into a PDF")
	case strings.Contains(kind, "archive"):
		return RefuseHint("this is "+kind, "unpack it and add its files")
	}
	return Refuse(message)
}
