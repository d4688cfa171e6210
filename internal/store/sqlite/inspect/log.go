package inspect

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"ibid/internal/store/sqlite/file"
	"io"
	"os"
)

// What a process that was killed has committed may stand in the database's log
// alone. SQLite does not notice when that log is missing, cut short or damaged: it
// takes what it can read of it, and the rest of the commits are gone, which can be
// the whole library. But the file beside it, the log's index, says how many pages
// of the log are committed and how many of them are in the database already. Both
// formats: https://www.sqlite.org/walformat.html

type logState int

const (
	logNone    logState = iota // there is nothing in it
	logWhole                   // it has all that was committed, as far as can be told
	logUnknown                 // nothing says what it should hold: the database must be verified with it
)

// inspectLog compares a database's log with the log's index, and with the mark of
// the data directory's identity, 0 where that is not known. A log that lacks commits
// or is another database's is an error for which Damaged is true.
func inspectLog(path string, mark uint32) (logState, error) {
	index, known, err := readLogIndex(path + file.MemoryEnding)
	if err != nil {
		return logNone, fmt.Errorf("look at the index of the database's log: %w", err)
	}
	missing := known && index.frames > index.moved
	log, err := readLog(path + file.LogEnding)
	switch {
	case err != nil:
		return logNone, fmt.Errorf("look at the database's log: %w", err)
	case log.empty && missing:
		return logNone, file.Damaged("the log %s is missing or empty, and the database lacks what stood in it", path+file.LogEnding)
	case log.empty:
		return logNone, nil
	case mark != 0 && log.mark != 0 && log.mark != mark:
		return logNone, file.Damaged("the log %s belongs to the database of another data directory", path+file.LogEnding)
	case !known:
		return logUnknown, nil
	case missing && (!log.sound || log.salt == index.salt && log.frames < index.frames):
		return logNone, file.Damaged("the log %s is damaged or cut short, and the database lacks what stood in it", path+file.LogEnding)
	case missing && log.salt != index.salt:
		// The log has begun anew since the index was put on disk, as can be after a
		// power cut, or one of the two is another database's.
		return logUnknown, nil
	}
	return logWhole, nil
}

// logIndex is what the log's index says of the log.
type logIndex struct {
	salt   [2]uint32
	frames uint32 // committed
	moved  uint32 // of them into the database
}

// readLogIndex reads the log's index; known is false where it says nothing: after
// a power cut it may be anything.
func readLogIndex(path string) (index logIndex, known bool, err error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return index, false, nil
	}
	if err != nil {
		return index, false, err
	}
	defer f.Close()
	const copySize = 48
	var b [2*copySize + 4]byte // the header twice, then how many frames were moved
	if _, err := io.ReadFull(f, b[:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return index, false, nil
	} else if err != nil {
		return index, false, err
	}
	head, native := b[:copySize], binary.NativeEndian
	const version, isInit, framesAt, saltAt, sumAt = 3007000, 12, 16, 32, 40
	sum := walSum(native, [2]uint32{}, head[:sumAt])
	if !bytes.Equal(head, b[copySize:2*copySize]) || native.Uint32(head) != version || head[isInit] != 1 ||
		sum != [2]uint32{native.Uint32(head[sumAt:]), native.Uint32(head[sumAt+4:])} {
		return index, false, nil
	}
	index.frames, index.moved = native.Uint32(head[framesAt:]), native.Uint32(b[2*copySize:])
	// The salts are copied from the log as they stand there.
	index.salt = [2]uint32{binary.BigEndian.Uint32(head[saltAt:]), binary.BigEndian.Uint32(head[saltAt+4:])}
	return index, index.moved <= index.frames, nil
}

// logContent is what a log holds.
type logContent struct {
	empty  bool
	sound  bool // its header is
	salt   [2]uint32
	frames uint32 // at its beginning that are as they were written
	mark   uint32 // of the first page, where one of these frames is that page; else 0
}

func readLog(path string) (log logContent, err error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return logContent{empty: true}, nil
	}
	if err != nil {
		return log, err
	}
	defer f.Close()
	const headSize, frameHeadSize, markAt = 32, 24, 68
	r, big := bufio.NewReaderSize(f, 1<<20), binary.BigEndian
	head := make([]byte, headSize)
	switch n, err := io.ReadFull(r, head); {
	case n == 0 && errors.Is(err, io.EOF):
		return logContent{empty: true}, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return log, nil
	case err != nil:
		return log, err
	}
	var order binary.ByteOrder = binary.LittleEndian
	if big.Uint32(head)&1 == 1 {
		order = big
	}
	sum := walSum(order, [2]uint32{}, head[:24])
	pageSize := big.Uint32(head[8:])
	if sum != [2]uint32{big.Uint32(head[24:]), big.Uint32(head[28:])} || pageSize < 512 || pageSize > 1<<16 || pageSize&(pageSize-1) != 0 {
		return log, nil
	}
	log.sound, log.salt = true, [2]uint32{big.Uint32(head[16:]), big.Uint32(head[20:])}
	frame := make([]byte, frameHeadSize+pageSize)
	for {
		if _, err := io.ReadFull(r, frame); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return log, nil
		} else if err != nil {
			return log, err
		}
		sum = walSum(order, sum, frame[:8])
		sum = walSum(order, sum, frame[frameHeadSize:])
		if log.salt != [2]uint32{big.Uint32(frame[8:]), big.Uint32(frame[12:])} || sum != [2]uint32{big.Uint32(frame[16:]), big.Uint32(frame[20:])} {
			return log, nil
		}
		log.frames++
		if big.Uint32(frame) == 1 {
			log.mark = big.Uint32(frame[frameHeadSize+markAt:])
		}
	}
}

// walSum goes on with SQLite's checksum of a log; len(b) is a multiple of 8.
func walSum(order binary.ByteOrder, s [2]uint32, b []byte) [2]uint32 {
	for i := 0; i < len(b); i += 8 {
		s[0] += order.Uint32(b[i:]) + s[1]
		s[1] += order.Uint32(b[i+4:]) + s[0]
	}
	return s
}
