package backup_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/backup"
	blobdir "ibid/internal/blob/dir"
	"ibid/internal/disk"
	"ibid/internal/disk/faulty"
	"ibid/internal/store/sqlite"
	"ibid/internal/store/sqlite/schema"
)

// library is a data directory with its database open.
type library struct {
	t   *testing.T
	dir string
	db  *sqlite.DB
	now time.Time
}

const identity = "the-library"

func newLibrary(t *testing.T, texts ...string) *library {
	t.Helper()
	l := &library{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)}
	var err error
	if l.db, err = sqlite.Open(t.Context(), filepath.Join(l.dir, "ibid.db"), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.db.Close() })
	if err := l.db.SetIdentity(t.Context(), identity); err != nil {
		t.Fatal(err)
	}
	l.write("lsa.model", "what the embedder has learnt")
	l.write("databases/d1.db", "a table")
	l.add(texts...)
	return l
}

func (l *library) write(name, content string) {
	l.t.Helper()
	path := filepath.Join(l.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		l.t.Fatal(err)
	}
}

// add adds documents, which wait to be read.
func (l *library) add(texts ...string) {
	l.t.Helper()
	for _, text := range texts {
		hash := ibid.VersionOf([]byte(text))
		l.write("files/"+hash[:2]+"/"+hash, text)
		d := ibid.Document{Principal: ibid.Owner, ID: "d-" + hash, Name: text, Source: "/" + hash, Status: ibid.DocumentQueued}
		if _, _, err := l.db.PutDocument(l.t.Context(), d, hash); err != nil {
			l.t.Fatal(err)
		}
	}
}

func (l *library) config() backup.Config {
	return backup.Config{FS: disk.OS{}, Dir: l.dir, Blobs: blobdir.Look(disk.OS{}, filepath.Join(l.dir, "files")), Identity: identity, Version: "test", Copy: l.db.CopyTo,
		Hold: func() func() { return func() {} }, Settings: []byte("log_level = \"warn\"\n"), Now: func() time.Time { return l.now }}
}

// backUp makes a backup an hour after the last one.
func (l *library) backUp(to string, keep int) backup.Result {
	l.t.Helper()
	l.now = l.now.Add(time.Hour)
	result, err := l.config().Run(l.t.Context(), backup.Job{To: to, Keep: keep})
	if err != nil {
		l.t.Fatal(err)
	}
	return result
}

// restore puts a backup into a directory, as the command does.
func restore(ctx context.Context, fsys disk.FS, from, dir string, anew bool) (backup.Restored, error) {
	source, err := backup.Open(ctx, fsys, from, time.Time{}, nil)
	if err != nil {
		return backup.Restored{}, err
	}
	return backup.Restore{FS: fsys, Dir: dir, Source: source, OpenBlobs: openBlobs(fsys, dir), Anew: anew, Now: time.Now,
		Identify: func(id string) error {
			return disk.WriteFile(fsys, filepath.Join(dir, "identity"), []byte(id))
		}}.Run(ctx)
}

// openBlobs opens the originals of a data directory.
func openBlobs(fsys disk.FS, dir string) func() (backup.Blobs, error) {
	return func() (backup.Blobs, error) { return blobdir.Open(fsys, filepath.Join(dir, "files")) }
}

// held is what a data directory holds that a backup brings back.
func held(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := faulty.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(files, func(path, _ string) bool {
		return !strings.HasPrefix(path, "files/") && !strings.HasPrefix(path, "databases/") && path != "lsa.model"
	})
	return files
}

// documents are the names of the documents of a database.
func documents(t *testing.T, dir string) []string {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	hashes, next, err := db.Originals(t.Context(), ibid.Page{Limit: ibid.MaxLimit})
	if err != nil || next != "" {
		t.Fatal(err)
	}
	names, err := db.NamesOfVersions(t.Context(), access.For(ibid.Owner), hashes)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Values(names))
}

