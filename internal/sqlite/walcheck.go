package sqlite

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
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

// inspectLog compares a database's log with the log's index. A log that lacks
// commits is an error for which Damaged is true.
func inspectLog(path string) (logState, error) {
	log, err := os.Open(path + logEnding)
	var size int64
	switch {
	case os.IsNotExist(err):
	case err != nil:
		return logNone, fmt.Errorf("look at the database's log: %w", err)
	default:
		defer log.Close()
		info, err := log.Stat()
		if err != nil {
			return logNone, fmt.Errorf("look at the database's log: %w", err)
		}
		size = info.Size()
	}
	index, known, err := readLogIndex(path + memoryEnding)
	if err != nil {
		return logNone, fmt.Errorf("look at the index of the database's log: %w", err)
	}
	missing := known && index.frames > index.moved
	switch {
	case size == 0 && missing:
		return logNone, damaged("the log %s is missing or empty, and the database lacks what stood in it", path+logEnding)
	case size == 0:
		return logNone, nil
	case !known:
		return logUnknown, nil
	case !missing:
		return logWhole, nil
	}
	frames, salt, err := validFrames(log, index)
	switch {
	case err != nil:
		return logNone, fmt.Errorf("read the database's log: %w", err)
	case salt == index.salt && frames < index.frames:
		return logNone, damaged("the log %s is damaged or cut short, and the database lacks what stood in it", path+logEnding)
	case salt == index.salt:
		return logWhole, nil
	}
	// The log has begun anew since the index was put on disk, as can be after a
	// power cut, or one of the two is another database's.
	return logUnknown, nil
}

// logIndex is what the log's index says of the log.
type logIndex struct {
	salt     [2]uint32
	pageSize int64
	frames   uint32 // committed
	moved    uint32 // of them into the database
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
	const version, pageSizeAt, framesAt, saltAt, sumAt, isInit = 3007000, 14, 16, 32, 40, 12
	sum := walSum(native, [2]uint32{}, head[:sumAt])
	if !bytes.Equal(head, b[copySize:2*copySize]) || native.Uint32(head) != version || head[isInit] != 1 ||
		sum != [2]uint32{native.Uint32(head[sumAt:]), native.Uint32(head[sumAt+4:])} {
		return index, false, nil
	}
	index.frames, index.moved = native.Uint32(head[framesAt:]), native.Uint32(b[2*copySize:])
	index.pageSize = int64(native.Uint16(head[pageSizeAt:]))
	if index.pageSize == 1 {
		index.pageSize = 1 << 16
	}
	// The salts are copied from the log as they stand there.
	index.salt = [2]uint32{binary.BigEndian.Uint32(head[saltAt:]), binary.BigEndian.Uint32(head[saltAt+4:])}
	return index, index.moved <= index.frames, nil
}

// validFrames counts the frames at the beginning of a log that are as they were
// written, no further than the index knows of. salt is the log's.
func validFrames(log io.Reader, index logIndex) (frames uint32, salt [2]uint32, err error) {
	const headSize, frameHeadSize = 32, 24
	r := bufio.NewReaderSize(log, 1<<20)
	head := make([]byte, headSize)
	if _, err := io.ReadFull(r, head); errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, index.salt, nil // cut short
	} else if err != nil {
		return 0, salt, err
	}
	big := binary.BigEndian
	var order binary.ByteOrder = binary.LittleEndian
	if big.Uint32(head)&1 == 1 {
		order = big
	}
	salt = [2]uint32{big.Uint32(head[16:]), big.Uint32(head[20:])}
	sum := walSum(order, [2]uint32{}, head[:24])
	if sum != [2]uint32{big.Uint32(head[24:]), big.Uint32(head[28:])} {
		return 0, index.salt, nil // damaged
	}
	frame := make([]byte, frameHeadSize+index.pageSize)
	for frames < index.frames {
		if _, err := io.ReadFull(r, frame); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return frames, salt, nil
		} else if err != nil {
			return frames, salt, err
		}
		sum = walSum(order, sum, frame[:8])
		sum = walSum(order, sum, frame[frameHeadSize:])
		if salt != [2]uint32{big.Uint32(frame[8:]), big.Uint32(frame[12:])} || sum != [2]uint32{big.Uint32(frame[16:]), big.Uint32(frame[20:])} {
			return frames, salt, nil
		}
		frames++
	}
	return frames, salt, nil
}

// walSum goes on with SQLite's checksum of a log; len(b) is a multiple of 8.
func walSum(order binary.ByteOrder, s [2]uint32, b []byte) [2]uint32 {
	for i := 0; i < len(b); i += 8 {
		s[0] += order.Uint32(b[i:]) + s[1]
		s[1] += order.Uint32(b[i+4:]) + s[0]
	}
	return s
}
