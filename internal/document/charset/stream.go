package charset

import (
	"bufio"
	"errors"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Encoding is how a long text is written, for reading it as a stream.
type Encoding struct{ form }

// ErrBinary is the error of Detect for what is no text.
var ErrBinary = errors.New("the file is no text")

// Detect tells how a text is written, as Decode does it, without holding all of it:
// it reads until it has seen enough lines with bytes beyond ASCII. The caller begins
// again at the start of the text with Encoding.NewReader.
func Detect(text io.Reader) (Encoding, error) {
	r := bufio.NewReaderSize(text, SampleSize)
	head, err := r.Peek(SampleSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return Encoding{}, err
	}
	if f, ok := marked(head); ok {
		return Encoding{f}, nil
	}
	if IsBinary(head) {
		return Encoding{}, ErrBinary
	}
	if order := utf16Order(head); order != nil {
		return Encoding{form{order: order}}, nil
	}
	var sample []byte
	for len(sample) < tellingBytes {
		line, err := r.ReadSlice('\n')
		if tells(line) {
			sample = append(sample, line...)
		}
		switch {
		case errors.Is(err, io.EOF):
			return Encoding{formOfBytes(sample)}, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return Encoding{}, err
		}
	}
	return Encoding{formOfBytes(sample)}, nil
}

// NewReader reads a text from its beginning as UTF-8. Bytes that are wrong in the
// encoding are read as U+FFFD.
func (e Encoding) NewReader(text io.Reader) io.Reader {
	return e.decoder().Reader(&skipper{text, e.mark})
}

func (e Encoding) decoder() *encoding.Decoder {
	little := e.order != nil && e.order.Uint16([]byte{1, 0}) == 1
	switch {
	case e.wide && little:
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM).NewDecoder()
	case e.wide:
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM).NewDecoder()
	case little:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case e.order != nil:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case e.encoding == nil:
		return unicode.UTF8.NewDecoder()
	}
	return e.encoding.NewDecoder()
}

// Marked reads a text as UTF-8 where a byte order mark says that it is UTF-16 or
// UTF-32. Any other text is read as it is, and ok is false.
func Marked(text io.Reader) (r io.Reader, ok bool) {
	b := bufio.NewReader(text)
	head, _ := b.Peek(4)
	if f, marked := marked(head); marked && f.order != nil {
		return Encoding{f}.NewReader(b), true
	}
	return b, false
}

// skipper leaves out the first bytes of a text.
type skipper struct {
	io.Reader
	left int
}

func (s *skipper) Read(p []byte) (int, error) {
	for s.left > 0 {
		n, err := io.CopyN(io.Discard, s.Reader, int64(s.left))
		if s.left -= int(n); err != nil {
			return 0, err
		}
	}
	return s.Reader.Read(p)
}
