package client

import (
	"regexp"
	"strings"
	"testing"

	"ibid"
)

func TestFindRemoved(t *testing.T) {
	t.Parallel()
	removed := []ibid.Removed{
		{Kind: ibid.RemovedDocument, ID: "aaaaaa-1", Name: "a.txt", Folder: "work"},
		{Kind: ibid.RemovedDocument, ID: "aaaaaa-2", Name: "a.txt"},
		{Kind: ibid.RemovedThread, ID: "bbbbbb-1", Name: "How long?"},
		{Kind: ibid.RemovedDocument, ID: "bbbbbb-2", Name: "b.txt", Folder: "work"},
	}
	for name, want := range map[string]string{
		"aaaaaa-1": "aaaaaa-1", "work/a.txt": "aaaaaa-1", "b.txt": "bbbbbb-2", "How long?": "bbbbbb-1",
		"work/*": "aaaaaa-1 bbbbbb-2", "*.txt": "aaaaaa-1 aaaaaa-2 bbbbbb-2",
		"a.txt":  "aaaaaa-2", // its whole path
		"bbbbbb": "BAD_REQUEST bbbbbb-1 bbbbbb-2", "bbbbb": "NOT_FOUND", "": "NOT_FOUND", "c*": "NOT_FOUND",
	} {
		found, err := FindRemoved(removed, name)
		var ids []string
		if err != nil {
			ids = append([]string{string(ibid.CodeOf(err))}, regexp.MustCompile(`[ab]{6}-\d`).FindAllString(err.Error(), -1)...)
		}
		for _, r := range found {
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q means %s, want %s", name, got, want)
		}
	}
}
