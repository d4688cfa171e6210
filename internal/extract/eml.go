package extract

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"

	"golang.org/x/net/html/charset"

	"ibid"
)

// Bounds of a message.
const (
	maxHeader   = 1 << 20 // bytes
	maxParts    = 2000
	maxMailDeep = 10 // messages and multiparts in each other
)

// readEML reads a message: its subject as a heading, who wrote it when to whom,
// its text, and the names of its attachments. What is attached is given by
// Pool.Members.
func readEML(b *builder, data []byte) done {
	m := &mail{parts: maxParts}
	m.text = func(kind, s string) {
		if kind == "text/html" {
			// Too large an element costs the rest of this part only.
			_, _ = readHTMLString(b, s, false)
			return
		}
		readText(b, s)
	}
	header, body := splitHeader(data)
	subject := oneLine(clean(decodeWords(header.Get("Subject"))))
	if len(subject) > maxHeading {
		subject = subject[:cutBefore(subject, maxHeading-len("…"))] + "…"
	}
	b.heading(1, subject)
	b.add(ibid.BlockParagraph, envelope(header))
	m.part(header, bytes.NewReader(body), 0)
	if len(m.attached) > 0 {
		b.add(ibid.BlockList, "Attachments:\n• "+strings.Join(m.attached, "\n• "))
	}
	d := done{Title: subject}
	if m.truncated {
		d.Notice = "only the beginning of the message could be read"
	}
	return d
}

// looksLikeMail recognises a message by its first lines: fields, of which one
// is such as only messages have.
func looksLikeMail(b []byte) bool {
	known := false
	for n := 0; n < 50; n++ {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		b = rest
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			if n == 0 {
				return false
			}
			continue
		}
		name, _, ok := bytes.Cut(line, []byte(":"))
		if !ok || len(name) == 0 || len(name) > 60 || bytes.ContainsAny(name, " \t<>") {
			if n == 0 && bytes.HasPrefix(line, []byte("From ")) {
				continue
			}
			return false
		}
		switch strings.ToLower(string(name)) {
		case "received", "message-id", "mime-version", "return-path", "delivered-to":
			known = true
		}
	}
	return known
}

// splitHeader cuts a message into header and body. A header that is too long is
// cut off.
func splitHeader(data []byte) (textproto.MIMEHeader, []byte) {
	end, body := len(data), []byte(nil)
	for _, gap := range []string{"\r\n\r\n", "\n\n"} {
		if i := bytes.Index(data, []byte(gap)); i >= 0 && i < end {
			end, body = i, data[i+len(gap):]
		}
	}
	raw := data[:min(end, maxHeader)]
	if bytes.HasPrefix(raw, []byte("From ")) { // the separator of a mailbox
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	header := make(textproto.MIMEHeader)
	var name string
	for line := range bytes.SplitSeq(raw, []byte("\n")) {
		text := string(bytes.TrimRight(line, "\r"))
		if strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t") {
			if v := header[name]; len(v) > 0 && len(v[len(v)-1]) < maxHeader {
				v[len(v)-1] += " " + strings.TrimSpace(text)
			}
			continue
		}
		key, value, ok := strings.Cut(text, ":")
		if !ok {
			name = ""
			continue
		}
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(key))
		header.Add(name, strings.TrimSpace(value))
	}
	return header, body
}

// envelope is who wrote a message, when, and to whom.
func envelope(h textproto.MIMEHeader) string {
	const most = 2000
	var lines []string
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		value := oneLine(decodeWords(h.Get(name)))
		if len(value) > most {
			value = value[:cutBefore(value, most)] + "…"
		}
		if value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	return strings.Join(lines, "\n")
}

// decodeWords decodes "=?utf-8?q?…?=" (RFC 2047).
func decodeWords(s string) string {
	d := mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
	if decoded, err := d.DecodeHeader(s); err == nil {
		return decoded
	}
	return s
}

// mail walks the parts of a message.
type mail struct {
	parts     int // that may still be looked at
	text      func(kind, text string)
	file      func(name string, r io.Reader) error // gets attachments, may be nil
	attached  []string
	truncated bool
	err       error // of file
}

