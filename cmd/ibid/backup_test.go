package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/app/datadir"
	"ibid/internal/backup"
	"ibid/internal/disk"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// originals are the originals and tables of a data directory, by path.
func (h house) originals() map[string]string {
	files := h.stored()
	maps.DeleteFunc(files, func(path, _ string) bool {
		return !regexp.MustCompile(`^(files/../|databases/)`).MatchString(path)
	})
	return files
}

// elsewhere is the house with another data directory.
func (h house) elsewhere(name string) house {
	h.data = filepath.Join(h.home, name)
	return h
}

// stop ends a server as Ctrl-C does.
func (p *process) stop() {
	p.t.Helper()
	p.cmd.Process.Signal(os.Interrupt)
	p.end()
}

// A backup is made while a question is being answered and files are added, and
// what is restored from it is a library that answers as this one does.
func TestBackupWhileItIsUsed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText), h.file("other.md", walrusText))
	h.must("database", "add", h.file("sales.csv", "item,price\nlamp,10\nchair,25\n"))
	h.must("ask", "How long does the warranty last?")
	var threads []ibid.Thread
	if err := json.Unmarshal([]byte(h.must("ls", "--threads", "--json")), &threads); err != nil || len(threads) != 1 {
		t.Fatalf("%d threads, %v", len(threads), err)
	}
	gate := ibidtest.NewGate(1)
	_, flags := scriptedModel(t, ibidtest.Reply{Text: []string{"two ", "years"}, Gate: gate})
	server, _ := h.serve(flags...)
	asking := h.start("ask", "--think", "off", "how long?")
	<-gate.Reached()
	to := filepath.Join(h.home, "backup")
	if out := h.must("backup", to); !strings.Contains(out, "2 documents and 2 conversations") || !strings.Contains(out, "read back") {
		t.Errorf("backup said %q", out)
	}
	h.must("add", h.file("late.md", "# Late\n\nThe pelican flies at noon.\n"))
	if out := h.must("backup", to); !strings.Contains(out, "3 documents") {
		t.Errorf("the second backup said %q", out)
	}
	gate.Open()
	if code := asking.end(); code != exitOK {
		t.Errorf("the answer ended with %d", code)
	}
	var list struct {
		Copies []backup.Copy `json:"copies"`
	}
	if err := json.Unmarshal([]byte(h.must("backup", "--list", "--json", to)), &list); err != nil || len(list.Copies) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	server.stop()

	restored := h.elsewhere("restored")
	restored.must("restore", to)
	if got, want := restored.originals(), h.originals(); !maps.Equal(got, want) || len(got) != 4 {
		t.Errorf("%d originals and tables were restored, want %d that are the same", len(got), len(want))
	}
	if mine, theirs := h.stored()[datadir.IdentityName], restored.stored()[datadir.IdentityName]; mine != theirs {
		t.Errorf("the identity is %q, not %q", theirs, mine)
	}
	for _, command := range [][]string{{"ls", "--json"}, {"ls", "--json", "--folder", ""}, {"database", "ls", "--json"}, {"show", "--json", threads[0].ID},
		{"search", "--json", "damage by water"}, {"ask", "When does the pelican fly?"}, {"ask", "Does the warranty cover water?"}} {
		got, want := restored.must(command...), h.must(command...)
		if command[0] == "search" {
			got, want = withoutTimes(got), withoutTimes(want)
		}
		if got != want {
			t.Errorf("%v:\n%s\nis not\n%s", command, got, want)
		}
	}
	if out := restored.must("doctor", "--scrub"); !strings.Contains(out, "3 originals") {
		t.Errorf("doctor said\n%s", out)
	}

	older := h.elsewhere("older")
	older.must("restore", to, "--at", list.Copies[0].Name)
	if out := older.must("ls", "--json"); strings.Contains(out, "late.md") || !strings.Contains(out, "terms.md") {
		t.Errorf("the older copy has %s", out)
	}
}

// withoutTimes takes how long it took out of the answer to a search.
func withoutTimes(text string) string {
	return regexp.MustCompile(`"\w*(_ms|searches)": ?[0-9.]+`).ReplaceAllString(text, "")
}

