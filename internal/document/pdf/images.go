package pdf

import (
	"ibid/internal/document/format"
)

// dropRunningImages removes the small pictures that stand at the same place on
// several pages, such as the mark of a company.
func dropRunningImages(pages []format.Page) {
	const few, small, grid = 3, 12, 40 // pages; parts of the page; tenths of a point
	type place [4]int
	at := func(m format.Picture) place { return place{m.X0 / grid, m.Y0 / grid, m.X1 / grid, m.Y1 / grid} }
	count := make(map[place]int)
	for i := range pages {
		for _, m := range pages[i].Images {
			count[at(m)]++
		}
	}
	for i := range pages {
		p := &pages[i]
		var kept []format.Picture
		for _, m := range p.Images {
			if isSmall := (m.X1-m.X0)*(m.Y1-m.Y0) < p.Width*p.Height/small; !isSmall || count[at(m)] < few {
				kept = append(kept, m)
			}
		}
		p.Images = kept
	}
}

// placeImages returns the pictures of a page by the line before which they stand
// in reading order: behind the last line of their column that is above them. The
// index behind the last line stands for the end of the page.
func placeImages(p *format.Page) map[int][]string {
	if len(p.Images) == 0 {
		return nil
	}
	const slack = 30 // tenths of a point
	out := make(map[int][]string)
	for _, m := range p.Images {
		below, line := -1, -1
		for i := range p.Lines {
			l := &p.Lines[i]
			switch {
			case l.X1 <= m.X0 || l.X0 >= m.X1: // beside it
			case l.Y1 <= m.Y0+slack:
				line = i + 1
			case below < 0:
				below = i
			}
		}
		if line < 0 {
			line = max(below, 0)
		}
		out[line] = append(out[line], m.Alt)
	}
	return out
}
