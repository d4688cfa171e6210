package pdfium

import (
	"context"
	"fmt"
	"image"
	"math"
)

// maxPixels bounds a picture of a page: 40 megapixels are an A0 poster at
// 130 dpi, and 160 MB.
const maxPixels = 40 << 20

// Render draws page n, counted from 1, width pixels wide on white.
func (d *Document) Render(ctx context.Context, n, width int) (*image.RGBA, error) {
	in := d.in
	page := in.call(ctx, "FPDF_LoadPage", d.handle, uint64(n-1))
	if in.err != nil {
		return nil, in.err
	}
	if page == 0 {
		return nil, ErrPage
	}
	defer in.call(ctx, "FPDF_ClosePage", page)
	w := float64(math.Float32frombits(uint32(in.call(ctx, "FPDF_GetPageWidthF", page))))
	h := float64(math.Float32frombits(uint32(in.call(ctx, "FPDF_GetPageHeightF", page))))
	height := int(math.Round(float64(width) * h / w))
	if !(w > 0 && h > 0) || width <= 0 || height <= 0 || width > maxPixels/height {
		return nil, fmt.Errorf("a page of %.0f by %.0f points cannot be drawn %d pixels wide", w, h, width)
	}
	return d.draw(ctx, page, width, height)
}

func (d *Document) draw(ctx context.Context, page uint64, width, height int) (*image.RGBA, error) {
	const noAlpha, white, withAnnotations = 0, 0xFFFFFFFF, 1
	in := d.in
	bitmap := in.call(ctx, "FPDFBitmap_Create", uint64(width), uint64(height), noAlpha)
	if in.err != nil {
		return nil, in.err
	}
	if bitmap == 0 {
		return nil, ErrMemory
	}
	defer in.call(ctx, "FPDFBitmap_Destroy", bitmap)
	in.call(ctx, "FPDFBitmap_FillRect", bitmap, 0, 0, uint64(width), uint64(height), white)
	in.call(ctx, "FPDF_RenderPageBitmap", bitmap, page, 0, 0, uint64(width), uint64(height), 0, withAnnotations)
	stride := in.callInt(ctx, "FPDFBitmap_GetStride", bitmap)
	buffer := in.call(ctx, "FPDFBitmap_GetBuffer", bitmap)
	if in.err != nil {
		return nil, in.err
	}
	pixels := in.view(uint32(buffer), stride*height)
	if in.err != nil {
		return nil, in.err
	}
	return toRGBA(pixels, stride, width, height), nil
}

// toRGBA copies PDFium's blue, green, red, unused.
func toRGBA(bgrx []byte, stride, width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		src := bgrx[y*stride : y*stride+4*width]
		dst := img.Pix[y*img.Stride : y*img.Stride+4*width]
		for x := 0; x < len(src); x += 4 {
			dst[x], dst[x+1], dst[x+2], dst[x+3] = src[x+2], src[x+1], src[x], 255
		}
	}
	return img
}
