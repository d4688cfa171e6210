package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid/internal/server"
)

// add takes a file in and returns the document once it is ready.
func (h *house) add(name, meta string) map[string]any {
	h.t.Helper()
	form := "--b\r\nContent-Disposition: form-data; name=\"meta\"\r\n\r\n" + meta + "\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\nThe notice period is three months.\r\n--b--\r\n"
	status, out := h.call("POST", "/v1/documents", form, "Content-Type", "multipart/form-data; boundary=b")
	if status != http.StatusAccepted {
		h.t.Fatalf("add %s: %d %v", name, status, out)
	}
	return h.ready(out["documents"].([]any)[0].(map[string]any)["id"].(string))
}

// ready waits until a document is ready.
func (h *house) ready(id string) map[string]any {
	h.t.Helper()
	for {
		status, d := h.call("GET", "/v1/documents/"+id, "")
		switch d["status"] {
		case "ready":
			return d
		case "queued", "processing":
		default:
			h.t.Fatalf("document %d %v", status, d)
		}
	}
}

func TestRepair(t *testing.T) {
	h := openHouse(t, fullAnswer)
	h.add("a.txt", `{"source":"/x/a.txt"}`)
	status, out := h.call("POST", "/v1/doctor/repair", "")
	if status != http.StatusOK || out["documents"] != 1.0 || fmt.Sprint(out["differ"]) != "[]" {
		t.Fatalf("%d %v", status, out)
	}
	if _, found := h.call("GET", "/v1/search?q=notice", ""); len(found["passages"].([]any)) != 1 {
		t.Fatalf("found %v", found)
	}
}

// When the server stops, or the client has gone, what could not be done is not
// answered at all. Silence under a 200 would pass for success, and an error for
// one file would pass for the last word about it.
func TestACutRequestIsNotAnswered(t *testing.T) {
	h := openHouse(t, fullAnswer)
	id := h.add("a.txt", `{"source":"/x/a.txt"}`)["id"].(string)
	handler := server.New(h.cfg).Handler()
	gone, leave := context.WithCancel(t.Context())
	leave()
	form := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"b.txt\"\r\n\r\nThe notice.\r\n--b--\r\n"
	for _, req := range []*http.Request{
		httptest.NewRequestWithContext(gone, "DELETE", "/v1/documents/"+id, nil),
		httptest.NewRequestWithContext(gone, "POST", "/v1/documents", strings.NewReader(form)),
	} {
		req.Host, req.RemoteAddr = "127.0.0.1", "127.0.0.1:1"
		req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		answer := httptest.NewRecorder()
		brokenOff := func() (p any) {
			defer func() { p = recover() }()
			handler.ServeHTTP(answer, req)
			return nil
		}()
		body, _ := io.ReadAll(answer.Body)
		if brokenOff != http.ErrAbortHandler || len(body) > 0 {
			t.Errorf("%s: %v, answered %d %q", req.Method, brokenOff, answer.Code, body)
		}
	}
	if h.ready(id)["status"] != "ready" {
		t.Error("the document is gone")
	}
}
