package search

import (
	"strings"
	"testing"
)

func TestHighlighter(t *testing.T) {
	for _, tt := range []struct{ query, passage, want string }{
		{"What were the companies' revenues?", "The company has revenue. Revenues of a company.", "company revenue Revenues company"},
		{"error E-1042", "Error E-1042, not E-1043.", "Error E-1042 E"},
		{"首都", "东京是日本的首都。", "首都"},
		{"日本的首都", "东京是日本的首都。", "日本的首都"},
		{"Häuser", "Das Haus und die Häuser sind nicht von hier.", "Haus Häuser"},
		{"the", "the end", ""},
		{"nothing", "at all", ""},
	} {
		var got []string
		for _, s := range newHighlighter(tt.query).spans(tt.passage, "") {
			got = append(got, tt.passage[s.Start:s.End])
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q in %q: %q, want %q", tt.query, tt.passage, s, tt.want)
		}
	}
}

func FuzzHighlighter(f *testing.F) {
	f.Add("FY2018 首都", "In fy2018 a_b 首都首都 \xff")
	f.Fuzz(func(t *testing.T, query, passage string) {
		at := 0
		for _, s := range newHighlighter(query).spans(passage, "") {
			if s.Start < at || s.End <= s.Start || s.End > len(passage) {
				t.Fatalf("span %v after %d in %d bytes", s, at, len(passage))
			}
			at = s.End
		}
	})
}
