// Package metadata takes what a model says of its sources beside its answer out of the
// answer.
package metadata

import (
	"encoding/json"
	"net/url"
	"strings"

	"ibid"
	"ibid/internal/agent/markdown"
)

const (
	// metadataLimit bounds, in bytes, how much is held while it is unclear
	// whether it is metadata. A comment of ours that is longer is thrown away,
	// a bare object that is longer is text.
	metadataLimit = 16 << 10
	// spaceLimit bounds the white space within the first words of metadata.
	spaceLimit = 64
	maxSources = 50
)

// Filter takes the metadata that a model adds to its answer out of the
// stream, however it is cut into chunks:
//
//	<!-- METADATA: {"sources": [{"title": "…", "url": "…"}]} -->
//
// anywhere outside code (a model that saw such comments in its history may also
// begin with one), or the object bare, at the start of a line and with nothing
// after it. An object that is the whole answer is an answer. Comments that hold
// anything else are text. White space around the answer goes as well.
//
// The zero value is ready to use.
type Filter struct {
	buf     string
	md      markdown.Scanner
	space   strings.Builder // white space that waits for something visible after it
	visible bool
	discard bool // inside a comment of ours that is too long

	comment []ibid.Source
	bare    []ibid.Source
}

// Sources returns the pages that the metadata named.
func (f *Filter) Sources() []ibid.Source {
	if len(f.comment) > 0 {
		return f.comment
	}
	return f.bare
}

// Write takes the next piece of the model's text and returns what may be shown.
func (f *Filter) Write(s string) string {
	f.buf += s
	return f.run(false)
}

// Close returns what is left to show.
func (f *Filter) Close() string { return f.run(true) }

func (f *Filter) run(final bool) string {
	var out strings.Builder
	for f.buf != "" {
		if f.discard {
			if !f.skipComment() {
				break
			}
			continue
		}
		n, more := f.md.Verbatim(f.buf, final)
		if more {
			break
		}
		if n > 0 {
			f.show(&out, n)
			continue
		}
		if more := f.plain(&out, final); more {
			break
		}
	}
	return out.String()
}

// plain handles what stands at the start of buf outside code.
func (f *Filter) plain(out *strings.Builder, final bool) (more bool) {
	switch c := f.buf[0]; {
	case c == '<':
		return f.angle(out, final)
	case c == '{' && !f.md.MidLine:
		return f.brace(out, final)
	default:
		n := 1
		for n < len(f.buf) && !strings.ContainsRune("<{`~\n", rune(f.buf[n])) {
			n++
		}
		if c == '\n' {
			n = 1 // the next character begins a line
		}
		f.md.Pass(f.buf[:n])
		f.show(out, n)
	}
	return false
}

// show hands n bytes on, and keeps white space at their end for later.
func (f *Filter) show(out *strings.Builder, n int) {
	s := f.buf[:n]
	f.buf = f.buf[n:]
	if !f.visible {
		s = strings.TrimLeft(s, " \t\r\n")
	}
	body := strings.TrimRight(s, " \t\r\n")
	if body != "" {
		out.WriteString(f.space.String())
		f.space.Reset()
		out.WriteString(body)
		f.visible = true
	}
	f.space.WriteString(s[len(body):])
}

// angle decides about a "<".
func (f *Filter) angle(out *strings.Builder, final bool) (more bool) {
	head, partial := matchWords(f.buf, "<!--", "metadata", ":")
	if partial && !final {
		return true
	}
	if head == 0 {
		if partial && len(f.buf) >= len("<!--") { // cut off within the first words
			f.buf = ""
			return false
		}
		f.literal(out)
		return false
	}
	end := strings.Index(f.buf, "-->")
	if end < 0 || end > metadataLimit {
		switch {
		case end < 0 && !final && len(f.buf) <= metadataLimit+len("-->"):
			return true
		case !startsObject(f.buf[head:min(len(f.buf), metadataLimit)]):
			f.literal(out)
		default:
			f.discard = true
		}
		return false
	}
	if !startsObject(f.buf[head:end]) {
		f.literal(out)
		return false
	}
	sources, _ := parseMetadata(f.buf[head:end]) // what cannot be read is not shown either
	f.comment = append(f.comment, sources...)
	f.buf = f.buf[end+len("-->"):]
	return false
}

