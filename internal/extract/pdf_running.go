package extract

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Running headers and footers: lines at the top or bottom of a page that stand
// at the same place on pages nearby, but for their numbers. They would cut
// sentences in two and be found instead of what is meant. The first of each is
// kept, unless it is a page number.

const (
	edgeLines  = 3  // lines from the edge that may be running ones
	edgeZone   = 10 // running lines stand in the outer tenth of a page…
	sameHeight = 40 // …at heights that differ by less than this, tenths of a point
	nearby     = 3  // pages; odd and even pages differ
)

type edgeLine struct{ page, line, y int }

// dropRunning removes running headers and footers from pages.
func dropRunning(pages []pdfPage) {
	seen := make(map[string][]edgeLine)
	for i := range pages {
		for _, k := range edgesOf(&pages[i]) {
			l := &pages[i].Lines[k]
			key := withoutNumbers(l.Text)
			seen[key] = append(seen[key], edgeLine{i, k, l.Y0})
		}
	}
	drop := make(map[[2]int]bool)
	for key, lines := range seen {
		number := isPageNumber(key)
		for at, e := range lines {
			if !repeats(lines, at) || !number && at == 0 {
				continue
			}
			if number || len(lines) >= 3 {
				drop[[2]int{e.page, e.line}] = true
			}
		}
	}
	numberedLines(pages, drop)
	if len(drop) == 0 {
		return
	}
	for i := range pages {
		var kept []pdfLine
		for k, l := range pages[i].Lines {
			if !drop[[2]int{i, k}] {
				kept = append(kept, l)
			}
		}
		// Pages of nothing but running lines, such as a deck of one slide, keep
		// them.
		if len(kept) > 0 {
			pages[i].Lines = kept
		}
	}
}

// numberedLines finds the running lines that hold the page's number beside words
// that change, such as the topic of a manual's page: "lm 1623", "1630 lm.summaries".
// A number is the page's where it counts with the pages nearby. The first line of
// each topic is kept, as no heading; the others are dropped.
func numberedLines(pages []pdfPage, drop map[[2]int]bool) {
	byOffset := make(map[int][]edgeLine)
	for i := range pages {
		for _, k := range edgesOf(&pages[i]) {
			l := &pages[i].Lines[k]
			for _, n := range outerNumbers(l.Text) {
				byOffset[n-i] = append(byOffset[n-i], edgeLine{i, k, l.Y0})
			}
		}
	}
	numbered := make(map[[2]int]bool)
	for _, lines := range byOffset {
		for at, e := range lines {
			if repeatsOn(lines, at) >= 2 {
				numbered[[2]int{e.page, e.line}] = true
			}
		}
	}
	seen := make(map[string]bool)
	for i := range pages {
		for _, k := range edgesOf(&pages[i]) {
			l, at := &pages[i].Lines[k], [2]int{i, k}
			if !numbered[at] || drop[at] {
				continue
			}
			topic := withoutNumbers(l.Text)
			l.Running = true
			if seen[topic] {
				drop[at] = true
			}
			seen[topic] = true
		}
	}
}

// outerNumbers returns the numbers that a short line of several words begins or
// ends with.
func outerNumbers(s string) (numbers []int) {
	const longest = 100 // bytes
	words := strings.Fields(strings.ReplaceAll(s, cellSeparator, " "))
	if len(s) > longest || len(words) < 2 {
		return nil
	}
	for _, w := range []string{words[0], words[len(words)-1]} {
		if n, err := strconv.Atoi(w); err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// repeatsOn counts the pages nearby that have a line at the same height.
func repeatsOn(lines []edgeLine, at int) (count int) {
	e, last := lines[at], -1
	for _, o := range lines[max(0, at-4*nearby):min(len(lines), at+4*nearby)] {
		distance := max(o.page-e.page, e.page-o.page)
		if distance > 0 && distance <= nearby && o.page != last && max(o.y-e.y, e.y-o.y) < sameHeight {
			count, last = count+1, o.page
		}
	}
	return count
}

// edgesOf returns the lines that may be running ones: the outermost of a page,
// but not the heads of tables that go on from page to page.
func edgesOf(p *pdfPage) []int {
	order := make([]int, len(p.Lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return p.Lines[a].Y0 - p.Lines[b].Y0 })
	var edges []int
	add := func(k int) {
		l := &p.Lines[k]
		outer := l.Y1 < p.Height/edgeZone || l.Y0 > p.Height-p.Height/edgeZone
		if outer && strings.Count(l.Text, cellSeparator) < 3 {
			edges = append(edges, k)
		}
	}
	for i, k := range order {
		if i < edgeLines || i >= len(order)-edgeLines {
			add(k)
		}
	}
	return edges
}

// repeats reports whether a line stands at the same height on a page nearby.
func repeats(lines []edgeLine, at int) bool {
	e := lines[at]
	same := func(o edgeLine) bool {
		distance := max(o.page-e.page, e.page-o.page)
		return distance > 0 && distance <= nearby && max(o.y-e.y, e.y-o.y) < sameHeight
	}
	for i := at - 1; i >= 0 && e.page-lines[i].page <= nearby; i-- {
		if same(lines[i]) {
			return true
		}
	}
	for i := at + 1; i < len(lines) && lines[i].page-e.page <= nearby; i++ {
		if same(lines[i]) {
			return true
		}
	}
	return false
}

var numberPattern = regexp.MustCompile(`\d+`)

// withoutNumbers is what of a running line stays the same.
func withoutNumbers(s string) string {
	s = numberPattern.ReplaceAllString(strings.ToLower(s), "#")
	if isRoman(s) {
		return "#"
	}
	return s
}

func isRoman(s string) bool {
	return s != "" && len(s) <= 7 && strings.Trim(s, "ivxlc") == ""
}

// isPageNumber reports whether nothing is left of a line but its number and
// what is written around it.
func isPageNumber(key string) bool {
	if !strings.Contains(key, "#") {
		return false
	}
	for _, word := range []string{"page", "seite", "of", "von", "p."} {
		key = strings.ReplaceAll(key, word, "")
	}
	return strings.IndexFunc(key, unicode.IsLetter) < 0 && len(key) <= 12
}