func (m *mail) part(header textproto.MIMEHeader, body io.Reader, depth int) {
	if m.parts--; m.parts < 0 || depth > maxMailDeep {
		m.truncated = true
		return
	}
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil && kind == "" {
		kind = "text/plain"
	}
	body = decodeTransfer(header, body)
	disposition, dispositionParams, _ := mime.ParseMediaType(header.Get("Content-Disposition"))
	name := decodeWords(firstNonEmpty(dispositionParams["filename"], params["name"]))
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		m.multipart(kind, params["boundary"], body, depth)
	case kind == "message/rfc822" && disposition != "attachment":
		m.message(body, depth)
	case disposition != "attachment" && name == "" && (kind == "text/plain" || kind == "text/html"):
		m.text(kind, readCharset(body, params["charset"]))
	case name != "" || disposition == "attachment" || !strings.HasPrefix(kind, "text/"):
		m.attachment(name, kind, body)
	default:
		m.text("text/plain", readCharset(body, params["charset"]))
	}
}

// message reads a message within a message, and so shows its subject.
func (m *mail) message(body io.Reader, depth int) {
	data, err := io.ReadAll(io.LimitReader(body, maxPartBytes))
	if err != nil {
		m.truncated = true
	}
	header, rest := splitHeader(data)
	m.text("text/plain", "Subject: "+decodeWords(header.Get("Subject"))+"\n"+envelope(header))
	m.part(header, bytes.NewReader(rest), depth+1)
}

func (m *mail) attachment(name, kind string, body io.Reader) {
	const longest = 200
	name = oneLine(clean(name))
	if name == "" {
		name = "attachment " + fmt.Sprint(len(m.attached)+1)
		if extensions, _ := mime.ExtensionsByType(kind); len(extensions) > 0 {
			name += extensions[0]
		}
	}
	if len(name) > longest {
		name = name[len(name)-longest:]
	}
	m.attached = append(m.attached, strings.ToValidUTF8(name, ""))
	if m.file != nil && m.err == nil {
		m.err = m.file(name, body)
	}
}

// multipart reads the parts of a body. Of alternatives the plain one is read,
// or the last when none is.
func (m *mail) multipart(kind, boundary string, body io.Reader, depth int) {
	if boundary == "" {
		m.truncated = true
		return
	}
	r := multipart.NewReader(body, boundary)
	var otherHeader textproto.MIMEHeader
	var other []byte
	for m.parts > 0 && m.err == nil {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			m.truncated = true
			break
		}
		if kind != "multipart/alternative" {
			m.part(p.Header, p, depth+1)
			continue
		}
		if strings.HasPrefix(p.Header.Get("Content-Type"), "text/plain") {
			if data, err := io.ReadAll(p); err == nil && len(bytes.TrimSpace(data)) > 0 {
				m.part(p.Header, bytes.NewReader(data), depth+1)
				return
			}
			continue
		}
		if data, err := io.ReadAll(p); err == nil {
			otherHeader, other = p.Header, data
		}
	}
	if otherHeader != nil {
		m.part(otherHeader, bytes.NewReader(other), depth+1)
	}
	if m.parts <= 0 {
		m.truncated = true
	}
}

// decodeTransfer undoes the encoding of a part.
func decodeTransfer(header textproto.MIMEHeader, r io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(header.Get("Content-Transfer-Encoding"))) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, &base64Only{r: bufio.NewReader(r)})
	case "quoted-printable":
		return quotedprintable.NewReader(r)
	}
	return r
}

// base64Only leaves out what is no letter of base64: line ends, and what bad
// mailers add.
type base64Only struct{ r *bufio.Reader }

func (b *base64Only) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		c, err := b.r.ReadByte()
		if err != nil {
			if n > 0 {
				return n, nil
			}
			return 0, err
		}
		if isLetter(c) || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '=' {
			p[n] = c
			n++
		}
	}
	return n, nil
}

// readCharset reads the text of a part. What can be decoded of a broken one is
// text.
func readCharset(r io.Reader, label string) string {
	data, _ := io.ReadAll(io.LimitReader(r, maxPartBytes))
	if label == "" || strings.EqualFold(label, "us-ascii") || strings.EqualFold(label, "utf-8") {
		return decodeText(data, len(data)+1)
	}
	decoded, err := charset.NewReaderLabel(label, bytes.NewReader(data))
	if err != nil {
		return decodeText(data, len(data)+1)
	}
	s, err := io.ReadAll(decoded)
	if err != nil {
		return decodeText(data, len(data)+1)
	}
	return string(s)
}