// skipComment throws a comment away up to its end, and reports whether the end
// was there.
func (f *Filter) skipComment() bool {
	if end := strings.Index(f.buf, "-->"); end >= 0 {
		f.buf = f.buf[end+len("-->"):]
		f.discard = false
		return true
	}
	f.buf = f.buf[max(0, len(f.buf)-len("--")):]
	return false
}

// literal shows the one character that turned out to be plain.
func (f *Filter) literal(out *strings.Builder) {
	f.md.Pass(f.buf[:1])
	f.show(out, 1)
}

// brace decides about a "{" at the start of a line.
func (f *Filter) brace(out *strings.Builder, final bool) (more bool) {
	head, partial := matchWords(f.buf, "{", `"sources"`, ":", "[")
	if partial && !final {
		return true
	}
	if head == 0 {
		f.literal(out)
		return false
	}
	end := objectEnd(f.buf)
	if end < 0 && !final && len(f.buf) <= metadataLimit {
		return true
	}
	if end < 0 || end > metadataLimit {
		if final && end < 0 && f.visible && len(f.buf) <= metadataLimit { // the stream ended within it
			f.buf = ""
		} else {
			f.literal(out)
		}
		return false
	}
	sources, clean := parseMetadata(f.buf[:end])
	if !clean || !f.visible && len(sources) > 0 {
		f.literal(out)
		return false
	}
	switch last, more := f.nothingFollows(f.buf[end:], final); {
	case more:
		return true
	case !last:
		f.literal(out)
		return false
	}
	f.bare = append(f.bare, sources...)
	f.buf = strings.TrimLeft(f.buf[end:], " \t\r\n")
	return false
}

// nothingFollows reports whether rest holds nothing but space and a comment of
// ours.
func (f *Filter) nothingFollows(rest string, final bool) (last, more bool) {
	rest = strings.TrimLeft(rest, " \t\r\n")
	if rest == "" {
		return final, !final
	}
	head, partial := matchWords(rest, "<!--", "metadata", ":")
	return head > 0 || partial && final && len(rest) >= len("<!--"), partial && !final
}

// matchWords matches words at the start of s, without regard to case and with
// white space between them, and returns the size of the match. partial is true
// when s ends before that could be told.
func matchWords(s string, words ...string) (size int, partial bool) {
	for i, w := range words {
		if i > 0 {
			start := size
			for size < len(s) && strings.IndexByte(" \t\r\n", s[size]) >= 0 {
				size++
			}
			if size-start > spaceLimit {
				return 0, false
			}
		}
		n := min(len(s)-size, len(w))
		if !strings.EqualFold(s[size:size+n], w[:n]) {
			return 0, false
		}
		if n < len(w) {
			return 0, true
		}
		size += n
	}
	return size, false
}

func startsObject(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	return s == "" || s[0] == '{'
}

// objectEnd returns where the JSON object at the start of s ends, -1 when it
// does not.
func objectEnd(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// parseMetadata reads a metadata object and returns the web pages it names, each
// once. clean is false when s is no such object, or names anything else.
func parseMetadata(s string) (sources []ibid.Source, clean bool) {
	var m struct {
		Sources []ibid.Source `json:"sources"`
	}
	if json.Unmarshal([]byte(s), &m) != nil {
		return nil, false
	}
	clean = true
	seen := map[string]bool{}
	for _, src := range m.Sources {
		u, err := url.Parse(src.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			clean = false
			continue
		}
		if seen[src.URL] || len(sources) == maxSources {
			continue
		}
		seen[src.URL] = true
		if src.Title = strings.TrimSpace(src.Title); src.Title == "" {
			src.Title = src.URL
		}
		sources = append(sources, src)
	}
	return sources, clean
}
