package server

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
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
		files.ServeHTTP(w, r)
	})
}