// A backup that an older ibid made is restored, and opens as its data directory does.
func TestBackupsOfOlderFormats(t *testing.T) {
	ibidtest.WithoutRace(t, "commands, one after the other; other tests restore under it")
	t.Setenv("IBID_LIMITS_KEEP_REMOVED", "800000h")
	for _, version := range []string{"v01", "v12"} {
		root := t.TempDir()
		untar(t, "testdata/golden/"+version+".tar.gz", root)
		var want goldenLibrary
		body, err := os.ReadFile(filepath.Join(root, "clean", "expected.json"))
		if err := errors.Join(err, json.Unmarshal(body, &want)); err != nil {
			t.Fatal(err)
		}
		h := newHouse(t)
		old, to := filepath.Join(root, "clean", "data"), filepath.Join(h.home, "backup")
		library := backup.Config{FS: disk.OS{}, Dir: old, Blobs: datadir.Originals(old), Now: time.Now, Hold: func() func() { return func() {} },
			Copy: func(_ context.Context, path string, _ func(done, total int64) error) error {
				body, err := os.ReadFile(filepath.Join(old, datadir.DatabaseName))
				return errors.Join(err, os.WriteFile(path, body, 0o600))
			}}
		if _, err := library.Run(t.Context(), backup.Job{To: to}); err != nil {
			t.Fatal(version, err)
		}
		h.must("restore", to)
		h.opensGolden(want)
	}
}

