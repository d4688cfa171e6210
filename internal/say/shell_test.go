package say

import (
	"testing"
)

func TestShellQuote(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"/a/b.txt":          "/a/b.txt",
		"/a b/it's":         `'/a b/it'\''s'`,
		"/new\nline 'n\"\\": `$'/new\nline \'n"\\'`,
		"/\x1b[31m":         `$'/\x1b[31m'`,
		"":                  "''",
	} {
		if got := ShellQuote(word); got != want {
			t.Errorf("shellQuote(%q) = %s, want %s", word, got, want)
		}
	}
}
