package server

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// csp keeps the page to itself: no other host, no inline script, no frame.
// Styles may be set by script (the page's libraries do), and PDFs are read by a
// worker with WebAssembly decoders.
const csp = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; connect-src 'self'; " +
	"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// page serves the web page. Every path that is no file of it is the page
// itself, which knows its own addresses (/t/{thread}).
func (s *Server) page() http.Handler {
	if s.cfg.Page == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("This ibid was built without its web page. Build it with: make build\n"))
		})
	}
	files := http.FileServerFS(s.cfg.Page)
	packed := packedFiles{files: s.cfg.Page, packed: map[string][]byte{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "the page is only read", http.StatusMethodNotAllowed)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", csp)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		info, err := fs.Stat(s.cfg.Page, name)
		switch {
		case err == nil && !info.IsDir() && strings.HasPrefix(name, "assets/"):
			h.Set("Cache-Control", "public, max-age=31536000, immutable") // their names carry a hash
		case err == nil && !info.IsDir():
			h.Set("Cache-Control", "no-cache")
		default:
			h.Set("Cache-Control", "no-cache")
			http.ServeFileFS(w, r, s.cfg.Page, "index.html")
			return
		}
		if !packed.serve(w, r, name) {
			files.ServeHTTP(w, r)
		}
	})
}

// packedFiles serves the text files of the page packed, to whoever takes them so.
// Each is packed when it is first asked for, and kept: there are few.
type packedFiles struct {
	files  fs.FS
	mu     sync.Mutex
	packed map[string][]byte
}

// worthPacking is the least size of a file that is packed, in bytes.
const worthPacking = 2 << 10

// serve reports whether it has answered.
func (p *packedFiles) serve(w http.ResponseWriter, r *http.Request, name string) bool {
	kind := mime.TypeByExtension(path.Ext(name))
	text := strings.HasPrefix(kind, "text/") || strings.Contains(kind, "javascript") || strings.Contains(kind, "svg")
	if !text || r.Header.Get("Range") != "" {
		return false
	}
	w.Header().Add("Vary", "Accept-Encoding")
	if !takesGzip(r) {
		return false
	}
	content := p.get(name)
	if content == nil {
		return false
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Encoding", "gzip")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return true
}

func takesGzip(r *http.Request) bool {
	offers := strings.Split(r.Header.Get("Accept-Encoding"), ",")
	return slices.ContainsFunc(offers, func(offer string) bool {
		name, weight, _ := strings.Cut(offer, ";")
		return strings.TrimSpace(name) == "gzip" && !strings.HasSuffix(strings.TrimRight(weight, "0."), "q=")
	})
}

// get returns a file packed, nil where that is not worth while.
func (p *packedFiles) get(name string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if content, known := p.packed[name]; known {
		return content
	}
	plain, err := fs.ReadFile(p.files, name)
	if err != nil || len(plain) < worthPacking {
		return nil
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(plain); err != nil || z.Close() != nil {
		return nil
	}
	p.packed[name] = b.Bytes()
	return p.packed[name]
}
