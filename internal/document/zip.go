package document

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/net/html/charset"

	"ibid"
	"ibid/internal/document/ooxml"
)

// Bounds of what a zip file may cost. Sizes are counted while inflating: what
// the directory of a file claims is only the first thing to be refused.
const (
	maxEntries    = 20_000
	maxPartBytes  = 256 << 20 // of one file in it, inflated
	maxTotalBytes = 512 << 20 // of all that is read of it
	maxXMLTokens  = 40_000_000
	maxXMLDepth   = 256
	// bombRatio is how much smaller than its content a file of more than
	// bombBytes must not be; XML shrinks by a factor of ten to fifty.
	bombRatio = 300
	bombBytes = 32 << 20
)

// errTooLarge ends the reading of a file that inflates without end, or nests
// too deeply. What was read is kept.
var errTooLarge = errors.New("it inflates to more than a file of its kind may hold")

// zipFile is a zip file that is read within bounds.
type zipFile struct {
	files  []*zip.File
	byName map[string]*zip.File
	used   int64
	tokens int
}

func openZip(data []byte) (*zipFile, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, refuse("this zip file is damaged and cannot be opened")
	}
	if len(r.File) > maxEntries {
		return nil, refuse(fmt.Sprintf("this zip file holds %d files, more than the limit of %d", len(r.File), maxEntries))
	}
	z := &zipFile{files: r.File, byName: make(map[string]*zip.File)}
	for _, f := range r.File {
		name := partName(f.Name)
		if _, twice := z.byName[name]; !twice {
			z.byName[name] = f
		}
	}
	return z, nil
}

// partName is how parts are looked up: relative, with slashes, without case.
func partName(name string) string {
	name = strings.ReplaceAll(name, "\\", "/")
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+name), "/"))
}

// Has implements ooxml.Parts.
func (z *zipFile) Has(name string) bool { return z.byName[partName(name)] != nil }

// open returns a reader of a part that counts what it inflates.
func (z *zipFile) open(name string) (io.ReadCloser, error) {
	f := z.byName[partName(name)]
	if f == nil {
		return nil, fmt.Errorf("%s is missing", name)
	}
	return z.openFile(f)
}

func (z *zipFile) openFile(f *zip.File) (io.ReadCloser, error) {
	if f.Flags&1 != 0 {
		return nil, refuseHint("this zip file needs a password", "remove the password")
	}
	size := f.UncompressedSize64
	if size > maxPartBytes || size > bombBytes && size/bombRatio > f.CompressedSize64 {
		return nil, errTooLarge
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", f.Name, err)
	}
	return &partReader{ReadCloser: r, zip: z}, nil
}

type partReader struct {
	io.ReadCloser
	zip  *zipFile
	used int64
}

func (r *partReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.used += int64(n)
	r.zip.used += int64(n)
	if r.used > maxPartBytes || r.zip.used > maxTotalBytes {
		return 0, errTooLarge
	}
	return n, err
}

// read returns a whole part of at most limit bytes.
func (z *zipFile) read(name string, limit int64) ([]byte, error) {
	r, err := z.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = errTooLarge
	}
	return b, err
}

// xmlReader yields the tokens of a part. Documents do not declare entities, so
// one that does is refused before it can expand.
type xmlReader struct {
	decoder *xml.Decoder
	closer  io.Closer
	zip     *zipFile
	depth   int
}

func (z *zipFile) xml(name string) (*xmlReader, error) {
	r, err := z.open(name)
	if err != nil {
		return nil, err
	}
	d := xml.NewDecoder(r)
	d.CharsetReader = charset.NewReaderLabel
	return &xmlReader{decoder: d, closer: r, zip: z}, nil
}

func (x *xmlReader) close() { _ = x.closer.Close() }

// next returns io.EOF at the end. Character data is valid until the next call.
func (x *xmlReader) next() (xml.Token, error) {
	token, err := x.decoder.Token()
	if err != nil {
		return nil, err
	}
	if x.zip.tokens++; x.zip.tokens > maxXMLTokens {
		return nil, errTooLarge
	}
	switch token := token.(type) {
	case xml.StartElement:
		if x.depth++; x.depth > maxXMLDepth {
			return nil, fmt.Errorf("%w: elements are nested more than %d deep", errTooLarge, maxXMLDepth)
		}
	case xml.EndElement:
		x.depth--
	case xml.Directive:
		if bytes.Contains(token, []byte("ENTITY")) {
			return nil, refuse("this file declares entities of XML, which documents do not")
		}
	}
	return token, nil
}

// Each calls visit for every token of a part. It implements ooxml.Parts.
func (z *zipFile) Each(name string, visit func(xml.Token) error) error {
	x, err := z.xml(name)
	if err != nil {
		return err
	}
	defer x.close()
	for {
		token, err := x.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = visit(token)
		}
		if err != nil {
			return err
		}
	}
}

// contains reports whether a word occurs in a part.
func (z *zipFile) contains(part, word string) bool {
	r, err := z.open(part)
	if err != nil {
		return false
	}
	defer r.Close()
	return streamContains(r, word)
}

// streamContains reports whether a word occurs in what r gives.
func streamContains(r io.Reader, word string) bool {
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

// attr returns an attribute by its local name.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// partError tells what the failure of a part means for the file: a notice where
// something was read, an error where nothing was.
func partError(b *builder, err error) (notice string, fatal error) {
	var refused *ibid.Error
	switch {
	case err == nil || b.err != nil:
		return "", nil
	case errors.As(err, &refused):
		return "", err
	case errors.Is(err, errTooLarge):
		return beginningOnly + err.Error(), nil
	}
	return beginningOnly + "the file is damaged", nil
}

// zipFormat tells what kind of document a zip file is.
func (z *zipFile) format() string {
	switch mime, _ := z.read("mimetype", 200); strings.TrimSpace(string(mime)) {
	case "application/epub+zip":
		return formatEPUB
	case "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text-template":
		return formatODT
	case "application/vnd.oasis.opendocument.spreadsheet":
		return formatODS
	case "application/vnd.oasis.opendocument.presentation":
		return formatODP
	}
	if z.Has("[Content_Types].xml") || z.Has("_rels/.rels") {
		switch main := ooxml.MainPart(z); {
		case strings.HasPrefix(main, "word/"):
			return formatDOCX
		case strings.HasPrefix(main, "ppt/"):
			return formatPPTX
		case strings.HasPrefix(main, "xl/"):
			return formatXLSX
		}
	}
	if z.Has("META-INF/container.xml") && !z.Has("META-INF/MANIFEST.MF") {
		return formatEPUB
	}
	return formatZip
}