// heavy writes a Word file with a picture of random bytes, which is read quickly
// and takes long to copy.
func (h house) heavy(name string, mb int) string {
	h.t.Helper()
	var body bytes.Buffer
	z := zip.NewWriter(&body)
	for path, text := range map[string]string{
		"[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels":         `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml":   `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>The stork of ` + name + ` stands on one leg.</w:t></w:r></w:p></w:body></w:document>`,
	} {
		w, _ := z.Create(path)
		io.WriteString(w, text)
	}
	w, _ := z.CreateHeader(&zip.FileHeader{Name: "word/media/picture.bin", Method: zip.Store})
	io.CopyN(w, rand.Reader, int64(mb)<<20)
	z.Close()
	return ibidtest.WriteFile(h.t, filepath.Join(h.home, "docs", name), body.String())
}

// The server is killed in the middle of a backup, and the command in the middle of
// a restore: the same command again goes on, and says so.
func TestBackupAndRestoreAreGoneOnWith(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText), h.heavy("a.docx", 40), h.heavy("b.docx", 40))
	for _, to := range []string{filepath.Join(h.home, "backup"), filepath.Join(h.home, "all.tar")} {
		server, _ := h.serve()
		backing := h.start("backup", to)
		backing.await(backing.errs, "copying files, 80")
		kept := to
		if backup.IsArchive(to) {
			kept += ".partial"
		}
		awaitBytes(t, kept, 30<<20)
		server.cmd.Process.Kill()
		server.end()
		if code := backing.end(); code != exitFailed {
			t.Errorf("%s: the backup ended with %d", to, code)
		}
		backing.await(backing.errs, "run the command again")
		code, out, errs := h.run("backup", to)
		if code != exitOK || !strings.Contains(errs, "going on with what an earlier attempt has left") || !strings.Contains(out, "3 documents") {
			t.Fatalf("%s: exit code %d\n%s%s", to, code, out, errs)
		}
	}
	restored := h.elsewhere("restored")
	restoring := restored.start("restore", filepath.Join(h.home, "all.tar"))
	restoring.await(restoring.errs, "copying files, 80")
	restoring.cmd.Process.Kill()
	restoring.end()
	if code, _, errs := restored.run("ls"); code != exitFailed || !strings.Contains(errs, "is not finished") || !strings.Contains(errs, "ibid restore "+h.home) {
		t.Errorf("between two attempts: exit code %d, %s", code, errs)
	}
	if code, _, errs := restored.run("restore", filepath.Join(h.home, "backup")); code != exitFailed || !strings.Contains(errs, "another restore") {
		t.Errorf("another backup: exit code %d, %s", code, errs)
	}
	code, out, errs := restored.run("restore", filepath.Join(h.home, "all.tar"))
	if code != exitOK || !strings.Contains(errs, "going on") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	if !maps.Equal(restored.originals(), h.originals()) {
		t.Error("the originals are not those of the library")
	}
	if out := restored.must("ask", "On what does the stork of b.docx stand?"); !strings.Contains(out, "one leg") {
		t.Errorf("the answer is %q", out)
	}
}

// awaitBytes waits until a folder or a file holds so many bytes.
func awaitBytes(t *testing.T, path string, least int64) {
	t.Helper()
	deadline := time.Now().Add(hang)
	for time.Now().Before(deadline) {
		total := int64(0)
		filepath.Walk(path, func(_ string, info os.FileInfo, err error) error {
			if err == nil && !info.IsDir() {
				total += info.Size()
			}
			return nil
		})
		if total >= least {
			return
		}
	}
	t.Fatalf("%s never held %d bytes", path, least)
}

// A sound library is replaced only where that is asked for, a damaged one without;
// what was there is moved aside.
func TestWhatIsThereIsMovedAside(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	ibidtest.WriteFile(t, filepath.Join(h.data, "ibid.toml"), "log_level = \"warn\"\ntoken = \"open sesame\"\n")
	to := filepath.Join(h.home, "backup")
	h.must("backup", to)
	found := 0
	filepath.Walk(to, func(path string, info os.FileInfo, err error) error {
		if body, _ := os.ReadFile(path); strings.Contains(string(body), "sesame") {
			t.Errorf("%s holds the token", path)
		}
		if filepath.Base(path) == "ibid.toml" {
			found++
		}
		return err
	})
	if found != 1 {
		t.Errorf("%d settings files are in the backup", found)
	}
	h.must("add", h.file("other.md", walrusText))
	if code, _, errs := h.run("restore", to); code != exitFailed || !strings.Contains(errs, "sound library") || !strings.Contains(errs, "--replace") {
		t.Errorf("over a sound library: exit code %d, %s", code, errs)
	}
	server, _ := h.serve()
	if code, _, errs := h.run("restore", to, "--replace"); code != exitFailed || !strings.Contains(errs, "is held by") {
		t.Errorf("beside a server: exit code %d, %s", code, errs)
	}
	server.stop()
	h.must("restore", to, "--replace")
	if out := h.must("ls", "--json"); strings.Contains(out, "other.md") {
		t.Errorf("restored is %s", out)
	}
	aside, _ := filepath.Glob(filepath.Join(h.data, "before-restore-*"))
	if len(aside) != 1 {
		t.Fatalf("aside are %q", aside)
	}
	if out := (house{t: t, home: h.home, data: aside[0]}).must("ls", "--json"); !strings.Contains(out, "other.md") {
		t.Errorf("aside is %s", out)
	}
	if body, _ := os.ReadFile(filepath.Join(h.data, "ibid.toml")); !strings.Contains(string(body), "sesame") {
		t.Errorf("the settings are %q", body)
	}
	if err := os.Truncate(filepath.Join(h.data, datadir.DatabaseName), 5000); err != nil {
		t.Fatal(err)
	}
	h.must("restore", to)
	if out := h.must("ls", "--json"); !strings.Contains(out, "terms.md") {
		t.Errorf("restored over a damaged one is %s", out)
	}
}

// Over HTTP nobody names a path, with the token or without.
func TestNobodyNamesPathsOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cfg := ibidtest.WriteFile(t, filepath.Join(h.home, "ibid.toml"), `token = "open sesame"`)
	_, url := h.serve("--config", cfg)
	to := filepath.Join(h.home, "written")
	for path, body := range map[string]string{"/v1/backup": `{"to":"` + to + `"}`, "/v1/mend": `{"from":"` + to + `"}`} {
		for _, owner := range []string{"", "open sesame", "guess"} {
			req, _ := http.NewRequest(http.MethodPost, url+path, strings.NewReader(body))
			req.Header.Set("Authorization", "Bearer open sesame")
			if owner != "" {
				req.Header.Set("Ibid-Owner", owner)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %q: %s", path, owner, resp.Status)
			}
		}
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("something was written")
	}
	h.must("backup", to) // who can read server.json may
	for _, path := range []string{"/v1/status", "/v1/settings", "/v1/doctor"} {
		info, err := datadir.ReadServerInfo(h.data)
		if err != nil || info.Owner == "" {
			t.Fatalf("%+v, %v", info, err)
		}
		if strings.Contains(getBody(t, url+path, "open sesame"), info.Owner) {
			t.Errorf("%s tells the owner's word", path)
		}
	}
}

// A backup that is scheduled and was missed is made when the server starts.
func TestAMissedBackupIsMadeUpFor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	to := filepath.Join(h.home, "backup")
	cfg := ibidtest.WriteFile(t, filepath.Join(h.home, "ibid.toml"), "backup = \"weekly on sunday to "+to+", keep 2\"")
	if code, out, _ := h.run("doctor", "--config", cfg); code != exitOK || !strings.Contains(out, "none was made yet") {
		t.Errorf("doctor said\n%s", out)
	}
	server, url := h.serve("--config", cfg)
	server.await(server.errs, `msg="backed up" to=\S+ copy=\S+`)
	body := getBody(t, url+"/v1/status", "")
	var status api.Status
	if err := json.Unmarshal([]byte(body[len("200 "):]), &status); err != nil {
		t.Fatal(err)
	}
	if b := status.Backup; b.Last == nil || !b.Last.OK || b.Last.Result.Documents != 1 || b.Next == nil || b.Next.Weekday() != time.Sunday && b.Next.Local().Weekday() != time.Sunday {
		t.Errorf("the status says %+v", b)
	}
	if out := h.must("doctor"); !strings.Contains(out, "✓ backup") {
		t.Errorf("doctor said\n%s", out)
	}
	if copies, err := backup.List(to); err != nil || len(copies) != 1 {
		t.Errorf("%d copies, %v", len(copies), err)
	}
	h.must("backup") // the one that is set
	if copies, err := backup.List(to); err != nil || len(copies) != 2 {
		t.Errorf("%d copies, %v", len(copies), err)
	}
	code, _, errs := h.run("ls", "--config", ibidtest.WriteFile(t, filepath.Join(h.home, "bad.toml"), `backup = "sometimes to /mnt"`))
	if code != exitFailed || !strings.Contains(errs, `write it like "daily to`) {
		t.Errorf("a bad schedule: exit code %d, %s", code, errs)
	}
}

