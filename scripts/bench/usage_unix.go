//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// cpuTime is what this process and its ended children have used.
func cpuTime() time.Duration {
	return usage(syscall.RUSAGE_SELF) + usage(syscall.RUSAGE_CHILDREN)
}

func usage(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakOfChildren is the most memory an ended child has occupied, in bytes.
func peakOfChildren() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		return 0
	}
	return maxRSS(&u)
}

// peakOf is the most memory a process has occupied, in bytes.
func peakOf(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return maxRSS(u)
}

// maxRSS is in bytes; macOS counts in them, other systems in KiB.
func maxRSS(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}
