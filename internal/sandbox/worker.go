package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	starjson "go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"ibid/internal/text"
)

const (
	// exitMemory is how a worker ends that found itself too large.
	exitMemory = 86
	// checkSteps is how often steps, depth and memory are looked at.
	checkSteps = 10_000
	// maxDepth bounds calls within calls.
	maxDepth = 1000
	// maxStack bounds the stack of a goroutine, for values that are nested deeply.
	maxStack = 128 << 20
)

// WorkerMain is the whole life of a worker: one program. It returns the exit code.
func WorkerMain(in io.Reader, out io.Writer) int {
	var p program
	if err := json.NewDecoder(io.LimitReader(in, 1<<20)).Decode(&p); err != nil {
		fmt.Fprintln(os.Stderr, "decode program:", err)
		return 1
	}
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(p.MemoryBytes / 2) // collect early rather than be killed
	limitSelf(p.MemoryBytes, p.Seconds)
	go watchHeap(p.MemoryBytes)
	if err := json.NewEncoder(out).Encode(interpret(p)); err != nil {
		fmt.Fprintln(os.Stderr, "write result:", err)
		return 1
	}
	return 0
}

// watchHeap ends the process when its heap has grown beyond limit. It lives as
// long as the process.
func watchHeap(limit int64) {
	for range time.Tick(5 * time.Millisecond) {
		if heapBytes() > limit {
			os.Exit(exitMemory)
		}
	}
}

func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// options make the language as much of a Python as it can be.
var options = &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, GlobalReassign: true, Recursion: true}

// lastValue is what the last line's value is called; no program can name it.
const lastValue = "last value"

func interpret(p program) Result {
	var out printer
	out.limit = p.OutputBytes
	thread := &starlark.Thread{Name: "program", Print: func(_ *starlark.Thread, s string) { out.print(s) }}
	thread.SetMaxExecutionSteps(checkSteps)
	thread.OnMaxSteps = func(t *starlark.Thread) {
		switch {
		case t.Steps >= uint64(p.Steps):
			t.Cancel(fmt.Sprintf("more than %d steps", p.Steps))
		case t.CallStackDepth() > maxDepth:
			t.Cancel(fmt.Sprintf("calls are nested more than %d deep", maxDepth))
		default:
			t.SetMaxExecutionSteps(t.Steps + checkSteps)
		}
	}
	value, err := evaluate(thread, p.Code)
	r := Result{Output: out.String(), Truncated: out.truncated, Steps: int64(thread.Steps)}
	if err != nil {
		r.Error = explain(err)
		return r
	}
	if value != nil && value != starlark.None {
		shown := strings.ToValidUTF8(value.String(), "\uFFFD")
		r.Value = text.Clip(shown, p.OutputBytes)
		r.Truncated = r.Truncated || len(r.Value) < len(shown)
	}
	return r
}

// evaluate runs a program and returns the value of its last line, nil where that
// is no expression.
func evaluate(thread *starlark.Thread, code string) (starlark.Value, error) {
	file, err := options.Parse("program", withoutImports(code), 0)
	if err != nil {
		return nil, err
	}
	if n := len(file.Stmts); n > 0 {
		if last, ok := file.Stmts[n-1].(*syntax.ExprStmt); ok {
			start, _ := last.Span()
			file.Stmts[n-1] = &syntax.AssignStmt{OpPos: start, Op: syntax.EQ, LHS: &syntax.Ident{NamePos: start, Name: lastValue}, RHS: last.X}
		}
	}
	names := predeclared()
	prog, err := starlark.FileProgram(file, names.Has)
	if err != nil {
		return nil, err
	}
	globals, err := prog.Init(thread, names)
	return globals[lastValue], err
}

var imports = regexp.MustCompile(`(?m)^(import[ \t]+(?:math|json)|from[ \t]+(?:math|json)[ \t]+import[ \t].*)[ \t]*\r?$`)

// withoutImports makes comments of the imports of what is there anyway.
func withoutImports(code string) string {
	return imports.ReplaceAllString(code, "# $1")
}

// explain says in words what went wrong, and where.
func explain(err error) string {
	var failed *starlark.EvalError
	var unresolved resolve.ErrorList
	var syntaxErr syntax.Error
	message := err.Error()
	switch {
	case errors.As(err, &failed):
		failed.Msg = strings.TrimPrefix(failed.Msg, "Starlark computation cancelled: ")
		message = failed.Msg
		for i := len(failed.CallStack) - 1; i >= 0; i-- {
			if pos := failed.CallStack[i].Pos; pos.Line > 0 && pos.Filename() == "program" {
				message = fmt.Sprintf("line %d: %s", pos.Line, failed.Msg)
				break
			}
		}
	case errors.As(err, &unresolved) && len(unresolved) > 0:
		message = fmt.Sprintf("line %d: %s", unresolved[0].Pos.Line, unresolved[0].Msg)
	case errors.As(err, &syntaxErr):
		message = fmt.Sprintf("line %d: %s", syntaxErr.Pos.Line, syntaxErr.Msg)
	}
	return text.Clip(strings.ToValidUTF8(message, "\uFFFD"), 1000)
}

// printer keeps what is printed, up to a limit.
type printer struct {
	strings.Builder
	limit     int
	truncated bool
}

func (p *printer) print(s string) {
	s = strings.ToValidUTF8(s, "\uFFFD") + "\n"
	kept := text.Clip(s, p.limit-p.Len())
	p.WriteString(kept)
	p.truncated = p.truncated || len(kept) < len(s)
}

// predeclared are the names beside those of the language: the modules math and
// json, and what every Python programmer expects.
func predeclared() starlark.StringDict {
	builtin := func(name string, f func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)) *starlark.Builtin {
		return starlark.NewBuiltin(name, f)
	}
	return starlark.StringDict{
		"math": starmath.Module, "json": starjson.Module,
		"sum": builtin("sum", sum), "pow": builtin("pow", pow), "round": builtin("round", round), "divmod": builtin("divmod", divmod),
	}
}
