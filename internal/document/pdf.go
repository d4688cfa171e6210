package document

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ibid"
	"ibid/internal/document/pdfium"
)

// pdfPage is one page as it crosses the pipe: lines in reading order.
type pdfPage struct {
	Number  int        `json:"n"`
	Width   int        `json:"w"` // tenths of a point, as all measures here
	Height  int        `json:"h"`
	Lines   []pdfLine  `json:"l,omitempty"`
	Images  []pdfImage `json:"i,omitempty"`
	Notes   []string   `json:"c,omitempty"` // what readers wrote in the margin
	Scanned bool       `json:"s,omitempty"` // a picture without text
	Garbled bool       `json:"g,omitempty"` // characters whose meaning the file does not say
	Failed  bool       `json:"f,omitempty"` // could not be read
}

// pdfImage is a picture of a page, without those that are scans of it.
type pdfImage struct {
	X0  int    `json:"x"`
	Y0  int    `json:"y"`
	X1  int    `json:"u"`
	Y1  int    `json:"v"`
	Alt string `json:"t,omitempty"` // what it shows, as the file says
}

// pdfLine is one line of a page, or one row of a table.
type pdfLine struct {
	Text   string `json:"t"`
	X0     int    `json:"x"` // tenths of a point from the top left corner
	Y0     int    `json:"y"`
	X1     int    `json:"u"`
	Y1     int    `json:"v"`
	Base   int    `json:"a"`           // the line its letters stand on
	Size   int    `json:"z"`           // of most of its characters
	Bold   bool   `json:"b,omitempty"` // all but a few characters
	Mono   bool   `json:"m,omitempty"`
	Hyphen bool   `json:"h,omitempty"` // its last word goes on in the next line
	Row    bool   `json:"r,omitempty"` // of a table, cells by cellSeparator

	Running bool `json:"-"` // at the head or foot of the page, beside its number; found by the parent
}

// bookmark is an entry of the outline.
type bookmark struct {
	Title string `json:"t"`
	Level int    `json:"l"` // from 1
	Page  int    `json:"p"`
	Y     int    `json:"y"` // tenths of a point from the top, -1 when unknown
}

// tenths is how measures are kept: exact enough, and short on the wire.
func tenths(points float64) int {
	const most = 1 << 20
	return int(min(max(points*10, -most), most))
}

// maxMissing is how many pages in a row may be missing before the rest of what
// a file claims to have is not believed.
const maxMissing = 20

// openPDF opens the file of a job.
func (w *worker) openPDF(ctx context.Context, j job, r io.Reader) (*pdfium.Document, error) {
	if w.engine == nil {
		if err := w.startEngine(ctx, j); err != nil {
			return nil, err
		}
	}
	doc, err := w.engine.Open(ctx, r, j.Size, j.Password)
	if errors.Is(err, pdfium.ErrPassword) && j.Task == taskRender {
		return nil, refuse("the pages of a protected PDF cannot be shown, as its password is not kept")
	}
	if err != nil {
		if j.Password != "" && errors.Is(err, pdfium.ErrPassword) {
			return nil, refuse("the password does not open this PDF")
		}
		return nil, pdfError(err)
	}
	return doc, nil
}

// startEngine starts PDFium, which the first worker of all compiles.
func (w *worker) startEngine(ctx context.Context, j job) error {
	if err := writeJSON(w.out, frameStart, true); err != nil {
		return err
	}
	engine, err := pdfium.New(ctx, pdfium.Config{CacheDir: j.CacheDir, MemoryBytes: j.MemoryBytes})
	if err != nil {
		return pdfError(err)
	}
	w.engine = engine
	return writeJSON(w.out, frameStart, false)
}

func pdfError(err error) error {
	switch {
	case errors.Is(err, pdfium.ErrNotBuilt):
		return refuse(pdfium.ErrNotBuilt.Error())
	case errors.Is(err, pdfium.ErrPassword):
		return refuseHint("this PDF needs a password", "add it again with its password (ibid add --password), or remove the password")
	case errors.Is(err, pdfium.ErrSecurity):
		return refuse("this PDF is encrypted in a way that cannot be opened")
	case errors.Is(err, pdfium.ErrFormat):
		return refuse("this PDF is damaged and cannot be opened")
	case errors.Is(err, pdfium.ErrMemory):
		return refuse("this PDF needs more memory than it may use")
	}
	return fmt.Errorf("open PDF: %w", err)
}

// readPDF sends the pages of a PDF from j.From on. A page that traps leaves
// PDFium in an undefined state; the error then ends this worker, and the parent
// goes on behind the page with another.
func (w *worker) readPDF(ctx context.Context, j job, r io.Reader) error {
	doc, err := w.openPDF(ctx, j, r)
	if err != nil {
		return err
	}
	defer doc.Close(ctx)
	first := max(j.From, 1)
	if first == 1 {
		if err := w.sendPDFHead(ctx, doc); err != nil {
			return err
		}
	}
	missing := 0
	for n := first; n <= min(doc.Pages(), j.Pages) && missing < maxMissing; n++ {
		page, err := doc.Page(ctx, n)
		out := pdfPage{Number: n, Failed: true}
		switch {
		case errors.Is(err, pdfium.ErrPage):
			missing++
		case err != nil:
			return fmt.Errorf("read page %d: %w", n, err)
		default:
			missing = 0
			out = layoutPage(n, page)
			if out.Scanned || out.Garbled {
				if out, err = w.recognisePage(ctx, j, doc, out); err != nil {
					return fmt.Errorf("recognise page %d: %w", n, err)
				}
			}
		}
		if err := writeJSON(w.out, framePage, out); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) sendPDFHead(ctx context.Context, doc *pdfium.Document) error {
	marks, err := doc.Outline(ctx)
	if err != nil {
		return fmt.Errorf("read outline: %w", err)
	}
	h := head{Format: formatPDF, Title: pdfTitle(doc.Title(ctx)), Pages: doc.Pages()}
	h.Cut, h.Listed = doc.Cut()
	for _, m := range marks {
		if title := oneLine(clean(m.Title)); title != "" && len(title) <= maxHeading {
			y := -1
			if m.Y >= 0 {
				y = tenths(m.Y)
			}
			h.Outline = append(h.Outline, bookmark{Title: title, Level: m.Level, Page: m.Page, Y: y})
		}
	}
	return writeJSON(w.out, frameHead, h)
}

// renderPDF draws one page.
func (w *worker) renderPDF(ctx context.Context, j job, r io.Reader) error {
	doc, err := w.openPDF(ctx, j, r)
	if err != nil {
		return err
	}
	defer doc.Close(ctx)
	if j.Page < 1 || j.Page > doc.Pages() {
		return &ibid.Error{Code: ibid.CodeNotFound, Message: fmt.Sprintf("there is no page %d: the file has %d", j.Page, doc.Pages())}
	}
	img, err := doc.Render(ctx, j.Page, j.Width)
	if err != nil {
		return refuse(fmt.Sprintf("page %d cannot be drawn: %v", j.Page, err))
	}
	return w.sendPNG(img)
}
