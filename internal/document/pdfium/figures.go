package pdfium

import (
	"context"
)

// Figure is a picture on a page that is large enough to be looked at.
type Figure struct {
	X0, Y0, X1, Y1 float64 // points from the top left corner
	Alt            string  // what the file says that it shows, "" for nothing
}

// Bounds of what is looked at of one page.
const (
	mostObjects   = 3000 // a page of more is a drawing
	mostChildren  = 50   // of a form
	mostPictures  = 200
	mostElements  = 3000 // of the tree of a tagged page
	deepestLevels = 40
)

// Types of page objects (fpdf_edit.h).
const (
	objectImage = 3
	objectForm  = 5
)

// placed is a picture where it stands, with the number by which the tree of a
// tagged file names it, -1 for none.
type placed struct {
	rect
	content int
	alt     string
}

// figures returns the pictures of the page. Pictures that touch are one, as
// programs cut them into strips; a picture behind all of the text is none.
func (r *pageReader) figures(ctx context.Context) []Figure {
	const smallest, least, all = 40.0, 0.01, 0.85 // points; shares of the page
	area := r.page.Width * r.page.Height
	found := r.pictures(ctx)
	if len(found) == 0 || area <= 0 {
		return nil
	}
	r.describe(ctx, found)
	var figures []Figure
	for _, p := range joinTouching(found) {
		w, h := p.x1-p.x0, p.y1-p.y0
		if w < smallest || h < smallest || w*h < least*area || w*h > all*area {
			continue
		}
		figures = append(figures, Figure{X0: p.x0, Y0: p.y0, X1: p.x1, Y1: p.y1, Alt: p.alt})
	}
	return figures
}

func (r *pageReader) pictures(ctx context.Context) (found []placed) {
	in := r.in
	n := in.callInt(ctx, "FPDFPage_CountObjects", r.handle)
	if n > mostObjects {
		return nil
	}
	get, kindOf := in.function("FPDFPage_GetObject"), in.function("FPDFPageObj_GetType")
	for k := 0; k < n && len(found) < mostPictures && in.err == nil; k++ {
		object := in.invoke(ctx, get, r.handle, uint64(k))
		kind := in.invoke(ctx, kindOf, object)
		if kind != objectImage && !(kind == objectForm && r.holdsPicture(ctx, object)) {
			continue
		}
		s := uint64(in.scratch)
		// Four floats: left, bottom, right, top.
		if in.call(ctx, "FPDFPageObj_GetBounds", object, s, s+4, s+8, s+12) != 1 {
			continue
		}
		p := placed{content: in.callInt(ctx, "FPDFPageObj_GetMarkedContentID", object)}
		p.rect = r.toPage.rect(in.float32At(in.scratch), in.float32At(in.scratch+4), in.float32At(in.scratch+8), in.float32At(in.scratch+12))
		p.x0, p.y0 = max(p.x0, 0), max(p.y0, 0)
		p.x1, p.y1 = min(p.x1, r.page.Width), min(p.y1, r.page.Height)
		if p.x0 < p.x1 && p.y0 < p.y1 {
			found = append(found, p)
		}
	}
	return found
}

func (r *pageReader) holdsPicture(ctx context.Context, form uint64) bool {
	in := r.in
	for k := range min(in.callInt(ctx, "FPDFFormObj_CountObjects", form), mostChildren) {
		child := in.call(ctx, "FPDFFormObj_GetObject", form, uint64(k))
		if in.call(ctx, "FPDFPageObj_GetType", child) == objectImage {
			return true
		}
	}
	return false
}

// joinTouching makes one picture of those that touch.
func joinTouching(found []placed) []placed {
	const slack = 2.0 // points
	for again := true; again; {
		again = false
		for i := 0; i < len(found); i++ {
			for j := len(found) - 1; j > i; j-- {
				a, b := &found[i], found[j]
				if a.x0 > b.x1+slack || b.x0 > a.x1+slack || a.y0 > b.y1+slack || b.y0 > a.y1+slack {
					continue
				}
				a.x0, a.y0, a.x1, a.y1 = min(a.x0, b.x0), min(a.y0, b.y0), max(a.x1, b.x1), max(a.y1, b.y1)
				if a.alt == "" {
					a.alt = b.alt
				}
				found = append(found[:j], found[j+1:]...)
				again = true
			}
		}
	}
	return found
}

// describe takes what a tagged file says that its pictures show.
func (r *pageReader) describe(ctx context.Context, found []placed) {
	byContent := make(map[int]*placed)
	for i := range found {
		if found[i].content >= 0 {
			byContent[found[i].content] = &found[i]
		}
	}
	if len(byContent) == 0 {
		return
	}
	in := r.in
	tree := in.call(ctx, "FPDF_StructTree_GetForPage", r.handle)
	if tree == 0 {
		return
	}
	w := treeWalk{in: in, pictures: byContent}
	for k := range in.callInt(ctx, "FPDF_StructTree_CountChildren", tree) {
		w.element(ctx, in.call(ctx, "FPDF_StructTree_GetChildAtIndex", tree, uint64(k)), 1)
	}
	in.call(ctx, "FPDF_StructTree_Close", tree)
}

// treeWalk goes through the elements of a tagged page.
type treeWalk struct {
	in       *instance
	pictures map[int]*placed
	seen     int
}

func (w *treeWalk) element(ctx context.Context, element uint64, level int) {
	if element == 0 || w.in.err != nil || w.seen >= mostElements || level > deepestLevels {
		return
	}
	w.seen++
	if alt := w.in.utf16Text(ctx, "FPDF_StructElement_GetAltText", element); alt != "" {
		for k := range w.in.callInt(ctx, "FPDF_StructElement_GetMarkedContentIdCount", element) {
			id := w.in.callInt(ctx, "FPDF_StructElement_GetMarkedContentIdAtIndex", element, uint64(k))
			if p := w.pictures[id]; p != nil && p.alt == "" {
				p.alt = alt
			}
		}
	}
	for k := range min(w.in.callInt(ctx, "FPDF_StructElement_CountChildren", element), mostElements-w.seen) {
		w.element(ctx, w.in.call(ctx, "FPDF_StructElement_GetChildAtIndex", element, uint64(k)), level+1)
	}
}
