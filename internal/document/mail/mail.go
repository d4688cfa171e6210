// Package mail reads messages and mailboxes, and what is attached to them.
package mail

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"path"
	"regexp"
	"strings"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/format"
	"ibid/internal/document/text"
)

// Bounds of a message.
const (
	maxHeader   = 1 << 20 // bytes
	maxParts    = 2000
	maxMailPart = 256 << 20 // bytes of one part, decoded
	maxMailDeep = 10        // messages and multiparts in each other
)

// Format is the format of messages and mailboxes. What is attached lies in them.
func Format() format.Format {
	return format.Format{
		Name: "eml", Label: "Mail", Kind: format.KindMail, Extensions: []string{".eml"}, MIME: []string{"message/rfc822"},
		Looks: looksLikeMail, Members: unpackMail,
		Read: func(b *format.Builder, f format.File) (format.Done, error) { return readEML(b, f.Data), nil },
	}
}

// readEML reads a message: its subject as a heading, who wrote it when to whom,
// its text, and the names of its attachments. What is attached is given by
// Pool.Members.
func readEML(b *format.Builder, data []byte) format.Done {
	var d format.Done
	n := 0
	for message := range messages(data) {
		one := readMessage(b, message)
		d.Notice = cmp.Or(d.Notice, one.Notice)
		if n++; n == 1 {
			d.Title = one.Title
		}
		if n == maxParts || b.Err != nil {
			break
		}
	}
	if n > 1 {
		d.Title = "" // a mailbox has no subject
	}
	return d
}

// mailboxLine begins a message of a mailbox (RFC 4155): "From a@b.c Sat Jan  3
// 01:05:34 1996".
var mailboxLine = regexp.MustCompile(`(?m)^From \S+ +.*\d\d:\d\d.*\d{4}.*$`)

// messages yields the messages of a mailbox, or the one that is there.
func messages(data []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		if at := mailboxLine.FindIndex(data[:min(len(data), 1000)]); at == nil || at[0] != 0 {
			yield(data)
			return
		}
		for len(data) > 0 {
			end := len(data)
			for from := 0; ; {
				at := bytes.Index(data[from:], []byte("\nFrom "))
				if at < 0 {
					break
				}
				at += from + 1
				line := data[at:min(len(data), at+1000)]
				if begins := mailboxLine.FindIndex(line); begins != nil && begins[0] == 0 {
					end = at
					break
				}
				from = at
			}
			if !yield(data[:end]) {
				return
			}
			data = data[end:]
		}
	}
}

func readMessage(b *format.Builder, data []byte) format.Done {
	m := &mail{parts: maxParts}
	m.text = func(kind, s string) {
		if kind == "text/html" {
			// Too large an element costs the rest of this part only.
			_, _ = text.ReadPage(b, s, false)
			return
		}
		text.ReadPlain(b, s)
	}
	header, body := splitHeader(data)
	subject := format.OneLine(format.Clean(decodeWords(header.Get("Subject"))))
	if len(subject) > format.MaxHeading {
		subject = subject[:format.CutBefore(subject, format.MaxHeading-len("…"))] + "…"
	}
	b.Heading(1, subject)
	b.Add(ibid.BlockParagraph, envelope(header))
	m.part(header, bytes.NewReader(body), 0)
	if len(m.attached) > 0 {
		b.Add(ibid.BlockList, "Attachments:\n• "+strings.Join(m.attached, "\n• "))
	}
	d := format.Done{Title: subject}
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
		value := format.OneLine(decodeWords(h.Get(name)))
		if len(value) > most {
			value = value[:format.CutBefore(value, most)] + "…"
		}
		if value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	return strings.Join(lines, "\n")
}

// decodeWords decodes "=?utf-8?q?…?=" (RFC 2047).
func decodeWords(s string) string {
	d := mime.WordDecoder{CharsetReader: charset.Reader}
	if decoded, err := d.DecodeHeader(s); err == nil {
		return decoded
	}
	return s
}

// mail walks the parts of a message.
type mail struct {
	parts     int                                  // that may still be looked at
	text      func(kind, text string)              // nil for parts of which only attachments are taken
	file      func(name string, r io.Reader) error // gets attachments, may be nil
	measures  bool                                 // all alternatives are read, as nothing is shown
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
	name := decodeWords(cmp.Or(dispositionParams["filename"], params["name"]))
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		m.multipart(kind, params["boundary"], body, depth)
	case kind == "message/rfc822" && disposition != "attachment":
		m.message(body, depth)
	case name != "" || disposition == "attachment" || !strings.HasPrefix(kind, "text/"):
		if m.text != nil || header.Get("Content-Id") == "" || !strings.HasPrefix(kind, "image/") { // a picture of the other writing
			m.attachment(name, kind, body)
		}
	case kind == "text/html":
		m.show(kind, readCharset(body, params["charset"]))
	default:
		m.show("text/plain", readCharset(body, params["charset"]))
	}
}

