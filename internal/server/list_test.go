package server_test

import (
	"fmt"
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

// pathsIn returns the paths of the folders in an answer, in the order of the tree, with
// how many documents each has in it and in all.
func pathsIn(folder any) string {
	var paths []string
	for _, f := range folder.(map[string]any)["folders"].([]any) {
		f := f.(map[string]any)
		paths = append(paths, fmt.Sprintf("%v=%v/%v", f["path"], f["documents"], f["total"]))
		if below := pathsIn(f); below != "" {
			paths = append(paths, below)
		}
	}
	return strings.Join(paths, " ")
}

func TestFoldersHavePages(t *testing.T) {
	h := openHouse(t, fullAnswer)
	for i, folder := range []string{"work/2024/May", "work/2024", "work/2023", "art", "work", "art and life", ""} {
		h.add(fmt.Sprintf("%d.txt", i), fmt.Sprintf(`{"source":"/x/%d.txt","folder":%q,"category":"cat %d","tags":["tag %d","all"]}`, i, folder, i%3, i))
	}
	const all = "art=1/1 art and life=1/1 work=1/4 work/2023=1/1 work/2024=1/2 work/2024/May=1/1"
	for params, want := range map[string]string{
		"": all, "limit=500": all, "limit=2": "art=1/1 art and life=1/1", "in=": "art=1/1 art and life=1/1 work=1/4", "in=/work/": "work/2023=1/1 work/2024=1/2",
		"in=work&limit=1": "work/2023=1/1", "in=nowhere": "", "q=MAY": "work=1/4 work/2024=1/2 work/2024/May=1/1", "q=art": "art=1/1 art and life=1/1",
		"in=work&q=4": "work/2024=1/2", "q=none+such": "",
	} {
		status, out := h.call("GET", "/v1/folders?"+params, "")
		if got := pathsIn(out["folder"]); status != http.StatusOK || got != want || (out["next"] != nil) != strings.Contains(params, "limit=1") && !strings.Contains(params, "limit=2") {
			t.Errorf("%s: %d, %s, next %v; want %s", params, status, got, out["next"], want)
		}
	}
	_, out := h.call("GET", "/v1/folders?in=work/2024", "")
	if f := out["folder"].(map[string]any); f["path"] != "work/2024" || f["name"] != "2024" || f["documents"] != 1.0 || f["total"] != 2.0 || len(f["breadcrumb"].([]any)) != 2 || out["documents"] != 7.0 {
		t.Errorf("the folder that is asked for is %v", out)
	}

	// Page by page it is the same, and what stands above a folder is told on each page.
	var pages []string
	next := ""
	for range 10 {
		_, out := h.call("GET", "/v1/folders?limit=2&cursor="+url.QueryEscape(next), "")
		if len(pages) > 0 && len(out["categories"].([]any))+len(out["tags"].([]any)) > 0 {
			t.Errorf("categories and tags come again: %v", out)
		}
		pages = append(pages, pathsIn(out["folder"]))
		if next, _ = out["next"].(string); next == "" {
			break
		}
	}
	if got := strings.Join(pages, " | "); got != "art=1/1 art and life=1/1 | work=1/4 work/2023=1/1 | work=1/4 work/2024=1/2 work/2024/May=1/1" {
		t.Errorf("the pages are %s", got)
	}

	// Categories and tags stand beside the folders, and go on in lists of their own.
	labels := func(list any) string {
		var all []string
		for _, l := range list.([]any) {
			all = append(all, fmt.Sprintf("%v=%v", l.(map[string]any)["name"], l.(map[string]any)["documents"]))
		}
		return strings.Join(all, ", ")
	}
	_, first := h.call("GET", "/v1/folders?limit=2", "")
	more, _ := first["categories_next"].(string)
	moreTags, _ := first["tags_next"].(string)
	_, categories := h.call("GET", "/v1/categories?limit=2&cursor="+url.QueryEscape(more), "")
	_, tags := h.call("GET", "/v1/tags?limit=500&cursor="+url.QueryEscape(moreTags), "")
	_, found := h.call("GET", "/v1/tags?q=TAG+6", "")
	_, one := h.call("GET", "/v1/categories?limit=1", "")
	after, _ := one["next"].(string)
	_, two := h.call("GET", "/v1/categories?limit=1&cursor="+url.QueryEscape(after), "")
	for what, of := range map[string][2]string{
		"categories":           {labels(first["categories"]) + " | " + labels(categories["categories"]), "cat 0=3, cat 1=2 | cat 2=2"},
		"tags":                 {labels(first["tags"]) + " | " + labels(tags["tags"]), "all=7, tag 0=1 | tag 1=1, tag 2=1, tag 3=1, tag 4=1, tag 5=1, tag 6=1"},
		"pages of categories":  {labels(one["categories"]) + " | " + labels(two["categories"]), "cat 0=3 | cat 1=2"},
		"tags with a part":     {labels(found["tags"]), "tag 6=1"},
		"the end of the lists": {fmt.Sprint(categories["next"], tags["next"], found["next"]), "<nil> <nil> <nil>"},
	} {
		if of[0] != of[1] {
			t.Errorf("%s are %s, want %s", what, of[0], of[1])
		}
	}
	for _, path := range []string{"/v1/folders", "/v1/categories", "/v1/tags"} {
		for _, params := range []string{"limit=0", "limit=501", "cursor=x", "q=" + strings.Repeat("x", 1001)} {
			if status, out := h.call("GET", path+"?"+params, ""); status != http.StatusBadRequest {
				t.Errorf("%s?%.20s: %d %v", path, params, status, out)
			}
		}
	}
}
