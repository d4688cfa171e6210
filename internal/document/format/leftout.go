package format

import (
	"errors"
	"fmt"

	"ibid/internal/document/zipfile"
)

// LeftOut counts the files of an archive that are not taken in, by the reason.
type LeftOut struct {
	Links   int
	Outside int // their names lead out of the archive
	Twice   int // their names came before
	locked  int
	damaged int
	large   int
	many    int // beyond what one archive may bring
	Empty   int
}

// Unread counts a file that could not be read.
func (l *LeftOut) Unread(err error) {
	var refused *zipfile.Refusal
	switch {
	case errors.As(err, &refused): // zipfile.File.OpenFile refuses nothing else
		l.locked++
	case errors.Is(err, zipfile.ErrTooLarge):
		l.large++
	default:
		l.damaged++
	}
}

// Notice says in one line what was left out and why. Empty files are not spoken
// of: nobody misses what they say.
func (l *LeftOut) Notice() string {
	var lines []string
	for _, part := range []struct {
		files int
		why   string
	}{
		{l.Links, "are links or devices"},
		{l.Outside, "have names that lead out of the archive"},
		{l.Twice, "have the name of another file in it"},
		{l.locked, "need a password"},
		{l.damaged, "are damaged"},
		{l.large, "are too large"},
		{l.many, fmt.Sprintf("exceed what one archive may bring: %d files, %d MiB", maxMembers, maxUnpacked>>20)},
	} {
		if part.files > 0 {
			lines = append(lines, fmt.Sprintf("left out: %d of its files, which %s", part.files, part.why))
		}
	}
	return JoinNotices(lines...)
}

// Refusal is the error of an archive of which no file can be taken in.
func (l *LeftOut) Refusal() error {
	if said := l.Notice(); said != "" {
		return RefuseHint("no file in this archive can be read; "+said, "unpack it and add its files")
	}
	if l.Empty > 0 {
		return Refuse("all files in this archive are empty")
	}
	return Refuse("there are no files in this archive")
}
