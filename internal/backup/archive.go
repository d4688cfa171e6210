package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ibid"
	"ibid/internal/disk"
)

// An archive is a tar file, compressed where its name says so:
//
//	ibid-backup.json, ibid.db, lsa.model, ibid.toml, databases/…, files/…, manifest.jsonl
//
// It is written under the name FILE.partial. An attempt that was cut short leaves
// whole entries behind, from which the next one goes on; their hashes are worked
// out again. In a compressed one each entry is a gzip member of its own, so that it
// can be cut off behind any of them.
const (
	partialEnding  = ".partial"
	databaseEnding = ".partial.db" // the copy of the database, while it is checked
)

// IsArchive reports whether a backup of this name is one file.
func IsArchive(path string) bool {
	lower := strings.ToLower(path)
	return strings.HasSuffix(lower, ".tar") || compressed(lower)
}

func compressed(path string) bool {
	lower := strings.ToLower(path)
	return strings.HasSuffix(lower, ".tar.gz") || strings.HasSuffix(lower, ".tgz")
}

// archive writes one file that holds everything.
func (r *run) archive() error {
	to, partial, database := r.job.To, r.job.To+partialEnding, r.job.To+databaseEnding
	if err := r.FS.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if err := r.mayReplace(to); err != nil {
		return err
	}
	have, m, pieces, err := r.goOn(partial, database)
	if err != nil {
		return err
	}
	defer r.FS.Remove(database)
	w, err := r.openArchive(partial, have != nil)
	if err != nil {
		return err
	}
	err = r.fill(w, m, pieces, have, database)
	if closed := w.close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := r.readBack(partial, m); err != nil {
		return err
	}
	if err := disk.Move(r.FS, partial, to); err != nil {
		return err
	}
	r.done(m)
	return nil
}

// mayReplace refuses to put an archive in the place of anything but an older one
// of the same library.
func (r *run) mayReplace(to string) error {
	f, err := os.Open(to)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var mark marker
	if entries, err := openTar(f, to); err == nil {
		if h, err := entries.Next(); err == nil && h.Name == markerName {
			_ = json.NewDecoder(entries).Decode(&mark)
		}
	}
	if mark.Format < 1 || mark.Identity != r.Identity {
		e := ibid.Errorf(ibid.CodeConflict, "%s is there already, and is no backup of this library", to)
		e.Hint = "choose another name, or move that file away"
		return e
	}
	return nil
}

func openTar(f io.Reader, path string) (*tar.Reader, error) {
	if !compressed(path) && !compressed(strings.TrimSuffix(path, partialEnding)) {
		return tar.NewReader(f), nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return tar.NewReader(z), nil
}

// archiveWriter writes entries, and syncs the file now and then.
type archiveWriter struct {
	tar   *tar.Writer
	zip   *gzip.Writer // nil: not compressed
	out   io.Writer    // the file, synced now and then
	begun bool         // an entry was written
	file  disk.File
}

func (r *run) openArchive(partial string, more bool) (*archiveWriter, error) {
	open := r.FS.Create
	if more {
		open = r.FS.Append
	}
	f, err := open(partial)
	if err != nil {
		return nil, err
	}
	w := &archiveWriter{file: f, out: &syncing{f: f}}
	if compressed(r.job.To) {
		w.zip, _ = gzip.NewWriterLevel(w.out, gzip.BestSpeed) // most originals are compressed already
		w.tar = tar.NewWriter(w.zip)
	} else {
		w.tar = tar.NewWriter(w.out)
	}
	return w, nil
}

// syncing syncs a file each syncEvery bytes.
type syncing struct {
	f        disk.File
	unsynced int
}

func (s *syncing) Write(p []byte) (int, error) {
	n, err := s.f.Write(p)
	if s.unsynced += n; err == nil && s.unsynced >= syncEvery {
		s.unsynced = 0
		err = s.f.Sync()
	}
	return n, err
}

// entry begins the next entry, in a compressed archive with a gzip member of its own.
func (w *archiveWriter) entry(name string, size int64, at time.Time) error {
	if w.zip != nil && w.begun {
		if err := errors.Join(w.tar.Flush(), w.zip.Close()); err != nil {
			return err
		}
		w.zip.Reset(w.out)
	}
	w.begun = true
	return w.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: at, Format: tar.FormatPAX})
}

// sync makes safe what was written so far.
func (w *archiveWriter) sync() error {
	err := w.tar.Flush()
	if err == nil && w.zip != nil {
		err = w.zip.Flush()
	}
	if err == nil {
		err = w.file.Sync()
	}
	return err
}

func (w *archiveWriter) close() error {
	err := w.tar.Close()
	if w.zip != nil {
		err = errors.Join(err, w.zip.Close())
	}
	err = errors.Join(err, w.file.Sync())
	forget(w.file)
	return errors.Join(err, w.file.Close())
}

