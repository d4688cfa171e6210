package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ibid"
	"ibid/internal/disk"
)

const (
	markerName     = "ibid-backup.json"
	readmeName     = "README.txt"
	unfinishedName = "unfinished"
	partName       = "part" // of unfinished: the file that is being copied
	copyTime       = "2006-01-02T15-04-05Z"
)

var copyName = regexp.MustCompile(`^` + copyNamePattern + `$`)

// marker is the file that makes a directory a backup.
type marker struct {
	Format   int    `json:"format"`
	Identity string `json:"identity"` // of the library that it is of
}

const readme = `This is a backup made by ibid. Please change nothing in it.

  ibid backup --list DIR      lists the copies in it
  ibid restore DIR            puts the newest one back into the data directory
  ibid restore DIR --at TIME  puts an older one back

Each folder with the name of a time is one copy: the database as it was then and,
in manifest.jsonl, the list of all files that belong to it. Originals lie in
files, by the SHA-256 of their bytes, and are shared by all copies.

Without ibid: make an empty folder, copy ibid.db and lsa.model of one copy and the
whole folder files into it, and start ibid with --data FOLDER.
`

// directory makes one more copy in a directory.
func (r *run) directory() error {
	if err := r.openDirectory(); err != nil {
		return err
	}
	work := filepath.Join(r.job.To, unfinishedName)
	if err := r.FS.MkdirAll(work); err != nil {
		return err
	}
	if err := r.clear(work); err != nil {
		return err
	}
	m, pieces, err := r.copyDatabase(filepath.Join(work, databaseName))
	if err != nil {
		return err
	}
	if m.MadeAt, err = r.freeName(m.MadeAt); err != nil {
		return err
	}
	name := m.MadeAt.Format(copyTime)
	fresh, err := r.copyPieces(work, pieces)
	if err != nil {
		return err
	}
	if err := r.verify(m, name, work, pieces, fresh); err != nil {
		return err
	}
	body, err := m.encode()
	if err != nil {
		return err
	}
	if err := disk.WriteFile(r.FS, filepath.Join(work, manifestName), body); err != nil {
		return err
	}
	if err := disk.Move(r.FS, work, filepath.Join(r.job.To, name)); err != nil {
		return err
	}
	if written, err := readCopy(r.job.To, name); err != nil || written.checksum != m.checksum {
		return errors.Join(errReadBack(filepath.Join(name, manifestName)), err)
	}
	r.result.Name = name
	r.done(m)
	return r.prune()
}

// openDirectory makes the directory a backup of this library, or sees that it is.
func (r *run) openDirectory() error {
	to := r.job.To
	if err := r.FS.MkdirAll(to); err != nil {
		return err
	}
	mark, err := readMarker(to)
	switch {
	case err == nil && mark.Identity != r.Identity:
		e := ibid.Errorf(ibid.CodeConflict, "%s is the backup of another library", to)
		e.Hint = "give each library a folder of its own"
		return e
	case err == nil && mark.Format > formatNow:
		e := ibid.Errorf(ibid.CodeConflict, "%s was made by a newer ibid", to)
		e.Hint = "use that ibid, or another folder"
		return e
	case err == nil:
		return r.FS.SyncDir(to) // an attempt that was cut short may not have
	case !gone(err):
		return err
	}
	entries, err := os.ReadDir(to)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains([]string{markerName + ".new", readmeName, readmeName + ".new", "lost+found"}, e.Name()) {
			e := ibid.Errorf(ibid.CodeConflict, "%s is not empty, and no backup of ibid's", to)
			e.Hint = "give a folder of its own, for example " + filepath.Join(to, "ibid-backup")
			return e
		}
	}
	if err := disk.WriteFile(r.FS, filepath.Join(to, readmeName), []byte(readme)); err != nil {
		return err
	}
	body, err := json.Marshal(marker{Format: formatNow, Identity: r.Identity})
	if err != nil {
		return err
	}
	return disk.WriteFile(r.FS, filepath.Join(to, markerName), append(body, '\n'))
}

func readMarker(dir string) (m marker, err error) {
	body, err := os.ReadFile(filepath.Join(dir, markerName))
	if err != nil {
		return m, err
	}
	if json.Unmarshal(body, &m) != nil || m.Format < 1 {
		e := ibid.Errorf(ibid.CodeConflict, "%s is damaged, so it is unknown whose backup this is", filepath.Join(dir, markerName))
		e.Hint = "delete that file and restore, or back up into another folder"
		return m, e
	}
	return m, nil
}

// ownNames are the files in the folder of a copy, or in that of the one under way.
// The manifest is the last, so that whoever deletes them in this order knows to the
// end what belongs to it.
var ownNames = []string{databaseName, databaseName + "-journal", modelName, settingsName, partName, manifestName + ".new", manifestName}

