package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ibid/internal/app/datadir"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// A golden data directory was written by the ibid of its format version, the number
// of migrations that it had. scripts/golden makes them.

// goldenLibrary is what the ibid that wrote a directory said of its library.
type goldenLibrary struct {
	Documents []goldenDocument
	Threads   []goldenThread
	Footnotes []struct {
		DocumentID string `json:"document_id"`
		Version    string
		Start, End int
		Words      string
	}
	Databases []string
}

type goldenDocument struct{ ID, Name, Folder, Version string }

type goldenThread struct {
	ID, Title string
	Messages  []goldenMessage
}

type goldenMessage struct{ ID, Role, Text, Status string }

func TestGoldenDataDirectories(t *testing.T) {
	ibidtest.WithoutRace(t, "commands, one after the other; those of the present format are run under it by other tests")
	binary(t)
	migrations, err := filepath.Glob("../../internal/store/sqlite/schema/migrations/*.sql")
	if err != nil || len(migrations) == 0 {
		t.Fatal(migrations, err)
	}
	// Texts that were removed or replaced when the directories were made are not swept.
	t.Setenv("IBID_LIMITS_KEEP_REMOVED", "800000h")
	present := fmt.Sprintf("testdata/golden/v%02d.tar.gz", len(migrations))
	if _, err := os.Stat(present); err != nil {
		t.Errorf("there is no golden data directory of the present format version: make it with\n\tgo run ./scripts/golden\n(%v)", err)
	}
	archives, err := filepath.Glob("testdata/golden/*.tar.gz")
	if err != nil || len(archives) < 12 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		name := strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
		root := t.TempDir()
		untar(t, archive, root)
		for _, end := range []string{"clean", "killed"} {
			t.Run(name+" "+end, func(t *testing.T) {
				var want goldenLibrary
				body, err := os.ReadFile(filepath.Join(root, end, "expected.json"))
				if err == nil {
					err = json.Unmarshal(body, &want)
				}
				if err != nil {
					t.Fatal(err)
				}
				h := house{t: t, home: t.TempDir(), data: filepath.Join(root, end, "data")}
				h.opensGolden(want)
			})
		}
	}
}

// opensGolden shows that today's ibid has all that the older one had.
func (h house) opensGolden(want goldenLibrary) {
	h.t.Helper()
	before := h.stored()
	server, at := h.serve()
	defer func() {
		server.cmd.Process.Kill()
		server.end()
	}()
	var docs []goldenDocument
	for page := range h.pages(at, "/v1/documents?") {
		var said struct{ Documents []goldenDocument }
		h.decode(page, &said)
		docs = append(docs, said.Documents...)
	}
	sameSet(h.t, "documents", docs, want.Documents, func(d goldenDocument) string { return d.ID })
	var threads []goldenThread
	for page := range h.pages(at, "/v1/threads?") {
		var said struct{ Threads []goldenThread }
		h.decode(page, &said)
		threads = append(threads, said.Threads...)
	}
	for i := range threads {
		for page := range h.pages(at, "/v1/threads/"+threads[i].ID+"/messages?all=true") {
			var said struct{ Messages []goldenMessage }
			h.decode(page, &said)
			threads[i].Messages = append(said.Messages, threads[i].Messages...)
		}
		if j := slices.IndexFunc(want.Threads, func(t goldenThread) bool { return t.ID == threads[i].ID }); j >= 0 {
			sameSet(h.t, "messages", threads[i].Messages, want.Threads[j].Messages, func(m goldenMessage) string { return m.ID })
			threads[i].Messages, want.Threads[j].Messages = nil, nil
		}
	}
	sameSet(h.t, "threads", threads, want.Threads, func(t goldenThread) string { return t.ID })
	if len(want.Footnotes) == 0 {
		h.t.Error("no footnotes are to be opened")
	}
	for _, f := range want.Footnotes {
		var said struct{ Text string }
		h.get(at+"/v1/documents/"+f.DocumentID+"/text?version="+f.Version, &said)
		if f.End > len(said.Text) || said.Text[f.Start:f.End] != f.Words {
			h.t.Errorf("a footnote on %s opens at other words than %q", f.DocumentID, f.Words)
		}
	}
	var databases struct{ Databases []struct{ Name string } }
	h.get(at+"/v1/databases", &databases)
	if len(databases.Databases) != len(want.Databases) {
		h.t.Errorf("attached are %v, want %v", databases.Databases, want.Databases)
	}
	for question, words := range map[string]string{"where does the walrus sleep": "sleeps on the ice", "how long does the warranty last": "three years", "refund": "paid to the card"} {
		var found struct{ Passages []struct{ Text string } }
		h.get(at+"/v1/search?limit=1&q="+url.QueryEscape(question), &found)
		if len(found.Passages) != 1 || !strings.Contains(found.Passages[0].Text, words) {
			h.t.Errorf("%q finds %+v", question, found.Passages)
		}
	}
	var report struct{ Checks []api.Check }
	h.get(at+"/v1/doctor", &report)
	for _, c := range report.Checks {
		if c.Level == api.LevelFail || c.Name == "unknown files" && c.Level != api.LevelOK {
			h.t.Errorf("doctor: %s: %s", c.Name, c.Message)
		}
	}
	server.cmd.Process.Signal(syscall.SIGTERM)
	server.end()
	after := h.stored()
	for path, body := range before {
		kept := strings.HasPrefix(path, "files/") || strings.HasPrefix(path, "databases/")
		if now, there := after[path]; kept && (!there || now != body) {
			h.t.Errorf("%s is gone or has changed", path)
		}
	}
	if _, err := datadir.ReadIdentity(h.data); err != nil {
		h.t.Error(err)
	}
}

// sameSet compares two sets by their ids.
func sameSet[T any](t *testing.T, what string, got, want []T, id func(T) string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d %s, want %d", len(got), what, len(want))
	}
	for _, w := range want {
		i := slices.IndexFunc(got, func(g T) bool { return id(g) == id(w) })
		if i < 0 {
			t.Errorf("of the %s, %+v is gone", what, w)
		} else if fmt.Sprint(got[i]) != fmt.Sprint(w) {
			t.Errorf("of the %s, %+v was %+v", what, got[i], w)
		}
	}
}

// pages are the pages of a list.
func (h house) pages(at, path string) func(yield func(json.RawMessage) bool) {
	return func(yield func(json.RawMessage) bool) {
		for cursor := ""; ; {
			address := at + path
			if cursor != "" {
				address += "&cursor=" + url.QueryEscape(cursor)
			}
			var page json.RawMessage
			h.get(address, &page)
			var more struct{ Next string }
			h.decode(page, &more)
			if !yield(page) || more.Next == "" {
				return
			}
			cursor = more.Next
		}
	}
}

func (h house) get(address string, into any) {
	h.t.Helper()
	res, err := http.Get(address)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		h.t.Fatalf("%s: %s: %s, %v", address, res.Status, body, err)
	}
	h.decode(body, into)
}

func (h house) decode(body []byte, into any) {
	h.t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		h.t.Fatal(err)
	}
}

func untar(t *testing.T, archive, root string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for files := tar.NewReader(z); ; {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		ibidtest.WriteFile(t, filepath.Join(root, filepath.FromSlash(head.Name)), string(body))
	}
}