// fill writes the entries that the archive does not have, and the manifest.
func (r *run) fill(w *archiveWriter, m *Manifest, pieces []piece, have map[string]File, database string) error {
	total := int64(0)
	for _, p := range pieces {
		if _, there := have[p.path]; !there {
			total += max(p.bytes, 0)
		}
	}
	r.phase(PhaseCopy, total)
	add := func(p piece) error {
		if f, there := have[p.path]; there && (p.hash == "" || strings.HasPrefix(f.SHA256, p.hash)) {
			m.Files = append(m.Files, f)
			return nil
		}
		f, err := r.addEntry(w, p, m.MadeAt)
		if gone(err) {
			if p.hash != "" {
				m.lost(p.hash)
			}
			return nil
		}
		if err == nil {
			m.Files = append(m.Files, f)
		}
		return err
	}
	if have == nil {
		body, err := json.Marshal(marker{Format: formatNow, Identity: r.Identity})
		if err != nil {
			return err
		}
		if err := r.addBytes(w, markerName, append(body, '\n'), m.MadeAt); err != nil {
			return err
		}
	}
	if err := errors.Join(add(piece{path: databaseName, from: database}), w.sync()); err != nil {
		return err
	}
	if _, there := have[settingsName]; !there && r.Settings != nil {
		if err := r.addBytes(w, settingsName, r.Settings, m.MadeAt); err != nil {
			return err
		}
		m.Files = append(m.Files, File{Path: settingsName, At: settingsName, SHA256: sumOf(r.Settings), Bytes: int64(len(r.Settings))})
	} else if there {
		m.Files = append(m.Files, have[settingsName])
	}
	for _, p := range pieces {
		if err := add(p); err != nil {
			return err
		}
	}
	for i := range m.Files {
		f := &m.Files[i]
		if tablePath.MatchString(f.Path) {
			f.At = originalAt(f.SHA256[:32]) // as in a directory; the entry has the name of its path
		}
	}
	body, err := m.encode()
	if err != nil {
		return err
	}
	return r.addBytes(w, manifestName, body, m.MadeAt)
}

func (r *run) addBytes(w *archiveWriter, name string, body []byte, at time.Time) error {
	if err := w.entry(name, int64(len(body)), at); err != nil {
		return err
	}
	_, err := w.tar.Write(body)
	return err
}

// addEntry copies a piece into the archive. An original is read twice, first to see
// whether its bytes are what its name says: what stands in a tar file stays.
func (r *run) addEntry(w *archiveWriter, p piece, at time.Time) (File, error) {
	if p.hash != "" {
		content, err := r.open(p)
		if err != nil {
			return File{}, err
		}
		reading := r.mover
		reading.moved = nil
		sum, size, err := reading.readBack(content)
		if err == nil && !strings.HasPrefix(sum, p.hash) {
			err = os.ErrNotExist
		}
		if err != nil {
			return File{}, err
		}
		p.bytes = size
	} else {
		info, err := os.Stat(p.from)
		if err != nil {
			return File{}, err
		}
		p.bytes = info.Size()
	}
	content, err := r.open(p)
	if err != nil {
		return File{}, err
	}
	defer content.Close()
	defer forget(content)
	if err := w.entry(p.path, p.bytes, at); err != nil {
		return File{}, err
	}
	sum, size, err := r.mover.transfer(io.LimitReader(content, p.bytes), w.tar)
	if err == nil && size != p.bytes {
		err = fmt.Errorf("%s became shorter while it was copied", p.path)
	}
	r.result.NewFiles++
	r.result.NewBytes += size
	return File{Path: p.path, At: p.path, SHA256: sum, Bytes: size}, err
}

// readBack reads a whole archive and compares it with its manifest.
func (r *run) readBack(path string, m *Manifest) error {
	r.phase(PhaseVerify, m.Bytes)
	f, err := r.FS.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	defer forget(f)
	sums, written, err := readArchive(f, path, r.mover)
	if err != nil {
		return err
	}
	if written.checksum != m.checksum {
		return errReadBack(path)
	}
	for _, f := range m.Files {
		if sums[f.Path] != f.SHA256 {
			return errReadBack(path + ", " + f.Path)
		}
	}
	return nil
}

// readArchive reads an archive to its end: the hashes of its entries, by their
// names, and its manifest.
func readArchive(f io.Reader, path string, m mover) (map[string]string, *Manifest, error) {
	entries, err := openTar(f, path)
	if err != nil {
		return nil, nil, err
	}
	sums := map[string]string{}
	var manifest *Manifest
	for {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if h.Name == manifestName {
			body, err := io.ReadAll(io.LimitReader(entries, 1<<30))
			if err != nil {
				return nil, nil, err
			}
			if manifest, err = readManifest(bytes.NewReader(body)); err != nil {
				return nil, nil, err
			}
			continue
		}
		sum, _, err := m.transfer(entries, nil)
		if err != nil {
			return nil, nil, err
		}
		sums[h.Name] = sum
	}
	if manifest == nil {
		return nil, nil, errManifest
	}
	return sums, manifest, nil
}
