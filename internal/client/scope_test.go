package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/server/api"
)

// Labels are looked for in all pages of their lists, by a part of their names, and a
// mistyped one is told the nearest of them.
func TestScopesAreCheckedInLongLists(t *testing.T) {
	t.Parallel()
	var tags []string
	for n := range 1200 {
		tags = append(tags, fmt.Sprintf("tag %04d", n))
	}
	asked := 0
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		q := r.URL.Query()
		limit, _ := strconv.Atoi(q.Get("limit"))
		from, _ := strconv.Atoi(q.Get("cursor"))
		var fit []ibid.LabelCount
		for _, tag := range tags {
			if strings.Contains(tag, q.Get("q")) {
				fit = append(fit, ibid.LabelCount{Name: tag, Documents: 1})
			}
		}
		to, next := from+limit, strconv.Itoa(from+limit)
		if to >= len(fit) {
			to, next = len(fit), ""
		}
		var answer any = api.Tags{Tags: fit[from:to], Next: next}
		if r.URL.Path == "/v1/folders" {
			answer = api.Folders{Folder: &api.Folder{Folders: []*api.Folder{{Path: "a", Folders: []*api.Folder{{Path: "a/b"}}}}}}
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	for _, scope := range []ibid.Scope{{Tags: []string{"tag 0007", "tag 1150"}}, {Folder: "/a/b/"}, {}} {
		if err := c.CheckScope(t.Context(), scope); err != nil {
			t.Errorf("%+v: %v", scope, err)
		}
	}
	if asked != 3 {
		t.Errorf("%d lists were asked for what is there, instead of three", asked)
	}
	for _, scope := range []ibid.Scope{{Tags: []string{"tga 1150"}}, {Tags: []string{"tag 0007", "tag 115O"}}} {
		err := c.CheckScope(t.Context(), scope)
		if known, ok := err.(*ibid.Error); !ok || known.Code != ibid.CodeNotFound || known.Hint != `did you mean "tag 1150"?` && !strings.Contains(known.Hint, "tag 115") {
			t.Errorf("%+v: %v", scope, err)
		}
	}
}
