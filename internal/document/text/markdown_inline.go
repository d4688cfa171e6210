package text

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inlineText removes the markup within a line of Markdown and keeps what a
// reader sees: the words of links, the description of pictures, code as it is.
// What is not closed is text.
func inlineText(s string) string {
	if !strings.ContainsAny(s, "*_`[]<&~\\") {
		return s
	}
	s = withoutPermalinks(s)
	links := findLinks(s)
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if end, ok := links[i]; ok {
			i = end
			continue
		}
		if _, ok := links[i+1]; ok && s[i] == '!' {
			i++ // a picture
			continue
		}
		i += inlineAt(&b, s, i)
	}
	return html.UnescapeString(b.String())
}

// inlineAt writes what the text at i shows and returns how many bytes that was.
func inlineAt(b *strings.Builder, s string, i int) int {
	c := s[i]
	switch c {
	case '\\':
		if i+1 < len(s) && s[i+1] < utf8.RuneSelf && unicode.IsPunct(rune(s[i+1])) || i+1 < len(s) && strings.IndexByte("`$+<=>^|~", s[i+1]) >= 0 {
			b.WriteByte(s[i+1])
			return 2
		}
	case '`':
		return codeSpan(b, s, i)
	case '*', '_':
		n := runLength(s, i)
		if !isEmphasis(s, i, n) {
			b.WriteString(s[i : i+n])
		}
		return n
	case '~':
		if n := runLength(s, i); n == 2 {
			return n
		}
	case '<':
		if n := inlineTag(s[i:]); n > 0 {
			inner := s[i+1 : i+n-1]
			if name := strings.TrimSpace(strings.TrimSuffix(inner, "/")); strings.EqualFold(name, "br") {
				b.WriteByte('\n')
			} else if strings.Contains(inner, "://") || strings.Contains(inner, "@") && !strings.Contains(inner, " ") {
				b.WriteString(inner)
			}
			return n
		}
	}
	b.WriteByte(c)
	return 1
}

func runLength(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}

// codeSpan writes the code between two equal runs of back-ticks, looked for in
// a bounded stretch.
func codeSpan(b *strings.Builder, s string, i int) int {
	const most = 1000
	n := runLength(s, i)
	rest := s[i+n : min(len(s), i+n+most)]
	for at := 0; at < len(rest); {
		k := strings.IndexByte(rest[at:], '`')
		if k < 0 {
			break
		}
		at += k
		m := runLength(rest, at)
		if m == n {
			b.WriteString(strings.TrimSpace(rest[:at]))
			return n + at + n
		}
		at += m
	}
	b.WriteString(s[i : i+n])
	return n
}

// isEmphasis reports whether a run of stars or underscores marks words: it
// touches one on one side, and an underscore stands at the edge of a word.
func isEmphasis(s string, i, n int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+n:])
	open := i+n < len(s) && !unicode.IsSpace(after)
	shut := i > 0 && !unicode.IsSpace(before)
	if n > 3 || !open && !shut {
		return false
	}
	if s[i] == '_' {
		inside := unicode.IsLetter(before) || unicode.IsDigit(before)
		return !(open && shut && inside && (unicode.IsLetter(after) || unicode.IsDigit(after)))
	}
	digits := unicode.IsDigit(before) && unicode.IsDigit(after) // 3*4
	return !digits
}

// inlineTag returns the length of an HTML tag or of an address in angle
// brackets, 0 for other text.
func inlineTag(s string) int {
	const most = 500
	if len(s) < 3 || !(s[1] == '/' || s[1] == '!' || unicode.IsLetter(rune(s[1]))) {
		return 0
	}
	end := strings.IndexAny(s[1:min(len(s), most)], "<>")
	if end < 0 || s[1+end] != '>' {
		return 0
	}
	return end + 2
}

// findLinks returns what to leave out of s for its links: from the place of a
// bracket to the byte behind what is left out. "[text](address)" leaves "text".
func findLinks(s string) map[int]int {
	if !strings.Contains(s, "](") && !strings.Contains(s, "][") {
		return nil
	}
	const deepest = 1000
	skip := make(map[int]int)
	var open []int
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if len(open) < deepest {
				open = append(open, i)
			}
		case ']':
			if len(open) == 0 {
				continue
			}
			start := open[len(open)-1]
			open = open[:len(open)-1]
			if end := targetEnd(s, i+1); end > 0 {
				skip[start] = start + 1
				skip[i] = end
				i = end - 1
			}
		}
	}
	return skip
}

// onlyPictures returns the descriptions of the pictures that a paragraph consists
// of, which may be links; none when it has words, too.
func onlyPictures(s string) (descriptions []string) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		picture, linked := strings.CutPrefix(s, "[!")
		if !linked && !strings.HasPrefix(s, "![") {
			return nil
		}
		if !linked {
			picture = s[1:]
		}
		alt, n := bracketed(picture)
		if n == 0 {
			return nil
		}
		s = picture[n:]
		if linked {
			end := 0
			if strings.HasPrefix(s, "]") {
				end = targetEnd(s, 1)
			}
			if end == 0 {
				return nil
			}
			s = s[end:]
		}
		descriptions = append(descriptions, inlineText(alt))
	}
	return descriptions
}

// bracketed returns what stands in the brackets of "[text](address)", and the
// length of it all, 0 when s does not begin so.
func bracketed(s string) (inner string, n int) {
	const most = 2000
	depth := 0
	for i := 0; i < min(len(s), most); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			if end := targetEnd(s, i+1); i > 0 && end > 0 {
				return s[1:i], end
			}
			return "", 0
		}
	}
	return "", 0
}

// targetEnd returns where a link's "(address)" or "[name]" ends that begins at
// i, 0 when there is none.
func targetEnd(s string, i int) int {
	const most = 2000
	if i >= len(s) || s[i] != '(' && s[i] != '[' {
		return 0
	}
	open, shut := s[i], byte(')')
	if open == '[' {
		shut = ']'
	}
	depth := 0
	for k := i; k < len(s) && k < i+most; k++ {
		switch s[k] {
		case '\\':
			k++
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	return 0
}
