package document

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"ibid"
	"ibid/internal/document/format"
)

// Parent and worker speak in frames: four bytes of length (big endian, of what
// follows), one byte that says what it is, and JSON or, for pictures, bytes.
// After a job frame the file follows as it is, job.Size bytes.
type frameKind byte

const (
	frameJob    frameKind = 'j' // to the worker: job
	frameStart  frameKind = 's' // true before PDFium is compiled for this machine, false after it
	frameHead   frameKind = 'h' // Head
	framePage   frameKind = 'p' // Page
	framePart   frameKind = 'b' // part
	frameOCR    frameKind = 'o' // number of a page that is being recognised
	frameImage  frameKind = 'i' // PNG bytes
	frameMember frameKind = 'm' // name of a file within a file…
	frameData   frameKind = 'D' // …and its bytes
	frameDone   frameKind = 'd' // Done: the last frame of a job
	frameFail   frameKind = 'e' // failure: the last frame of a job
)

// maxFrame bounds a frame in either direction. Parts are cut far below it.
const maxFrame = 256 << 20

// job is what a worker is asked to do.
type job struct {
	Task string `json:"task"` // one of the tasks below
	format.Job
}

const (
	taskExtract = "extract"
	taskRender  = "render"
	taskMembers = "members"
)

// failure ends a job that did not.
type failure struct {
	Code    ibid.Code `json:"code"`
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
}

func writeFrame(w io.Writer, kind frameKind, payload []byte) error {
	header := make([]byte, 5, 5+len(payload))
	binary.BigEndian.PutUint32(header, uint32(1+len(payload)))
	header[4] = byte(kind)
	if _, err := w.Write(append(header, payload...)); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

func writeJSON(w io.Writer, kind frameKind, value any) error {
	payload, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode frame %c: %w", kind, err)
	}
	return writeFrame(w, kind, payload)
}

// readFrame returns io.EOF only where a frame could have begun.
func readFrame(r io.Reader) (frameKind, []byte, error) {
	var header [5]byte
	if _, err := io.ReadFull(r, header[:4]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(header[:])
	if n == 0 || n > maxFrame {
		return 0, nil, fmt.Errorf("frame of %d bytes", n)
	}
	if _, err := io.ReadFull(r, header[4:]); err != nil {
		return 0, nil, noEOF(err)
	}
	payload := make([]byte, n-1)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, noEOF(err)
	}
	return frameKind(header[4]), payload, nil
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
