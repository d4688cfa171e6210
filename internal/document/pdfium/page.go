package pdfium

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"unicode"

	"github.com/tetratelabs/wazero/api"
)

// Page is one page as lines of words, in the order of the file's drawing
// commands, which for most files is the reading order.
type Page struct {
	Width, Height float64
	Lines         []Line
	Glyphs        int     // visible characters
	Bad           int     // of them without a known meaning, and left out of the words
	Images        float64 // share of the page that pictures cover; known where Glyphs is small
	Figures       []Figure
	Notes         []string // what readers wrote in the margin
	Hidden        bool     // the words are not drawn: a scan with the text that was recognised in it
}

// Line is a run of words that PDFium takes for one line.
type Line struct {
	Words  []Word
	Hyphen bool // the last word was divided here and goes on in the next line
}

// Word is a run of characters without blanks.
type Word struct {
	Text           string
	X0, Y0, X1, Y1 float64 // of its ink; X0 < X1 and Y0 < Y1: y grows downwards
	Base           float64 // y of the line its letters stand on
	Font           Font
}

// Font is how a word is set.
type Font struct {
	Size       float64 // points
	Bold, Mono bool
}

// ErrPage is a page that the file claims to have and that is not there.
var ErrPage = errors.New("page is missing or damaged")

// maxChars bounds the characters of one page; a page of a telephone book has
// some 20,000.
const maxChars = 2_000_000

// Page reads page n, counted from 1.
func (d *Document) Page(ctx context.Context, n int) (Page, error) {
	in := d.in
	handle := in.call(ctx, "FPDF_LoadPage", d.handle, uint64(n-1))
	if in.err != nil {
		return Page{}, in.err
	}
	if handle == 0 {
		return Page{}, ErrPage
	}
	beside := d.annotations(ctx, handle)
	if beside.drawn {
		if handle = d.flatten(ctx, handle, n); handle == 0 {
			return Page{}, firstError(in.err, ErrPage)
		}
	}
	defer in.call(ctx, "FPDF_ClosePage", handle)
	r, err := d.readPage(ctx, handle, beside)
	if turn := r.turns.needed(); err == nil && turn != 0 {
		in.call(ctx, "FPDFPage_SetRotation", handle, uint64(in.callInt(ctx, "FPDFPage_GetRotation", handle)+turn)%4)
		r, err = d.readPage(ctx, handle, beside)
	}
	return r.page, err
}

