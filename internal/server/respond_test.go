package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What the API has no route for is refused in the shape of every other failure.
func TestNoSuchRoute(t *testing.T) {
	api := http.NewServeMux()
	api.HandleFunc("GET /v1/threads", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	tests := []struct {
		method, path string
		status       int
		said         string
	}{
		{"GET", "/v1/threads", http.StatusTeapot, ""},
		{"GET", "/v1/treads", http.StatusNotFound, `{"error":{"code":"NOT_FOUND","message":"there is no route /v1/treads"`},
		{"PUT", "/v1/threads", http.StatusMethodNotAllowed, `{"error":{"code":"BAD_REQUEST","message":"/v1/threads does not take PUT","hint":"it takes GET, HEAD"`},
	}
	for _, tt := range tests {
		w := httptest.NewRecorder()
		routed(api).ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, nil))
		if w.Code != tt.status || !strings.HasPrefix(w.Body.String(), tt.said) {
			t.Errorf("%s %s: %d %s, want %d %s", tt.method, tt.path, w.Code, w.Body, tt.status, tt.said)
		}
	}
}
