package say

import (
	"testing"
)

func TestSafe(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\n":             "plain\ttext\n",
		"\x1b[2Jgone\x07\x00\r":     "[2Jgone",
		"\u009b31m\u202eevil\u2066": "31mevil",
		"naïve 日本 🙂":                "naïve 日本 🙂",
	} {
		if got := Safe(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
