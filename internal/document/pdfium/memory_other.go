//go:build !unix

package pdfium

// fixedMemory reserves a module's whole limit once, so that growing copies
// nothing.
type fixedMemory struct {
	limit  uint64
	buffer []byte
}

func (m *fixedMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		return nil
	}
	if m.buffer == nil {
		m.buffer = make([]byte, m.limit)
	}
	return m.buffer[:size]
}

func (m *fixedMemory) Free() { m.buffer = nil }
