// Package proc holds what operating systems do differently for processes that read
// files: groups of them, limits, priorities, how they ended.
package proc

import (
	"errors"
	"os"

	"ibid"
)

// How a worker ends that found itself too large, and one whose helper (tesseract)
// was killed from outside.
const (
	ExitMemory = 86
	ExitKilled = 87
)

// ErrKilled says that a program was killed from outside.
var ErrKilled = errors.New(ibid.WorkerKilled + " though nothing else was being read; the machine may be short of memory")

// Env passes on what a program needs to run, and no secrets.
func Env() []string {
	env := []string{"LC_ALL=C.UTF-8", "GOTRACEBACK=none"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SYSTEMROOT", "TEMP", "TESSDATA_PREFIX", "GOCOVERDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
