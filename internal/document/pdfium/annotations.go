package pdfium

import "context"

// Kinds of annotations (fpdf_annot.h).
const (
	annotText      = 1
	annotFreeText  = 3
	annotHighlight = 9
	annotStrikeOut = 12
	annotStamp     = 13
	annotCaret     = 14
	annotInk       = 15
	annotWidget    = 20
)

// mostAnnotations bounds what is looked at of one page. Where there is no form
// that is the last ones: what readers add comes after the links, of which manuals
// have thousands, and each would have to be parsed.
const (
	mostAnnotations = 2000
	lastAnnotations = 10
)

// annotations is what stands on a page beside what it draws.
type annotations struct {
	notes []string // what readers wrote in the margin
	drawn bool     // some are drawn with words in them: the fields of a form, stamps
	blank []Word   // values of fields that nothing draws
}

// annotations looks at those of a page; height is that of the page.
func (d *Document) annotations(ctx context.Context, page uint64) annotations {
	var a annotations
	in := d.in
	n := min(in.callInt(ctx, "FPDFPage_GetAnnotCount", page), mostAnnotations)
	first := 0
	if in.callInt(ctx, "FPDF_GetFormType", d.handle) <= 0 {
		first = max(n-lastAnnotations, 0)
	}
	for i := first; i < n && in.err == nil; i++ {
		annot := in.call(ctx, "FPDFPage_GetAnnot", page, uint64(i))
		if annot == 0 {
			continue
		}
		kind := in.callInt(ctx, "FPDFAnnot_GetSubtype", annot)
		switch {
		case kind == annotWidget:
			d.field(ctx, annot, &a)
		case kind == annotFreeText || kind == annotStamp:
			a.drawn = true
		case kind == annotText || kind >= annotHighlight && kind <= annotStrikeOut || kind == annotCaret || kind == annotInk:
			if s := d.annotString(ctx, annot, "Contents"); s != "" {
				a.notes = append(a.notes, s)
			}
		}
		in.call(ctx, "FPDFPage_CloseAnnot", annot)
	}
	return a
}

// field takes the value of a field. Most files also say how it is drawn.
func (d *Document) field(ctx context.Context, annot uint64, a *annotations) {
	in := d.in
	const normal, empty = 0, 2 // the appearance; a string that has only its end, in bytes
	if in.callInt(ctx, "FPDFAnnot_GetAP", annot, normal, 0, 0) > empty {
		a.drawn = true
		return
	}
	value := d.annotString(ctx, annot, "V")
	s := uint64(in.scratch)
	if value == "" || in.call(ctx, "FPDFAnnot_GetRect", annot, s) == 0 {
		return
	}
	// Four floats: left, top, right, bottom.
	w := Word{Text: value, X0: in.float32At(in.scratch), X1: in.float32At(in.scratch + 8)}
	w.Y0, w.Y1 = in.float32At(in.scratch+4), in.float32At(in.scratch+12)
	a.blank = append(a.blank, w)
}

func (d *Document) annotString(ctx context.Context, annot uint64, key string) string {
	k := d.in.cString(ctx, key)
	defer d.in.free(ctx, k)
	return d.in.utf16Text(ctx, "FPDFAnnot_GetStringValue", annot, uint64(k))
}

// flatten makes what annotations draw part of the page, whose words are then
// found with the others. It returns the page to go on with.
func (d *Document) flatten(ctx context.Context, page uint64, n int) uint64 {
	const asShown, flattened = 0, 1
	in := d.in
	if in.callInt(ctx, "FPDFPage_Flatten", page, asShown) != flattened || in.err != nil {
		return page
	}
	in.call(ctx, "FPDF_ClosePage", page)
	return in.call(ctx, "FPDF_LoadPage", d.handle, uint64(n-1))
}

// addFields adds values that nothing draws as lines where they belong.
func (r *pageReader) addFields(values []Word) {
	const size = 10 // points
	for _, w := range values {
		box := r.toPage.rect(w.X0, w.Y1, w.X1, w.Y0)
		w.X0, w.Y0, w.X1, w.Y1 = box.x0, box.y0, box.x1, box.y1
		w.Base, w.Font.Size = w.Y1, size
		r.page.Lines = append(r.page.Lines, Line{Words: []Word{w}})
		r.page.Glyphs += len(w.Text)
	}
}
