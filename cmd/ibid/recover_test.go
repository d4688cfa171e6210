package main

import (
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/app/datadir"
	"ibid/internal/app/recovery"
	"ibid/internal/ibidtest"
)

// livedIn is a data directory after use: two versions of a document, of which an
// answer cites the first, a removed document, an archive, a table.
func livedIn(t *testing.T) house {
	t.Helper()
	h := newHouse(t)
	terms := h.file("terms.md", warrantyText)
	h.must("add", "--folder", "contracts", "--tag", "shop", terms, h.file("gone.txt", "The dodo is extinct.\n"), h.file("flat.zip", zipOf("lease.txt", "The notice period is three months.\n")))
	h.must("ask", "how long does the warranty last")
	ibidtest.WriteFile(t, terms, strings.Replace(warrantyText, "two years", "three years", 1))
	h.must("add", terms, h.file("other.md", walrusText))
	h.must("rm", "gone.txt")
	h.must("database", "add", h.file("sales.csv", "region,amount\nnorth,3\nsouth,4\n"))
	return h
}

// recovers runs the command and returns what it says.
func (h house) recovers() recovery.Result {
	h.t.Helper()
	var r recovery.Result
	if err := json.Unmarshal([]byte(h.must("recover", "--json")), &r); err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h house) documents() map[string]ibid.Document {
	h.t.Helper()
	var docs []ibid.Document
	if err := json.Unmarshal([]byte(h.must("ls", "--json")), &docs); err != nil {
		h.t.Fatal(err)
	}
	byName := map[string]ibid.Document{}
	for _, d := range docs {
		byName[d.Name] = d
	}
	return byName
}

// footnotes are the words at which the footnotes of all answers open.
func (h house) footnotes() []string {
	h.t.Helper()
	server, at := h.serve()
	defer func() {
		server.cmd.Process.Signal(os.Interrupt)
		server.end()
	}()
	var threads struct{ Threads []ibid.Thread }
	h.get(at+"/v1/threads", &threads)
	var words []string
	for _, thread := range threads.Threads {
		var said struct{ Messages []ibid.Message }
		h.get(at+"/v1/threads/"+thread.ID+"/messages", &said)
		for _, m := range said.Messages {
			for _, c := range m.Citations {
				var text struct{ Text string }
				h.get(at+"/v1/documents/"+c.DocumentID+"/text?version="+c.Version, &text)
				words = append(words, text.Text[c.Start:c.End])
				res, err := http.Get(at + "/v1/documents/" + c.DocumentID + "/file?version=" + c.Version)
				if err != nil {
					h.t.Fatal(err)
				}
				body, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || !strings.Contains(string(body), c.Quote) {
					h.t.Errorf("the original of a footnote is %q, %v", body, err)
				}
			}
		}
	}
	return words
}

// keeps shows that nothing that was there is gone: it has its name or the one that
// a recovery gives what it moves aside.
func (h house) keeps(before map[string]string) {
	h.t.Helper()
	after := h.stored()
	for path, body := range before {
		if path == "reserve" || strings.HasSuffix(path, "-shm") || after[path] == body {
			continue // made anew, or as it was
		}
		aside := false
		for other, b := range after {
			aside = aside || strings.Contains(other, ".damaged-") && b == body
		}
		if !aside {
			h.t.Errorf("%s is gone", path)
		}
	}
}

