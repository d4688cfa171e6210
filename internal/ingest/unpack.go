package ingest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/document/format"
)

// What lies in an archive or is attached to a message becomes a document of its
// own. Its source is that of the archive, memberMark and its path in it.
const memberMark = "!/"

// Bounds of what one archive may bring, archives within it included.
const (
	maxDepth       = 2 // an archive within an archive is unpacked, one within that is not
	maxMembers     = ibid.MaxMembers
	maxMemberBytes = 512 << 20
)

// unpack takes in what lies in a document, adding what is new or has changed and
// removing what is not in it any more. Doing it again does no harm, so work that
// a crash has cut short is simply done again. left says what was left out.
func (p *Pipeline) unpack(ctx context.Context, d ibid.Document, file Original) (left string, err error) {
	if p.cfg.Unpacker == nil || !p.cfg.Formats.Holding(d.Format) {
		return "", nil
	}
	if strings.Count(d.Source, memberMark) >= maxDepth {
		if p.cfg.Formats.Named(d.Format).Kind == format.KindArchive {
			left = "what is in it was left out: it lies in an archive within an archive"
		}
		return left, nil
	}
	u := &unpacking{Pipeline: p, archive: d, before: map[string]ibid.Document{}, kept: map[string]bool{}}
	top, _, _ := strings.Cut(d.Source, memberMark)
	if u.files, u.bytes, err = p.cfg.Store.Below(ctx, access.For(d.Principal), top); err != nil {
		return "", err
	}
	before := ibid.Each(func(page ibid.Page) ([]ibid.Document, string, error) {
		return p.cfg.Store.Members(ctx, access.For(d.Principal), d.ID, page)
	})
	for m, err := range before { // maxMembers of them at most
		if err != nil {
			return "", err
		}
		u.before[m.Source] = m
		u.files, u.bytes = u.files-1, u.bytes-m.Bytes
	}
	refused, err := p.cfg.Unpacker.Members(ctx, file, func(name string, data []byte) error { return u.take(ctx, name, data) })
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case ibid.CodeOf(err) == ibid.CodeBadRequest || ibid.CodeOf(err) == ibid.CodeTimeout:
		return joinNotices(u.notice(refused), oneLine(err)), nil // nothing is known to be gone
	case err != nil:
		return "", err
	}
	for _, source := range slices.Sorted(maps.Keys(u.before)) {
		m := u.before[source]
		if u.kept[m.Source] {
			continue
		}
		if err := p.Remove(ctx, system, m.ID); err != nil && ibid.CodeOf(err) != ibid.CodeNotFound {
			return "", err
		}
	}
	return u.notice(refused), nil
}

// unpacking is the work on one archive.
type unpacking struct {
	*Pipeline
	archive  ibid.Document
	before   map[string]ibid.Document // by source, what came out of it last time
	kept     map[string]bool          // by source
	files    int                      // below the outermost archive
	bytes    int64
	wordless int // left out, as they hold no words
	tooMany  int // left out, as the archive has its limits
	nameless int // left out, as their names cannot be kept
}

// take takes in one member.
func (u *unpacking) take(ctx context.Context, name string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if Wordless(name, int64(len(data))) {
		u.wordless++
		return nil
	}
	if u.files+1 > maxMembers || u.bytes+int64(len(data)) > maxMemberBytes {
		u.tooMany++
		return nil
	}
	now := u.cfg.Now()
	d := ibid.Document{Principal: u.archive.Principal, ID: u.cfg.NewID(), PartOf: u.archive.ID, Name: path.Base(name), Source: u.archive.Source + memberMark + name,
		Bytes: int64(len(data)), AddedAt: ibid.At(now), ChangeAt: ibid.At(now)}
	if _, known := u.before[d.Source]; !known { // else it stays where people have put it since
		d.Folder = cleanFolder(path.Join(u.archive.Folder, u.archive.Name, path.Dir(name)))
		d.Category, d.Tags, d.Metadata = u.archive.Category, u.archive.Tags, u.archive.Metadata
	}
	if u.kept[d.Source] || checkDescription(d) != nil || len(data) == 0 {
		u.nameless++
		return nil
	}
	u.kept[d.Source] = true
	u.files, u.bytes = u.files+1, u.bytes+d.Bytes
	_, _, err := u.queue(ctx, d, bytes.NewReader(data), u.passwords.of(u.archive.Version), u.cfg.Store.PutDocument) // an attachment may be protected
	return err
}

// notice is the line about what was left out.
func (u *unpacking) notice(refused string) string {
	said := refused
	for _, part := range []struct {
		files int
		why   string
	}{
		{u.wordless, "hold no words"},
		{u.nameless, "have no name that can be kept"},
		{u.tooMany, fmt.Sprintf("exceed what one archive may bring: %d files, %d MiB", maxMembers, maxMemberBytes>>20)},
	} {
		if part.files > 0 {
			said = joinNotices(said, fmt.Sprintf("left out: %d of its files, which %s", part.files, part.why))
		}
	}
	return said
}

// smallPicture is what a picture must exceed to be read for its words, in bytes:
// smaller ones are icons and rules.
const smallPicture = 4 << 10

// Wordless reports whether a file is, by its name and size, of a kind that folders
// and archives often hold and that has no words: icons, sound, programs.
func Wordless(name string, size int64) bool {
	if Picture(name) {
		return size <= smallPicture
	}
	return slices.Contains([]string{
		".7z", ".a", ".avi", ".bin", ".bz2", ".class", ".db", ".dll", ".dylib", ".exe", ".flac", ".gif", ".gz", ".icns", ".ico",
		".iso", ".jar", ".mkv", ".mov", ".mp3", ".mp4", ".o", ".ogg", ".otf", ".pyc", ".rar", ".so", ".sqlite", ".svg", ".tar",
		".tgz", ".ttf", ".wasm", ".wav", ".webm", ".woff", ".woff2", ".xz", ".zst",
	}, strings.ToLower(filepath.Ext(name)))
}

// Picture reports whether a file is, by its name, a picture that may be a scan of
// words.
func Picture(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp":
		return true
	}
	return false
}
