package local

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// frameWriter collects a frame in its encoder and writes it at end.
type frameWriter struct {
	encoder
	w   *bufio.Writer
	err error
}

func (f *frameWriter) end(kind byte) {
	head := []byte{kind}
	head = binary.LittleEndian.AppendUint64(head, uint64(len(f.buf)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(f.buf, castagnoli))
	for _, part := range [][]byte{head, f.buf} {
		if f.err == nil {
			_, f.err = f.w.Write(part)
		}
	}
	f.buf = f.buf[:0]
}

// frameReader gives back one checked frame after the other.
type frameReader struct {
	r   *bufio.Reader
	buf bytes.Buffer
}

// next returns a frame, whose content holds until the next call.
func (f *frameReader) next() (kind byte, d *decoder, err error) {
	var head [13]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return 0, nil, fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	size := binary.LittleEndian.Uint64(head[1:])
	f.buf.Reset()
	// The buffer grows by what comes, not by what a damaged length promises.
	if n, err := io.Copy(&f.buf, io.LimitReader(f.r, int64(min(size, 1<<62)))); err != nil {
		return 0, nil, err
	} else if uint64(n) != size {
		return 0, nil, fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	if crc32.Checksum(f.buf.Bytes(), castagnoli) != binary.LittleEndian.Uint32(head[9:]) {
		return 0, nil, fmt.Errorf("%w: the checksum of part %q is wrong", ErrDamaged, head[0])
	}
	return head[0], &decoder{buf: f.buf.Bytes()}, nil
}

// encoder appends values to buf, little-endian; lists begin with their length.
type encoder struct{ buf []byte }

func (e *encoder) uint32(v uint32) { e.buf = binary.LittleEndian.AppendUint32(e.buf, v) }
func (e *encoder) uint64(v uint64) { e.buf = binary.LittleEndian.AppendUint64(e.buf, v) }

func (e *encoder) string(s string) {
	e.uint32(uint32(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *encoder) strings(list []string) {
	e.uint32(uint32(len(list)))
	for _, s := range list {
		e.string(s)
	}
}

func (e *encoder) uint32s(list []uint32) {
	e.uint32(uint32(len(list)))
	for _, v := range list {
		e.uint32(v)
	}
}

func (e *encoder) uint16s(list []uint16) {
	e.uint32(uint32(len(list)))
	for _, v := range list {
		e.buf = binary.LittleEndian.AppendUint16(e.buf, v)
	}
}

// decoder reads what encoder wrote. After a value that is not there it has
// failed, and gives zero values.
type decoder struct {
	buf    []byte
	failed bool
}

func (d *decoder) require(ok bool) { d.failed = d.failed || !ok }

// bytes returns the next n bytes, nil when there are fewer.
func (d *decoder) bytes(n int) []byte {
	if n < 0 || n > len(d.buf) || d.failed {
		d.failed = true
		return nil
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

func (d *decoder) uint32() uint32 {
	if b := d.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) string() string { return string(d.bytes(int(d.uint32()))) }

// length reads the length of a list whose elements take at least size bytes.
func (d *decoder) length(size int) int {
	n := int(d.uint32())
	d.require(n*size <= len(d.buf))
	if d.failed {
		return 0
	}
	return n
}

// strings reads a list whose strings share one allocation.
func (d *decoder) strings() []string {
	list := make([]string, d.length(4))
	ahead := *d
	for range list {
		ahead.bytes(int(ahead.uint32()))
	}
	if d.failed = ahead.failed; d.failed {
		return nil
	}
	all := string(d.buf[:len(d.buf)-len(ahead.buf)])
	for i := range list {
		n := int(d.uint32())
		from := len(all) - (len(d.buf) - len(ahead.buf))
		list[i] = all[from : from+n]
		d.bytes(n)
	}
	return list
}

func (d *decoder) uint32s() []uint32 {
	list := make([]uint32, d.length(4))
	for i, raw := 0, d.bytes(4*len(list)); i < len(raw)/4; i++ {
		list[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return list
}

func (d *decoder) uint16s() []uint16 {
	list := make([]uint16, d.length(2))
	for i, raw := 0, d.bytes(2*len(list)); i < len(raw)/2; i++ {
		list[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	return list
}
