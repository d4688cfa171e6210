package pdf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ibid/internal/document/format"
)

// Running headers and footers: lines at the top or bottom of a page that stand
// at the same place on pages nearby, but for their numbers. They would cut
// sentences in two and be found instead of what is meant. The first of each is
// kept, unless it is a page number. Lines whose words change from page to page say
// something of their page and are kept.

const (
	edgeLines  = 3  // lines from the edge that may be running ones
	edgeZone   = 10 // running lines stand in the outer tenth of a page…
	sameHeight = 40 // …at heights that differ by less than this, tenths of a point
	nearby     = 3  // pages; odd and even pages differ
)

// edgeLine is a line that may be a running one.
type edgeLine struct {
	page, line, y int
	key           string // what of it stays the same
}

// edges are the edge lines of each page.
type edges [][]edgeLine

// dropRunning removes running headers and footers from pages.
func dropRunning(pages []format.Page) {
	all := make(edges, len(pages))
	byKey := make(map[string][]edgeLine)
	for i := range pages {
		for _, k := range edgesOf(&pages[i]) {
			l := &pages[i].Lines[k]
			e := edgeLine{i, k, l.Y0, withoutNumbers(l.Text)}
			all[i] = append(all[i], e)
			byKey[e.key] = append(byKey[e.key], e)
		}
	}
	drop := make(map[[2]int]bool)
	for key, lines := range byKey {
		number := isPageNumber(key)
		for at, e := range lines {
			if number && repeatsOn(lines, at) > 0 || at > 0 && len(lines) >= 3 && all.runs(e) {
				drop[[2]int{e.page, e.line}] = true
			}
		}
	}
	all.numberedLines(pages, drop)
	if len(drop) == 0 {
		return
	}
	for i := range pages {
		var kept []format.Line
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
// each topic is kept, as no heading; those that run on from it are dropped.
func (all edges) numberedLines(pages []format.Page, drop map[[2]int]bool) {
	byOffset := make(map[int][]edgeLine)
	for i, lines := range all {
		for _, e := range lines {
			for _, n := range outerNumbers(pages[i].Lines[e.line].Text) {
				byOffset[n-i] = append(byOffset[n-i], e)
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
	for i, lines := range all {
		for _, e := range lines {
			at := [2]int{i, e.line}
			if !numbered[at] || drop[at] {
				continue
			}
			pages[i].Lines[e.line].Running = true
			if seen[e.key] && all.runs(e) {
				drop[at] = true
			}
			seen[e.key] = true
		}
	}
}

// outerNumbers returns the numbers that a short line of several words begins or
// ends with.
func outerNumbers(s string) (numbers []int) {
	const longest = 100 // bytes
	words := strings.Fields(strings.ReplaceAll(s, format.CellSeparator, " "))
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
func edgesOf(p *format.Page) []int {
	order := make([]int, len(p.Lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return p.Lines[a].Y0 - p.Lines[b].Y0 })
	var edges []int
	add := func(k int) {
		l := &p.Lines[k]
		outer := l.Y1 < p.Height/edgeZone || l.Y0 > p.Height-p.Height/edgeZone
		if outer && strings.Count(l.Text, format.CellSeparator) < 3 {
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

// runs reports whether a line stands again on a page nearby in the way that running
// lines do: page after page, or on the left or right pages alone. Words that come
// back only now and then, others at their place in between, say what is on a page.
func (all edges) runs(e edgeLine) bool {
	for distance := 1; distance <= nearby; distance++ {
		for _, other := range []int{e.page - distance, e.page + distance} {
			if all.stands(other, e.y, e.key) && all.together(e, min(e.page, other), distance) {
				return true
			}
		}
	}
	return false
}

// together reports whether the line e of a page and of that at a distance after it
// are one running line.
func (all edges) together(e edgeLine, page, distance int) bool {
	free := true // nothing is at its place in between, but lines of facing pages
	for between := page + 1; between < page+distance; between++ {
		for _, key := range all.at(between, e.y) {
			free = free && facing(key, e.key)
		}
	}
	if free || distance != 2 {
		return free
	}
	if all.stands(page-2, e.y, e.key) || all.stands(page+4, e.y, e.key) {
		return true
	}
	for _, key := range all.at(page+1, e.y) { // of the facing page
		if all.stands(page-1, e.y, key) || all.stands(page+3, e.y, key) {
			return true
		}
	}
	return false
}

// facing reports whether two lines have their numbers at opposite ends, as the heads
// of a book's left and right pages do.
func facing(a, b string) bool {
	left := func(key string) bool { return strings.HasPrefix(key, "#") && !strings.HasSuffix(key, "#") }
	right := func(key string) bool { return strings.HasSuffix(key, "#") && !strings.HasPrefix(key, "#") }
	return left(a) && right(b) || right(a) && left(b)
}

// at returns the keys of the edge lines at a height of a page; there are none of
// pages that there are not.
func (all edges) at(page, y int) (keys []string) {
	if page < 0 || page >= len(all) {
		return nil
	}
	for _, e := range all[page] {
		if max(e.y-y, y-e.y) < sameHeight {
			keys = append(keys, e.key)
		}
	}
	return keys
}

func (all edges) stands(page, y int, key string) bool { return slices.Contains(all.at(page, y), key) }

var numberPattern = regexp.MustCompile(`\d+`)

// withoutNumbers is what of a running line stays the same.
func withoutNumbers(s string) string {
	s = strings.ReplaceAll(s, format.CellSeparator, " ") // which is read into some of the pages only
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
