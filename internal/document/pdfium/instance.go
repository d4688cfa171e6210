package pdfium

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"
)

// scratchBytes is the room at instance.scratch for results by pointer.
const scratchBytes = 64

// instance is one running PDFium. Its first error sticks and every later call
// is a no-op that returns 0, so a sequence of calls is checked once at its end.
// After a trap the C side is in an undefined state; the instance is closed.
type instance struct {
	module    api.Module
	functions map[string]api.Function
	stack     [16]uint64
	scratch   uint32
	err       error
}

func (in *instance) close(ctx context.Context) { _ = in.module.Close(ctx) }

// function looks an export up once.
func (in *instance) function(name string) api.Function {
	f := in.functions[name]
	if f == nil {
		f = in.module.ExportedFunction(name)
		if f == nil && in.err == nil {
			in.err = fmt.Errorf("PDFium has no function %s", name)
		}
		in.functions[name] = f
	}
	return f
}

func (in *instance) call(ctx context.Context, name string, args ...uint64) uint64 {
	return in.invoke(ctx, in.function(name), args...)
}

func (in *instance) invoke(ctx context.Context, f api.Function, args ...uint64) uint64 {
	if in.err != nil {
		return 0
	}
	in.stack[0] = 0
	copy(in.stack[:], args)
	if err := f.CallWithStack(ctx, in.stack[:]); err != nil {
		in.err = fmt.Errorf("PDFium stopped: %w", err)
		return 0
	}
	return in.stack[0]
}

// callInt returns a C int, which may be negative.
func (in *instance) callInt(ctx context.Context, name string, args ...uint64) int {
	return int(int32(in.call(ctx, name, args...)))
}

// callFloat returns a C double.
func (in *instance) callFloat(ctx context.Context, name string, args ...uint64) float64 {
	return math.Float64frombits(in.call(ctx, name, args...))
}

// alloc returns memory of the module, or 0 with in.err set.
func (in *instance) alloc(ctx context.Context, n int) uint32 {
	p := uint32(in.call(ctx, "malloc", uint64(n)))
	if p == 0 && in.err == nil {
		in.err = ErrMemory
	}
	return p
}

func (in *instance) free(ctx context.Context, p uint32) {
	if p != 0 {
		in.call(ctx, "free", uint64(p))
	}
}

// view returns n bytes of the module's memory, valid until the next call.
func (in *instance) view(p uint32, n int) []byte {
	b, ok := in.module.Memory().Read(p, uint32(n))
	if !ok && in.err == nil {
		in.err = fmt.Errorf("PDFium gave a pointer outside its memory")
	}
	return b
}

func (in *instance) float32At(p uint32) float64 {
	v, _ := in.module.Memory().ReadUint32Le(p)
	return float64(math.Float32frombits(v))
}

func (in *instance) float64At(p uint32) float64 {
	v, _ := in.module.Memory().ReadUint64Le(p)
	return math.Float64frombits(v)
}

// cString copies s into the module, ended by a zero byte. The caller frees it.
func (in *instance) cString(ctx context.Context, s string) uint32 {
	p := in.alloc(ctx, len(s)+1)
	if in.err == nil {
		in.module.Memory().Write(p, append([]byte(s), 0))
	}
	return p
}

// maxString bounds texts such as titles and font names, in bytes of UTF-16.
const maxString = 8 << 10

// utf16Text reads a string from a function whose last two parameters are a
// buffer and its size in bytes, and that returns the bytes needed.
func (in *instance) utf16Text(ctx context.Context, name string, args ...uint64) string {
	b := in.sized(ctx, name, args...)
	var units []uint16
	for i := 0; i+1 < len(b); i += 2 {
		u := binary.LittleEndian.Uint16(b[i:])
		if u == 0 {
			break
		}
		units = append(units, u)
	}
	return string(utf16.Decode(units))
}

// sized returns a copy of the bytes of a function as utf16Text takes.
func (in *instance) sized(ctx context.Context, name string, args ...uint64) []byte {
	n := in.call(ctx, name, append(args, 0, 0)...)
	if in.err != nil || n == 0 || n > maxString {
		return nil
	}
	p := in.alloc(ctx, int(n))
	defer in.free(ctx, p)
	in.call(ctx, name, append(args, uint64(p), n)...)
	if in.err != nil {
		return nil
	}
	return append([]byte(nil), in.view(p, int(n))...)
}
