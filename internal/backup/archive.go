package backup

import (
	"archive/tar"
	"bufio"
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

// goOn looks at what an earlier attempt has left. have are the entries of its
// archive, nil where it begins anew with a copy of the database of now.
func (r *run) goOn(partial, database string) (have map[string]File, m *Manifest, pieces []piece, err error) {
	if have, m = r.leftOver(partial, database); have != nil {
		if pieces, err = r.plan(m, database); err == nil {
			r.result.Resumed = true
			return have, m, pieces, nil
		}
	}
	m, pieces, err = r.copyDatabase(database)
	return nil, m, pieces, err
}

// freshEnough is how old the database in an archive that was cut short may be for
// the archive to be finished.
const freshEnough = 24 * time.Hour

// leftOver reads an archive that was cut short and cuts it off behind its last
// whole entry. It returns nil where there is nothing to go on from.
func (r *run) leftOver(partial, database string) (map[string]File, *Manifest) {
	f, err := os.Open(partial)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	entries := newEntries(f, compressed(r.job.To))
	have, end := map[string]File{}, int64(0)
	var made time.Time
	followed := false // something was written behind the database
	for {
		h, err := entries.next()
		if err != nil {
			break
		}
		_, followed = have[databaseName]
		if h.Name == markerName {
			var mark marker
			if json.NewDecoder(entries.tar).Decode(&mark) != nil || mark.Identity != r.Identity || mark.Format != formatNow {
				return nil, nil
			}
			if end, err = entries.end(); err != nil {
				break
			}
			continue
		}
		var sum string
		var size int64
		if h.Name == databaseName {
			made = h.ModTime
			sum, size, err = r.mover.write(entries.tar, database)
		} else {
			sum, size, err = r.mover.transfer(entries.tar, nil)
		}
		if err != nil || size != h.Size {
			break
		}
		if original := originalPath.FindStringSubmatch(h.Name); original != nil && !strings.HasPrefix(sum, original[2]) {
			break // was not on disk when the power went
		}
		ends, err := entries.end()
		if err != nil {
			break
		}
		have[h.Name] = File{Path: h.Name, At: h.Name, SHA256: sum, Bytes: size}
		end = ends
	}
	// The database was synced before what follows it was written; alone it may not
	// be whole.
	if _, ok := have[databaseName]; !ok || !followed || r.Now().Sub(made) > freshEnough {
		return nil, nil
	}
	if _, whole := have[manifestName]; whole {
		return nil, nil
	}
	if os.Truncate(partial, end) != nil || disk.SyncFile(r.FS, database) != nil {
		return nil, nil
	}
	return have, &Manifest{Format: formatNow, Ibid: r.Version, MadeAt: made.UTC()}
}

// entries reads an archive that may break off anywhere, entry by entry.
type entries struct {
	file   *counter
	buffer *bufio.Reader // of what is compressed
	zip    *gzip.Reader  // nil: not compressed, or not yet read
	tar    *tar.Reader
	begins int64 // where the content of an entry that is not compressed begins
	size   int64
}

func newEntries(f io.Reader, compressed bool) *entries {
	e := &entries{file: &counter{r: f}}
	if compressed {
		e.buffer = bufio.NewReader(e.file)
	} else {
		e.tar = tar.NewReader(e.file)
	}
	return e
}

// next goes to the next entry, whose content is read from e.tar.
func (e *entries) next() (*tar.Header, error) {
	if e.buffer != nil {
		if err := e.nextMember(); err != nil {
			return nil, err
		}
	}
	h, err := e.tar.Next()
	if err == nil {
		e.begins, e.size = e.file.n, h.Size // Next has read no further than the header
	}
	return h, err
}

func (e *entries) nextMember() (err error) {
	if e.zip == nil {
		e.zip, err = gzip.NewReader(e.buffer)
	} else {
		err = e.zip.Reset(e.buffer)
	}
	if err != nil {
		return err
	}
	e.zip.Multistream(false)
	e.tar = tar.NewReader(e.zip)
	return nil
}

// end returns where the entry ends in the file, once its content was read.
func (e *entries) end() (int64, error) {
	if e.buffer == nil {
		return e.begins + (e.size+511)/512*512, nil // content takes whole blocks
	}
	if _, err := io.Copy(io.Discard, e.zip); err != nil { // the padding, and the member's checksum
		return 0, err
	}
	return e.file.n - int64(e.buffer.Buffered()), nil
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
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
	add := func(name, from, hash string) error {
		if f, there := have[name]; there && (hash == "" || strings.HasPrefix(f.SHA256, hash)) {
			m.Files = append(m.Files, f)
			return nil
		}
		f, err := r.addEntry(w, name, from, hash, m.MadeAt)
		if gone(err) {
			if hash != "" {
				m.lost(hash)
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
	if err := errors.Join(add(databaseName, database, ""), w.sync()); err != nil {
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
		if err := add(p.path, p.from, p.hash); err != nil {
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

// addEntry copies a file into the archive. An original is read twice, first to see
// whether its bytes are what its name says: what stands in a tar file stays.
func (r *run) addEntry(w *archiveWriter, name, from, hash string, at time.Time) (File, error) {
	if hash != "" {
		reading := r.mover
		reading.moved = nil
		sum, _, err := reading.sum(from)
		if err == nil && !strings.HasPrefix(sum, hash) {
			err = os.ErrNotExist
		}
		if err != nil {
			return File{}, err
		}
	}
	f, err := r.FS.Open(from)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	defer forget(f)
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	if err := w.entry(name, info.Size(), at); err != nil {
		return File{}, err
	}
	sum, size, err := r.mover.transfer(io.LimitReader(f, info.Size()), w.tar)
	if err == nil && size != info.Size() {
		err = fmt.Errorf("%s became shorter while it was copied", from)
	}
	r.result.NewFiles++
	r.result.NewBytes += size
	return File{Path: name, At: name, SHA256: sum, Bytes: size}, err
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
