package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// namesIn returns the names of a list of documents.
func namesIn(list map[string]any) string {
	var names []string
	for _, d := range list["documents"].([]any) {
		names = append(names, d.(map[string]any)["name"].(string))
	}
	return strings.Join(names, " ")
}

func TestDocumentsAreListedByPage(t *testing.T) {
	h := openHouse(t, fullAnswer)
	for _, name := range []string{"c.txt", "a.txt", "b.txt"} {
		folder := map[string]string{"a.txt": "work", "b.txt": "work/2024"}[name]
		h.add(name, `{"source":"/x/`+name+`","folder":"`+folder+`","tags":["`+strings.ToUpper(name[:1])+`"]}`)
	}
	for params, want := range map[string]string{
		"": "a.txt b.txt c.txt", "sort=added": "b.txt a.txt c.txt", "q=WORK": "a.txt b.txt", "q=.t": "a.txt b.txt c.txt", "q=2024": "b.txt",
		"name=b.txt": "b.txt", "name=B.txt": "", "source=/x/c.txt": "c.txt", "in_folder=": "c.txt", "in_folder=/work/": "a.txt", "folder=work": "a.txt b.txt",
		"status=ready": "a.txt b.txt c.txt", "status=failed&status=queued": "", "tag=A": "a.txt", "tag=A&q=b": "",
	} {
		status, list := h.call("GET", "/v1/documents?"+params, "")
		if status != http.StatusOK || namesIn(list) != want || list["next"] != nil {
			t.Errorf("%s: %d, %s, next %v; want %s", params, status, namesIn(list), list["next"], want)
		}
	}
	_, first := h.call("GET", "/v1/documents?limit=2", "")
	next, _ := first["next"].(string)
	_, second := h.call("GET", "/v1/documents?limit=2&cursor="+url.QueryEscape(next), "")
	if namesIn(first) != "a.txt b.txt" || first["total"] != 3.0 || namesIn(second) != "c.txt" || second["next"] != nil {
		t.Errorf("the first page is %v, the second %v", first, second)
	}
	if _, list := h.call("GET", "/v1/documents?in_folder=work&status=ready", ""); list["total"] != nil {
		t.Errorf("%v documents are counted one by one", list["total"])
	}
	for _, params := range []string{"limit=0", "limit=501", "limit=x", "cursor=x", "sort=size", "status=lost", "sort=added&cursor=" + next, "q=" + strings.Repeat("x", 1001)} {
		if status, out := h.call("GET", "/v1/documents?"+params, ""); status != http.StatusBadRequest {
			t.Errorf("%.40s: %d %v", params, status, out)
		}
	}
}
