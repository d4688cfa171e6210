//go:build unix

package pdfium

import "syscall"

// fixedMemory reserves a module's whole limit once. Pages that are never
// touched cost address space only, growing copies nothing, and it all goes back
// to the system when the module is closed, outside of Go's heap.
type fixedMemory struct {
	limit  uint64
	buffer []byte
}

func (m *fixedMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		return nil
	}
	if m.buffer == nil {
		b, err := syscall.Mmap(-1, 0, int(m.limit), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return nil
		}
		m.buffer = b
	}
	return m.buffer[:size]
}

func (m *fixedMemory) Free() {
	if m.buffer != nil {
		_ = syscall.Munmap(m.buffer)
		m.buffer = nil
	}
}
