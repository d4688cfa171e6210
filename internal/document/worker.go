package document

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/format"
	"ibid/internal/document/proc"
)

// worker is the child's side: it does one job after the other until its input
// ends.
type worker struct {
	out     io.Writer
	formats format.List
}

// WorkerMain is the whole life of a worker process that reads files of some formats.
// It returns the exit code. What cannot be one line for the user ends the process,
// and the parent goes on with a new one.
func WorkerMain(in io.Reader, out io.Writer, formats format.List) int {
	w := &worker{out: out, formats: formats}
	proc.StandBack()
	if err := w.serve(context.Background(), bufio.NewReaderSize(in, 256<<10)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, proc.ErrKilled) {
			return proc.ExitKilled
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
	proc.BoundMemory(j.MemoryBytes)
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

func (w *worker) perform(ctx context.Context, j job, file io.Reader) (format.Done, error) {
	start := bufio.NewReaderSize(file, charset.SampleSize)
	beginning, err := start.Peek(charset.SampleSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return format.Done{}, fmt.Errorf("read file: %w", err)
	}
	f, err := w.formats.Detect(beginning, j.Name, j.Format)
	switch {
	case err != nil:
		return format.Done{}, err
	case f.Refuse != nil:
		return format.Done{}, f.Refuse(start, j.Name)
	case j.Task == taskRender && f.Draw != nil:
		return format.Done{}, f.Draw(ctx, j.Job, start, w)
	case j.Task == taskRender:
		return format.Done{}, format.Refuse("files of this kind have no pages that can be drawn")
	case j.Task == taskMembers && f.Pages != nil:
		return format.Done{}, nil
	case f.Pages != nil:
		return format.Done{}, f.Pages(ctx, j.Job, start, w)
	}
	return w.readWhole(j, f, start, format.IsZip(beginning))
}

// readWhole reads the formats that are parsed from memory.
func (w *worker) readWhole(j job, f format.Format, in io.Reader, isZip bool) (format.Done, error) {
	file := format.File{Name: j.Name, Data: make([]byte, j.Size)}
	if _, err := io.ReadFull(in, file.Data); err != nil {
		return format.Done{}, fmt.Errorf("read file: %w", err)
	}
	if isZip {
		var err error
		if file.Zip, err = format.OpenZip(file.Data); err != nil {
			return format.Done{}, err
		}
		f = w.formats.Unzipped(file.Zip, f)
	}
	if j.Task == taskMembers {
		return w.sendMembers(f, file)
	}
	if err := w.Head(format.Head{Format: f.Name}); err != nil {
		return format.Done{}, err
	}
	b := format.NewBuilder(j.TextBytes, func(p format.Part) error { return writeJSON(w.out, framePart, p) })
	d, err := f.Read(b, file)
	b.Flush()
	if err == nil {
		err = b.Err
	}
	if errors.Is(err, format.ErrTextLimit) {
		d.Notice = format.JoinNotices(d.Notice, format.TextLimitNotice(j.TextBytes))
		err = nil
	}
	return d, err
}

// Starting implements Output.
func (w *worker) Starting(begun bool) error { return writeJSON(w.out, frameStart, begun) }

// Head implements Output.
func (w *worker) Head(h format.Head) error { return writeJSON(w.out, frameHead, h) }

// Page implements Output.
func (w *worker) Page(p format.Page) error { return writeJSON(w.out, framePage, p) }

// Recognising implements Output.
func (w *worker) Recognising(page int) error { return writeJSON(w.out, frameOCR, page) }

// Drawing implements Output.
func (w *worker) Drawing(png []byte) error { return writeFrame(w.out, frameImage, png) }
