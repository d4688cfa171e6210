package pdfium

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/emscripten"
)

// files holds pdfium.wasm when wasm/fetch.sh was run before the build. The
// pattern also matches README.md, because a pattern without a match is an error.
//
//go:embed wasm/*.[mw]*
var files embed.FS

// What can be wrong with a file or with the build.
var (
	ErrNotBuilt = errors.New("this binary was built without PDF support: run make build")
	ErrPassword = errors.New("password required or wrong")
	ErrFormat   = errors.New("not a PDF, or damaged beyond reading")
	ErrSecurity = errors.New("unknown kind of encryption")
	ErrMemory   = errors.New("out of memory")
)

// Available reports whether the binary holds PDFium.
func Available() bool {
	_, err := files.Open("wasm/pdfium.wasm")
	return err == nil
}

const wasmPage = 64 << 10 // bytes

// Config says how an engine runs.
type Config struct {
	CacheDir    string // compiled code is kept here; "" compiles at every start (1.5 s)
	MemoryBytes int64  // most memory one document may use; at most 2 GiB
}

// Engine is PDFium compiled for this machine. Documents are opened one at a
// time, each in an instance of its own, so that nothing of one file is left when
// the next is read.
type Engine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	memory  int64
}

// New compiles PDFium or loads it from the cache (some 60 ms). A damaged cache is
// made anew.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	code, err := files.ReadFile("wasm/pdfium.wasm")
	if err != nil {
		return nil, ErrNotBuilt
	}
	e, err := start(ctx, cfg, code)
	if err == nil || cfg.CacheDir == "" || ctx.Err() != nil {
		return e, err
	}
	kept, _ := filepath.Glob(filepath.Join(cfg.CacheDir, "wazero-*", "*"))
	if len(kept) == 0 {
		return nil, err
	}
	for _, path := range kept {
		if gone := os.Remove(path); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			return nil, errors.Join(err, gone)
		}
	}
	return start(ctx, cfg, code)
}

func start(ctx context.Context, cfg Config, code []byte) (*Engine, error) {
	if cfg.MemoryBytes <= 0 || cfg.MemoryBytes > 2<<30 {
		cfg.MemoryBytes = 2 << 30
	}
	rc := wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(cfg.MemoryBytes / wasmPage))
	if cfg.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cfg.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("open cache of compiled code: %w", err)
		}
		rc = rc.WithCompilationCache(cache)
	}
	e := &Engine{runtime: wazero.NewRuntimeWithConfig(ctx, rc), memory: cfg.MemoryBytes}
	if err := e.load(ctx, code); err != nil {
		_ = e.runtime.Close(ctx)
		return nil, err
	}
	return e, nil
}

// Close frees the compiled code.
func (e *Engine) Close(ctx context.Context) error { return e.runtime.Close(ctx) }

func (e *Engine) load(ctx context.Context, code []byte) error {
	var err error
	if e.module, err = e.runtime.CompileModule(ctx, code); err != nil {
		return fmt.Errorf("compile PDFium: %w", err)
	}
	if err := e.hostWASI(ctx); err != nil {
		return fmt.Errorf("provide WASI to PDFium: %w", err)
	}
	if err := e.hostEnv(ctx); err != nil {
		return fmt.Errorf("provide the C runtime to PDFium: %w", err)
	}
	return nil
}

// hostWASI provides a system without files, arguments or environment.
func (e *Engine) hostWASI(ctx context.Context) error {
	const module, badDescriptor = "wasi_snapshot_preview1", 8
	b := e.runtime.NewHostModuleBuilder(module)
	for _, f := range e.module.ImportedFunctions() {
		from, name, _ := f.Import()
		if from != module {
			continue
		}
		var fn api.GoModuleFunc
		switch name {
		case "environ_sizes_get":
			fn = func(_ context.Context, m api.Module, stack []uint64) {
				m.Memory().WriteUint32Le(uint32(stack[0]), 0)
				m.Memory().WriteUint32Le(uint32(stack[1]), 0)
				stack[0] = 0
			}
		case "environ_get":
			fn = func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 0 }
		default: // fd_read, fd_write…: no descriptor is open
			fn = func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = badDescriptor }
		}
		b.NewFunctionBuilder().WithGoModuleFunction(fn, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// hostEnv provides what emscripten's JavaScript would: memory growth, the
// clock, abort, set-jump/long-jump (invoke_*, from wazero), and system calls
// that all answer "not implemented".
func (e *Engine) hostEnv(ctx context.Context) error {
	const module = "env"
	b := e.runtime.NewHostModuleBuilder(module)
	jumps, err := emscripten.NewFunctionExporterForModule(e.module)
	if err != nil {
		return err
	}
	jumps.ExportFunctions(b)
	for _, f := range e.module.ImportedFunctions() {
		from, name, _ := f.Import()
		if from != module || strings.HasPrefix(name, "invoke_") || name == "_emscripten_throw_longjmp" {
			continue
		}
		fn := envFunction(name, len(f.ResultTypes()) > 0)
		b.NewFunctionBuilder().WithGoModuleFunction(fn, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err = b.Instantiate(ctx)
	return err
}

func envFunction(name string, hasResult bool) api.GoModuleFunc {
	switch name {
	case "emscripten_date_now":
		return func(_ context.Context, _ api.Module, stack []uint64) {
			stack[0] = math.Float64bits(float64(time.Now().UnixMilli()))
		}
	case "emscripten_resize_heap":
		return func(_ context.Context, m api.Module, stack []uint64) {
			stack[0] = growTo(m.Memory(), uint64(uint32(stack[0])))
		}
	case "_emscripten_memcpy_js":
		return func(_ context.Context, m api.Module, stack []uint64) {
			if src, ok := m.Memory().Read(uint32(stack[1]), uint32(stack[2])); ok {
				m.Memory().Write(uint32(stack[0]), src)
			}
		}
	case "_abort_js", "__assert_fail":
		return func(context.Context, api.Module, []uint64) { panic(fmt.Errorf("PDFium called %s", name)) }
	}
	return func(_ context.Context, _ api.Module, stack []uint64) {
		if hasResult {
			const notImplemented = -52
			code := int32(notImplemented)
			stack[0] = uint64(uint32(code))
		}
	}
}

// growTo makes memory at least want bytes long: by a fifth, as emscripten does,
// or else by what is needed. It returns 1 for success.
func growTo(m api.Memory, want uint64) uint64 {
	have := uint64(m.Size())
	if want <= have {
		return 1
	}
	need := (want - have + wasmPage - 1) / wasmPage
	if ample := have / wasmPage / 5; ample > need {
		if _, ok := m.Grow(uint32(ample)); ok {
			return 1
		}
	}
	if _, ok := m.Grow(uint32(need)); ok {
		return 1
	}
	return 0
}

// instantiate starts a fresh PDFium.
func (e *Engine) instantiate(ctx context.Context) (*instance, error) {
	memory := &fixedMemory{}
	allocate := func(_, max uint64) experimental.LinearMemory {
		memory.limit = max
		return memory
	}
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(allocate))
	// An unnamed module may exist more than once; emscripten's reactor has no
	// start function but its constructors.
	mc := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	m, err := e.runtime.InstantiateModule(ctx, e.module, mc)
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	in := &instance{module: m, functions: make(map[string]api.Function)}
	in.call(ctx, "__wasm_call_ctors")
	in.call(ctx, "FPDF_InitLibrary")
	in.scratch = in.alloc(ctx, scratchBytes)
	if in.err != nil {
		_ = m.Close(ctx)
		return nil, fmt.Errorf("start PDFium: %w", in.err)
	}
	return in, nil
}
