package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"ibid/internal/say"
)

func TestCutAndWrapCountColumns(t *testing.T) {
	t.Parallel()
	if got := say.Cut("日本語テキスト", 7); got != "日本語…" {
		t.Errorf("cut gives %q", got)
	}
	if got := say.Cut("short", 5); got != "short" {
		t.Errorf("cut gives %q", got)
	}
	text := strings.Repeat("word 日本 ", 20)
	for _, line := range strings.Split(wrap(text, "    ", 30), "\n") {
		if w := uniseg.StringWidth(line); w > 30 || !strings.HasPrefix(line, "    ") {
			t.Errorf("line %q is %d wide", line, w)
		}
	}
	if got := wrap("a\nb  c", "  ", 0); got != "  a b c" {
		t.Errorf("without a width: %q", got)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	make := func(width int) string {
		var b bytes.Buffer
		tb := table{columns: []column{{title: "NAME", give: true}, {title: "PAGES", right: true}, {title: "ID"}}}
		tb.add("a very long name of a report\nwith a break.pdf", "7", "d1")
		tb.add("日本.md", "120", "d2")
		tb.print(&terminal{w: &b, width: width})
		return b.String()
	}
	golden(t, "table-wide.txt", make(0))
	golden(t, "table-narrow.txt", make(30))
	for _, line := range strings.Split(make(30), "\n") {
		if uniseg.StringWidth(line) > 30 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
}
