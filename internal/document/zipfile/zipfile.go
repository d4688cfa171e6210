// Package zipfile reads the files that are zip files of parts in XML, and archives,
// within bounds: a small file can become a large one when it is unpacked.
package zipfile

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Limits bound what a zip file may cost. Sizes are counted while inflating: what
// the directory of a file claims is only the first thing to be refused.
type Limits struct {
	Entries int    // files in it
	Part    int64  // bytes of one file in it, inflated
	Total   int64  // bytes of all that is read of it, inflated
	Ratio   uint64 // by which a part of more than bombBytes may shrink; 0: any
	Tokens  int    // of XML, in all parts together
}

// Default are the limits of documents. XML shrinks by a factor of ten to fifty.
var Default = Limits{Entries: 20_000, Part: 256 << 20, Total: 512 << 20, Ratio: 300, Tokens: MaxTokens}

const (
	// MaxTokens bounds the XML of a document.
	MaxTokens = 40_000_000
	bombBytes = 32 << 20
)

// ErrTooLarge ends the reading of a file that inflates without end, or nests too
// deeply. What was read is kept.
var ErrTooLarge = errors.New("it inflates to more than a file of its kind may hold")

// Refusal is the error of a file that is not read at all, for people.
type Refusal struct{ Message, Hint string }

func (r *Refusal) Error() string { return r.Message }

// File is a zip file that is read within bounds. It is not safe for concurrent use.
type File struct {
	Files []*zip.File // in the order of its directory

	limits  Limits
	decode  Decode
	lenient bool
	byName  map[string]*zip.File
	used    int64 // bytes inflated
	tokens  int
}

// Decode reads XML in whichever encoding it is in (charset.XML).
type Decode func(io.Reader) *xml.Decoder

// Open opens a file that is in memory, within the limits of documents.
func Open(data []byte, decode Decode) (*File, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, &Refusal{Message: "this zip file is damaged and cannot be opened"}
	}
	return New(r, Default, decode)
}

// New reads a file that is open.
func New(r *zip.Reader, limits Limits, decode Decode) (*File, error) {
	if len(r.File) > limits.Entries {
		return nil, &Refusal{Message: fmt.Sprintf("this zip file holds %d files, more than the limit of %d", len(r.File), limits.Entries)}
	}
	z := &File{Files: r.File, limits: limits, decode: decode, byName: make(map[string]*zip.File)}
	for _, f := range r.File {
		name := PartName(f.Name)
		if _, twice := z.byName[name]; !twice {
			z.byName[name] = f
		}
	}
	return z, nil
}

// Lenient returns the file so that it is read also where its XML is not well formed:
// names that lack their namespace, attributes without quotes.
func (z *File) Lenient() *File {
	z.lenient = true
	return z
}

// PartName is how parts are looked up: relative, with slashes, without case.
func PartName(name string) string {
	name = strings.ReplaceAll(name, "\\", "/")
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+name), "/"))
}

// Has implements ooxml.Parts.
func (z *File) Has(name string) bool { return z.byName[PartName(name)] != nil }

// Open returns a reader of a part that counts what it inflates.
func (z *File) Open(name string) (io.ReadCloser, error) {
	f := z.byName[PartName(name)]
	if f == nil {
		return nil, fmt.Errorf("%s is missing", name)
	}
	return z.OpenFile(f)
}

// OpenFile is Open for one of Files.
func (z *File) OpenFile(f *zip.File) (io.ReadCloser, error) {
	if f.Flags&1 != 0 {
		return nil, &Refusal{Message: "this zip file needs a password", Hint: "remove the password"}
	}
	size := f.UncompressedSize64
	if size > uint64(z.limits.Part) || z.limits.Ratio > 0 && size > bombBytes && size/z.limits.Ratio > f.CompressedSize64 {
		return nil, ErrTooLarge
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", f.Name, err)
	}
	return &partReader{ReadCloser: r, zip: z}, nil
}

type partReader struct {
	io.ReadCloser
	zip  *File
	used int64
}

func (r *partReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.used += int64(n)
	r.zip.used += int64(n)
	if r.used > r.zip.limits.Part || r.zip.used > r.zip.limits.Total {
		return 0, ErrTooLarge
	}
	return n, err
}

// Read returns a whole part of at most limit bytes.
func (z *File) Read(name string, limit int64) ([]byte, error) {
	r, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = ErrTooLarge
	}
	return b, err
}

// Contains reports whether a word occurs in a part.
func (z *File) Contains(part, word string) bool {
	r, err := z.Open(part)
	if err != nil {
		return false
	}
	defer r.Close()
	return StreamContains(r, word)
}

// StreamContains reports whether a word occurs in what r gives.
func StreamContains(r io.Reader, word string) bool {
	buffer := make([]byte, 64<<10)
	kept := 0 // bytes from before that may be the beginning of the word
	for {
		n, err := r.Read(buffer[kept:])
		have := buffer[:kept+n]
		if bytes.Contains(have, []byte(word)) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(buffer, have[max(0, len(have)-len(word)+1):])
	}
}
