package document

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"runtime/debug"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/pdfium"
)

// worker is the child's side: it does one job after the other until its input
// ends.
type worker struct {
	out    io.Writer
	engine *pdfium.Engine // started with the first PDF

	ocr      *ocr // nil where there is none
	searched bool // ocr was looked for
}

// WorkerMain is the whole life of a worker process. It returns the exit code.
// What cannot be one line for the user ends the process, and the parent goes on
// with a new one.
func WorkerMain(in io.Reader, out io.Writer) int {
	w := &worker{out: out}
	standBack()
	if err := w.serve(context.Background(), bufio.NewReaderSize(in, 256<<10)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, errKilled) {
			return exitKilled
		}
		return 1
	}
	return 0
}

func (w *worker) serve(ctx context.Context, in io.Reader) error {
	for {
		kind, payload, err := readFrame(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read job: %w", err)
		}
		var j job
		if err := json.Unmarshal(payload, &j); err != nil || kind != frameJob {
			return fmt.Errorf("decode job: %w", err)
		}
		if err := w.do(ctx, j, in); err != nil {
			return err
		}
	}
}

// do does one job and answers with its last frame. An error of the file is an
// answer; any other is returned.
func (w *worker) do(ctx context.Context, j job, in io.Reader) error {
	// Collect garbage early rather than be killed for it.
	debug.SetMemoryLimit(j.MemoryBytes / 2)
	boundMemory(j.MemoryBytes)
	file := io.LimitReader(in, j.Size)
	d, err := w.perform(ctx, j, file)
	if _, skipErr := io.Copy(io.Discard, file); skipErr != nil {
		return fmt.Errorf("read file: %w", skipErr)
	}
	var refused *ibid.Error
	switch {
	case errors.As(err, &refused):
		return writeJSON(w.out, frameFail, failure{Code: refused.Code, Message: refused.Message, Hint: refused.Hint})
	case err != nil:
		return err
	}
	return writeJSON(w.out, frameDone, d)
}

func (w *worker) perform(ctx context.Context, j job, file io.Reader) (done, error) {
	start := bufio.NewReaderSize(file, charset.SampleSize)
	beginning, err := start.Peek(charset.SampleSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return done{}, fmt.Errorf("read file: %w", err)
	}
	if bytes.HasPrefix(beginning, []byte(oldOffice)) {
		return done{}, refuseOldOffice(start, j.Name)
	}
	format, err := detect(beginning, j.Name, j.Format)
	switch {
	case err != nil:
		return done{}, err
	case j.Task == taskMembers && (format == formatPDF || format == formatImage):
		return done{}, nil
	case format == formatPDF && j.Task == taskRender:
		return done{}, w.renderPDF(ctx, j, start)
	case format == formatPDF:
		return done{}, w.readPDF(ctx, j, start)
	case j.Task == taskRender:
		return done{}, refuse("only pages of PDFs can be drawn")
	}
	data := make([]byte, j.Size)
	if _, err := io.ReadFull(start, data); err != nil {
		return done{}, fmt.Errorf("read file: %w", err)
	}
	if format == formatImage {
		return done{}, w.readPicture(ctx, j, data)
	}
	return w.readWhole(j, format, data)
}

// readWhole reads the formats that are parsed from memory.
func (w *worker) readWhole(j job, format string, data []byte) (done, error) {
	var z *zipFile
	if format == formatZip {
		var err error
		if z, err = openZip(data); err != nil {
			return done{}, err
		}
		format = z.format()
	}
	if j.Task == taskMembers {
		return w.sendMembers(format, data)
	}
	if err := writeJSON(w.out, frameHead, head{Format: format}); err != nil {
		return done{}, err
	}
	b := newBuilder(j.TextBytes, func(p part) error { return writeJSON(w.out, framePart, p) })
	d, err := readFormat(b, format, j.Name, data, z)
	b.flush()
	if err == nil {
		err = b.err
	}
	if errors.Is(err, errTextLimit) {
		d.Notice = joinNotices(d.Notice, textLimitNotice(j.TextBytes))
		err = nil
	}
	return d, err
}

// readFormat parses data into b; z is data opened, where it is a zip file. The
// error is the file's, or b's.
func readFormat(b *builder, format, name string, data []byte, z *zipFile) (done, error) {
	switch format {
	case formatMarkdown:
		return done{Title: readMarkdown(b, charset.Decode(data, b.left))}, nil
	case formatHTML:
		return readHTML(b, data)
	case formatCode:
		readCode(b, charset.Decode(data, b.left), languageOf(name))
	case formatCSV:
		readCSV(b, charset.Decode(data, b.left))
	case formatRTF:
		return readRTF(b, data), nil
	case formatEML:
		return readEML(b, data), nil
	case formatDOCX:
		return readDOCX(b, z)
	case formatPPTX:
		return readPPTX(b, z)
	case formatXLSX:
		return readXLSX(b, z)
	case formatODT, formatODS, formatODP:
		return readODF(b, z, format)
	case formatEPUB:
		return readEPUB(b, z)
	case formatZip:
		return readZip(b, z)
	default:
		readText(b, charset.Decode(data, b.left))
	}
	return done{}, nil
}

// sendPNG answers with a picture.
func (w *worker) sendPNG(img image.Image) error {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, img); err != nil {
		return fmt.Errorf("encode picture: %w", err)
	}
	return writeFrame(w.out, frameImage, b.Bytes())
}
