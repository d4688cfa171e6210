package pdf

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/pdfium"
)

// tenths is how measures are kept: exact enough, and short on the wire.
func tenths(points float64) int {
	const most = 1 << 20
	return int(min(max(points*10, -most), most))
}

// maxMissing is how many pages in a row may be missing before the rest of what
// a file claims to have is not believed.
const maxMissing = 20

// recogniser reads pages that are pictures.
type recogniser interface {
	Recognise(ctx context.Context, j format.Job, page format.Page, out format.Output, draw func(width int) (image.Image, error)) (format.Page, error)
}

// pdfReader reads PDFs with one PDFium, which is started with the first of them.
type pdfReader struct {
	engine *pdfium.Engine
	scans  recogniser
}

// openPDF opens the file of a job.
func (r *pdfReader) openPDF(ctx context.Context, j format.Job, file io.Reader, out format.Output) (*pdfium.Document, error) {
	if r.engine == nil {
		if err := r.startEngine(ctx, j, out); err != nil {
			return nil, err
		}
	}
	doc, err := r.engine.Open(ctx, file, j.Size, j.Password)
	switch {
	case err == nil:
		return doc, nil
	case errors.Is(err, pdfium.ErrPassword) && j.Page > 0:
		return nil, format.Refuse("the pages of a protected PDF cannot be shown, as its password is not kept")
	case errors.Is(err, pdfium.ErrPassword) && j.Password != "":
		return nil, format.Refuse("the password does not open this PDF")
	}
	return nil, pdfError(err)
}

// startEngine starts PDFium, which the first worker of all compiles.
func (r *pdfReader) startEngine(ctx context.Context, j format.Job, out format.Output) error {
	if err := out.Starting(true); err != nil {
		return err
	}
	engine, err := pdfium.New(ctx, pdfium.Config{CacheDir: j.CacheDir, MemoryBytes: j.MemoryBytes})
	if err != nil {
		return pdfError(err)
	}
	r.engine = engine
	return out.Starting(false)
}

func pdfError(err error) error {
	switch {
	case errors.Is(err, pdfium.ErrNotBuilt):
		return format.Refuse(pdfium.ErrNotBuilt.Error())
	case errors.Is(err, pdfium.ErrPassword):
		return format.RefuseHint("this PDF needs a password", "add it again with its password (ibid add --password), or remove the password")
	case errors.Is(err, pdfium.ErrSecurity):
		return format.Refuse("this PDF is encrypted in a way that cannot be opened")
	case errors.Is(err, pdfium.ErrFormat):
		return format.Refuse("this PDF is damaged and cannot be opened")
	case errors.Is(err, pdfium.ErrMemory):
		return format.Refuse("this PDF needs more memory than it may use")
	}
	return fmt.Errorf("open PDF: %w", err)
}

// readPDF sends the pages of a PDF from j.From on. A page that traps leaves
// PDFium in an undefined state; the error then ends this worker, and the parent
// goes on behind the page with another.
func (r *pdfReader) readPDF(ctx context.Context, j format.Job, file io.Reader, out format.Output) error {
	doc, err := r.openPDF(ctx, j, file, out)
	if err != nil {
		return err
	}
	defer doc.Close(ctx)
	first := max(j.From, 1)
	if first == 1 {
		if err := sendPDFHead(ctx, doc, out); err != nil {
			return err
		}
	}
	missing := 0
	for n := first; n <= min(doc.Pages(), j.Pages) && missing < maxMissing; n++ {
		page, err := doc.Page(ctx, n)
		read := format.Page{Number: n, Failed: true}
		switch {
		case errors.Is(err, pdfium.ErrPage):
			missing++
		case err != nil:
			return fmt.Errorf("read page %d: %w", n, err)
		default:
			missing = 0
			read = Layout(n, page)
			if read.Scanned || read.Garbled {
				draw := func(width int) (image.Image, error) { return doc.Render(ctx, n, width) }
				if read, err = r.scans.Recognise(ctx, j, read, out, draw); err != nil {
					return fmt.Errorf("recognise page %d: %w", n, err)
				}
			}
		}
		if err := out.Page(read); err != nil {
			return err
		}
	}
	return nil
}

func sendPDFHead(ctx context.Context, doc *pdfium.Document, out format.Output) error {
	marks, err := doc.Outline(ctx)
	if err != nil {
		return fmt.Errorf("read outline: %w", err)
	}
	h := format.Head{Format: "pdf", Title: format.Title(doc.Title(ctx)), Pages: doc.Pages()}
	h.Cut, h.Listed = doc.Cut()
	for _, m := range marks {
		if title := format.OneLine(format.Clean(m.Title)); title != "" && len(title) <= format.MaxHeading {
			y := -1
			if m.Y >= 0 {
				y = tenths(m.Y)
			}
			h.Outline = append(h.Outline, format.Bookmark{Title: title, Level: m.Level, Page: m.Page, Y: y})
		}
	}
	return out.Head(h)
}

// renderPDF draws one page.
func (r *pdfReader) renderPDF(ctx context.Context, j format.Job, file io.Reader, out format.Output) error {
	doc, err := r.openPDF(ctx, j, file, out)
	if err != nil {
		return err
	}
	defer doc.Close(ctx)
	if j.Page < 1 || j.Page > doc.Pages() {
		return &ibid.Error{Code: ibid.CodeNotFound, Message: fmt.Sprintf("there is no page %d: the file has %d", j.Page, doc.Pages())}
	}
	img, err := doc.Render(ctx, j.Page, j.Width)
	if err != nil {
		return format.Refuse(fmt.Sprintf("page %d cannot be drawn: %v", j.Page, err))
	}
	png, err := format.PNG(img)
	if err != nil {
		return err
	}
	return out.Drawing(png)
}
