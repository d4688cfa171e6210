package document

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"ibid"
	"ibid/internal/document/format"
	"ibid/internal/document/proc"
	"ibid/internal/text"
)

// collector is the parent's side of reading one file. It keeps what arrives, so
// that the death of a worker costs no more than the page it died on.
type collector struct {
	formats  format.List
	limits   Limits
	progress func(Progress)
	head     format.Head
	done     format.Done
	out      ibid.Extract
	text     strings.Builder
	pdf      []format.Page
	lost     losses
	resumed  int
}

// maxResumes is how many pages of one file may kill their reader before the
// rest is given up.
const maxResumes = 3

func newCollector(formats format.List, limits Limits, progress func(Progress)) *collector {
	return &collector{formats: formats, limits: limits, progress: progress}
}

// frame takes what a worker sends.
func (c *collector) frame(kind frameKind, payload []byte) error {
	switch kind {
	case frameHead:
		return c.begin(payload)
	case framePage:
		return c.page(payload)
	case frameOCR:
		var page int
		err := decode(payload, &page)
		c.progress(Progress{Stage: StageOCR, Page: max(page-1, 0), Pages: c.head.Pages})
		return err
	case framePart:
		return c.part(payload)
	case frameDone:
		return decode(payload, &c.done)
	}
	return fmt.Errorf("unexpected frame %q", kind)
}

func decode(payload []byte, v any) error {
	if err := json.Unmarshal(payload, v); err != nil {
		return fmt.Errorf("decode frame: %w", err)
	}
	return nil
}

func (c *collector) begin(payload []byte) error {
	if err := decode(payload, &c.head); err != nil {
		return err
	}
	c.progress(Progress{Stage: StageExtract, Pages: c.head.Pages})
	return nil
}

func (c *collector) page(payload []byte) error {
	var p format.Page
	if err := decode(payload, &p); err != nil {
		return err
	}
	if p.Number != len(c.pdf)+1 || p.Number > c.limits.Pages {
		return fmt.Errorf("unexpected page %d", p.Number)
	}
	c.pdf = append(c.pdf, p)
	c.progress(Progress{Stage: StageExtract, Page: p.Number, Pages: c.head.Pages})
	return nil
}

func (c *collector) part(payload []byte) error {
	var p format.Part
	if err := decode(payload, &p); err != nil {
		return err
	}
	if err := c.add(p); err != nil {
		return err
	}
	if n := len(c.out.PageAt); n > 0 {
		c.progress(Progress{Stage: StageExtract, Page: n, Pages: c.head.Pages})
	}
	return nil
}

// add appends a piece of a document, after making sure that the worker keeps
// its word about offsets and UTF-8.
func (c *collector) add(p format.Part) error {
	if c.text.Len()+len(p.Text) > c.limits.TextBytes || !utf8.ValidString(p.Text) {
		return errors.New("unexpected text")
	}
	base, at := c.text.Len(), 0
	for _, b := range p.Blocks {
		most := len(p.Text)
		if b.Kind == ibid.BlockImage && b.Start == b.End {
			most += len(format.BlockSeparator) // it stands where the next block will
		}
		if b.Start < at || b.End < b.Start || b.End > most {
			return errors.New("unexpected block")
		}
		at = b.End
		b.Start += base
		b.End += base
		c.out.Blocks = append(c.out.Blocks, b)
	}
	for _, start := range p.PageAt {
		c.out.PageAt = append(c.out.PageAt, base+max(start, 0))
	}
	c.text.WriteString(p.Text)
	return nil
}

// format is what the file is.
func (c *collector) format() format.Format { return c.formats.Named(c.head.Format) }

// died takes note that the worker ended. It returns the page to go on with, or
// false when the rest of the file is given up.
func (c *collector) died(reason error) (next int, goOn bool) {
	c.lost.reason = reason
	if !c.format().Resumes || errors.Is(reason, errTimeout) || c.resumed == maxResumes {
		c.lost.rest = true
		return 0, false
	}
	c.resumed++
	failed := len(c.pdf) + 1
	c.pdf = append(c.pdf, format.Page{Number: failed, Failed: true})
	if failed >= c.head.Pages || failed >= c.limits.Pages {
		return 0, false
	}
	return failed + 1, true
}

