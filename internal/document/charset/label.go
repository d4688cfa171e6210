package charset

import (
	"encoding/xml"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// Labelled decodes a text that says how it is written, such as a part of a message.
// Where it says nothing, or what nobody knows, it is decoded as Decode does it.
func Labelled(data []byte, label string) string {
	if label == "" || strings.EqualFold(label, "us-ascii") || strings.EqualFold(label, "utf-8") {
		return Decode(data, len(data)+1)
	}
	known, name := charset.Lookup(label)
	if known == nil || name == "replacement" { // one that browsers refuse to decode
		return Decode(data, len(data)+1)
	}
	s, err := known.NewDecoder().Bytes(data)
	if err != nil {
		return Decode(data, len(data)+1)
	}
	return string(s)
}

// Page decodes a web page by its byte order mark or its <meta>, else as Decode does
// it. Text beyond limit bytes need not be there.
func Page(data []byte, limit int) string {
	const meta = 1024
	encoding, name, certain := charset.DetermineEncoding(data[:min(len(data), meta)], "")
	if !certain || name == "utf-8" || strings.HasPrefix(name, "utf-16") {
		return Decode(data, limit)
	}
	s, err := encoding.NewDecoder().Bytes(data)
	if err != nil {
		return Decode(data, limit)
	}
	return string(s)
}

// Reader reads what names its encoding, such as a header of a message, as UTF-8.
func Reader(label string, r io.Reader) (io.Reader, error) { return charset.NewReaderLabel(label, r) }

// XML reads XML in whichever encoding it says it is in. Of Office files that may be
// UTF-8 or UTF-16 (ECMA-376, part 2), and some programs write others.
func XML(r io.Reader) *xml.Decoder {
	text, wide := Marked(r)
	d := xml.NewDecoder(text)
	d.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		if wide {
			return r, nil // it is decoded already
		}
		return Reader(label, r)
	}
	return d
}
