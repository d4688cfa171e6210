package format

import (
	"io"
	"path"
	"strings"

	"ibid/internal/document/zipfile"
)

// Bounds of what is unpacked of one archive.
const (
	maxMembers     = 2000
	maxMemberBytes = 64 << 20
	maxUnpacked    = 512 << 20
)

// Unpacker takes the files that lie in a file, within its limits.
type Unpacker struct {
	LeftOut LeftOut // those that are not taken
	take    func(name string, data []byte) error
	files   int
	bytes   int64
}

// NewUnpacker gives the files that it takes to take.
func NewUnpacker(take func(name string, data []byte) error) *Unpacker { return &Unpacker{take: take} }

// MemberName makes a name relative to wherever the archive is unpacked.
func MemberName(name string) string {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, "_"), "\\", "/")
	name = path.Clean("/" + Clean(name))
	return strings.TrimPrefix(name, "/")
}

// Send takes a file, or counts it as left out.
func (u *Unpacker) Send(name string, r io.Reader) error {
	name = MemberName(name)
	if u.files >= maxMembers || u.bytes >= maxUnpacked {
		u.LeftOut.many++
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxMemberBytes+1))
	if err == nil && len(data) > maxMemberBytes {
		err = zipfile.ErrTooLarge
	}
	if err != nil {
		u.LeftOut.Unread(err)
		return nil
	}
	u.files++
	u.bytes += int64(len(data))
	return u.take(name, data)
}
