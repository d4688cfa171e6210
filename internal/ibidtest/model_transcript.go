package ibidtest

import (
	"bytes"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Exchange is one request and its answer, as recorded from a real server.
type Exchange struct {
	Method, Path string // "" where the recording does not say
	Request      string // the body that was sent
	Status       int
	Header       http.Header
	Body         []byte
}

// wire holds exchanges that were written for this repository, one for each recording
// that the tests name: what the servers' documentation says of the wire, and what real
// ones were seen to do beside it, in as few words as show it.
//
//go:embed wire
var wire embed.FS

// Transcript reads the exchanges of one recording in the test data,
// "ollama-0.32.14/14-tool.txt" for example. Where the test data is absent it reads the
// exchange of the same name that lies in this package, so that the adapters are tested
// in any clone.
//
// A recording has lines that begin with "> " for what was sent (the first names
// method and path), then a status line, headers, an empty line and the body. A
// recording of a body alone has no status line.
func Transcript(t testing.TB, rel string) []Exchange {
	t.Helper()
	if path := findData(filepath.Join("transcripts", filepath.FromSlash(rel))); path != "" {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return parseTranscript(raw)
	}
	return Written(t, rel)
}

// Written reads the exchange of this package that has the name of a recording.
func Written(t testing.TB, rel string) []Exchange {
	t.Helper()
	server, name := path.Split(rel)
	server, _, _ = strings.Cut(strings.TrimSuffix(server, "/"), "-0.") // of any version
	raw, err := wire.ReadFile(path.Join("wire", server, name))
	if err != nil {
		t.Fatal(err)
	}
	return parseTranscript(raw)
}

// TranscriptBodies returns the bodies of at most limit bytes, to seed fuzzing with:
// those of this package, and the recorded ones where they are.
func TranscriptBodies(limit int) [][]byte {
	places := []fs.FS{wire}
	if dir := findData("transcripts"); dir != "" {
		places = append(places, os.DirFS(dir))
	}
	var texts [][]byte
	for _, place := range places {
		_ = fs.WalkDir(place, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".txt") {
				return nil
			}
			if raw, err := fs.ReadFile(place, path); err == nil {
				texts = append(texts, raw)
			}
			return nil
		})
	}
	var bodies [][]byte
	for _, raw := range texts {
		for _, e := range parseTranscript(raw) {
			if len(e.Body) <= limit {
				bodies = append(bodies, e.Body)
			}
		}
	}
	return bodies
}

func parseTranscript(raw []byte) []Exchange {
	var all []Exchange
	var now *Exchange
	inHeader := false
	begin := func() {
		all = append(all, Exchange{Status: http.StatusOK, Header: http.Header{}})
		now = &all[len(all)-1]
	}
	for line := range bytes.Lines(raw) {
		text := strings.TrimRight(string(line), "\r\n")
		switch {
		case strings.HasPrefix(text, "## "): // several recordings in one file
			now, inHeader = nil, false
		case strings.HasPrefix(text, "curl rc="), text == "...": // remarks of the recorder
		case strings.HasPrefix(text, "> "):
			if now == nil || len(now.Body) > 0 || inHeader {
				begin()
				inHeader = false
			}
			now.sent(text[2:])
		case strings.HasPrefix(text, "HTTP/1.1 "):
			if now == nil || len(now.Body) > 0 {
				begin()
			}
			now.Status, _ = strconv.Atoi(strings.Fields(text)[1])
			inHeader = true
		case inHeader && text == "":
			inHeader = false
		case inHeader:
			if name, value, ok := strings.Cut(text, ":"); ok {
				now.Header.Set(name, strings.TrimSpace(value))
			}
		default:
			if now == nil {
				begin()
			}
			now.Body = append(now.Body, line...)
		}
	}
	return all
}

// sent takes a line of what was sent.
func (e *Exchange) sent(line string) {
	if words := strings.Fields(line); len(words) > 1 && e.Method == "" && (words[0] == "POST" || words[0] == "GET") {
		e.Method, e.Path = words[0], strings.TrimSuffix(words[1], ",") // more words describe the recording
		return
	}
	e.Request += line
}

// ReplayServer answers with recorded bytes: each request takes the next
// exchange whose path ends like its own. Requests that the recording does not
// know get 404.
type ReplayServer struct {
	URL string

	mu       sync.Mutex
	left     []Exchange
	requests []WireRequest
}

// Replay serves the exchanges until the test ends. Where an exchange has no
// path, it answers any request to generate.
func Replay(t testing.TB, exchanges ...Exchange) *ReplayServer {
	s := &ReplayServer{left: exchanges}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.URL = srv.URL
	return s
}

// Requests returns the requests that an exchange answered.
func (s *ReplayServer) Requests() []WireRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]WireRequest(nil), s.requests...)
}

// ServeHTTP implements http.Handler.
func (s *ReplayServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	e, ok := s.take(r, body)
	if !ok {
		http.NotFound(w, r)
		return
	}
	for name, values := range e.Header {
		switch name {
		case "Transfer-Encoding", "Content-Length", "Connection", "Keep-Alive", "Date":
		default:
			w.Header()[name] = values
		}
	}
	w.WriteHeader(e.Status)
	w.Write(e.Body)
}

func (s *ReplayServer) take(r *http.Request, body []byte) (Exchange, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range s.left {
		generates := strings.HasSuffix(r.URL.Path, "/api/chat") || strings.HasSuffix(r.URL.Path, "/chat/completions")
		if e.Path != "" && !strings.HasSuffix(r.URL.Path, e.Path) || e.Path == "" && !generates {
			continue
		}
		s.left = append(s.left[:i:i], s.left[i+1:]...)
		s.requests = append(s.requests, WireRequest{Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
		return e, true
	}
	return Exchange{}, false
}
