package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // sizes of pictures are read before they are recognised
	_ "image/jpeg" // (as above)
	"io"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"ibid/internal/document/format"
	"ibid/internal/document/proc"
)

// ocr recognises the text of pictures with the program tesseract, where that is
// installed. It runs in the worker's process group and is killed with it.
type ocr struct {
	program   string
	languages string // "eng+deu"
	turns     bool   // it can tell which way up a page is
}

// OCR is what reads scans on this machine.
type OCR struct {
	Program   string   // path of tesseract
	Languages []string // that it reads scans as: "eng", "deu"
	Missing   []string // languages that were asked for and are not installed
	turns     bool
}

// mostLanguages are tried where none are asked for: each makes a page slower,
// and somebody who installed them all does not have scans in all of them.
const mostLanguages = 4

// FindOCR looks for tesseract; false: it is not installed. languages are those
// that scans are in, as tesseract names them: "eng+deu". "": those that are
// installed, English first.
func FindOCR(ctx context.Context, languages string) (OCR, bool) {
	program, err := exec.LookPath("tesseract")
	if err != nil {
		return OCR{}, false
	}
	out, err := exec.CommandContext(ctx, program, "--list-langs").Output()
	if err != nil {
		return OCR{}, false
	}
	// The first line is a heading.
	_, list, _ := strings.Cut(string(out), "\n")
	return chooseOCR(program, strings.Fields(list), languages), true
}

func chooseOCR(program string, installed []string, languages string) OCR {
	o := OCR{Program: program, turns: slices.Contains(installed, "osd")}
	notText := func(name string) bool { return name == "osd" || name == "equ" } // which way up, and formulas
	installed = slices.DeleteFunc(installed, notText)
	for name := range strings.SplitSeq(languages, "+") {
		switch {
		case name == "":
		case slices.Contains(installed, name):
			o.Languages = append(o.Languages, name)
		default:
			o.Missing = append(o.Missing, name)
		}
	}
	if len(o.Languages) > 0 {
		return o
	}
	if i := slices.Index(installed, "eng"); i > 0 {
		installed = slices.Insert(slices.Delete(installed, i, i+1), 0, "eng")
	}
	o.Languages = installed[:min(len(installed), mostLanguages)]
	return o
}

// findOCR returns nil where tesseract, or any language of it, is not installed.
func findOCR(ctx context.Context, languages string) *ocr {
	found, ok := FindOCR(ctx, languages)
	if !ok || len(found.Languages) == 0 {
		return nil
	}
	return &ocr{program: found.Program, turns: found.turns, languages: strings.Join(found.Languages, "+")}
}

// Resolution of pages that are recognised. More than 300 dots per inch costs time
// and finds no more.
const (
	ocrDPI       = 300
	maxOCRPixels = 30 << 20
	maxPicture   = 100 << 20 // pixels of a picture that is a file of its own
	ocrMemory    = 2 << 30   // bytes of address space
)