// What can be read of a damaged database is kept: ids, names, folders, tags, answers
// and the words that they cite.
func TestRecoverKeepsWhatCanBeRead(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "commands, one after the other; other tests start and recover under it")
	h := livedIn(t)
	docs, words := h.documents(), h.footnotes()
	if len(words) == 0 || words[0] == "" {
		t.Fatalf("footnotes open at %q", words)
	}
	path := filepath.Join(h.data, datadir.DatabaseName)
	whole := h.stored()[datadir.DatabaseName]
	for name, damage := range map[string]func() string{
		"header": func() string { return "Dear diary, today it rained. " + whole[29:] },
		"half":   func() string { return whole[:len(whole)/2&^4095] },
		// Pages of indexes and of chunks, which are made anew.
		"pages": func() string {
			b := []byte(whole)
			for _, name := range []string{"sqlite_autoindex_documents_1", "chunks", "chunks_by_document", "entities"} {
				page := rootPage(t, path, name)
				clear(b[(page-1)*4096 : page*4096])
			}
			return string(b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := h.copied(t)
			ibidtest.WriteFile(t, filepath.Join(c.data, datadir.DatabaseName), damage())
			before := c.stored()
			r := c.recovers()
			c.keeps(before)
			if len(r.Failed) > 0 || len(r.Damaged) > 0 {
				t.Errorf("%+v", r)
			}
			for question, words := range map[string]string{"walrus": "sleeps on the ice", "warranty": "lasts three years", "notice period": "three months"} {
				if out := c.must("search", question); !strings.Contains(out, words) {
					t.Errorf("%q is not found:\n%s", question, out)
				}
			}
			if code, out, _ := c.run("doctor"); code != exitOK {
				t.Errorf("doctor said:\n%s", out)
			}
			if name == "half" {
				return // what was in the other half is lost
			}
			now := c.documents()
			for name, d := range docs {
				if n := now[name]; n.ID != d.ID || n.Folder != d.Folder || n.Source != d.Source || !slices.Equal(n.Tags, d.Tags) || n.Version != d.Version || n.PartOf != d.PartOf {
					t.Errorf("%s was %+v and is %+v", name, d, n)
				}
			}
			if len(now) != len(docs) {
				t.Errorf("there were %d documents and are %d", len(docs), len(now))
			}
			if again := c.footnotes(); !slices.Equal(again, words) {
				t.Errorf("footnotes open at %q, want %q", again, words)
			}
			if out := c.must("database", "query", "sales", "SELECT sum(amount) FROM sales"); !strings.Contains(out, "7") {
				t.Errorf("the table says %s", out)
			}
			if code, _, errs := c.run("recover"); code != exitFailed || !strings.Contains(errs, "nothing to recover") {
				t.Errorf("a second recovery: exit code %d, %s", code, errs)
			}
		})
	}
}

// rootPage is where a table or an index begins in a database file.
func rootPage(t *testing.T, path, name string) (page int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = ?", name).Scan(&page); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return page
}

