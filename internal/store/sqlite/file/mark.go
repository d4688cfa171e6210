package file

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strconv"
)

// LogEnding ends the name of a database's write-ahead log, MemoryEnding that of
// the log's index.
const (
	LogEnding    = "-wal"
	MemoryEnding = "-shm"
)

// ReadMark returns the mark in a database file's header, and the file's size, 0
// where there is none.
func ReadMark(path string) (mark uint32, size int64, err error) {
	const at = 68
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	var b [4]byte
	if _, err := f.ReadAt(b[:], at); err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	return binary.BigEndian.Uint32(b[:]), info.Size(), nil
}

// MarkOf is the mark of an identity. It is never 0, which says that there is none.
func MarkOf(identity string) uint32 {
	sum := sha256.Sum256([]byte(identity))
	return max(1, binary.BigEndian.Uint32(sum[:]))
}

// SetMark writes the mark of an identity into the header.
func SetMark(ctx context.Context, q Querier, identity string) error {
	_, err := q.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(int(int32(MarkOf(identity)))))
	return err
}