// recognise returns the pages of a picture as lines in reading order. dpi is
// its resolution, 0 when it is not known.
func (o *ocr) recognise(ctx context.Context, picture []byte, dpi int) ([]format.Page, error) {
	const assumeBlocks, findOrientation = "3", "1"
	mode := assumeBlocks
	if o.turns {
		mode = findOrientation
	}
	args := []string{"stdin", "stdout", "-l", o.languages, "--psm", mode}
	if dpi > 0 {
		args = append(args, "--dpi", strconv.Itoa(dpi))
	}
	cmd := exec.CommandContext(ctx, o.program, append(args, "tsv")...)
	cmd.Env = append(proc.Env(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin = bytes.NewReader(picture)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start tesseract: %w", err)
	}
	proc.LimitMemory(cmd.Process.Pid, ocrMemory)
	if err := cmd.Wait(); err != nil {
		if proc.KilledFromOutside(err) && ctx.Err() == nil {
			return nil, fmt.Errorf("tesseract: %w", proc.ErrKilled)
		}
		return nil, fmt.Errorf("tesseract: %w", err)
	}
	if dpi == 0 {
		dpi = ocrDPI
	}
	return PagesOfTable(out.String(), 72/float64(dpi)), nil
}

// Columns of tesseract's table: each row is a page (level 1), block, paragraph,
// line or word (level 5).
const (
	tsvLevel = iota
	tsvPage
	tsvBlock
	tsvParagraph
	tsvLine
	tsvWord
	tsvLeft
	tsvTop
	tsvWidth
	tsvHeight
	tsvConfidence
	tsvText
	tsvColumns
)

// PagesOfTable turns tesseract's table into pages; scale is points for a pixel.
func PagesOfTable(table string, scale float64) []format.Page {
	const leastConfidence = 20 // percent; below, it sees letters in stains
	var pages []scannedPage
	for row := range format.Lines(table) {
		f := strings.Split(row, "\t")
		if len(f) < tsvColumns {
			continue
		}
		at := func(column int) float64 {
			v, _ := strconv.ParseFloat(f[column], 64)
			return v
		}
		switch f[tsvLevel] {
		case "1":
			pages = append(pages, scannedPage{width: at(tsvWidth) * scale, height: at(tsvHeight) * scale})
		case "5":
			text := format.OneLine(format.Clean(f[tsvText]))
			if text == "" || at(tsvConfidence) < leastConfidence || len(pages) == 0 {
				continue
			}
			left, top := at(tsvLeft)*scale, at(tsvTop)*scale
			w := scannedWord{text: text, x0: left, y0: top, x1: left + at(tsvWidth)*scale, y1: top + at(tsvHeight)*scale}
			line := strings.Join(f[tsvBlock:tsvWord], " ")
			pages[len(pages)-1].add(line, w)
		}
	}
	var out []format.Page
	for i := range pages {
		out = append(out, pages[i].layout(i+1))
	}
	return out
}

// Finder looks for tesseract once.
type Finder struct {
	found    *ocr // nil where there is none
	searched bool
}

func (r *Finder) find(ctx context.Context, j format.Job) *ocr {
	if j.NoOCR {
		return nil
	}
	if !r.searched {
		r.found, r.searched = findOCR(ctx, j.OCRLanguages), true
	}
	return r.found
}

// readPicture reads a picture that is a file of its own.
func (r *Finder) readPicture(ctx context.Context, j format.Job, file io.Reader, out format.Output) error {
	data := make([]byte, j.Size)
	if _, err := io.ReadFull(file, data); err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err == nil && (config.Width > math.MaxInt32 || config.Height > math.MaxInt32 || config.Width*config.Height > maxPicture) {
		return format.Refuse(fmt.Sprintf("the picture has %d by %d pixels, more than can be read", config.Width, config.Height))
	}
	o := r.find(ctx, j)
	if o == nil {
		return format.RefuseHint("this is a picture", "install tesseract to read the text in it")
	}
	if err := out.Head(format.Head{Format: "image", Pages: 1}); err != nil {
		return err
	}
	if err := out.Recognising(1); err != nil {
		return err
	}
	pages, err := o.recognise(ctx, data, 0)
	if errors.Is(err, proc.ErrKilled) {
		return err
	}
	if err != nil {
		return format.Refuse("the picture cannot be read: it is damaged, or of a kind that tesseract does not know")
	}
	for _, p := range pages[:min(len(pages), j.Pages)] {
		if err := out.Page(p); err != nil {
			return err
		}
	}
	return nil
}

// Recognise reads a page that has no text of its own, drawn by draw. One that cannot
// be recognised stays what it is.
func (r *Finder) Recognise(ctx context.Context, j format.Job, page format.Page, out format.Output, draw func(width int) (image.Image, error)) (format.Page, error) {
	o := r.find(ctx, j)
	if o == nil {
		return page, nil
	}
	if err := out.Recognising(page.Number); err != nil {
		return page, err
	}
	width, dpi := ocrWidth(page)
	img, err := draw(width)
	if err != nil {
		return page, err
	}
	picture, err := format.PNG(img)
	if err != nil {
		return page, err
	}
	pages, err := o.recognise(ctx, picture, dpi)
	if errors.Is(err, context.Canceled) || errors.Is(err, proc.ErrKilled) {
		return page, err
	}
	if err != nil || len(pages) != 1 {
		return page, nil
	}
	pages[0].Number = page.Number
	return pages[0], nil
}

// ocrWidth returns how large, in pixels, a page is drawn to be recognised.
func ocrWidth(p format.Page) (width, dpi int) {
	const pointsPerInch = 72
	w, h := float64(p.Width)/10/pointsPerInch, float64(p.Height)/10/pointsPerInch
	resolution := float64(ocrDPI)
	if pixels := w * h * resolution * resolution; pixels > maxOCRPixels {
		resolution *= math.Sqrt(maxOCRPixels / pixels)
	}
	return max(1, int(w*resolution)), max(1, int(resolution))
}
