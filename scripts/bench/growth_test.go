package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestGrowthIsDrawn(t *testing.T) {
	ms := time.Millisecond
	for _, points := range [][]point{nil, {{10_000, 70 * ms / 1000, 310 * ms / 1000, 480 * ms / 1000, 480 * ms / 500}, {30_000, 130 * ms / 1000, 440 * ms / 1000, 650 * ms / 1000, 650 * ms / 500},
		{100_000, 340 * ms / 1000, 850 * ms / 1000, 1330 * ms / 1000, 1330 * ms / 500}, {300_000, 1110 * ms / 1000, 2640 * ms / 1000, 4150 * ms / 1000, 4150 * ms / 500}}} {
		svg := drawGrowth(points)
		if strings.Count(svg, "<circle") != 4*len(points) || strings.Contains(svg, "NaN") {
			t.Errorf("%d points: %s", len(points), svg)
		}
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("not well-formed: %v", err)
			}
		}
	}
}

func TestSizesGrow(t *testing.T) {
	size, want := 10_000, []int{30_000, 100_000, 300_000, 1_000_000}
	for _, w := range want {
		if size = larger(size); size != w {
			t.Fatalf("%d, want %d", size, w)
		}
	}
}

// TestPassagesRepeat makes the same document twice, with and without others in
// between.
func TestPassagesRepeat(t *testing.T) {
	p := &passages{sentences: make(map[string][]string)}
	p.makeUp()
	_, a := p.document(3)
	p.document(4)
	_, b := p.document(3)
	if len(a) != documentChunks || len(p.queries) == 0 || a[7].Text != b[7].Text || a[7].Text == a[8].Text {
		t.Errorf("%d chunks, %d queries", len(a), len(p.queries))
	}
}

func TestLibraryGrowthIsDrawn(t *testing.T) {
	ms := time.Millisecond
	sizes, names := []int{1_000, 10_000, 50_000}, []string{"a question", "an added file"}
	svg := drawLibraryGrowth(sizes, names, map[string][]time.Duration{"a question": {ms, ms, 2 * ms}, "an added file": {5 * ms, 6 * ms, 500 * ms}})
	if strings.Count(svg, "<circle") != 6 || !strings.Contains(svg, "a question, 2.00×") || strings.Contains(svg, "NaN") {
		t.Error(svg)
	}
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
		t.Errorf("not well-formed: %v", err)
	}
	samples := []sample{{0, 0, 0}, {100, time.Second, 0}, {900, 9 * time.Second, 0}, {1000, 11 * time.Second, 0}}
	if first, last := rates(samples, 1000); first != 100 || last != 50 {
		t.Errorf("%.0f files a second at first, %.0f at last", first, last)
	}
}
