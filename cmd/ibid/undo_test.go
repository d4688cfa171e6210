package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
)

// undoCommand is the command that was printed.
func undoCommand(t *testing.T, errs string) []string {
	t.Helper()
	found := regexp.MustCompile(`to undo: ibid (undo .*)`).FindStringSubmatch(errs)
	if found == nil {
		t.Fatalf("no way back in %q", errs)
	}
	return strings.Fields(found[1])
}

// rm removes, and returns the command that takes it back.
func (h house) rm(args ...string) []string {
	h.t.Helper()
	code, _, errs := h.run(args...)
	if code != exitOK {
		h.t.Fatalf("%v: %d %s", args, code, errs)
	}
	return undoCommand(h.t, errs)
}

// TestUndo: what rm prints takes back what it removed: documents with all that was
// said of them and their footnotes, archives, conversations and databases.
func TestUndo(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "commands, one after the other; TestKilledBetweenRemoveAndUndo runs them under it")
	h := newHouse(t)
	terms := h.file("terms.md", "# Terms\n\nThe notice period is three months. The deposit is two rents.\n")
	letter := h.file("letter.md", "# Letter\n\nThe walrus sleeps in the garden.\n")
	archive := h.file("papers.zip", zipOf("inner.txt", "The giraffe eats the highest leaves of the tree.\n"))
	csv := h.file("sales.csv", "region,amount\nnorth,3\nsouth,4\n")
	h.must("add", "--folder", "rent", "--tag", "signed", terms)
	h.must("add", letter, archive)
	h.must("database", "add", csv)
	h.must("ask", "How", "long", "is", "the", "notice", "period?")
	list := func(args ...string) (all []map[string]any) {
		t.Helper()
		if err := json.Unmarshal([]byte(h.must(append(args, "--json")...)), &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	documents, threads, databases := list("ls"), list("ls", "--threads"), list("database", "ls")
	if len(documents) != 4 || len(threads) != 1 || len(databases) != 1 {
		t.Fatalf("begun with %v, %v, %v", documents, threads, databases)
	}
	thread := threads[0]["id"].(string)
	shown := h.must("show", thread)
	back := func(what string) {
		t.Helper()
		for _, now := range []struct{ got, want []map[string]any }{
			{list("ls"), documents}, {list("ls", "--threads"), threads}, {list("database", "ls"), databases},
		} {
			if !reflect.DeepEqual(now.got, now.want) {
				t.Errorf("%s: there is\n%v, want\n%v", what, now.got, now.want)
			}
		}
		if left := list("undo"); len(left) != 0 {
			t.Errorf("%s: still removed is %v", what, left)
		}
	}

	// One, and many by one command: the archive's file goes with it or before it.
	out := h.must(h.rm("rm", "terms.md")...)
	if out != "document is back: rent/terms.md\n" {
		t.Errorf("undo says %q", out)
	}
	back("one document")
	undo := h.rm("rm", "inner.txt", "*.md", "papers.zip")
	if len(undo) != 5 {
		t.Errorf("to undo: %v", undo)
	}
	if removed := list("undo"); len(removed) != 4 || len(list("ls")) != 0 {
		t.Errorf("removed is %v", removed)
	}
	h.must(append(undo, "--json")...)
	back("many documents")
	h.must(h.rm("rm", "papers.zip")...)
	back("an archive")

	h.must(h.rm("rm", "--thread", thread)...)
	back("a conversation")
	if now := h.must("show", thread); now != shown {
		t.Errorf("the conversation shows %q, was %q", now, shown)
	}
	h.must(h.rm("database", "rm", "sales")...)
	back("a database")

	// By name; a name that fits several removes nothing.
	h.rm("rm", "letter.md")
	if table := h.must("undo"); !strings.Contains(table, "letter.md") || !strings.Contains(table, documents[1]["id"].(string)[:6]) && !strings.Contains(table, "document") {
		t.Errorf("the list is %q", table)
	}
	h.must("undo", "letter.md")
	back("by name")
	if code, _, errs := h.run("undo", "nobody"); code != exitFailed || !strings.Contains(errs, "nobody") {
		t.Errorf("a name that nothing has: %d %s", code, errs)
	}
	first := h.rm("rm", "letter.md")
	h.must("add", letter)
	if code, _, errs := h.run(first...); code != exitFailed || !strings.Contains(errs, "another document is added from") {
		t.Errorf("where another is: %d %s", code, errs)
	}
	second := h.rm("rm", "letter.md")
	if code, _, errs := h.run("undo", "letter.md"); code == exitOK || !strings.Contains(errs, first[1]) || !strings.Contains(errs, second[1]) {
		t.Errorf("a name of two: %d %s", code, errs)
	}
	h.must(first...)
	if now := list("ls"); !reflect.DeepEqual(now, documents) {
		t.Errorf("there is %v, want %v", now, documents)
	}
}

// TestKilledBetweenRemoveAndUndo kills the server between a removal and its undo,
// and right after the undo: footnotes open at the same words before and after.
func TestKilledBetweenRemoveAndUndo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", "# Terms\n\nThe notice period is three months. The deposit is two rents.\n"))
	archive := h.file("papers.zip", zipOf("inner.txt", "The giraffe eats the highest leaves.\n", "other.txt", "The walrus sleeps.\n"))
	h.must("add", archive)
	h.must("ask", "How", "long", "is", "the", "notice", "period?")

	server, url := h.serve()
	restart := func() {
		t.Helper()
		if err := server.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-server.ended
		server, url = h.serve()
	}
	var threads struct{ Threads []ibid.Thread }
	getInto(t, url+"/v1/threads", &threads)
	var messages struct{ Messages []ibid.Message }
	getInto(t, url+"/v1/threads/"+threads.Threads[0].ID+"/messages", &messages)
	answer := messages.Messages[1]
	if len(answer.Citations) == 0 {
		t.Fatalf("the answer has no footnote: %+v", answer)
	}
	cited := answer.Citations[0]
	// opened is what a footnote opens: the document, and the words at its span.
	opened := func() string {
		t.Helper()
		var d ibid.Document
		getInto(t, url+"/v1/documents/"+cited.DocumentID, &d)
		var x ibid.Extract
		getInto(t, url+"/v1/documents/"+cited.DocumentID+"/text?version="+cited.Version, &x)
		if x.Text[cited.Start:cited.End] != cited.Quote {
			t.Errorf("the footnote opens at %q, it quotes %q", x.Text[cited.Start:cited.End], cited.Quote)
		}
		var found struct{ Passages []ibid.Passage }
		getInto(t, url+"/v1/search?mode=lexical&q=notice+period", &found)
		var giraffe struct{ Passages []ibid.Passage }
		getInto(t, url+"/v1/search?mode=lexical&q=giraffe", &giraffe)
		return fmt.Sprintf("%+v %s %s", d, found.Passages[0].ID, giraffe.Passages[0].ID)
	}
	before := opened()
	send := func(method, path string, want int) {
		t.Helper()
		req, err := http.NewRequest(method, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Fatalf("%s %s: %s", method, path, resp.Status)
		}
	}
	var all struct{ Documents []ibid.Document }
	getInto(t, url+"/v1/documents", &all)
	zip := ""
	for _, d := range all.Documents {
		if d.Name == "papers.zip" {
			zip = d.ID
		}
	}
	ids := []string{"/v1/documents/" + cited.DocumentID, "/v1/documents/" + zip}
	for _, id := range ids {
		send("DELETE", id, http.StatusNoContent)
	}
	restart()
	var removed struct{ Removed []ibid.Removed }
	getInto(t, url+"/v1/removed", &removed)
	if len(removed.Removed) != 2 || removed.Removed[0].Until.Sub(removed.Removed[0].RemovedAt.Time) != 7*24*time.Hour {
		t.Fatalf("after the kill there is to restore: %+v", removed)
	}
	for _, id := range ids {
		send("POST", id+"/restore", http.StatusOK)
	}
	if after := opened(); after != before {
		t.Errorf("restored:\n%s, was\n%s", after, before)
	}
	restart()
	if after := opened(); after != before {
		t.Errorf("restored, and killed again:\n%s, was\n%s", after, before)
	}
	if code, out, errs := h.run("doctor"); code != exitOK {
		t.Errorf("doctor: %s%s", out, errs)
	}
	server.cmd.Process.Kill()
	<-server.ended
}
