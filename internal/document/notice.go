package document

import (
	"fmt"
	"strings"

	"ibid/internal/document/format"
)

// losses is what of a file could not be read.
type losses struct {
	reason error  // why the last worker died, nil when none did
	rest   bool   // what came after is lost, too
	cut    string // says that the file had lost its end
}

// notice says in one line which pages are missing from what was read.
func (l losses) notice(pages []format.Page, claimed int) string {
	var failed, scanned, garbled []int
	for _, p := range pages {
		switch {
		case p.Failed:
			failed = append(failed, p.Number)
		case p.Scanned:
			scanned = append(scanned, p.Number)
		case p.Garbled:
			garbled = append(garbled, p.Number)
		}
	}
	lines := []string{l.cut}
	switch {
	case l.rest && len(pages) > 0:
		lines = append(lines, fmt.Sprintf("%s read, page %d failed: %v", format.PageRange(1, len(pages)), len(pages)+1, l.reason))
	case l.rest:
		lines = append(lines, format.BeginningOnly+l.reason.Error())
	case len(pages) < claimed:
		lines = append(lines, fmt.Sprintf("%s of %d read", format.PageRange(1, len(pages)), claimed))
	}
	if len(failed) > 0 {
		line := pageList(failed) + " could not be read"
		if l.reason != nil && !l.rest {
			line += ": " + l.reason.Error()
		}
		lines = append(lines, line)
	}
	if len(scanned) > 0 {
		lines = append(lines, isOrAre(scanned, "a scanned image", "scanned images")+"; install tesseract to read "+itOrThem(scanned))
	}
	if len(garbled) > 0 {
		lines = append(lines, isOrAre(garbled, "written in fonts that do not say", "written in fonts that do not say")+" what their letters are; install tesseract to read "+itOrThem(garbled))
	}
	return format.JoinNotices(lines...)
}

func isOrAre(pages []int, one, many string) string {
	if len(pages) == 1 {
		return pageList(pages) + " is " + one
	}
	return pageList(pages) + " are " + many
}

func itOrThem(pages []int) string {
	if len(pages) == 1 {
		return "it"
	}
	return "them"
}

// pageList writes ascending page numbers as "pages 2–5, 9".
func pageList(pages []int) string {
	const most = 8 // ranges
	var ranges []string
	for i := 0; i < len(pages); {
		j := i
		for j+1 < len(pages) && pages[j+1] == pages[j]+1 {
			j++
		}
		if len(ranges) == most {
			ranges = append(ranges, "…")
			break
		}
		if i == j {
			ranges = append(ranges, fmt.Sprint(pages[i]))
		} else {
			ranges = append(ranges, fmt.Sprintf("%d–%d", pages[i], pages[j]))
		}
		i = j + 1
	}
	word := "pages "
	if len(pages) == 1 {
		word = "page "
	}
	return word + strings.Join(ranges, ", ")
}
