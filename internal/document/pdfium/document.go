package pdfium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// Document is an open PDF. It is used by one goroutine.
type Document struct {
	in       *instance
	handle   uint64
	pages    int
	pictures bool // there are some in the file
	cut      bool // the file has lost its end
	listed   bool // its pages are those that were found, as its own list is lost
}

// Open reads size bytes from r and opens them as a PDF. An empty password opens
// files that need none, also encrypted ones. Errors are those of this package,
// or r's.
func (e *Engine) Open(ctx context.Context, r io.Reader, size int64, password string) (*Document, error) {
	in, err := e.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	d := &Document{in: in}
	if err := d.open(ctx, r, size, password); err != nil {
		in.close(ctx)
		return nil, err
	}
	return d, nil
}

func (d *Document) open(ctx context.Context, r io.Reader, size int64, password string) error {
	in := d.in
	if size <= 0 {
		return ErrFormat
	}
	if size > 1<<30 {
		return ErrMemory
	}
	data := in.alloc(ctx, int(size))
	if in.err != nil {
		return in.err
	}
	if _, err := io.ReadFull(r, in.view(data, int(size))); err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	file := in.view(data, int(size))
	d.pictures = bytes.Contains(file, []byte("/Subtype/Image")) || bytes.Contains(file, []byte("/Subtype /Image"))
	var secret uint32
	if password != "" {
		secret = in.cString(ctx, password)
	}
	d.handle = in.call(ctx, "FPDF_LoadMemDocument", uint64(data), uint64(size), uint64(secret))
	if d.handle == 0 {
		err := d.openError(ctx)
		if !errors.Is(err, ErrFormat) || !d.reopen(ctx, data, int(size), secret, 0) {
			return err
		}
	}
	d.pages = in.callInt(ctx, "FPDF_GetPageCount", d.handle)
	if !d.cut && isCut(in.view(data, int(size))) {
		// PDFium has found something to begin with, but perhaps no list of pages.
		d.cut = true
		if d.reopen(ctx, data, int(size), secret, d.reachable(ctx)) {
			d.pages = in.callInt(ctx, "FPDF_GetPageCount", d.handle)
		}
	}
	return in.err
}

// reachable returns how many of the first pages are there.
func (d *Document) reachable(ctx context.Context) (n int) {
	const most = 2000
	for i := range min(d.pages, most) {
		if d.in.call(ctx, "FPDF_GetPageSizeByIndexF", d.handle, uint64(i), uint64(d.in.scratch)) != 0 {
			n++
		}
	}
	return n
}

// reopen opens a file again with an end that it lacks, if that makes more pages
// than have been found of it. It reports whether that could be done.
func (d *Document) reopen(ctx context.Context, data uint32, size int, secret uint32, than int) bool {
	in := d.in
	end, listed := mend(in.view(data, size), than)
	if end == nil || in.err != nil {
		return false
	}
	whole := in.alloc(ctx, size+len(end))
	if in.err != nil {
		return false
	}
	copy(in.view(whole, size), in.view(data, size))
	copy(in.view(whole+uint32(size), len(end)), end)
	handle := in.call(ctx, "FPDF_LoadMemDocument", uint64(whole), uint64(size+len(end)), uint64(secret))
	if handle == 0 || in.err != nil {
		return false
	}
	d.handle, d.cut, d.listed = handle, true, listed
	return true
}

// Cut reports whether the file has lost its end, so that of its pages only the
// first ones can be expected to be there. Nothing is known of the others where
// pages are only listed because they were found.
func (d *Document) Cut() (cut, listed bool) { return d.cut, d.listed }

// openError turns FPDF_GetLastError into an error. The codes are those of
// fpdfview.h.
func (d *Document) openError(ctx context.Context) error {
	code := d.in.call(ctx, "FPDF_GetLastError")
	switch {
	case d.in.err != nil:
		return d.in.err
	case code == 4:
		return ErrPassword
	case code == 5:
		return ErrSecurity
	}
	return ErrFormat
}

// Close frees everything the document used.
func (d *Document) Close(ctx context.Context) { d.in.close(ctx) }

// Pages returns how many pages the file claims to have, which a damaged or
// hostile file may do in error.
func (d *Document) Pages() int { return d.pages }

// Title returns the title in the file's metadata, "" for none.
func (d *Document) Title(ctx context.Context) string {
	tag := d.in.cString(ctx, "Title")
	defer d.in.free(ctx, tag)
	return d.in.utf16Text(ctx, "FPDF_GetMetaText", d.handle, uint64(tag))
}

// Bookmark is one entry of the outline.
type Bookmark struct {
	Title string
	Level int     // depth from 1
	Page  int     // from 1
	Y     float64 // points from the top of the page, -1 when not given
}

// Bounds of an outline; a file may make it endless.
const (
	maxBookmarks     = 20_000
	maxBookmarkDepth = 12
)

// Outline returns the bookmarks in reading order, as far as they point to pages
// of this document.
func (d *Document) Outline(ctx context.Context) ([]Bookmark, error) {
	o := outline{doc: d, seen: make(map[uint64]bool)}
	o.walk(ctx, 0, 1)
	return o.marks, d.in.err
}

type outline struct {
	doc   *Document
	seen  map[uint64]bool
	marks []Bookmark
}

func (o *outline) walk(ctx context.Context, parent uint64, level int) {
	in := o.doc.in
	if level > maxBookmarkDepth {
		return
	}
	for b := in.call(ctx, "FPDFBookmark_GetFirstChild", o.doc.handle, parent); b != 0 && !o.seen[b] && len(o.seen) < maxBookmarks; b = in.call(ctx, "FPDFBookmark_GetNextSibling", o.doc.handle, b) {
		o.seen[b] = true
		o.add(ctx, b, level)
		o.walk(ctx, b, level+1)
	}
}

func (o *outline) add(ctx context.Context, b uint64, level int) {
	in := o.doc.in
	title := in.utf16Text(ctx, "FPDFBookmark_GetTitle", b)
	dest := in.call(ctx, "FPDFBookmark_GetDest", o.doc.handle, b)
	if dest == 0 {
		if action := in.call(ctx, "FPDFBookmark_GetAction", b); action != 0 {
			dest = in.call(ctx, "FPDFAction_GetDest", o.doc.handle, action)
		}
	}
	if dest == 0 || title == "" {
		return
	}
	page := in.callInt(ctx, "FPDFDest_GetDestPageIndex", o.doc.handle, dest)
	if in.err != nil || page < 0 || page >= o.doc.pages {
		return
	}
	o.marks = append(o.marks, Bookmark{Title: title, Level: level, Page: page + 1, Y: o.height(ctx, dest, page)})
}

// height returns where on its page a destination is, -1 when it does not say.
func (o *outline) height(ctx context.Context, dest uint64, page int) float64 {
	in := o.doc.in
	s := uint64(in.scratch)
	// Three flags (has x, y, zoom), then three floats.
	if in.call(ctx, "FPDFDest_GetLocationInPage", dest, s, s+4, s+8, s+12, s+16, s+20) == 0 {
		return -1
	}
	hasY, _ := in.module.Memory().ReadUint32Le(in.scratch + 4)
	y := in.float32At(in.scratch + 16)
	if hasY == 0 || in.call(ctx, "FPDF_GetPageSizeByIndexF", o.doc.handle, uint64(page), s) == 0 {
		return -1
	}
	height := in.float32At(in.scratch + 4)
	if y < 0 || y > height+1 {
		return -1
	}
	return max(0, height-y)
}
