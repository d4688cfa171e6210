package pdf

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/document/format"
)

// styles is what the document's letters look like.
type styles struct {
	body int  // size of most of the text, tenths of a point
	mono bool // most of the text is set in a typewriter face
}

func measureStyles(pages []format.Page) styles {
	bySize := make(map[int]int)
	mono, all := 0, 0
	for i := range pages {
		for k := range pages[i].Lines {
			l := &pages[i].Lines[k]
			bySize[roundSize(l.Size)] += len(l.Text)
			all += len(l.Text)
			if l.Mono {
				mono += len(l.Text)
			}
		}
	}
	s := styles{mono: mono*2 > all}
	for size, n := range bySize {
		if n > bySize[s.body] || n == bySize[s.body] && size < s.body {
			s.body = size
		}
	}
	return s
}

// roundSize rounds to half points: sizes of one style differ in the last digit.
func roundSize(tenths int) int { return (tenths + 2) / 5 * 5 }

// mark says that a heading begins at a line: the line itself is it, or, where
// the words of a Bookmark are not found on its page, stands below it.
type mark struct {
	level int
	title string
	line  bool
	first bool // of the lines of a heading
	alone bool // a line of the title page: nothing stands below it
}

// marks are the marks of a document by page index and line index. The index
// behind the last line stands for the end of the page.
type marks struct {
	pages   []map[int][]mark
	matched int // bookmarks whose words were found
}

func (m *marks) onPage(i int) map[int][]mark { return m.pages[i] }

func (m *marks) put(page, line int, k mark) {
	if m.pages[page] == nil {
		m.pages[page] = make(map[int][]mark)
	}
	m.pages[page][line] = append(m.pages[page][line], k)
}

// covers reports whether the outline names the document's headings: most of
// what it says stands on the pages.
func (m *marks) covers(bookmarks int) bool {
	return bookmarks >= 3 && m.matched*2 >= bookmarks
}

// placeOutline finds the bookmarks' words on their pages.
func placeOutline(outline []format.Bookmark, pages []format.Page) *marks {
	m := &marks{pages: make([]map[int][]mark, len(pages))}
	used := make(map[[2]int]bool)
	var unseen []format.Bookmark
	for _, b := range outline {
		if b.Page < 1 || b.Page > len(pages) {
			continue
		}
		page := b.Page - 1
		lines := pages[page].Lines
		if at, n := findTitle(lines, b, page, used); n > 0 {
			for k := at; k < at+n; k++ {
				used[[2]int{page, k}] = true
				m.put(page, k, mark{level: b.Level, line: true, first: k == at})
			}
			m.matched++
			continue
		}
		unseen = append(unseen, b)
	}
	// What stands nowhere on its page is believed only of an outline that is
	// right about the rest: programs also put file names there.
	if m.covers(len(outline)) {
		for _, b := range unseen {
			page := b.Page - 1
			m.put(page, firstBelow(pages[page].Lines, b.Y), mark{level: b.Level, title: b.Title})
		}
	}
	return m
}

// findTitle returns the first line, and the number of lines, that a Bookmark's
// words take up. A title may be broken over up to four lines; a line may have a
// number in front that the Bookmark lacks, or the other way round.
func findTitle(lines []format.Line, b format.Bookmark, page int, used map[[2]int]bool) (at, n int) {
	want := letters(b.Title)
	if want == "" {
		return 0, 0
	}
	best, bestDistance := -1, 0
	for i := range lines {
		if used[[2]int{page, i}] || lines[i].Running {
			continue
		}
		k := matchTitle(lines[i:], want)
		if k == 0 {
			continue
		}
		distance := 0
		if b.Y >= 0 {
			distance = max(lines[i].Y0-b.Y, b.Y-lines[i].Y0)
		}
		if best < 0 || distance < bestDistance {
			best, bestDistance, n = i, distance, k
		}
	}
	return best, n
}

func matchTitle(lines []format.Line, want string) int {
	const most = 4
	have := ""
	for k := 0; k < len(lines) && k < most; k++ {
		have += letters(lines[k].Text)
		if have == want {
			return k + 1
		}
		if have == "" || !strings.HasPrefix(want, have) {
			return 0
		}
	}
	return 0
}

