package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ibid"
	"ibid/internal/app"
	"ibid/internal/client"
	"ibid/internal/ibidtest"
)

// unreliable stands between a command and its server. It cuts the stream of changes
// twice, and takes note of what is asked.
type unreliable struct {
	server *url.URL
	first  sync.Once
	sent   chan struct{} // closed once the first upload was answered

	mu      sync.Mutex
	streams int
	asked   []string // "GET /v1/documents?part_of=…"
}

func (u *unreliable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	u.asked = append(u.asked, r.Method+" "+r.URL.String())
	stream := 0
	if r.URL.Path == "/v1/documents/events" {
		u.streams++
		stream = u.streams
	}
	u.mu.Unlock()
	if r.Method == http.MethodPost && r.URL.Path == "/v1/documents" {
		defer u.first.Do(func() { close(u.sent) })
	}
	switch stream {
	case 1: // whatever it would have told of the first upload is lost
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-u.sent
		io.WriteString(w, "event: behind\ndata: {}\n\n")
		return
	case 2:
		u.cut(w, r)
		return
	}
	proxy := httputil.NewSingleHostReverseProxy(u.server)
	proxy.FlushInterval = -1
	proxy.ServeHTTP(w, r)
}

// cut passes on one frame and half of the next.
func (u *unreliable) cut(w http.ResponseWriter, r *http.Request) {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, u.server.String()+r.URL.String(), nil)
	if err != nil {
		panic(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	lines := bufio.NewReader(resp.Body)
	for range 4 {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		io.WriteString(w, line)
	}
	panic(http.ErrAbortHandler)
}

func (u *unreliable) count(prefix string) (n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, asked := range u.asked {
		if strings.HasPrefix(asked, prefix) {
			n++
		}
	}
	return n
}

// TestAddLearnsWhatItMissed adds files over a stream of changes that breaks, and
// adds them again.
func TestAddLearnsWhatItMissed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 120 {
		h.file(fmt.Sprintf("%d/note-%d.md", i%3, i), fmt.Sprintf("# Note %d\n\nThe walrus number %d sleeps.\n", i, i))
	}
	h.file("empty.md", "")
	h.file("large.txt", strings.Repeat("The pelican eats a fish.\n", (1<<20)/20))
	h.file("papers.zip", zipOf("terms.md", warrantyText, "inner.zip", zipOf("note.md", "The key lies under the mat.")))
	_, address := h.serve()
	server, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	add := func() (u *unreliable, lines []string, errs string) {
		t.Helper()
		u = &unreliable{server: server, sent: make(chan struct{})}
		front := httptest.NewServer(u)
		defer front.Close()
		var o, e bytes.Buffer
		c := &cli{out: &o, err: &e, env: ibidtest.Environment("HOME", h.home)}
		s := &app.Session{Client: client.New(client.Endpoint{URL: front.URL}, nil)}
		defer s.Client.Close()
		ctx, cancel := context.WithTimeout(t.Context(), hang)
		defer cancel()
		if err := c.add(ctx, s, []string{filepath.Join(h.home, "docs")}, addOptions{}); err != errReported {
			t.Fatalf("add: %v\n%s%s", err, o.String(), e.String())
		}
		lines = strings.Split(strings.TrimSpace(o.String()), "\n")
		for i := range lines {
			lines[i] = strings.Replace(lines[i], filepath.Join(h.home, "docs")+"/", "", 1)
		}
		slices.Sort(lines)
		return u, lines, e.String()
	}
	u, lines, errs := add()
	if len(slices.Compact(slices.Clone(lines))) != 126 || len(lines) != 126 || !strings.Contains(errs, "1 of 126 documents could not be added") {
		t.Errorf("%d lines, %s:\n%s", len(lines), errs, strings.Join(lines, "\n"))
	}
	for _, want := range []string{"✓ 1/note-1.md: 1 chunk", "✗ empty.md: the file is empty", "✓ papers.zip!/terms.md: 2 chunks", "✓ papers.zip!/inner.zip!/note.md: 1 chunk"} {
		if !slices.Contains(lines, want) {
			t.Errorf("there is no line %q in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	if u.streams < 3 {
		t.Errorf("%d streams", u.streams)
	}
	// 120 notes in two requests at most and the last of a part, and those that go by themselves.
	if n := u.count("POST /v1/documents"); n > 8 {
		t.Errorf("%d requests for 124 files:\n%s", n, strings.Join(u.asked, "\n"))
	}
	for _, asked := range u.asked {
		if strings.HasPrefix(asked, "GET /v1/documents?") && !strings.Contains(asked, "document=") && !strings.Contains(asked, "part_of=") || asked == "GET /v1/documents" {
			t.Errorf("asked for a whole list: %s", asked)
		}
	}

	u, lines, _ = add()
	unchanged := 0
	for _, line := range lines {
		if strings.HasSuffix(line, ": unchanged") {
			unchanged++
		}
	}
	if unchanged != 122 || len(lines) != 123 || u.count("POST /v1/documents") != 2 { // one question, one empty file
		t.Errorf("the second time %d of %d are unchanged, %d requests:\n%s", unchanged, len(lines), u.count("POST /v1/documents"), strings.Join(lines, "\n"))
	}
}

// TestAddOutlivesItsServer kills the server while files are added: the command goes
// on by itself, and tells of every file once.
func TestAddOutlivesItsServer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const files = 150
	for i := range files {
		h.file(fmt.Sprintf("note-%d.md", i), fmt.Sprintf("# Note %d\n\nThe walrus number %d sleeps.\n", i, i))
	}
	server, _ := h.serve()
	add := h.start("add", "docs")
	add.await(add.out, `: 1 chunk`)
	server.cmd.Process.Kill()
	server.end()
	if code := add.end(); code != exitOK {
		errs, _ := add.errs.look()
		t.Fatalf("add: exit code %d\n%s", code, errs)
	}
	out, _ := add.out.look()
	errs, _ := add.errs.look()
	told := map[string]int{}
	for line := range strings.Lines(out) {
		name, _, _ := strings.Cut(line, ":")
		told[name]++
	}
	for name, times := range told {
		if times != 1 {
			t.Errorf("%s: told %d times", name, times)
		}
	}
	var listed []ibid.Document
	if err := json.Unmarshal([]byte(h.must("ls", "--json")), &listed); err != nil {
		t.Fatal(err)
	}
	if len(told) != files || len(listed) != files {
		t.Errorf("told of %d, the library has %d\n%s%s", len(told), len(listed), out, errs)
	}
}