func (m *mail) show(kind, text string) {
	if m.text != nil {
		m.text(kind, text)
	}
}

// message reads a message within a message, and so shows its subject.
func (m *mail) message(body io.Reader, depth int) {
	data, err := io.ReadAll(io.LimitReader(body, maxMailPart))
	if err != nil {
		m.truncated = true
	}
	header, rest := splitHeader(data)
	m.show("text/plain", "Subject: "+decodeWords(header.Get("Subject"))+"\n"+envelope(header))
	m.part(header, bytes.NewReader(rest), depth+1)
}

func (m *mail) attachment(name, kind string, body io.Reader) {
	const longest = 200
	name = format.OneLine(format.Clean(name))
	if name == "" {
		name = "attachment " + fmt.Sprint(len(m.attached)+1)
		if extensions, _ := mime.ExtensionsByType(kind); kind == "message/rfc822" {
			name += ".eml"
		} else if len(extensions) > 0 {
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

// multipart reads the parts of a body.
func (m *mail) multipart(kind, boundary string, body io.Reader, depth int) {
	if boundary == "" {
		m.truncated = true
		return
	}
	r := multipart.NewReader(body, boundary)
	var alternatives []alternative
	for m.parts > 0 && m.err == nil {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			m.truncated = true
			break
		}
		if kind != "multipart/alternative" || m.measures || len(alternatives) == maxAlternatives {
			m.part(p.Header, p, depth+1)
			continue
		}
		if data, err := io.ReadAll(p); err == nil {
			alternatives = append(alternatives, alternative{p.Header, data})
		}
	}
	if len(alternatives) > 0 {
		m.alternatives(alternatives, depth+1)
	}
	if m.parts <= 0 {
		m.truncated = true
	}
}

// alternative is one of several writings of the same text.
type alternative struct {
	header textproto.MIMEHeader
	data   []byte
}

const maxAlternatives = 8

// alternatives reads the plain one, or the last when the plain one says much
// less: some mailers only write there that they write HTML. Of the others only
// what is attached is taken: some mailers put files beside the HTML.
func (m *mail) alternatives(all []alternative, depth int) {
	sizes := make([]int, len(all))
	best := len(all) - 1
	for i, a := range all {
		sizes[i] = textSize(a, depth)
		if strings.HasPrefix(strings.ToLower(a.header.Get("Content-Type")), "text/plain") {
			best = i
		}
	}
	for i, n := range sizes {
		if n > 2*sizes[best] {
			best = i
		}
	}
	text := m.text
	for i, a := range all {
		m.text = nil
		if i == best {
			m.text = text
		}
		m.part(a.header, bytes.NewReader(a.data), depth)
	}
	m.text = text
}

// textSize returns how many bytes of text a part shows.
func textSize(a alternative, depth int) int {
	size := 0
	m := &mail{parts: maxParts, measures: true, text: func(kind, s string) {
		if kind != "text/html" {
			size += len(strings.TrimSpace(s))
			return
		}
		b := format.NewBuilder(maxMailPart, func(p format.Part) error { size += len(p.Text); return nil })
		_, _ = text.ReadPage(b, s, false)
		b.Flush()
	}}
	m.part(a.header, bytes.NewReader(a.data), depth)
	return size
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
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '=' {
			p[n] = c
			n++
		}
	}
	return n, nil
}

// readCharset reads the text of a part. What can be decoded of a broken one is
// text.
func readCharset(r io.Reader, label string) string {
	data, _ := io.ReadAll(io.LimitReader(r, maxMailPart))
	return charset.Labelled(data, label)
}

// unpackMail takes what is attached to the messages of a file.
func unpackMail(f format.File, u *format.Unpacker) error {
	seen := map[string]bool{}
	m := &mail{parts: maxParts, text: func(string, string) {}, file: func(name string, r io.Reader) error {
		return u.Send(unusedName(cmp.Or(format.MemberName(name), "attachment"), seen), r)
	}}
	for message := range messages(f.Data) {
		header, body := splitHeader(message)
		if m.part(header, bytes.NewReader(body), 0); m.err != nil {
			break
		}
	}
	return m.err
}

// unusedName numbers a name that came before: two attachments may well be called
// the same.
func unusedName(name string, seen map[string]bool) string {
	ext := path.Ext(name)
	free := name
	for n := 2; seen[free]; n++ {
		free = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
	}
	seen[free] = true
	return free
}