// letters is what two writings of one title have in common: its letters in
// lower case. Titles without letters keep their digits.
func letters(s string) string {
	keep := func(is func(rune) bool) string {
		return strings.Map(func(r rune) rune {
			if is(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	if l := keep(unicode.IsLetter); l != "" {
		return strings.TrimPrefix(l, "chapter")
	}
	return keep(unicode.IsDigit)
}

// firstBelow returns the first line at or below a height, 0 when that is not
// known.
func firstBelow(lines []format.Line, y int) int {
	const slack = 50 // tenths of a point
	if y < 0 {
		return 0
	}
	for i := range lines {
		if lines[i].Y1 >= y+slack {
			return i
		}
	}
	return len(lines)
}

// Headings by font.

const (
	maxHeadingLines  = 3
	maxHeadingLevels = 6
)

// fontStyle is one look that headings have.
type fontStyle struct {
	size int
	bold bool
}

// candidate is a heading found by its font: n lines of a page.
type candidate struct {
	page, line, n int
	style         fontStyle
}

// markByFont marks lines that are set larger than the body, or bold on lines of
// their own. The largest style is level 1, and so on; styles that only the
// first page has are those of a title page, and have no level.
func markByFont(pages []format.Page, s styles, m *marks) {
	found, share := findHeadings(pages, s)
	if share > 1.0/3 {
		return // a poster, or a document all in bold: nothing stands out
	}
	later := make(map[fontStyle]bool)
	for _, c := range found {
		if c.page > 0 || len(pages) < 3 {
			later[c.style] = true
		}
	}
	levels := rankStyles(later)
	for _, c := range found {
		level, alone := levels[c.style], false
		if level == 0 {
			level, alone = 1, true
		}
		for k := c.line; k < c.line+c.n; k++ {
			m.put(c.page, k, mark{level: level, line: true, first: k == c.line, alone: alone})
		}
	}
}

// findHeadings returns the headings by font and their share of the text.
func findHeadings(pages []format.Page, s styles) (found []candidate, share float64) {
	inHeadings, all := 0, 1
	for i := range pages {
		lines := pages[i].Lines
		for k := 0; k < len(lines); {
			n := headingLines(lines[k:], s)
			for j := k; j < k+max(n, 1); j++ {
				all += len(lines[j].Text)
				if n > 0 {
					inHeadings += len(lines[j].Text)
				}
			}
			if n > 0 {
				found = append(found, candidate{i, k, n, fontStyle{roundSize(lines[k].Size), lines[k].Bold}})
			}
			k += max(n, 1)
		}
	}
	return found, float64(inHeadings) / float64(all)
}

func rankStyles(used map[fontStyle]bool) map[fontStyle]int {
	var order []fontStyle
	for f := range used {
		order = append(order, f)
	}
	slices.SortFunc(order, func(a, b fontStyle) int {
		if c := cmp.Compare(b.size, a.size); c != 0 {
			return c
		}
		if a.bold == b.bold {
			return 0
		}
		if a.bold {
			return -1
		}
		return 1
	})
	// Sizes that differ by little are one level; so are bold and plain letters
	// of one size.
	levels := make(map[fontStyle]int)
	level, size := 0, math.MaxInt32
	for _, f := range order {
		if f.size*100 < size*92 {
			level, size = level+1, f.size
		}
		levels[f] = min(level, maxHeadingLevels)
	}
	return levels
}

// headingLines returns how many of the first lines form a heading, 0 for none.
func headingLines(lines []format.Line, s styles) int {
	first := &lines[0]
	if !standsOut(first, s) {
		return 0
	}
	n := 1
	for n < len(lines) && sameStyle(first, &lines[n]) && lines[n].Base-lines[n-1].Base < 2*first.Size && lines[n].Base > lines[n-1].Base {
		n++
	}
	if n > maxHeadingLines {
		return 0
	}
	text := ""
	for i := range n {
		text += lines[i].Text + " "
	}
	if !headingText(strings.TrimSpace(text)) {
		return 0
	}
	return n
}

func sameStyle(a, b *format.Line) bool {
	return roundSize(a.Size) == roundSize(b.Size) && a.Bold == b.Bold && !b.Row && !b.Mono
}

func standsOut(l *format.Line, s styles) bool {
	if l.Row || l.Mono || l.Running {
		return false
	}
	return l.Size*100 >= s.body*114 || l.Bold && l.Size*100 >= s.body*96
}

// headingText reports whether words can be a heading: short, with letters, and
// no sentence.
func headingText(s string) bool {
	if len(s) > 200 || strings.Count(s, ",") > 3 || strings.HasSuffix(s, ",") || strings.HasSuffix(s, ";") {
		return false
	}
	count := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			count++
		}
	}
	if count < 3 || count*2 < utf8.RuneCountInString(s) {
		return false
	}
	if caption.MatchString(s) {
		return false
	}
	return !strings.HasSuffix(s, ".") || startsItem(s)
}

// caption matches the beginning of what stands below a figure or above a table.
var caption = regexp.MustCompile(`^(?i:fig(?:ure|\.)?|table|tab\.|abb(?:ildung|\.)|tabelle|tableau|example|listing)\s*[\dA-Z]+[-.:\d]*`)

// titleByFont returns what is set largest on the first page with text, ""
// where nothing is larger than the rest.
func titleByFont(pages []format.Page, s styles) string {
	const maxTitle = 200
	for i := range pages {
		lines := pages[i].Lines
		if len(lines) == 0 {
			continue
		}
		largest := 0
		for k := range lines {
			if !lines[k].Row && headingText(lines[k].Text) {
				largest = max(largest, lines[k].Size)
			}
		}
		if largest*100 < s.body*114 {
			return ""
		}
		var title []string
		for k := range lines {
			if l := &lines[k]; l.Size*100 >= largest*97 && !l.Row {
				title = append(title, l.Text)
			} else if len(title) > 0 {
				break
			}
		}
		if t := strings.Join(title, " "); len(t) <= maxTitle && !format.IsBoilerplate(t) {
			return t
		}
		return ""
	}
	return ""
}
