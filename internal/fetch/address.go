package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"ibid"
)

// Networks that are not the public Internet though netip calls their addresses
// global unicast (IANA's special-purpose registries, RFC 6890).
var special = prefixes(
	"0.0.0.0/8",       // this network
	"100.64.0.0/10",   // carrier-grade NAT
	"192.0.0.0/24",    // IETF protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays, retired
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"240.0.0.0/4",     // reserved, and the broadcast address
	"2001::/23",       // IETF protocol assignments, Teredo among them
	"2001:db8::/32",   // documentation
	"2002::/16",       // 6to4: an IPv4 address in disguise
	"3fff::/20",       // documentation
)

var (
	globalIPv6 = netip.MustParsePrefix("2000::/3")     // all that has been handed out so far
	nat64      = netip.MustParsePrefix("64:ff9b::/96") // ends in an IPv4 address (RFC 6052)
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, s := range texts {
		list[i] = netip.MustParsePrefix(s)
	}
	return list
}

// IsPublic reports whether an address is one of the public Internet: not of this
// machine, of its network, of a provider's inside, and not reserved.
func IsPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if !a.IsValid() || !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	if a.Is6() && !globalIPv6.Contains(a) {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// isLocalName reports whether a host can be told to be local by its looks.
func isLocalName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(host); err == nil {
		return !IsPublic(a)
	}
	if host == "localhost" || !strings.Contains(host, ".") {
		return true
	}
	for _, ending := range []string{".localhost", ".local", ".internal", ".home.arpa", ".lan"} {
		if strings.HasSuffix(host, ending) {
			return true
		}
	}
	return false
}

// IsLocal reports whether a host names this machine or its network: by its looks,
// or since all addresses that it has now are local.
func IsLocal(ctx context.Context, host string) bool {
	if isLocalName(host) {
		return true
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for _, a := range addrs {
		if IsPublic(a) {
			return false
		}
	}
	return err == nil && len(addrs) > 0
}

// allowList is what may be reached though it is local.
type allowList struct {
	hosts    map[string]bool // "wiki.lan" or "wiki.lan:8080"
	networks []netip.Prefix
}

func readAllowList(entries []string) (allowList, error) {
	l := allowList{hosts: map[string]bool{}}
	for _, e := range entries {
		e = strings.ToLower(strings.TrimSpace(e))
		switch {
		case e == "":
		case strings.Contains(e, "://") || strings.ContainsAny(e, " @?#"):
			return l, &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("%q is no host", e),
				Hint: `write "wiki.lan", "wiki.lan:8080" or "10.1.0.0/16"`}
		case strings.Contains(e, "/"):
			p, err := netip.ParsePrefix(e)
			if err != nil {
				return l, &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("%q is no network", e), Hint: `write it like "10.1.0.0/16"`}
			}
			l.networks = append(l.networks, p)
		default:
			l.hosts[strings.Trim(e, "[]")] = true
		}
	}
	return l, nil
}

// host reports whether a host as it is named may be reached at a port.
func (l allowList) host(host, port string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if l.hosts[host] || l.hosts[net.JoinHostPort(host, port)] {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && l.address(a)
}

// address reports whether an address may be reached whatever it is called.
func (l allowList) address(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, p := range l.networks {
		if p.Contains(a) {
			return true
		}
	}
	return l.hosts[a.String()]
}

// dialTime bounds how long one address is tried.
const dialTime = 10 * time.Second

// transport connects to public addresses and to what is allowed.
func (f *Fetcher) transport() http.RoundTripper {
	direct := &http.Transport{
		DialContext:            f.dial,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  f.cfg.Timeout,
		MaxResponseHeaderBytes: 64 << 10,
		DisableKeepAlives:      true, // the next fetch resolves and checks anew
	}
	if f.cfg.Proxy == nil {
		return direct
	}
	proxied := direct.Clone()
	proxied.DialContext = (&net.Dialer{Timeout: dialTime}).DialContext // to the proxy
	proxied.Proxy = f.cfg.Proxy
	return proxyTransport{f: f, direct: direct, proxied: proxied}
}

// dial connects to an address that may be reached. The check runs on the very
// address of the connection, after the name was resolved.
func (f *Fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", address, err)
	}
	named := f.allowed.host(host, port)
	d := net.Dialer{Timeout: dialTime, Resolver: f.resolver, Control: func(_, reached string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(reached)
		if err != nil {
			return refuse("the host has no address that can be checked")
		}
		if named || IsPublic(at.Addr()) || f.allowed.address(at.Addr()) {
			return nil
		}
		return refusePrivate(host)
	}}
	return d.DialContext(ctx, network, address)
}

// proxyTransport goes through a proxy where one is set for a request.
type proxyTransport struct {
	f               *Fetcher
	direct, proxied *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t proxyTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	proxy, err := t.f.cfg.Proxy(req)
	if err != nil {
		return nil, fmt.Errorf("find the proxy: %w", err)
	}
	if proxy == nil {
		return t.direct.RoundTrip(req)
	}
	if host := req.URL.Hostname(); !t.f.allowed.host(host, portOf(req.URL)) && IsLocal(req.Context(), host) {
		return nil, refusePrivate(host)
	}
	return t.proxied.RoundTrip(req)
}