// clear deletes what an attempt that was cut short has left of its own; the
// originals that it copied stay, and are not copied again.
func (r *run) clear(work string) error {
	for _, name := range ownNames {
		err := r.FS.Remove(filepath.Join(work, name))
		if err == nil {
			r.result.Resumed = true
		} else if !gone(err) {
			return err
		}
	}
	return nil
}

// freeName is the first time from t on that no copy has.
func (r *run) freeName(t time.Time) (time.Time, error) {
	for {
		_, err := os.Lstat(filepath.Join(r.job.To, t.Format(copyTime)))
		if gone(err) {
			return t, nil
		}
		if err != nil {
			return t, err
		}
		t = t.Add(time.Second)
	}
}

// place is where a piece lies in the backup while it is made; "" for originals
// that neither the library nor the backup has.
func (r *run) place(work string, p piece) string {
	if p.path == modelName || p.path == settingsName {
		return filepath.Join(work, p.path)
	}
	return filepath.Join(r.job.To, filepath.FromSlash(originalAt(p.hash)))
}

// copyPieces copies what the backup does not have yet. fresh are the hashes of
// what it wrote.
func (r *run) copyPieces(work string, pieces []piece) (fresh map[string]bool, err error) {
	var missing []int
	var total int64
	for i, p := range pieces {
		if p.hash != "" {
			info, err := os.Stat(r.place(work, p))
			if err == nil && (info.Size() == p.bytes || p.bytes < 0) || p.bytes < 0 {
				continue
			}
		}
		missing = append(missing, i)
		total += p.bytes
	}
	r.phase(PhaseCopy, total)
	fresh = map[string]bool{}
	for _, i := range missing {
		p := &pieces[i]
		if p.path == modelName {
			sum, size, err := r.copy(*p, r.place(work, *p))
			if gone(err) {
				p.bytes = -1
				continue
			}
			if err != nil {
				return nil, err
			}
			p.bytes = size
			fresh[sum] = true
			continue
		}
		if err := r.keep(work, p, fresh); err != nil {
			return nil, err
		}
	}
	if r.Settings != nil {
		if _, _, err := r.mover.write(bytes.NewReader(r.Settings), filepath.Join(work, settingsName)); err != nil {
			return nil, err
		}
	}
	return fresh, r.syncFolders(work, pieces)
}

