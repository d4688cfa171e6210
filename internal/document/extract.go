// Package document turns files into text, each into the same blocks with page, heading
// path and byte span. formats.go lists the kinds of files that are read; the code that
// reads them stands in rooms below, a room for a family of formats.
//
// Files come from anywhere, so nothing of them is parsed in the server. A Pool
// keeps worker processes (the same binary, started with WorkerCommand), hands
// each one file at a time through a pipe, and kills a worker that takes too
// long, grows too large, or whose caller has gone. What a worker had read by
// then is kept: pages cross the pipe as they are finished.
//
//	parent: Pool.Extract                      worker: WorkerMain
//	  open (regular file? size?) ── job, bytes ──▶ sniff the format, parse
//	  collect, assemble          ◀── head, pages or parts, done ──
//
// The worker reads layout; what needs the whole document, such as finding what
// is a heading and what a running header, is done by the parent on plain data.
// The worker opens no file and no connection.
package document

import "time"

// WorkerCommand is the argument with which the binary runs as a worker.
const WorkerCommand = "extract-worker"

// Request names a file. Either Path or Data is set.
type Request struct {
	Path     string // a regular file
	NoFollow bool   // refuse Path when its last element is a symbolic link
	Data     []byte
	Name     string // file name, for its extension and for people; by default that of Path
	Format   string // where the caller knows better than the content and the name, else ""
	Password string
	// Killed is how often the worker of this file was killed from outside before.
	// The second attempt runs beside half as many workers as usual, the third alone;
	// only then a kill is held to be the file's fault.
	Killed int
}

// Alone is the Killed of an attempt that no other worker runs beside.
const Alone = 2

// Progress is how far a file has been read.
type Progress struct {
	Stage string // StageExtract or StageOCR
	Page  int    // last page that was read
	Pages int    // 0 for formats without pages
}

// The stages of reading.
const (
	StageExtract = "extract"
	StageOCR     = "ocr"
)

// Limits bound what one file may cost. Zero fields take the defaults.
type Limits struct {
	Timeout     time.Duration // for the whole file, 10 minutes
	Stall       time.Duration // without another page being finished, 1 minute
	MemoryBytes int64         // of the worker, 1 GiB
	InputBytes  int64         // of the file, 256 MiB
	TextBytes   int           // of the extracted text, 64 MiB
	Pages       int           // 10,000
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.Timeout, 10*time.Minute)
	setDefault(&l.Stall, time.Minute)
	setDefault(&l.MemoryBytes, 1<<30)
	setDefault(&l.InputBytes, 256<<20)
	setDefault(&l.TextBytes, 64<<20)
	setDefault(&l.Pages, 10_000)
	return l
}

func setDefault[T int | int64 | time.Duration](v *T, or T) {
	if *v <= 0 {
		*v = or
	}
}