// finish makes the document of what was collected.
func (c *collector) finish() (ibid.Extract, error) {
	if c.head.Cut {
		c.dropCut()
	}
	if c.format().Assemble != nil {
		if err := c.assemble(); err != nil {
			return ibid.Extract{}, err
		}
	}
	x := c.out
	x.Format = c.head.Format
	x.Text = c.text.String()
	x.Pages = len(x.PageAt)
	for i, at := range x.PageAt {
		x.PageAt[i] = min(at, len(x.Text))
	}
	for i, b := range x.Blocks { // of pictures behind the last word
		x.Blocks[i].Start, x.Blocks[i].End = min(b.Start, len(x.Text)), min(b.End, len(x.Text))
	}
	x.Title = cmp.Or(c.done.Title, c.head.Title, x.Title, c.firstHeading(x))
	x.Notice = format.JoinNotices(c.done.Notice, c.lost.notice(c.pdf, c.head.Pages))
	if strings.TrimSpace(x.Text) == "" {
		return ibid.Extract{}, c.nothing(x.Notice)
	}
	if c.format().Kind != format.KindCode {
		x.Language = text.Language(x.Text)
	}
	return x, nil
}

// dropCut leaves out the pages that lay behind the end of a file that was cut
// off, or whose words did.
func (c *collector) dropCut() {
	read := len(c.pdf)
	for read > 0 && len(c.pdf[read-1].Lines) == 0 && !c.pdf[read-1].Scanned { // failed, blank, or without its fonts
		read--
	}
	claimed := max(c.head.Pages, len(c.pdf))
	c.pdf, c.head.Pages, c.lost.rest = c.pdf[:read], read, false
	switch {
	case read == 0:
		c.lost.cut = "the file is cut off"
	case read < claimed:
		c.lost.cut = fmt.Sprintf("the file is cut off: %s read, page %d failed", format.PageRange(1, read), read+1)
	case c.head.Listed:
		c.lost.cut = fmt.Sprintf("the file is cut off: %s read, nothing is known of those behind", format.PageRange(1, read))
	}
}

// firstHeading returns the heading of the highest level that a document begins
// with, "" when it begins with none.
func (c *collector) firstHeading(x ibid.Extract) string {
	const near = 3 // blocks from the beginning
	for _, b := range x.Blocks[:min(near, len(x.Blocks))] {
		if b.Kind != ibid.BlockHeading || b.Level != 1 {
			continue
		}
		title := x.Text[b.Start:b.End]
		if tellsNothing := c.format().NoTitle; tellsNothing != nil && tellsNothing(title) {
			return "" // nor does what follows it
		}
		return title
	}
	return ""
}

// nothing is the error for a file without text.
func (c *collector) nothing(notice string) error {
	if c.lost.reason != nil {
		e := &ibid.Error{Code: deathCode(c.lost.reason), Message: "the file cannot be read: " + c.lost.reason.Error()}
		if errors.Is(c.lost.reason, proc.ErrKilled) {
			e.Hint = "free some memory, and try again"
		}
		return e
	}
	if notice != "" {
		return format.Refuse("nothing could be read: " + strings.TrimPrefix(notice, format.BeginningOnly))
	}
	return format.Refuse("there is no text in the file")
}

// assemble makes text of the pages of a file.
func (c *collector) assemble() error {
	b := format.NewBuilder(c.limits.TextBytes, c.add)
	c.out.Title = c.format().Assemble(c.head, c.pdf, b)
	b.Flush()
	if errors.Is(b.Err, format.ErrTextLimit) {
		c.done.Notice = format.TextLimitNotice(c.limits.TextBytes)
		return nil
	}
	return b.Err
}
