package proc

import (
	"os"
	"os/exec"
)

func Prepare(*exec.Cmd) {}

func KillGroup(p *os.Process) { _ = p.Kill() }

// OpenFlags has no flag for links here; Request.NoFollow is checked by the
// kind of file that openError finds.
func OpenFlags(bool) int { return 0 }

// KilledFromOutside is not known here: a process that is ended by another one looks
// like one that ended itself.
func KilledFromOutside(error) bool { return false }
