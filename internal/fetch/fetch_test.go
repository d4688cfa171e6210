package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"ibid"
)

func newFetcher(t *testing.T, cfg Config) *Fetcher {
	t.Helper()
	cfg.Endings = map[string][]string{"text/html": {".html", ".htm"}, "application/pdf": {".pdf"}, "text/markdown": {".md"}}
	f, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// wantRefused checks that a fetch fails with one of our errors that says why.
func wantRefused(t *testing.T, f *Fetcher, at, why string) {
	t.Helper()
	_, err := f.Get(context.Background(), at)
	var ours *ibid.Error
	if !errors.As(err, &ours) || !strings.Contains(ours.Message, why) {
		t.Errorf("%s: error is %v, want one of ours with %q", at, err, why)
	}
}

// site is a server with pages of many kinds.
func site(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	serve := func(path, kind, disposition, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			if disposition != "" {
				w.Header().Set("Content-Disposition", disposition)
			}
			fmt.Fprint(w, body)
		})
	}
	serve("/{$}", "text/html; charset=utf-8", "", "<p>home")
	serve("/doc/guide", "text/html", "", "<p>guide")
	serve("/paper", "application/pdf", `attachment; filename="../../etc/The paper.pdf"`, "%PDF-1.7")
	serve("/notes.md", "text/plain", "", "# notes")
	serve("/plain", "text/plain", "", "plain")
	serve("/page.htm", "text/html", "", "<p>")
	serve("/lies", "text/html", "", "%PDF-1.7 and more")
	serve("/big", "text/plain", "", strings.Repeat("x", 1001))
	redirect := func(path, to string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	}
	redirect("/moved", "/doc/guide")
	redirect("/round", "/round")
	redirect("/file", "file:///etc/passwd")
	redirect("/metadata", "http://169.254.169.254/latest/meta-data/")
	redirect("/login", "http://user:secret@example.org/")
	redirect("/port", "http://example.org:22/")
	mux.HandleFunc("GET /bomb", func(w http.ResponseWriter, _ *http.Request) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.CopyN(z, zeros{}, 4<<20)
		z.Close()
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(b.Bytes())
	})
	mux.HandleFunc("GET /brotli", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		fmt.Fprint(w, "x")
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestGet(t *testing.T) {
	srv := site(t)
	f := newFetcher(t, Config{MaxBytes: 1000, Timeout: 3 * time.Minute, Allow: []string{"127.0.0.1"}})
	for path, want := range map[string][2]string{
		"/": {"127.0.0.1.html", "text/html"}, "/doc/guide": {"guide.html", "text/html"}, "/paper": {"The paper.pdf", "application/pdf"},
		"/notes.md": {"notes.md", "text/plain"}, "/plain": {"plain.txt", "text/plain"}, "/page.htm": {"page.htm", "text/html"},
		"/moved": {"guide.html", "text/html"}, "/lies": {"lies.pdf", "application/pdf"},
	} {
		p, err := f.Get(context.Background(), srv.URL+path)
		if err != nil || p.Name != want[0] || p.MIME != want[1] || len(p.Body) == 0 {
			t.Errorf("%s is fetched as %q, %s, %d bytes (%v), want %q", path, p.Name, p.MIME, len(p.Body), err, want)
		}
	}
	if p, err := f.Get(context.Background(), srv.URL+"/moved"); err != nil || p.URL != srv.URL+"/doc/guide" {
		t.Errorf("a page that moved was found at %q (%v)", p.URL, err)
	}
	for path, why := range map[string]string{
		"/big": "larger than 1000 bytes", "/bomb": "larger than 1000 bytes", "/brotli": "packed", "/round": "more than 5 redirects",
		"/nowhere": "404", "/file": "only http and https", "/metadata": "its own network", "/login": "password", "/port": "ports 80 and 443",
	} {
		wantRefused(t, f, srv.URL+path, why)
	}
	for _, bad := range []string{"ftp://example.org/x", "file:///etc/passwd", "http://", "https://%zz", "gopher://x.org", "//example.org", "javascript:alert(1)"} {
		wantRefused(t, f, bad, "")
	}
}

func TestLocalAddressesAreRefused(t *testing.T) {
	f := newFetcher(t, Config{})
	for _, host := range []string{
		"127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST.", "router", "nas.local", "x.internal", "10.0.0.5", "172.16.0.1", "192.168.1.1",
		"169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1",
		"[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[fd12::1]", "[ff02::1]", "[::ffff:10.0.0.1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]",
		"[64:ff9b::7f00:1]", "[64:ff9b::a00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::1]", "[2001:0:1::1]", "[2001:db8::1]", "[fec0::1]",
		"2130706433", "0x7f000001",
	} {
		wantRefused(t, f, "http://"+host+"/", "its own network")
	}
	for _, a := range []string{"93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"} {
		if !IsPublic(netip.MustParseAddr(a)) {
			t.Errorf("%s counts as local", a)
		}
	}
	wantRefused(t, f, "https://example.org:8443/", "ports 80 and 443")
	wantRefused(t, f, "https://user@example.org/", "user name")
}

// names is a DNS server that gives every name the addresses in turn.
func names(t *testing.T, asked *atomic.Int32, addresses ...string) *net.Resolver {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-ended })
	go func() {
		defer close(ended)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response = true
			m.Additionals = nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				i := int(asked.Add(1)) - 1
				a := netip.MustParseAddr(addresses[i%len(addresses)]).As4()
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body: &dnsmessage.AResource{A: a}}}
			}
			if out, err := m.Pack(); err == nil {
				conn.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// A name that looks public and resolves to this machine, at once or only when it
// is dialled, is refused without a connection.
func TestNamesThatResolveToLocalAddresses(t *testing.T) {
	var asked atomic.Int32
	f := newFetcher(t, Config{})
	f.resolver = names(t, &asked, "127.0.0.1", "10.0.0.1", "169.254.169.254")
	for range 3 {
		wantRefused(t, f, "http://rebind.example.org/", "rebind.example.org is this machine")
	}
	if asked.Load() < 3 {
		t.Errorf("the name was looked up %d times, want once for each fetch", asked.Load())
	}
}

func TestAllow(t *testing.T) {
	srv := site(t)
	port := srv.URL[strings.LastIndexByte(srv.URL, ':')+1:]
	for _, entry := range []string{"127.0.0.1", "127.0.0.1:" + port, "127.0.0.0/8"} {
		f := newFetcher(t, Config{Allow: []string{entry}})
		if _, err := f.Get(context.Background(), srv.URL+"/plain"); err != nil {
			t.Errorf("with %s allowed: %v", entry, err)
		}
	}
	var asked atomic.Int32
	named := newFetcher(t, Config{Allow: []string{"wiki.example.org:" + port}})
	named.resolver = names(t, &asked, "127.0.0.1")
	if _, err := named.Get(context.Background(), "http://wiki.example.org:"+port+"/plain"); err != nil {
		t.Errorf("a name that is allowed: %v", err)
	}
	for _, entry := range []string{"127.0.0.1:1", "10.0.0.0/8", "localhost"} {
		wantRefused(t, newFetcher(t, Config{AnyPort: true, Allow: []string{entry}}), srv.URL+"/plain", "its own network")
	}
	for _, bad := range []string{"http://x", "10.0.0.0/99", "a b"} {
		if _, err := New(Config{Allow: []string{bad}}); err == nil {
			t.Errorf("%q was taken as an entry", bad)
		}
	}
}

func TestNothingIsCarriedAlong(t *testing.T) {
	var cookie, referer string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
			http.Redirect(w, r, "/next", http.StatusFound)
			return
		}
		cookie, referer = r.Header.Get("Cookie"), r.Header.Get("Referer")
	}))
	defer srv.Close()
	f := newFetcher(t, Config{Allow: []string{"127.0.0.1"}})
	if _, err := f.Get(context.Background(), srv.URL+"/"); err != nil || cookie != "" || referer != "" {
		t.Errorf("cookie %q and referer %q were sent (%v)", cookie, referer, err)
	}
}

func TestSilentServer(t *testing.T) {
	gone := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	}))
	defer srv.Close()
	defer close(gone)
	wantRefused(t, newFetcher(t, Config{Timeout: 50 * time.Millisecond, Allow: []string{"127.0.0.1"}}), srv.URL, "did not come within")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newFetcher(t, Config{Allow: []string{"127.0.0.1"}}).Get(ctx, srv.URL); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancellation the error is %v", err)
	}
}

func TestProxy(t *testing.T) {
	var through []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		through = append(through, r.URL.String())
		fmt.Fprint(w, "by proxy")
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := newFetcher(t, Config{Proxy: http.ProxyURL(at)})
	p, err := f.Get(context.Background(), "http://93.184.216.34/x")
	if err != nil || string(p.Body) != "by proxy" || len(through) != 1 {
		t.Errorf("the proxy gave %q for %v (%v)", p.Body, through, err)
	}
	wantRefused(t, f, "http://10.0.0.1/", "its own network")
}
