package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/app/datadir"
	"ibid/internal/ibidtest"
)

// The tests below damage files of the data directory, and show that it costs
// nothing but those.

func TestDoctorNamesUnknownFiles(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	if out := h.must("doctor"); !strings.Contains(out, "✓ unknown files") {
		t.Errorf("doctor said:\n%s", out)
	}
	stray := ibidtest.WriteFile(t, filepath.Join(h.data, "files", "ab", strings.Repeat("ab", 16)), "left by a process that died")
	ibidtest.WriteFile(t, filepath.Join(h.data, "files", "thesis.txt"), "left by a person")
	out := h.must("doctor")
	if !strings.Contains(out, "! unknown files") || !strings.Contains(out, "2 files") || !strings.Contains(out, filepath.Base(stray)) {
		t.Errorf("doctor said:\n%s", out)
	}
	for _, path := range []string{stray, filepath.Join(h.data, "files", "thesis.txt")} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

// aged is a house with two documents, whose files are a month old.
func aged(t *testing.T) house {
	t.Helper()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText), h.file("other.md", walrusText))
	month := time.Now().Add(-30 * 24 * time.Hour)
	for path := range h.stored() {
		if err := os.Chtimes(filepath.Join(h.data, path), month, month); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// stored is what the files of the data directory hold, by path. Files that say
// who holds the directory now are left out, and so are pipes of processes that were
// killed: reading one waits for ever.
func (h house) stored() map[string]string {
	h.t.Helper()
	held := map[string]string{}
	err := filepath.WalkDir(h.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == datadir.LockName || d.Name() == datadir.ServerName {
			return err
		}
		body, err := os.ReadFile(path)
		rel, _ := filepath.Rel(h.data, path)
		held[filepath.ToSlash(rel)] = string(body)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return held
}

// copied is a house with a copy of the data directory.
func (h house) copied(t *testing.T) house {
	t.Helper()
	c := house{t: t, home: h.home, data: filepath.Join(t.TempDir(), "data")}
	if err := os.CopyFS(c.data, os.DirFS(h.data)); err != nil {
		t.Fatal(err)
	}
	return c
}

// original is the path of the original that holds a text.
func (h house) original(text string) string {
	h.t.Helper()
	for path, body := range h.stored() {
		if strings.HasPrefix(path, "files/") && body == text {
			return path
		}
	}
	h.t.Fatalf("no original holds %q", text)
	return ""
}

// inDatabase runs a statement in a database that no server holds.
func inDatabase(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// refuses shows that no command starts, that it says why and what to do, and
// that nothing in the directory changes.
func (h house) refuses(why string) {
	h.t.Helper()
	before := h.stored()
	for _, command := range [][]string{{"ls"}, {"serve", "--addr", "127.0.0.1:0"}} {
		code, out, errs := h.run(command...)
		if code != exitFailed || !strings.Contains(errs, why) || !strings.Contains(errs, "nothing was changed") || !strings.Contains(errs, "→ with a backup: ibid restore BACKUP; without one: ibid recover") {
			h.t.Fatalf("%v: exit code %d, want a refusal that says %q\n%s%s", command, code, why, out, errs)
		}
	}
	if code, out, _ := h.run("doctor"); code != exitFailed || !strings.Contains(out, why) {
		h.t.Errorf("doctor: exit code %d\n%s", code, out)
	}
	after := h.stored()
	// SQLite's alone: it is made anew whenever a log is read.
	delete(before, datadir.DatabaseName+"-shm")
	delete(after, datadir.DatabaseName+"-shm")
	for path := range before {
		if after[path] != before[path] {
			h.t.Errorf("%s has changed", path)
		}
	}
	if len(after) != len(before) {
		h.t.Errorf("there were %v, there are %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
}

// lists shows that both documents are there and found.
func (h house) lists() {
	h.t.Helper()
	var docs []ibid.Document
	if err := json.Unmarshal([]byte(h.must("ls", "--json")), &docs); err != nil || len(docs) != 2 {
		h.t.Errorf("listed are %+v, %v", docs, err)
	}
	for question, words := range map[string]string{"walrus": "sleeps on the ice", "warranty": "lasts two years"} {
		if out := h.must("search", question); !strings.Contains(out, words) {
			h.t.Errorf("%q is not found:\n%s", words, out)
		}
	}
}

const walrusText = "The walrus sleeps on the ice.\n"

// flipped is a text with one bit of its byte at i turned.
func flipped(s string, i int) string {
	b := []byte(s)
	b[i] ^= 4
	return string(b)
}

// full is a data directory after use: with a fitted embedder, an attached table, and an
// answer.
func full(t *testing.T) house {
	t.Helper()
	h := newHouse(t)
	var animals strings.Builder
	for _, name := range []string{"heron", "otter", "badger", "lynx", "raven", "viper", "trout", "moth", "crane", "weasel", "toad", "hare"} {
		fmt.Fprintf(&animals, "# The %s\n\nThe %s lives near the river, sleeps by day and is seen at dusk when it looks for food.\n\n", name, name)
	}
	h.must("add", h.file("terms.md", warrantyText), h.file("other.md", walrusText), h.file("animals.md", animals.String()))
	h.must("ask", "how long does the warranty last")
	h.must("database", "add", h.file("sales.csv", "region,amount\nnorth,3\nsouth,4\n"))
	return h
}

// answers is what a server says of its library: documents, conversations, and what
// some searches find.
func (h house) answers() string {
	h.t.Helper()
	server, at := h.serve()
	defer func() {
		server.cmd.Process.Signal(os.Interrupt)
		server.end()
	}()
	var said strings.Builder
	var library struct {
		Documents []struct{ ID, Name, Version, Status string }
		Threads   []struct{ ID, Title string }
	}
	h.get(at+"/v1/documents", &library)
	h.get(at+"/v1/threads", &library)
	fmt.Fprintf(&said, "%+v\n", library)
	for _, question := range []string{"where+does+the+walrus+sleep", "how+long+does+the+warranty+last", "otter+dusk"} {
		var found struct {
			Passages []struct {
				ID string `json:"chunk_id"`
			}
		}
		// Vectors may still be made when the server answers, so the words decide.
		h.get(at+"/v1/search?limit=3&mode=lexical&q="+question, &found)
		fmt.Fprintf(&said, "%s: %v\n", question, found.Passages)
	}
	return said.String()
}

// Each file of the data directory is lost or damaged in turn. A start then
// refuses, or makes the file anew; it never changes another file that it cannot
// make anew, nor lists or finds anything else than before. (The cache of compiled
// code is seen to in internal/document/pdfium.)
func TestADamagedFileCostsNoOther(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "commands, one after the other; other tests start and recover under it")
	h, other := full(t), newHouse(t)
	other.must("add", other.file("else.md", "The pelican flies.\n"))
	whole, others, answers := h.stored(), other.stored(), h.answers()
	original := h.original(walrusText)
	paths := []string{datadir.LockName, datadir.ServerName}
	seen := map[string]bool{}
	for path := range whole {
		kind, _, _ := strings.Cut(path, "/")
		switch {
		case !slices.Contains([]string{datadir.DatabaseName, datadir.IdentityName, datadir.SnapshotName, "reserve", "files", "databases"}, kind):
			t.Errorf("%s is new: say below what its loss may cost", path)
		case kind == "files" && path != original:
		default:
			paths = append(paths, path)
		}
		seen[kind] = true
	}
	if len(seen) != 6 {
		t.Errorf("the data directory lacks some of its files: %v", slices.Sorted(maps.Keys(seen)))
	}
	for _, path := range paths {
		kind, _, _ := strings.Cut(path, "/")
		held, foreign := whole[path], others[path]
		if foreign == "" {
			foreign = "Dear diary, today it rained."
		}
		damages := map[string]func(at string){
			"missing": func(at string) { os.Remove(at) },
			"empty":   func(at string) { ibidtest.WriteFile(t, at, "") },
			"foreign": func(at string) { ibidtest.WriteFile(t, at, foreign) },
		}
		if held != "" {
			damages["truncated"] = func(at string) { ibidtest.WriteFile(t, at, held[:len(held)/2]) }
			damages["flipped"] = func(at string) { ibidtest.WriteFile(t, at, flipped(held, min(10, len(held)-1))) }
		}
		for name, damage := range damages {
			t.Run(kind+" "+name, func(t *testing.T) {
				c := h.copied(t)
				damage(filepath.Join(c.data, filepath.FromSlash(path)))
				if kind == datadir.DatabaseName || kind == datadir.IdentityName && name == "foreign" {
					c.refuses(datadir.DatabaseName)
					return
				}
				damaged := c.stored()
				if now := c.answers(); now != answers {
					t.Errorf("it said\n%s\nand says\n%s", answers, now)
				}
				switch kind {
				case "files":
					if code, out, _ := c.run("doctor"); name != "flipped" && (code != exitFailed || !strings.Contains(out, "✗ originals")) {
						t.Errorf("doctor: exit code %d\n%s", code, out)
					}
				case "databases":
					if code, out, _ := c.run("database", "query", "sales", "SELECT sum(amount) FROM sales"); code != exitFailed {
						t.Errorf("the table says %s", out)
					}
				}
				after := c.stored()
				for kept, body := range damaged {
					mine := strings.HasPrefix(kept, "files/") || strings.HasPrefix(kept, "databases/")
					if mine && after[kept] != body {
						t.Errorf("%s has changed", kept)
					}
				}
				for made := range whole {
					if _, there := after[made]; !there && made != path {
						t.Errorf("%s is gone", made)
					}
				}
				if after[datadir.IdentityName] != whole[datadir.IdentityName] {
					t.Errorf("the identity was %q and is %q", whole[datadir.IdentityName], after[datadir.IdentityName])
				}
			})
		}
	}
}

// What shows that there was a database is enough to refuse, each by itself.
func TestALostDatabaseIsSeen(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "commands, one after the other; other tests start and recover under it")
	h := aged(t)
	for _, left := range []string{h.original(walrusText), "index.snapshot", "databases/db_1.db", datadir.IdentityName, datadir.DatabaseName + "-wal"} {
		t.Run(left, func(t *testing.T) {
			c := house{t: t, home: h.home, data: filepath.Join(t.TempDir(), "data")}
			ibidtest.WriteFile(t, filepath.Join(c.data, filepath.FromSlash(left)), "some words")
			c.refuses(left)
		})
	}
}

// A database that is not ibid's is not made one.
func TestAForeignDatabaseIsLeftAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := os.MkdirAll(h.data, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.data, datadir.DatabaseName)
	inDatabase(t, path, "CREATE TABLE songs (title TEXT)")
	h.refuses("not a database of ibid's")
	inDatabase(t, path, "PRAGMA user_version = 12")
	h.refuses("not a database of ibid's")
}

// A directory of an ibid that knew no identity gets one at its first start, if
// its database is the one of its originals.
func TestAnOlderDirectoryGetsAnIdentity(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "commands, one after the other; other tests start and recover under it")
	h, other := aged(t), newHouse(t)
	other.must("add", other.file("else.md", "The pelican flies.\n"))
	for _, old := range []house{h, other} {
		inDatabase(t, filepath.Join(old.data, datadir.DatabaseName), "DELETE FROM settings WHERE name = 'identity'")
		if err := os.Remove(filepath.Join(old.data, datadir.IdentityName)); err != nil {
			t.Fatal(err)
		}
	}
	swapped := h.copied(t)
	ibidtest.WriteFile(t, filepath.Join(swapped.data, datadir.DatabaseName), other.stored()[datadir.DatabaseName])
	swapped.refuses("lists only 0 of the 2 originals")

	h.lists()
	if _, err := datadir.ReadIdentity(h.data); err != nil {
		t.Error(err)
	}
	inDatabase(t, filepath.Join(h.data, datadir.DatabaseName), "DELETE FROM settings WHERE name = 'identity'")
	h.refuses("belongs to another data directory")
}

// One byte of the database is flipped, at the places that SQLite reads first and
// at some of each page. Whatever it meets, a start refuses or lists what was
// there: never an empty library. Some of the places are tried, the same ones each
// time; IBID_FULL=1 tries all.
func TestAFlippedByteEmptiesNoLibrary(t *testing.T) {
	t.Parallel()
	h := aged(t)
	held, files := h.stored()[datadir.DatabaseName], len(h.stored())
	var places []int
	for at := range 100 { // the file's header
		places = append(places, at)
	}
	for page := 0; page < len(held); page += 4096 {
		// The page's kind, its number of cells, where they begin, and the last cell.
		places = append(places, page, page+3, page+4, page+6, page+8, page+4090)
	}
	if os.Getenv("IBID_FULL") == "" {
		random := rand.New(rand.NewPCG(12, 12))
		random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		// The file's magic, the page size, the format; the root page's kind; and others.
		places = append([]int{0, 16, 44, 100}, places[:16]...)
	}
	refusals := 0
	for _, at := range places {
		c := h.copied(t)
		ibidtest.WriteFile(t, filepath.Join(c.data, datadir.DatabaseName), flipped(held, at))
		db, err := datadir.Open(t.Context(), c.data, datadir.Originals(c.data), false, nil)
		if err != nil {
			refusals++
			continue
		}
		docs, _, err := db.Documents(t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{}, ibid.Page{})
		if err == nil && len(docs) != 2 {
			t.Errorf("byte %d: %d documents are listed", at, len(docs))
		}
		if err := db.Close(); err != nil {
			t.Logf("byte %d: %v", at, err)
		}
		if left := len(c.stored()); left < files {
			t.Errorf("byte %d: %d files are left of %d", at, left, files)
		}
	}
	if refusals == 0 {
		t.Error("nothing was refused: the test flips nothing that matters")
	}
	t.Logf("%d of %d flips were refused", refusals, len(places))
}