// syncFolders makes safe the names of all pieces: also of those that an attempt
// which was cut short has put there, and perhaps not synced.
func (r *run) syncFolders(work string, pieces []piece) error {
	folders := map[string]bool{}
	for _, p := range pieces {
		if p.hash != "" {
			folders[filepath.Dir(r.place(work, p))] = true
		}
	}
	for dir := range folders {
		if err := r.FS.SyncDir(dir); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// copy writes a synced copy of a piece.
func (r *run) copy(p piece, to string) (sum string, size int64, err error) {
	content, err := r.open(p)
	if err != nil {
		return "", 0, err
	}
	defer content.Close()
	defer forget(content)
	return r.mover.write(content, to)
}

// keep copies an original, or a table, to its place in the backup. One whose bytes are not what its name says is not kept:
// damage in the library must not reach a backup.
func (r *run) keep(work string, p *piece, fresh map[string]bool) error {
	part := filepath.Join(work, partName)
	sum, size, err := r.copy(*p, part)
	if gone(err) {
		p.bytes = -1
		return nil
	}
	if err != nil {
		return err
	}
	if p.hash != "" && !strings.HasPrefix(sum, p.hash) {
		p.bytes = -1
		return nil
	}
	p.hash, p.bytes = sum[:32], size
	to := r.place(work, *p)
	if info, err := os.Stat(to); err == nil && info.Size() == size {
		return nil // a table that an earlier copy has
	}
	if err := r.FS.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if err := r.FS.Rename(part, to); err != nil {
		return err
	}
	r.result.NewFiles++
	r.result.NewBytes += size
	fresh[sum] = true
	return nil
}

// verify reads everything back and lists it in the manifest.
func (r *run) verify(m *Manifest, name, work string, pieces []piece, fresh map[string]bool) error {
	own := []piece{{path: databaseName}}
	if r.Settings != nil {
		own = append(own, piece{path: settingsName})
	}
	var total int64
	for i, p := range own {
		info, err := os.Stat(filepath.Join(work, p.path))
		if err != nil {
			return err
		}
		own[i].bytes = info.Size()
		total += info.Size()
		r.result.NewBytes += info.Size()
		r.result.NewFiles++
	}
	for _, p := range pieces {
		total += max(p.bytes, 0)
	}
	r.phase(PhaseVerify, total)
	for _, p := range own {
		sum, size, err := r.mover.sum(filepath.Join(work, p.path))
		if err != nil {
			return err
		}
		m.Files = append(m.Files, File{Path: p.path, At: name + "/" + p.path, SHA256: sum, Bytes: size})
	}
	for _, p := range pieces {
		if p.bytes < 0 && p.hash == "" {
			continue // it went meanwhile
		}
		f, err := r.verifyPiece(name, work, p, fresh)
		if gone(err) {
			m.lost(p.hash)
			continue
		}
		if err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	return nil
}

// verifyPiece reads one piece back. One that an earlier backup wrote and that has
// changed since is copied anew.
func (r *run) verifyPiece(name, work string, p piece, fresh map[string]bool) (File, error) {
	at := r.place(work, p)
	sum, size, err := r.mover.sum(at)
	if err != nil {
		return File{}, err
	}
	switch {
	case p.path == modelName && fresh[sum]:
		return File{Path: p.path, At: name + "/" + p.path, SHA256: sum, Bytes: size}, nil
	case p.path == modelName:
		return File{}, errReadBack(at)
	case strings.HasPrefix(sum, p.hash):
		return File{Path: p.path, At: originalAt(p.hash), SHA256: sum, Bytes: size}, nil
	}
	part := filepath.Join(work, partName)
	sum, size, err = r.copy(p, part)
	if err != nil {
		return File{}, err
	}
	if !strings.HasPrefix(sum, p.hash) {
		return File{}, os.ErrNotExist // neither has it whole
	}
	if err := disk.Move(r.FS, part, at); err != nil {
		return File{}, err
	}
	if again, _, err := r.mover.sum(at); err != nil || again != sum {
		return File{}, errors.Join(errReadBack(at), err)
	}
	r.result.Repaired++
	r.result.NewBytes += size
	return File{Path: p.path, At: originalAt(p.hash), SHA256: sum, Bytes: size}, nil
}

func errReadBack(at string) error {
	e := ibid.Errorf(ibid.CodeInternal, "%s reads back otherwise than it was written", at)
	e.Hint = "that disk, or its connection, is failing: back up to another one"
	return e
}

// droppedPrefix begins the name of a copy that is being deleted.
const droppedPrefix = "dropped-"

// prune lets the oldest copies go, and the originals that only they had.
func (r *run) prune() error {
	if r.job.Keep <= 0 {
		return nil
	}
	names, err := copies(r.job.To)
	if err != nil {
		return err
	}
	drop := names[:max(0, len(names)-r.job.Keep)]
	needed := map[string]bool{}
	for _, name := range names[len(drop):] {
		m, err := readCopy(r.job.To, name)
		if err != nil {
			return nil // nobody knows what it needs: nothing goes
		}
		for _, f := range m.Files {
			needed[f.At] = true
		}
	}
	for _, name := range drop {
		dropped := filepath.Join(r.job.To, droppedPrefix+name)
		for _, err := os.Lstat(dropped); err == nil; _, err = os.Lstat(dropped) {
			dropped += "~" // a power cut has left both names
		}
		if err := disk.Move(r.FS, filepath.Join(r.job.To, name), dropped); err != nil {
			return fmt.Errorf("let the copy %s go: %w", name, err)
		}
		r.result.Dropped = append(r.result.Dropped, name)
	}
	dropped, err := filepath.Glob(filepath.Join(r.job.To, droppedPrefix+"*")) // those of a prune that was cut short, too
	if err != nil {
		return err
	}
	for _, dir := range dropped {
		if err := r.dropCopy(dir, needed); err != nil {
			return fmt.Errorf("delete %s: %w", dir, err)
		}
	}
	return nil
}

// dropCopy deletes what one copy alone needs, going by its own manifest, and then
// the manifest.
func (r *run) dropCopy(dir string, needed map[string]bool) error {
	m, err := readManifestFile(filepath.Join(dir, manifestName))
	if err != nil && !gone(err) {
		return nil // damaged: left as it is, for a person to look at
	}
	if m == nil {
		m = &Manifest{}
	}
	touched := map[string]bool{}
	for _, f := range m.Files {
		if !originalPath.MatchString(f.At) || needed[f.At] {
			continue
		}
		path := filepath.Join(r.job.To, filepath.FromSlash(f.At))
		if err := r.FS.Remove(path); err == nil {
			touched[filepath.Dir(path)] = true
		} else if !gone(err) {
			return err
		}
	}
	for parent := range touched {
		if err := r.FS.SyncDir(parent); err != nil {
			return err
		}
	}
	for _, own := range append(slices.Clone(ownNames), "") {
		if err := r.FS.Remove(filepath.Join(dir, own)); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// copies returns the names of the copies in a directory, the oldest first.
func copies(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir) // in order
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && copyName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func readCopy(dir, name string) (*Manifest, error) {
	m, err := readManifestFile(filepath.Join(dir, name, manifestName))
	if err == nil && m.MadeAt.Format(copyTime) != name {
		return nil, errManifest
	}
	return m, err
}

func readManifestFile(path string) (*Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readManifest(f)
}
