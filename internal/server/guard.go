package server

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"ibid"
)

// guard lets through who may call the API. Without a token only loopback names
// are answered, so that a web page cannot reach us through a name of its own
// that points here (DNS rebinding); and never a request that a page of another
// site has sent.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case fromAnotherSite(r):
			s.fail(w, r, &ibid.Error{Code: ibid.CodeForbidden, Message: "requests from other sites are refused"})
		case s.rebound(r):
			s.fail(w, r, &ibid.Error{Code: ibid.CodeForbidden, Message: "this server answers to its loopback name only",
				Hint: "open it as http://127.0.0.1, or set a token"})
		case s.cfg.Token != "" && !validToken(r, s.cfg.Token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.fail(w, r, &ibid.Error{Code: ibid.CodeUnauthorized, Message: "this server needs its token",
				Hint: "send it as: Authorization: Bearer TOKEN"})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// rebound reports whether a server that asks for no token was called by a name
// that is not its own.
func (s *Server) rebound(r *http.Request) bool { return s.cfg.Token == "" && !s.localName(r.Host) }

// named serves the page under the server's own names only: under another one none
// of the page's calls would be answered.
func (s *Server) named(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.rebound(r) {
			http.Error(w, "this ibid answers to its loopback name only: open it as http://127.0.0.1", http.StatusForbidden)
			return
		}
		page.ServeHTTP(w, r)
	})
}

// fromAnotherSite tells by the headers that every current browser sends.
func fromAnotherSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "cross-site", "same-site":
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host != r.Host
}

func (s *Server) localName(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") || slices.Contains(s.cfg.Hosts, host) {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func validToken(r *http.Request, token string) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && // RFC 9110, 11.1: in any case
		subtle.ConstantTimeCompare([]byte(strings.TrimSpace(given)), []byte(token)) == 1
}

// recover keeps one broken request from being more than that.
func (s *Server) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.cfg.Log.Error("panic in a request", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			s.fail(w, r, ibid.Errorf(ibid.CodeInternal, "something went wrong"))
		}()
		next.ServeHTTP(w, r)
	})
}

// recentSet remembers the last few strings it was given.
type recentSet struct {
	mu    sync.Mutex
	limit int
	in    map[string]bool
	order []string
}

func newRecentSet(limit int) *recentSet {
	return &recentSet{limit: limit, in: map[string]bool{}}
}

func (s *recentSet) add(v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in[v] {
		return
	}
	s.in[v] = true
	if s.order = append(s.order, v); len(s.order) > s.limit {
		delete(s.in, s.order[0])
		s.order = s.order[1:]
	}
}

func (s *recentSet) has(v string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.in[v]
}
