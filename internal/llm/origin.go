package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"

	"ibid"
)

// origin is the server that an adapter talks to: how it is reached, and who an
// error came from.
type origin struct {
	http    *http.Client // over a guard
	server  string       // "Ollama", "the model server"
	model   string
	host    string            // host:port
	key     string            // never to be shown
	header  string            // that the key is sent in; "": Authorization
	headers map[string]string // that every request carries
	hint    string            // how to mend a server that is not there
	keyHint string            // how to mend a key that is missing; "" where none may be needed
}

// maxErrorBody bounds, in bytes, what is read of an answer that is an error.
const maxErrorBody = 64 << 10

// onlyEncrypted refuses to send a key over http to another machine.
func (o origin) onlyEncrypted(s spec) error {
	if o.key == "" || s.base.Scheme == "https" || loopback(s.base.Hostname()) {
		return nil
	}
	return &ibid.Error{Code: ibid.CodeBadRequest, Message: "the key for " + o.server + " is not sent over http", Hint: "write https:// in the URL"}
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// authorise adds the key to a request.
func (o origin) authorise(req *http.Request) {
	for name, value := range o.headers {
		req.Header.Set(name, value)
	}
	switch {
	case o.key == "":
	case o.header != "":
		req.Header.Set(o.header, o.key)
	default:
		req.Header.Set("Authorization", "Bearer "+o.key)
	}
}

// post sends body as JSON, and returns the answer if its status is 200.
func (o origin) post(ctx context.Context, url string, body any) (*http.Response, *failure) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, &failure{Error: ibid.Errorf(ibid.CodeInternal, "encode the request to %s: %v", o.server, err)}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		return nil, &failure{Error: ibid.Errorf(ibid.CodeInternal, "request to %s: %v", o.server, err)}
	}
	req.Header.Set("Content-Type", "application/json")
	return o.do(req)
}

// get reads the JSON document at url.
func (o origin) get(ctx context.Context, url string, into any) *failure {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return &failure{Error: ibid.Errorf(ibid.CodeInternal, "request to %s: %v", o.server, err)}
	}
	resp, f := o.do(req)
	if f != nil {
		return f
	}
	defer resp.Body.Close()
	return o.decode(resp.Body, into)
}

// do sends a request, and returns the answer if its status is 200.
func (o origin) do(req *http.Request) (*http.Response, *failure) {
	o.authorise(req)
	resp, err := o.http.Do(req)
	if err != nil {
		return nil, o.failed(err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil {
		return nil, o.failed(err)
	}
	return nil, o.refused(resp.StatusCode, resp.Header, said)
}

// decode reads a JSON answer to its end.
func (o origin) decode(body io.Reader, into any) *failure {
	raw, err := io.ReadAll(body)
	if err != nil {
		return o.failed(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return o.garbled(err)
	}
	return nil
}
