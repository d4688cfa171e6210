package document

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"ibid"
	"ibid/internal/document/charset"
	"ibid/internal/document/zipfile"
)

// Member is a file within a file: of an archive, or attached to a message.
type Member struct {
	Name string // with slashes, relative, without ".."
	Data []byte
}

// Bounds of what is unpacked of one archive.
const (
	maxMembers     = 2000
	maxMemberBytes = 64 << 20
	maxUnpacked    = 512 << 20
)

// Members unpacks an archive, or the attachments of a message, and calls each
// for every file, from this goroutine. Files that are no archives have no
// members. What exceeds the limits is left out and named in the notice. An
// archive within an archive is a member like any other; it is the caller who
// decides how deep to go.
func (p *Pool) Members(ctx context.Context, req Request, each func(Member) error) (notice string, err error) {
	src, err := req.open(p.cfg.Limits.InputBytes)
	if err != nil {
		return "", err
	}
	defer src.close()
	ctx, release, err := p.enter(ctx, req.Killed)
	if err != nil {
		return "", err
	}
	defer release()
	var name string
	var d done
	var refusal error // the caller's
	collect := func(kind frameKind, payload []byte) error {
		switch kind {
		case frameMember:
			return decode(payload, &name)
		case frameData:
			refusal = each(Member{Name: name, Data: payload})
			return refusal
		case frameDone:
			return decode(payload, &d)
		}
		return nil
	}
	err = p.run(ctx, p.job(taskMembers, req, src), src, p.deadline(), collect)
	var died *deathError
	switch {
	case refusal != nil:
		return "", refusal
	case errors.As(err, &died):
		if err := died.again(req, src); err != nil {
			return "", err
		}
		if errors.Is(died.reason, errKilled) { // what came before stays
			return "", refuse("the archive cannot be unpacked to its end: " + died.reason.Error())
		}
		return "", &ibid.Error{Code: deathCode(died.reason), Message: "the archive cannot be unpacked to its end", Err: died.reason}
	}
	return d.Notice, err
}

// sendMembers unpacks a file.
func (w *worker) sendMembers(format string, data []byte) (done, error) {
	u := &unpacker{out: w.out}
	var err error
	switch format {
	case formatZip:
		err = u.zip(data)
	case formatEML:
		err = u.mail(data)
	}
	return done{Notice: u.leftOut.notice()}, err
}

// unpacker sends files within its limits.
type unpacker struct {
	out     io.Writer
	files   int
	bytes   int64
	leftOut leftOut
}

func (u *unpacker) zip(data []byte) error {
	z, err := openZip(data)
	if err != nil {
		return err
	}
	files, refused := memberFiles(z)
	u.leftOut = refused
	for _, f := range files {
		r, err := z.OpenFile(f.File)
		if err != nil {
			u.leftOut.unread(err)
			continue
		}
		err = u.send(f.name, r)
		_ = r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// member is a file of an archive, with its name as it was meant.
type member struct {
	*zip.File
	name string
}

// zipNames decodes the names of a zip file. Those that are no UTF-8 are in the
// encoding of the machine that packed it; all of them together tell which.
func zipNames(files []*zip.File) map[*zip.File]string {
	names := make(map[*zip.File]string, len(files))
	var sample []byte
	for _, f := range files {
		names[f] = f.Name
		if !utf8.ValidString(f.Name) {
			sample = append(append(sample, f.Name...), '\n')
		}
	}
	if len(sample) == 0 {
		return names
	}
	encoding := charset.Guess(sample)
	for _, f := range files {
		if utf8.ValidString(f.Name) {
			continue
		}
		if name, err := encoding.NewDecoder().String(f.Name); err == nil {
			names[f] = name
		}
	}
	return names
}

// memberFiles returns the files of an archive that were meant to be in it, and
// counts those that are refused. What the systems of their authors put there, such
// as folders and previews, is no file of theirs.
func memberFiles(z *zipFile) (files []member, refused leftOut) {
	seen := map[string]bool{}
	names := zipNames(z.Files)
	for _, f := range z.Files {
		name := memberName(names[f])
		base := path.Base(name)
		switch {
		case f.Mode().IsDir(), strings.HasSuffix(f.Name, "/"):
		case strings.HasPrefix(name, "__MACOSX/"), base == ".DS_Store", base == "Thumbs.db":
		case !f.Mode().IsRegular():
			refused.links++
		case name == "", leadsOut(names[f]):
			refused.outside++
		case seen[name]:
			refused.twice++
		case f.UncompressedSize64 == 0:
			refused.empty++
		default:
			seen[name] = true
			files = append(files, member{f, name})
		}
	}
	return files, refused
}

// leadsOut reports whether a name is absolute or goes upwards.
func leadsOut(name string) bool {
	name = strings.ReplaceAll(name, "\\", "/")
	drive := len(name) > 1 && name[1] == ':'
	return drive || strings.HasPrefix(name, "/") || slices.Contains(strings.Split(name, "/"), "..")
}

// memberName makes a name relative to wherever the archive is unpacked.
func memberName(name string) string {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, "_"), "\\", "/")
	name = path.Clean("/" + clean(name))
	return strings.TrimPrefix(name, "/")
}

func (u *unpacker) mail(data []byte) error {
	seen := map[string]bool{}
	m := &mail{parts: maxParts, text: func(string, string) {}, file: func(name string, r io.Reader) error {
		return u.send(unusedName(cmp.Or(memberName(name), "attachment"), seen), r)
	}}
	for message := range messages(data) {
		header, body := splitHeader(message)
		if m.part(header, bytes.NewReader(body), 0); m.err != nil {
			break
		}
	}
	return m.err
}

// unusedName numbers a name that came before: two attachments may well be called
// the same.
func unusedName(name string, seen map[string]bool) string {
	ext := path.Ext(name)
	free := name
	for n := 2; seen[free]; n++ {
		free = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
	}
	seen[free] = true
	return free
}

// send sends a file, or counts it as left out.
func (u *unpacker) send(name string, r io.Reader) error {
	name = memberName(name)
	if u.files >= maxMembers || u.bytes >= maxUnpacked {
		u.leftOut.many++
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxMemberBytes+1))
	if err == nil && len(data) > maxMemberBytes {
		err = zipfile.ErrTooLarge
	}
	if err != nil {
		u.leftOut.unread(err)
		return nil
	}
	u.files++
	u.bytes += int64(len(data))
	if err := writeJSON(u.out, frameMember, name); err != nil {
		return err
	}
	return writeFrame(u.out, frameData, data)
}

// readZip reads an archive as the list of what it holds.
func readZip(b *builder, z *zipFile) (done, error) {
	files, refused := memberFiles(z)
	if len(files) == 0 {
		return done{}, refused.refusal()
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	sort.Strings(names)
	b.add(ibid.BlockParagraph, fmt.Sprintf("This archive holds %d files:", len(names)))
	for len(names) > 0 {
		n := min(len(names), 200)
		b.add(ibid.BlockList, "• "+strings.Join(names[:n], "\n• "))
		names = names[n:]
	}
	return done{}, nil
}