// Without a database everything is there again, under other names. A recovery that
// is cut short anywhere goes on; nothing else opens the directory meanwhile.
func TestRecoverGoesOn(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "commands, one after the other; other tests start and recover under it")
	h := livedIn(t)
	if err := os.Remove(filepath.Join(h.data, datadir.DatabaseName)); err != nil {
		t.Fatal(err)
	}
	begin := func(t *testing.T, c house) recovery.Result {
		r, err := recovery.BeginRecovery(t.Context(), c.data, false)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	move := func(t *testing.T, c house) recovery.Result {
		r := begin(t, c)
		if err := r.Move(); err != nil {
			t.Fatal(err)
		}
		return r
	}
	build := func(t *testing.T, c house) recovery.Result {
		r := move(t, c)
		if err := r.Build(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for name, cut := range map[string]func(t *testing.T, c house){
		"before it begins": func(*testing.T, house) {},
		"while files are moved": func(t *testing.T, c house) {
			r := begin(t, c)
			if err := os.Rename(filepath.Join(c.data, datadir.IdentityName), filepath.Join(c.data, r.Aside(datadir.IdentityName))); err != nil {
				t.Fatal(err)
			}
		},
		"while the database is made": func(t *testing.T, c house) {
			move(t, c)
			ibidtest.WriteFile(t, filepath.Join(c.data, datadir.DatabaseName+".recovering"), "half a database")
		},
		"once the database is made": func(t *testing.T, c house) {
			r := build(t, c)
			r.Step = recovery.StepBuild // this was not noted any more
			if err := r.Write(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := h.copied(t)
			before := c.stored()
			cut(t, c)
			if _, err := os.Stat(filepath.Join(c.data, datadir.RecoveryName)); err == nil {
				if code, _, errs := c.run("ls"); code != exitFailed || !strings.Contains(errs, "is not finished") || !strings.Contains(errs, "→ ibid recover") {
					t.Errorf("meanwhile: exit code %d, %s", code, errs)
				}
			}
			r := c.recovers()
			c.keeps(before)
			// Two versions of terms.md, gone.txt, other.md, the archive and what is in it.
			if r.Documents != 6 || r.Unnamed != 5 || len(r.Failed) != 0 || len(r.Tables) != 1 {
				t.Errorf("recovered: %+v, %+v", r, c.documents())
			}
			for question, words := range map[string]string{"walrus": "sleeps on the ice", "warranty": "lasts three years", "notice period": "three months"} {
				if out := c.must("search", question); !strings.Contains(out, words) {
					t.Errorf("%q is not found:\n%s", question, out)
				}
			}
			left, err := filepath.Glob(filepath.Join(c.data, "*recover*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}

// A database of another directory gives nothing to this one.
func TestRecoverTakesNothingForeign(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "commands, one after the other; other tests start and recover under it")
	h, other := aged(t), newHouse(t)
	other.must("add", other.file("secret.md", "The pelican flies.\n"))
	other.must("ask", "does the pelican fly")
	ibidtest.WriteFile(t, filepath.Join(h.data, datadir.DatabaseName), other.stored()[datadir.DatabaseName])
	before := h.stored()
	r := h.recovers()
	h.keeps(before)
	docs := h.documents()
	if _, foreign := docs["secret.md"]; foreign || len(docs) != 2 || r.Salvaged.Threads != 0 {
		t.Errorf("recovered: %+v, %v", r, docs)
	}
}

func TestRecoverRefusesWhatIsSound(t *testing.T) {
	t.Parallel()
	h := aged(t)
	before := h.stored()
	code, _, errs := h.run("recover")
	if code != exitFailed || !strings.Contains(errs, "its database is sound") || !strings.Contains(errs, "→ ibid doctor") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	h.keeps(before)
	for dir, says := range map[string]string{t.TempDir(): "neither a database nor originals", filepath.Join(h.home, "nowhere"): "there is no data directory"} {
		h.data = dir
		if code, _, errs := h.run("recover"); code != exitFailed || !strings.Contains(errs, says) || !strings.Contains(errs, "--data DIR") {
			t.Errorf("%s: exit code %d: %s", dir, code, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(h.home, "nowhere")); err == nil {
		t.Error("the data directory was made")
	}
}

// With --unlisted the originals that a sound database does not list are added.
func TestRecoverUnlisted(t *testing.T) {
	t.Parallel()
	h := aged(t)
	text := "The heron stands on one leg.\n"
	hash := ibid.VersionOf([]byte(text))
	ibidtest.WriteFile(t, filepath.Join(h.data, "files", hash[:2], hash), text)
	h.must("recover", "--unlisted")
	if docs := h.documents(); len(docs) != 3 || docs["recovered-"+hash[:8]+".txt"].Version != hash {
		t.Errorf("there are %v", docs)
	}
}

// What a version says is taken from the database where that can be read, so an
// original that is gone too costs no more than itself.
func TestRecoverWithoutAnOriginal(t *testing.T) {
	t.Parallel()
	h := aged(t)
	path := filepath.Join(h.data, datadir.DatabaseName)
	zeroPage(t, path, "sqlite_autoindex_documents_1")
	if err := os.Remove(filepath.Join(h.data, filepath.FromSlash(h.original(walrusText)))); err != nil {
		t.Fatal(err)
	}
	if r := h.recovers(); r.Documents != 2 || r.Unnamed != 0 || len(r.Failed) > 0 {
		t.Errorf("recovered: %+v", r)
	}
	h.lists()
}

// A damaged database of an older format gives what one of the present format does.
func TestRecoverAnOlderFormat(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	root := t.TempDir()
	untar(t, "testdata/golden/v03.tar.gz", root)
	var want goldenLibrary
	body, err := os.ReadFile(filepath.Join(root, "clean", "expected.json"))
	if err == nil {
		err = json.Unmarshal(body, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.data = filepath.Join(root, "clean", "data")
	zeroPage(t, filepath.Join(h.data, datadir.DatabaseName), "chunks")
	before := h.stored()
	h.recovers()
	h.keeps(before)
	// Archives could not be opened then.
	i := slices.IndexFunc(want.Documents, func(d goldenDocument) bool { return d.Name == "flat.zip" })
	failed := want.Documents[i]
	docs := h.documents()
	if docs["flat.zip"].ID != failed.ID || docs["lease.txt"].PartOf != failed.ID {
		t.Errorf("the archive is %+v", docs)
	}
	for _, d := range want.Documents {
		if now := docs[d.Name]; now.ID != d.ID || now.Folder != d.Folder {
			t.Errorf("%+v is %+v", d, now)
		}
	}
	if words := h.footnotes(); len(words) == 0 || words[0] != want.Footnotes[0].Words {
		t.Errorf("footnotes open at %q", words)
	}
}

// zeroPage overwrites the page where a table or an index begins.
func zeroPage(t *testing.T, path, name string) {
	t.Helper()
	page := rootPage(t, path, name)
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(body[(page-1)*4096 : page*4096])
	ibidtest.WriteFile(t, path, string(body))
}
