package document

import (
	"os"
	"os/exec"
)

func prepare(*exec.Cmd) {}

func killGroup(p *os.Process) { _ = p.Kill() }

// openFlags has no flag for links here; Request.NoFollow is checked by the
// kind of file that openError finds.
func openFlags(bool) int { return 0 }

// killedFromOutside is not known here: a process that is ended by another one looks
// like one that ended itself.
func killedFromOutside(error) bool { return false }
