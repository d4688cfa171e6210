package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
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

// within returns the ids of the documents in a scope. Where it holds one, a
// search must find that one: search shows the same words once, and the files of
// these tests all say the same.
func (h *house) within(params string) string {
	h.t.Helper()
	status, list := h.call("GET", "/v1/documents?"+params, "")
	if status != http.StatusOK {
		h.t.Fatalf("list %s: %d %v", params, status, list)
	}
	ids := []string{}
	for _, d := range list["documents"].([]any) {
		ids = append(ids, d.(map[string]any)["id"].(string))
	}
	slices.Sort(ids)
	_, found := h.call("GET", "/v1/search?q=notice"+params, "")
	passages := found["passages"].([]any)
	if len(passages) != min(len(ids), 1) {
		h.t.Errorf("%s holds %v, but a search finds %d passages", params, ids, len(passages))
	}
	for _, p := range passages {
		if id := p.(map[string]any)["document_id"].(string); !slices.Contains(ids, id) {
			h.t.Errorf("%s holds %v, but a search finds %s", params, ids, id)
		}
	}
	return strings.Join(ids, " ")
}

func TestDescriptionsAndScopes(t *testing.T) {
	h := openHouse(t, fullAnswer)
	a := h.add("a.txt", `{"source":"/x/a.txt","folder":"/work//2024/","tags":["red"," blue","red",""],"metadata":{"author":"Ann"}}`)
	b := h.add("b.txt", `{"source":"/x/b.txt","folder":"work","tags":["red"]}`)
	idA, idB := a["id"].(string), b["id"].(string)
	if fmt.Sprintf("%v %v", a["folder"], a["tags"]) != "work/2024 [blue red]" {
		t.Fatalf("taken in as %v", a)
	}
	for params, want := range map[string]string{
		"&tag=red":                      idA + " " + idB,
		"&tag=red&tag=blue":             idA,
		"&tag=green":                    "",
		"&metadata=author=Ann":          idA,
		"&metadata=author=Bob":          "",
		"&folder=work/2024/":            idA,
		"&folder=work":                  idA + " " + idB,
		"&tag=red&folder=work&tag=blue": idA,
	} {
		if got := h.within(params); got != want {
			t.Errorf("%s holds %q, want %q", params, got, want)
		}
	}

	// What a change does not name stays; searches go by it at once.
	status, d := h.call("PATCH", "/v1/documents/"+idB, `{"title":"The second","tags":["green"],"metadata":{"author":"Bob","year":"2024"}}`)
	if status != http.StatusOK || d["title"] != "The second" || d["folder"] != "work" {
		t.Fatalf("changed to %d %v", status, d)
	}
	h.call("PATCH", "/v1/documents/"+idB, `{"metadata":{"author":null},"category":"letters"}`)
	for params, want := range map[string]string{
		"&tag=green": idB, "&tag=red": idA, "&metadata=author=Bob": "", "&metadata=year=2024&category=letters": idB,
	} {
		if got := h.within(params); got != want {
			t.Errorf("after the change %s holds %q, want %q", params, got, want)
		}
	}

	// Adding it again keeps what people said of it.
	if again := h.add("b.txt", `{"source":"/x/b.txt"}`); fmt.Sprintf("%v %v %v", again["title"], again["tags"], again["category"]) != "The second [green] letters" {
		t.Errorf("added again: %v", again)
	}
	_, list := h.call("GET", "/v1/documents?tag=green", "")
	if docs := list["documents"].([]any); len(docs) != 1 || docs[0].(map[string]any)["id"] != idB {
		t.Errorf("listed %v", list)
	}
	for _, bad := range []string{`{"tags":["a\u0000b"]}`, `{"metadata":{"":"x"}}`, `{"category":"` + strings.Repeat("x", 300) + `"}`} {
		if status, _ := h.call("PATCH", "/v1/documents/"+idB, bad); status != http.StatusBadRequest {
			t.Errorf("%.40s gave %d", bad, status)
		}
	}
	if status, _ := h.call("PATCH", "/v1/documents/none", `{"title":"x"}`); status != http.StatusNotFound {
		t.Errorf("a document that is not there gave %d", status)
	}
	if status, _ := h.call("GET", "/v1/search?q=notice&metadata=author", ""); status != http.StatusBadRequest {
		t.Errorf("metadata without a value gave %d", status)
	}
}