// readPage reads an open page as it stands.
func (d *Document) readPage(ctx context.Context, handle uint64, beside annotations) (*pageReader, error) {
	in := d.in
	text := in.call(ctx, "FPDFText_LoadPage", handle)
	if text == 0 || in.err != nil {
		return &pageReader{}, firstError(in.err, ErrPage)
	}
	r := newPageReader(ctx, in, handle, text)
	r.read(ctx)
	r.addFields(beside.blank)
	r.page.Notes = beside.notes
	if d.pictures && !r.page.Hidden {
		r.page.Figures = r.figures(ctx)
	}
	in.call(ctx, "FPDFText_ClosePage", text)
	return r, in.err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// pageReader turns PDFium's characters into words. PDFium has a call for every
// property of every character; at 4,000 characters a page the calls would take
// longer than the work, so properties are asked for words only.
type pageReader struct {
	in         *instance
	handle     uint64
	text       uint64
	page       Page
	toPage     affine
	fonts      map[uint64]Font // by font
	objects    map[uint64]Font // by text object, with sizes
	runes      []rune
	line       Line
	wordsAsked int
	turns      turns

	// What is called for every word, looked up once.
	charBox, charOrigin, textObject, mapError api.Function
}

func newPageReader(ctx context.Context, in *instance, handle, text uint64) *pageReader {
	r := &pageReader{in: in, handle: handle, text: text, fonts: make(map[uint64]Font), objects: make(map[uint64]Font)}
	r.page.Width = float64(math.Float32frombits(uint32(in.call(ctx, "FPDF_GetPageWidthF", handle))))
	r.page.Height = float64(math.Float32frombits(uint32(in.call(ctx, "FPDF_GetPageHeightF", handle))))
	r.toPage = r.displayTransform(ctx)
	r.charBox, r.charOrigin = in.function("FPDFText_GetCharBox"), in.function("FPDFText_GetCharOrigin")
	r.textObject, r.mapError = in.function("FPDFText_GetTextObject"), in.function("FPDFText_HasUnicodeMapError")
	return r
}

func (r *pageReader) read(ctx context.Context) {
	n := r.in.callInt(ctx, "FPDFText_CountChars", r.text)
	if n > maxChars {
		n = maxChars
	}
	r.readRunes(ctx, n)
	start := 0
	for k, c := range r.runes {
		switch {
		case c == '\n' || c == '\r':
			r.endWord(ctx, start, k)
			r.endLine(false)
		case c == lineHyphen:
			r.endWord(ctx, start, k)
			r.endHyphen(ctx, k)
		case unicode.IsSpace(c):
			r.endWord(ctx, start, k)
		default:
			continue
		}
		start = k + 1
	}
	r.endWord(ctx, start, len(r.runes))
	r.endLine(false)
	if r.page.Glyphs < 300 {
		r.page.Images = r.imageShare(ctx)
	}
}

// lineHyphen stands where PDFium found a hyphen at the end of a line (it says 2
// or this).
const lineHyphen = 0xFFFE

// readRunes fetches the characters of the page: all at once where PDFium's text
// has one unit for each, which is where nothing in it is invisible or beyond the
// basic plane, else one by one.
func (r *pageReader) readRunes(ctx context.Context, n int) {
	if n <= 0 || r.in.err != nil {
		return
	}
	r.runes = make([]rune, n)
	if r.readAllRunes(ctx) {
		return
	}
	get := r.in.function("FPDFText_GetUnicode")
	for k := range r.runes {
		r.runes[k] = asHyphen(rune(r.in.invoke(ctx, get, r.text, uint64(k))))
	}
}

// readAllRunes reports whether it filled r.runes. FPDFText_GetText writes UTF-16
// with a zero at the end and returns how many units that is.
func (r *pageReader) readAllRunes(ctx context.Context) bool {
	in, n := r.in, len(r.runes)
	const unit = 2 // bytes
	buffer := in.alloc(ctx, unit*(n+1))
	defer in.free(ctx, buffer)
	written := in.callInt(ctx, "FPDFText_GetText", r.text, 0, uint64(n), uint64(buffer))
	if in.err != nil || written != n+1 {
		return false
	}
	units := in.view(buffer, unit*n)
	if in.err != nil {
		return false
	}
	for k := range r.runes {
		r.runes[k] = asHyphen(rune(binary.LittleEndian.Uint16(units[unit*k:])))
	}
	return true
}

func asHyphen(c rune) rune {
	if c == 2 {
		return lineHyphen
	}
	return c
}

// endWord adds the characters from start up to end as a word.
func (r *pageReader) endWord(ctx context.Context, start, end int) {
	if start >= end || r.in.err != nil {
		return
	}
	text := r.wordText(r.runes[start:end])
	r.page.Glyphs += end - start
	if r.unmapped(ctx, start) {
		r.page.Bad += end - start
	}
	if text == "" {
		return
	}
	w := Word{Text: text, Font: r.font(ctx, start)}
	first := r.box(ctx, start)
	last := first
	if end-start > 1 {
		last = r.box(ctx, end-1)
	}
	w.X0, w.Y0 = min(first.x0, last.x0), min(first.y0, last.y0)
	w.X1, w.Y1 = max(first.x1, last.x1), max(first.y1, last.y1)
	w.Base = r.baseline(ctx, start)
	r.turns.count(r.runes[start], first, last, end-start)
	r.line.Words = append(r.line.Words, w)
}

// endHyphen ends a line whose last word goes on in the next. Fonts without a
// mapping to Unicode give the same code to characters that are no hyphens.
func (r *pageReader) endHyphen(ctx context.Context, k int) {
	if r.in.callInt(ctx, "FPDFText_IsHyphen", r.text, uint64(k)) == 1 {
		r.page.Glyphs++
		r.endLine(true)
		return
	}
	r.page.Bad++
}

func (r *pageReader) endLine(hyphen bool) {
	if len(r.line.Words) > 0 {
		r.line.Hyphen = hyphen
		r.page.Lines = append(r.page.Lines, r.line)
	}
	r.line = Line{}
}

// wordText joins surrogates, spells ligatures out, and drops what means
// nothing: control characters and the private use area, where symbol fonts put
// their glyphs. Bullets there are kept.
func (r *pageReader) wordText(runes []rune) string {
	var b strings.Builder
	b.Grow(len(runes))
	var high rune
	for _, c := range runes {
		switch {
		case c > ' ' && c < 0x7F: // nearly all
		case c >= 0xD800 && c < 0xDC00:
			high = c
			continue
		case c >= 0xDC00 && c < 0xE000 && high != 0:
			c = (high-0xD800)<<10 + (c - 0xDC00) + 0x10000
		case c == 0xF0B7 || c == 0xF0A7 || c == 0xF0D8:
			c = '•'
		case c == 0xFFFD || c < ' ' || c >= 0xD800 && c < 0xF900 || c > unicode.MaxRune:
			r.page.Bad++
			continue
		case c >= 0xFB00 && c <= 0xFB06:
			b.WriteString(ligatures[c-0xFB00])
			continue
		case c == 0xAD || c == 0xFEFF || c == 0x200B || c >= 0x7F && c < 0xA0:
			continue
		}
		high = 0
		b.WriteRune(c)
	}
	return b.String()
}

var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

// unmapped reports whether the font does not say what a character means. Every
// eighth word is asked.
func (r *pageReader) unmapped(ctx context.Context, k int) bool {
	r.wordsAsked++
	if r.wordsAsked%8 != 1 {
		return false
	}
	return int32(r.in.invoke(ctx, r.mapError, r.text, uint64(k))) == 1
}

// rect is a box on the shown page.
type rect struct{ x0, y0, x1, y1 float64 }

func (r *pageReader) box(ctx context.Context, k int) rect {
	in := r.in
	s := uint64(in.scratch)
	// Four doubles: left, right, bottom, top.
	in.invoke(ctx, r.charBox, r.text, uint64(k), s, s+8, s+16, s+24)
	left, right := in.float64At(in.scratch), in.float64At(in.scratch+8)
	bottom, top := in.float64At(in.scratch+16), in.float64At(in.scratch+24)
	return r.toPage.rect(left, bottom, right, top)
}

// baseline returns the height of the point from which a character is drawn.
func (r *pageReader) baseline(ctx context.Context, k int) float64 {
	in := r.in
	s := uint64(in.scratch)
	in.invoke(ctx, r.charOrigin, r.text, uint64(k), s, s+8)
	_, y := r.toPage.point(in.float64At(in.scratch), in.float64At(in.scratch+8))
	return y
}

// font returns how the character is set.
func (r *pageReader) font(ctx context.Context, k int) Font {
	in := r.in
	object := in.invoke(ctx, r.textObject, r.text, uint64(k))
	if f, ok := r.objects[object]; ok {
		return f
	}
	f := Font{}
	if object != 0 {
		const invisible = 3 // PDF 32000-1, table 106
		r.page.Hidden = in.callInt(ctx, "FPDFTextObj_GetTextRenderMode", object) == invisible
		f = r.face(ctx, in.call(ctx, "FPDFTextObj_GetFont", object))
	}
	f.Size = in.callFloat(ctx, "FPDFText_GetFontSize", r.text, uint64(k))
	// The matrix is a, b, c, d, e, f; (c, d) is where a unit upwards goes.
	if in.call(ctx, "FPDFText_GetMatrix", r.text, uint64(k), uint64(in.scratch)) != 0 {
		f.Size *= math.Hypot(in.float32At(in.scratch+8), in.float32At(in.scratch+12))
	}
	if !(f.Size >= 0 && f.Size < 1e4) {
		f.Size = 0
	}
	r.objects[object] = f
	return f
}

// face reads what a font is from its flags, weight and name.
func (r *pageReader) face(ctx context.Context, font uint64) Font {
	if f, ok := r.fonts[font]; ok || font == 0 {
		return f
	}
	in := r.in
	const fixedPitch, forceBold = 1 << 0, 1 << 18 // PDF 32000-1, table 123
	flags := in.callInt(ctx, "FPDFFont_GetFlags", font)
	name := strings.ToLower(string(in.sized(ctx, "FPDFFont_GetBaseFontName", font)))
	f := Font{
		Bold: flags > 0 && flags&forceBold != 0 || in.callInt(ctx, "FPDFFont_GetWeight", font) >= 600 || containsAny(name, boldNames),
		Mono: flags > 0 && flags&fixedPitch != 0 || containsAny(name, monoNames),
	}
	r.fonts[font] = f
	return f
}

var (
	boldNames = []string{"bold", "black", "heavy", "semibd", "demi", "cmbx", "cmssbx", "medi"}
	monoNames = []string{"mono", "courier", "consol", "menlo", "cmtt", "typewriter", "inconsolata", "sourcecode"}
)

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// imageShare returns how much of the page its pictures cover, at most 1. A page
// that draws forms but no text counts as covered, since pictures inside forms
// are not listed.
func (r *pageReader) imageShare(ctx context.Context) float64 {
	const image, form, most = 3, 5, 2000
	in := r.in
	area := r.page.Width * r.page.Height
	if area <= 0 {
		return 0
	}
	share := 0.0
	n := min(in.callInt(ctx, "FPDFPage_CountObjects", r.handle), most)
	for k := 0; k < n && in.err == nil; k++ {
		object := in.call(ctx, "FPDFPage_GetObject", r.handle, uint64(k))
		kind := in.callInt(ctx, "FPDFPageObj_GetType", object)
		if kind != image && (kind != form || r.page.Glyphs > 0) {
			continue
		}
		s := uint64(in.scratch)
		// Four floats: left, bottom, right, top.
		if in.call(ctx, "FPDFPageObj_GetBounds", object, s, s+4, s+8, s+12) == 1 {
			w := in.float32At(in.scratch+8) - in.float32At(in.scratch)
			h := in.float32At(in.scratch+12) - in.float32At(in.scratch+4)
			share += max(0, w) * max(0, h) / area
		}
	}
	return min(share, 1)
}
