package pdfium

import (
	"context"
	"math"
)

// affine maps the file's coordinates, which start at the bottom left of the
// unrotated page or elsewhere, to those of the page as it is shown.
type affine struct {
	originX, originY float64
	xByX, yByX       float64 // what one unit of the file's x does
	xByY, yByY       float64 // what one unit of the file's y does
}

// displayTransform asks PDFium where three points go. It answers in whole
// device pixels, so the page is made large: a hundredth of a point is a pixel.
func (r *pageReader) displayTransform(ctx context.Context) affine {
	const pixels, unit = 100, 1000
	if !(r.page.Width > 0 && r.page.Width < 1e5 && r.page.Height > 0 && r.page.Height < 1e5) {
		return affine{xByX: 1, yByY: -1, originY: r.page.Height}
	}
	width, height := uint64(r.page.Width*pixels), uint64(r.page.Height*pixels)
	at := func(x, y float64) (float64, float64) {
		s := uint64(r.in.scratch)
		r.in.call(ctx, "FPDF_PageToDevice", r.handle, 0, 0, width, height, 0, math.Float64bits(x), math.Float64bits(y), s, s+4)
		dx, _ := r.in.module.Memory().ReadUint32Le(r.in.scratch)
		dy, _ := r.in.module.Memory().ReadUint32Le(r.in.scratch + 4)
		return float64(int32(dx)) / pixels, float64(int32(dy)) / pixels
	}
	var a affine
	a.originX, a.originY = at(0, 0)
	x, y := at(unit, 0)
	a.xByX, a.yByX = (x-a.originX)/unit, (y-a.originY)/unit
	x, y = at(0, unit)
	a.xByY, a.yByY = (x-a.originX)/unit, (y-a.originY)/unit
	return a
}

func (a affine) point(x, y float64) (float64, float64) {
	return a.originX + x*a.xByX + y*a.xByY, a.originY + x*a.yByX + y*a.yByY
}

// rect maps a box given by two opposite corners.
func (a affine) rect(ax, ay, bx, by float64) rect {
	x0, y0 := a.point(ax, ay)
	x1, y1 := a.point(bx, by)
	return rect{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}
