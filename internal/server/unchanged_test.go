package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ibid"
)

// TestUnchangedFilesNeedNotBeSent asks before files are sent again, and sends them
// to see that the answer was right.
func TestUnchangedFilesNeedNotBeSent(t *testing.T) {
	h := openHouse(t, fullAnswer)
	meta := map[string]any{"name": "a.txt", "source": "/x/a.txt", "folder": "work", "category": "letters", "tags": []string{"blue", "red"}}
	written, err := json.Marshal(meta)
	if err != nil {
		t.Fatal(err)
	}
	a := h.add("a.txt", string(written))
	gone := h.add("b.txt", `{"source":"/x/b.txt"}`)
	h.call("DELETE", "/v1/documents/"+gone["id"].(string), "")
	text := "The notice period is three months."
	file := func(changes map[string]any) map[string]any {
		f := map[string]any{"hash": ibid.VersionOf([]byte(text)), "bytes": len(text)}
		for _, from := range []map[string]any{meta, changes} {
			for name, value := range from {
				f[name] = value
			}
		}
		return f
	}
	files := []map[string]any{
		file(map[string]any{"source": "/x/never.txt"}),
		file(nil),
		file(map[string]any{"folder": "/work/", "category": "", "tags": nil}), // what it does not say stays
		file(map[string]any{"folder": "play"}),
		file(map[string]any{"tags": []string{"red"}}),
		file(map[string]any{"tags": []string{"red", "blue", "red"}}),
		file(map[string]any{"category": "notes"}),
		file(map[string]any{"name": "other.txt"}),
		file(map[string]any{"title": "Another"}),
		file(map[string]any{"hash": ibid.VersionOf([]byte("Other words."))}),
		file(map[string]any{"source": "/x/b.txt"}),
		file(map[string]any{"source": ""}),
	}
	body, err := json.Marshal(map[string]any{"files": files})
	if err != nil {
		t.Fatal(err)
	}
	status, answer := h.call("POST", "/v1/documents/unchanged", string(body))
	if status != http.StatusOK {
		t.Fatalf("%d %v", status, answer)
	}
	var got strings.Builder
	for _, d := range answer["unchanged"].([]any) {
		switch d := d.(type) {
		case nil:
			got.WriteByte('-')
		case map[string]any:
			if d["id"] != a["id"] {
				t.Errorf("unchanged is %v", d)
			}
			got.WriteByte('=')
		}
	}
	if got.String() != "-==--=------" {
		t.Errorf("unchanged: %s", got.String())
	}
	if again := h.add("a.txt", string(written)); again["changed_at"] != a["changed_at"] {
		t.Errorf("sent again it is %v, before it was %v", again, a)
	}
	many := fmt.Sprintf(`{"files":[%s{}]}`, strings.Repeat("{},", ibid.MaxLimit))
	if status, _ := h.call("POST", "/v1/documents/unchanged", many); status != http.StatusBadRequest {
		t.Errorf("too many files: %d", status)
	}
	if status, answer := h.call("POST", "/v1/documents/unchanged", "{}"); status != http.StatusOK || len(answer["unchanged"].([]any)) != 0 {
		t.Errorf("no files: %d %v", status, answer)
	}
}