func TestFolders(t *testing.T) {
	h := openHouse(t, fullAnswer)
	h.add("a.txt", `{"source":"/x/a.txt","folder":"work/2024","tags":["red"]}`)
	h.add("b.txt", `{"source":"/x/b.txt","folder":"work","category":"letters","tags":["red","blue"]}`)
	h.add("c.txt", `{"source":"/x/c.txt"}`)
	_, out := h.call("GET", "/v1/folders", "")
	got, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"categories":[{"documents":1,"name":"letters"}],"chunks":3,"documents":3,"folder":{"breadcrumb":[],"documents":1,"folders":[` +
		`{"breadcrumb":[{"name":"work","path":"work"}],"documents":1,"folders":[` +
		`{"breadcrumb":[{"name":"work","path":"work"},{"name":"2024","path":"work/2024"}],"documents":1,"folders":[],"name":"2024","path":"work/2024","total":1}` +
		`],"name":"work","path":"work","total":2}],"name":"","path":"","total":3},"tags":[{"documents":1,"name":"blue"},{"documents":2,"name":"red"}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestProgressIsStreamed(t *testing.T) {
	h := openHouse(t, fullAnswer)
	id := h.add("a.txt", `{"source":"/x/a.txt"}`)["id"].(string)
	for path, want := range map[string]string{
		"/v1/documents/" + id + "/events": "document done", // how it stands, and that no more comes
		"/v1/documents/events":            "done",          // nothing is in work
	} {
		if got := names(h.frames(h.open("GET", path, ""), nil)); got != want {
			t.Errorf("%s sends %q, want %q", path, got, want)
		}
	}
	if status, _ := h.call("GET", "/v1/documents/none/events", ""); status != http.StatusNotFound {
		t.Errorf("a document that is not there gave %d", status)
	}
	if status, _ := h.call("POST", "/v1/documents/"+id+"/cancel", ""); status != http.StatusConflict {
		t.Errorf("cancelling what is not in work gave %d", status)
	}

	// A reader that stays sees what comes, and what goes.
	resp := h.open("GET", "/v1/documents/events?follow=true", "")
	defer resp.Body.Close()
	h.call("DELETE", "/v1/documents/"+id, "")
	frames := h.frames(resp, func(got []frame) bool { return got[len(got)-1].event == "removed" })
	// That it has become ready may be told after it could be seen.
	if got := names(frames); got != "removed" && got != "document removed" || frames[len(frames)-1].data["id"] != id {
		t.Errorf("who stays sees %+v", frames)
	}
}

func TestAMovedFileStaysTheSameDocument(t *testing.T) {
	h := openHouse(t, fullAnswer)
	a, b := h.add("a.txt", `{"source":"/x/a.txt"}`)["id"].(string), h.add("b.txt", `{"source":"/x/b.txt"}`)["id"].(string)
	status, d := h.call("PATCH", "/v1/documents/"+a, `{"source":"/x/new/c.txt","name":"c.txt","folder":"new"}`)
	if status != http.StatusOK || d["name"] != "c.txt" || d["folder"] != "new" {
		t.Fatalf("moved: %d %v", status, d)
	}
	if again := h.add("c.txt", `{"source":"/x/new/c.txt"}`); again["id"] != a {
		t.Errorf("added from its new place it is %v", again)
	}
	if status, _ := h.call("PATCH", "/v1/documents/"+b, `{"source":"/x/new/c.txt"}`); status != http.StatusConflict {
		t.Errorf("two documents of one source: %d", status)
	}
	for _, bad := range []string{`{"name":"a/b"}`, `{"name":" "}`, `{"source":""}`} {
		if status, _ := h.call("PATCH", "/v1/documents/"+b, bad); status != http.StatusBadRequest {
			t.Errorf("%s gave %d", bad, status)
		}
	}
}
