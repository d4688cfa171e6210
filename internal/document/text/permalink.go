package text

import (
	"regexp"
	"strings"
)

// Pages of documentation put a sign behind each heading and paragraph that links to
// the place itself: "Installation ¶". It is no word of the page, so it is left out,
// and no quotation ends in it.

// openLink is a link of a page whose end has not been read.
type openLink struct {
	open      bool
	at        int  // where its words begin in the text of the block
	permalink bool // it leads to a place of a page, or its class says so
}

// permalinkClass reports whether a class is one that generators of documentation
// give to such links.
func permalinkClass(class string) bool {
	for _, name := range strings.Fields(strings.ToLower(class)) {
		switch name {
		case "headerlink", "permalink", "anchor", "anchor-link", "header-anchor", "heading-anchor", "hash-link":
			return true
		}
	}
	return false
}

// isPermalink reports whether the words of a link are nothing but the sign of a
// permalink. # and § are words of their own elsewhere.
func isPermalink(words string, permalink bool) bool {
	switch strings.TrimSpace(strings.Trim(words, "\u200b\ufe0f\u00a0 \n\t")) {
	case "¶", "🔗":
		return true
	case "#", "§":
		return permalink
	}
	return false
}

// endLink leaves the words of a link out where they are the sign of a permalink.
func (p *page) endLink() {
	link := p.link
	p.link.open = false
	if s := p.text.String(); link.open && link.at <= len(s) && isPermalink(s[link.at:], link.permalink) {
		p.text.Reset()
		p.text.WriteString(s[:link.at])
	}
}

// markdownPermalink is such a link in Markdown that was made of a page.
var markdownPermalink = regexp.MustCompile(`[ \t]*\[\\?(?:¶|🔗|#|§)\]\([^()\s]*#[^()]*\)(?:\{[^{}\n]*\})?`)

// withoutPermalinks leaves those links out of a text.
func withoutPermalinks(s string) string {
	if !strings.Contains(s, "](") {
		return s
	}
	return markdownPermalink.ReplaceAllString(s, "")
}