// A flipped byte in an original is found, by command and in the background; nothing
// is deleted, and a backup mends it.
func TestAFlippedByteIsFound(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "commands, one after the other; other tests scrub under it")
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText), h.file("other.md", walrusText))
	to := filepath.Join(h.home, "backup")
	h.must("backup", to)
	path := h.original(walrusText)
	flip := func() {
		ibidtest.WriteFile(t, filepath.Join(h.data, path), flipped(walrusText, 20))
	}
	flip()
	if out := h.must("doctor"); !strings.Contains(out, "✓ originals") {
		t.Errorf("doctor goes by sizes alone:\n%s", out)
	}
	code, out, _ := h.run("doctor", "--scrub", "--json")
	if code != exitFailed || !strings.Contains(out, "that of other.md is damaged") || !strings.Contains(out, "--only-damaged") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, out, _ := h.run("doctor"); code != exitFailed || !strings.Contains(out, "✗ bytes of originals") {
		t.Errorf("doctor has forgotten it: exit code %d\n%s", code, out)
	}
	if body, _ := os.ReadFile(filepath.Join(h.data, path)); string(body) != flipped(walrusText, 20) {
		t.Error("the damaged original was touched")
	}
	h.must("add", filepath.Join(h.home, "docs", "other.md")) // not taken for unchanged
	if body, _ := os.ReadFile(filepath.Join(h.data, path)); string(body) != walrusText {
		t.Errorf("added again, the original is %q", body)
	}
	if out := h.must("doctor"); !strings.Contains(out, "✓ bytes of originals") {
		t.Errorf("after it was added again doctor said:\n%s", out)
	}
	flip()
	if out := h.must("restore", to, "--only-damaged"); !strings.Contains(out, "read 2 originals: 1 put back") {
		t.Errorf("restore said %q", out)
	}
	if body, _ := os.ReadFile(filepath.Join(h.data, path)); string(body) != walrusText {
		t.Errorf("the original is %q", body)
	}
	h.must("doctor", "--scrub")

	flip()
	next, _ := json.Marshal(api.ScrubState{Next: time.Now().Add(-time.Hour), Problems: []api.ScrubProblem{}})
	inDatabase(t, filepath.Join(h.data, datadir.DatabaseName), "UPDATE settings SET value = '"+string(next)+"' WHERE name = 'scrub'")
	server, url := h.serve()
	server.await(server.errs, `an original is not what it was.*other\.md`)
	server.await(server.errs, "originals are damaged or missing")
	if body := getBody(t, url+"/v1/status", ""); !strings.Contains(body, `"name":"other.md"`) {
		t.Errorf("the status says %s", body)
	}
	if out := h.must("restore", to, "--only-damaged"); !strings.Contains(out, "1 put back") { // beside the server
		t.Errorf("restore said %q", out)
	}
	h.must("doctor", "--scrub")
}

// A reading of all originals that was cut short goes on where it was.
func TestScrubGoesOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText), h.file("other.md", walrusText))
	first, second := ibid.VersionOf([]byte(warrantyText)), ibid.VersionOf([]byte(walrusText))
	if second < first {
		first, second = second, first
	}
	for _, hash := range []string{first, second} {
		os.Remove(filepath.Join(h.data, "files", hash[:2], hash))
	}
	state, _ := json.Marshal(api.ScrubState{Next: time.Now().Add(-time.Hour), Place: first, Checked: 1, Problems: []api.ScrubProblem{}})
	inDatabase(t, filepath.Join(h.data, datadir.DatabaseName), "INSERT OR REPLACE INTO settings VALUES ('scrub', '"+string(state)+"')")
	server, url := h.serve()
	server.await(server.errs, "originals are damaged or missing")
	var status api.Status
	if err := json.Unmarshal([]byte(getBody(t, url+"/v1/status", "")[len("200 "):]), &status); err != nil {
		t.Fatal(err)
	}
	if s := status.Scrub; s.Checked != 2 || len(s.Problems) != 1 || s.Problems[0].Hash != second || !s.Problems[0].Missing || s.Place != "" {
		t.Errorf("the status says %+v", s)
	}
}
