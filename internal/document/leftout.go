package document

import (
	"errors"
	"fmt"

	"ibid/internal/document/zipfile"
)

// leftOut counts the files of an archive that are not taken in, by the reason.
type leftOut struct {
	links   int
	outside int // their names lead out of the archive
	twice   int // their names came before
	locked  int
	damaged int
	large   int
	many    int // beyond what one archive may bring
	empty   int
}

// unread counts a file that could not be read.
func (l *leftOut) unread(err error) {
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

// notice says in one line what was left out and why. Empty files are not spoken
// of: nobody misses what they say.
func (l *leftOut) notice() string {
	var lines []string
	for _, part := range []struct {
		files int
		why   string
	}{
		{l.links, "are links or devices"},
		{l.outside, "have names that lead out of the archive"},
		{l.twice, "have the name of another file in it"},
		{l.locked, "need a password"},
		{l.damaged, "are damaged"},
		{l.large, "are too large"},
		{l.many, fmt.Sprintf("exceed what one archive may bring: %d files, %d MiB", maxMembers, maxUnpacked>>20)},
	} {
		if part.files > 0 {
			lines = append(lines, fmt.Sprintf("left out: %d of its files, which %s", part.files, part.why))
		}
	}
	return joinNotices(lines...)
}

// refusal is the error of an archive of which no file can be taken in.
func (l *leftOut) refusal() error {
	if said := l.notice(); said != "" {
		return refuseHint("no file in this archive can be read; "+said, "unpack it and add its files")
	}
	if l.empty > 0 {
		return refuse("all files in this archive are empty")
	}
	return refuse("there are no files in this archive")
}