func TestAFolderTakesOnlyWhatIsNew(t *testing.T) {
	l, to := newLibrary(t, "one", "two"), filepath.Join(t.TempDir(), "backup")
	first := l.backUp(to, 0)
	if first.Files != 6 || first.NewFiles != 5 || first.Documents != 2 || !first.ReadBack {
		t.Errorf("the first backup: %+v", first) // the model counts as no new file: each copy has its own
	}
	l.add("three, which is longer")
	second := l.backUp(to, 0)
	db, err := os.Stat(filepath.Join(to, second.Name, "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	if want := db.Size() + int64(len("three, which is longer")+len("log_level = \"warn\"\n")); second.NewBytes != want {
		t.Errorf("the second backup wrote %d bytes, want %d", second.NewBytes, want)
	}
	for at, want := range map[string][]string{first.Name: {"one", "two"}, second.Name: {"one", "three, which is longer", "two"}} {
		dir := filepath.Join(t.TempDir(), "data")
		os.Mkdir(dir, 0o700)
		when, _ := time.Parse("2006-01-02T15-04-05Z", at)
		source, err := backup.Open(t.Context(), disk.OS{}, to, when, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (backup.Restore{FS: disk.OS{}, Dir: dir, Source: source, OpenBlobs: openBlobs(disk.OS{}, dir), Now: time.Now, Identify: func(string) error { return nil }}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := documents(t, dir); !slices.Equal(got, want) {
			t.Errorf("at %s: %q, want %q", at, got, want)
		}
	}
}

// Old copies go, and with them what only they had; what the backup's manifests do
// not list stays.
func TestOldCopiesGo(t *testing.T) {
	l, to := newLibrary(t, "one"), filepath.Join(t.TempDir(), "backup")
	first := l.backUp(to, 2)
	hash := ibid.VersionOf([]byte("one"))
	raw, err := sql.Open("sqlite", filepath.Join(l.dir, "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.Exec("DELETE FROM documents WHERE id = ?", "d-"+hash)
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
	l.add("two")
	stranger := filepath.Join(to, "files", hash[:2], strings.Repeat("f", 32))
	if err := os.WriteFile(stranger, []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.backUp(to, 2)
	original := filepath.Join(to, "files", hash[:2], hash)
	if _, err := os.Stat(original); err != nil {
		t.Errorf("the first copy still needs it: %v", err)
	}
	third := l.backUp(to, 2)
	if !slices.Equal(third.Dropped, []string{first.Name}) {
		t.Errorf("dropped were %q, want %q", third.Dropped, first.Name)
	}
	if _, err := os.Stat(original); err == nil {
		t.Error("the original that only the first copy had is still there")
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Errorf("a file that no manifest lists went: %v", err)
	}
	copies, err := backup.List(to)
	if err != nil || len(copies) != 2 || copies[0].Error != "" || copies[1].Error != "" {
		t.Errorf("%d copies are left, %v", len(copies), err)
	}
}

func TestAnArchiveHoldsEverything(t *testing.T) {
	for _, name := range []string{"all.tar", "all.tar.gz"} {
		l, to := newLibrary(t, "one", "two"), filepath.Join(t.TempDir(), name)
		l.backUp(to, 0)
		l.add("three")
		l.backUp(to, 0) // takes the place of the older one
		dir := t.TempDir()
		if _, err := restore(t.Context(), disk.OS{}, to, dir, false); err != nil {
			t.Fatal(err)
		}
		if got, want := held(t, dir), held(t, l.dir); !maps.Equal(got, want) {
			t.Errorf("%s: restored were\n%q\nwant\n%q", name, got, want)
		}
		if got := documents(t, dir); !slices.Equal(got, []string{"one", "three", "two"}) {
			t.Errorf("%s: %q", name, got)
		}
		if left, _ := filepath.Glob(to + ".*"); len(left) > 0 {
			t.Errorf("left over are %q", left)
		}
	}
}

func TestPlacesThatAreRefused(t *testing.T) {
	l, other := newLibrary(t, "one"), newLibrary(t)
	others := other.config()
	others.Identity = "another"
	if err := other.db.SetIdentity(t.Context(), "another"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	taken, file := filepath.Join(dir, "taken"), filepath.Join(dir, "file.tar")
	foreign := filepath.Join(dir, "foreign")
	if err := errors.Join(os.Mkdir(taken, 0o700), os.WriteFile(filepath.Join(taken, "letter.txt"), nil, 0o600), os.WriteFile(file, []byte("mine"), 0o600), os.Symlink(l.dir, filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	if _, err := others.Run(t.Context(), backup.Job{To: foreign}); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]string{
		"relative":                            "absolute",
		filepath.Join(l.dir, "backup"):        "in the data directory",
		filepath.Join(dir, "link", "sub"):     "in the data directory",
		taken:                                 "not empty",
		file:                                  "no backup of this library",
		foreign:                               "another library",
		filepath.Join(dir, "all.tar.zst"):     "kind of archive",
		filepath.Join(dir, "file.tar", "sub"): "not a directory",
	} {
		if _, err := l.config().Run(t.Context(), backup.Job{To: to}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", to, err, want)
		}
	}
	if got, _ := os.ReadFile(file); string(got) != "mine" {
		t.Errorf("the file holds %q", got)
	}
}

// What is damaged in the library does not reach a backup, and what has changed in a
// backup is written anew.
func TestDamageOnEitherSide(t *testing.T) {
	l, to := newLibrary(t, "one", "two", "three"), filepath.Join(t.TempDir(), "backup")
	l.backUp(to, 0)
	one, two, three := "files/"+place("one"), "files/"+place("two"), "files/"+place("three")
	l.write(one, "ONE")
	os.WriteFile(filepath.Join(to, two), []byte("TWO"), 0o600)
	second := l.backUp(to, 0)
	if second.Repaired != 1 || len(second.Missing) != 0 {
		t.Errorf("the second backup: %+v", second)
	}
	for path, want := range map[string]string{one: "one", two: "two"} {
		if got, _ := os.ReadFile(filepath.Join(to, path)); string(got) != want {
			t.Errorf("%s holds %q in the backup, want %q", path, got, want)
		}
	}
	l.write(three, "THREE")
	fresh := l.backUp(filepath.Join(t.TempDir(), "fresh"), 0)
	if !slices.Equal(fresh.Missing, sorted(ibid.VersionOf([]byte("one")), ibid.VersionOf([]byte("three")))) {
		t.Errorf("a fresh backup misses %q", fresh.Missing)
	}
	archive := l.backUp(filepath.Join(t.TempDir(), "fresh.tar"), 0)
	if !slices.Equal(archive.Missing, fresh.Missing) {
		t.Errorf("an archive misses %q", archive.Missing)
	}
	// The first backup mends the library.
	originals := backup.Originals{FS: disk.OS{}, Dir: l.dir, Blobs: blobdir.Look(disk.OS{}, filepath.Join(l.dir, "files"))}
	os.Remove(filepath.Join(l.dir, two))
	var problems []backup.Problem
	for _, text := range []string{"one", "two", "three"} {
		p, err := originals.Check(t.Context(), ibid.VersionOf([]byte(text)), backup.Pace{}, nil)
		if err != nil || p == nil {
			t.Fatalf("%s: %v, %v", text, p, err)
		}
		problems = append(problems, *p)
	}
	left, aside, err := originals.Mend(t.Context(), problems, to, l.now)
	if err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	if kept, _ := os.ReadFile(filepath.Join(aside, one)); string(kept) != "ONE" {
		t.Errorf("aside lies %q", kept)
	}
	for _, text := range []string{"one", "two", "three"} {
		if p, err := originals.Check(t.Context(), ibid.VersionOf([]byte(text)), backup.Pace{}, nil); err != nil || p != nil {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
}

func place(text string) string {
	hash := ibid.VersionOf([]byte(text))
	return hash[:2] + "/" + hash
}

func sorted(words ...string) []string {
	slices.Sort(words)
	return words
}

// Each file of a backup is taken away, emptied, cut short, exchanged, and has a
// byte flipped: a restore refuses and has changed nothing, or names what is damaged
// and restores the rest. It never restores anything else than was there.
func TestDamagedBackups(t *testing.T) {
	l, whole := newLibrary(t, "one", "two"), t.TempDir()
	folder, archive := filepath.Join(whole, "backup"), filepath.Join(whole, "all.tar")
	l.backUp(folder, 0)
	l.backUp(archive, 0)
	want := held(t, l.dir)
	damages := map[string]func(path string, body []byte) error{
		"missing": func(path string, _ []byte) error { return os.Remove(path) },
		"empty":   func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"short":   func(path string, body []byte) error { return os.WriteFile(path, body[:len(body)*2/3], 0o600) },
		"foreign": func(path string, _ []byte) error { return os.WriteFile(path, []byte("something else"), 0o600) },
		"flipped": func(path string, body []byte) error {
			body = bytes.Clone(body)
			body[len(body)/2] ^= 4
			return os.WriteFile(path, body, 0o600)
		},
	}
	files, err := faulty.Files(whole)
	if err != nil {
		t.Fatal(err)
	}
	refused, named := 0, 0
	for path, body := range files {
		for what, damage := range damages {
			spoilt := t.TempDir()
			if err := os.CopyFS(spoilt, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := damage(filepath.Join(spoilt, path), []byte(body)); err != nil {
				t.Fatal(err)
			}
			from := filepath.Join(spoilt, "all.tar")
			if strings.HasPrefix(path, "backup") {
				from = filepath.Join(spoilt, "backup")
			}
			dir := t.TempDir()
			os.WriteFile(filepath.Join(dir, "ibid.db"), []byte("what was there"), 0o600)
			result, err := restore(t.Context(), disk.OS{}, from, dir, false)
			if err != nil {
				refused++
				if got, _ := faulty.Files(dir); len(got) != 1 || got["ibid.db"] != "what was there" {
					t.Errorf("%s %s: it was refused, and has left %q", path, what, slices.Sorted(maps.Keys(got)))
				}
				continue
			}
			got := held(t, dir)
			for _, damaged := range result.Damaged {
				named++
				if _, there := got[damaged]; there {
					t.Errorf("%s %s: %s is damaged, and was restored", path, what, damaged)
				}
			}
			maps.DeleteFunc(got, func(path, text string) bool { return want[path] == text })
			if len(got) > 0 {
				t.Errorf("%s %s: something else was restored: %q", path, what, got)
			}
			if !slices.Contains([]string{"README.txt", "ibid-backup.json"}, filepath.Base(path)) && len(result.Damaged) == 0 {
				t.Errorf("%s %s: restored as if nothing were wrong", path, what)
			}
		}
	}
	if refused == 0 || named == 0 {
		t.Errorf("%d refused, %d named: the test damages nothing that matters", refused, named)
	}
}

func TestANewerBackupIsRefused(t *testing.T) {
	l, to := newLibrary(t, "one"), filepath.Join(t.TempDir(), "backup")
	newer := l.config()
	inner := newer.Copy
	newer.Copy = func(ctx context.Context, path string, after func(done, total int64) error) error {
		err := inner(ctx, path, after)
		return errors.Join(err, setFormat(path, schema.Format()+1))
	}
	if _, err := newer.Run(t.Context(), backup.Job{To: to}); err != nil {
		t.Fatal(err)
	}
	_, err := restore(t.Context(), disk.OS{}, to, t.TempDir(), false)
	if err == nil || !strings.Contains(err.Error(), "newer ibid") {
		t.Errorf("%v", err)
	}
}

// setFormat changes the user_version in the header of a database file (bytes 60 to
// 63, https://www.sqlite.org/fileformat.html).
func setFormat(path string, format int) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{0, 0, byte(format >> 8), byte(format)}, 60)
	return errors.Join(err, f.Close())
}

// An archive that was cut short anywhere is gone on with, also a compressed one.
func TestAnArchiveIsGoneOnWith(t *testing.T) {
	l := newLibrary(t, "one", "two", strings.Repeat("three ", 1000))
	for _, name := range []string{"all.tar", "all.tar.gz"} {
		to := filepath.Join(t.TempDir(), name)
		l.backUp(to, 0)
		body, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		resumed := 0
		for missing := 1; missing < len(body); missing += 1 + missing*2/3 { // most cuts near the end: the database comes first
			cut := len(body) - missing
			again := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(again+".partial", body[:cut], 0o600); err != nil {
				t.Fatal(err)
			}
			if l.backUp(again, 0).Resumed {
				resumed++
			}
			dir := t.TempDir()
			if _, err := restore(t.Context(), disk.OS{}, again, dir, false); err != nil {
				t.Fatalf("%s cut at %d: %v", name, cut, err)
			}
			if got := held(t, dir); !maps.Equal(got, held(t, l.dir)) {
				t.Errorf("%s cut at %d: something else was restored", name, cut)
			}
		}
		if resumed == 0 {
			t.Errorf("%s: none was gone on with", name)
		}
		t.Logf("%s: %d were gone on with", name, resumed)
	}
}
