package document_test

import (
	"testing"

	"ibid/internal/document"
)

// Signs that link to their own place are no words of a page; the same signs as words
// stay, and so do links with other words.
func TestPermalinksAreNoWords(t *testing.T) {
	pool := newPool(t, document.Limits{})
	for _, c := range []struct{ name, page, want string }{
		{"a.html", `<h1>Install<a class="headerlink" href="#install" title="Link to this heading">¶</a></h1><p>Run it.<a class="headerlink" href="#run">¶</a></p>`, "Install\n\nRun it."},
		{"a.html", `<h2><a href="#use" class="anchor">#</a> Use <a href="https://x.org/guide#use"> 🔗 </a></h2><p>Text</p>`, "Use\n\nText"},
		{"a.html", `<h2>Scope <a class="permalink" href="/law/1">§</a></h2><dl><dt>open()<a href="#open">¶</a><dd>Opens.</dl>`, "Scope\n\nopen()\n\nOpens."},
		{"a.html", `<table><tr><td>x <a href="#x">¶</a></td><td>y</td></tr></table>`, "x | y"},
		{"a.html", `<p>See <a href="/law/12">§</a> 12, in <a href="/c">C</a><a href="/tags">#</a>, or <a href="#b">part ¶</a> and ¶ 3.</p>`, "See § 12, in C#, or part ¶ and ¶ 3."},
		{"a.html", `<p>First <a href="#a">a<p>second</p>¶</a> third</p>`, "First a\n\nsecond\n\n¶ third"},
		{"a.md", "# Install [¶](#install \"Permalink\")\n\nRun it.[\\#](https://x.org/guide#run){.headerlink} See [¶ 3](#c) and [#](/tags).\n", "Install\n\nRun it. See ¶ 3 and #."},
	} {
		if x := mustExtract(t, pool, document.Request{Data: []byte(c.page), Name: c.name}); x.Text != c.want {
			t.Errorf("%s is read as %q, want %q", c.page, x.Text, c.want)
		}
	}
}
