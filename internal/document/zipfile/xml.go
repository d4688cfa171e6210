package zipfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// maxDepth is how many elements may stand in each other.
const maxDepth = 256

// Each calls visit for every token of a part. It implements ooxml.Parts. Character
// data is valid until the next call. Documents do not declare entities, so a part
// that does is refused before it can expand.
func (z *File) Each(name string, visit func(xml.Token) error) error {
	r, err := z.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	x := &xmlReader{decoder: z.decode(r), zip: z}
	if z.lenient {
		x.decoder.Strict = false
	}
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

// xmlReader yields the tokens of a part.
type xmlReader struct {
	decoder *xml.Decoder
	zip     *File
	depth   int
}

// next returns io.EOF at the end.
func (x *xmlReader) next() (xml.Token, error) {
	read := x.decoder.Token
	if x.zip.lenient {
		read = x.decoder.RawToken
	}
	token, err := read()
	if err != nil {
		return nil, err
	}
	if x.zip.tokens++; x.zip.tokens > x.zip.limits.Tokens {
		return nil, ErrTooLarge
	}
	switch token := token.(type) {
	case xml.StartElement:
		if x.depth++; x.depth > maxDepth {
			return nil, fmt.Errorf("%w: elements are nested more than %d deep", ErrTooLarge, maxDepth)
		}
	case xml.EndElement:
		x.depth--
	case xml.Directive:
		if bytes.Contains(token, []byte("ENTITY")) {
			return nil, &Refusal{Message: "this file declares entities of XML, which documents do not"}
		}
	}
	return token, nil
}

// Attr returns an attribute by its local name, "" for none.
func Attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
