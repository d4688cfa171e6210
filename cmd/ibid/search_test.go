package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/server/api"
)

// library adds documents that the searches below tell apart.
func (h house) library() {
	h.t.Helper()
	terms := h.file("terms.md", "# Terms of sale\n\n## Warranty\n\nThe warranty lasts two years from delivery. Damage by water is not covered.\n\n## Delivery\n\nGoods are delivered within ten days.\n")
	notes := h.file("notes.md", "# Notes\n\nThe warranty of the old machine ended in May. Error E-1042 means that the pump is dry.\n")
	h.must("add", "--folder", "sales/2024", "--category", "contract", "--tag", "signed", terms)
	h.must("add", "--folder", "notes", "--category", "note", notes)
}

// searched runs a search and returns its JSON.
func (h house) searched(args ...string) (r api.SearchResult) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(h.must(append([]string{"search", "--json"}, args...)...)), &r); err != nil {
		h.t.Fatal(err)
	}
	return r
}

// TestSearch runs the real program.
func TestSearch(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.library()
	h.serve()
	for _, tt := range []struct {
		name string
		args []string
		want string // names of the documents found, in order
	}{
		{"everything", []string{"water damage warranty"}, "terms.md notes.md"},
		{"identifier", []string{"E-1042"}, "notes.md"},
		{"document", []string{"--document", "notes.md", "warranty"}, "notes.md"},
		{"folder", []string{"--folder", "sales", "warranty"}, "terms.md"},
		{"category", []string{"--category", "note", "warranty"}, "notes.md"},
		{"tag", []string{"--tag", "signed", "warranty"}, "terms.md"},
		{"metadata", []string{"--metadata", "year=2024", "warranty"}, ""},
		{"limit", []string{"--limit", "1", "water damage warranty"}, "terms.md"},
		{"lexical", []string{"--mode", "lexical", "pump"}, "notes.md"},
	} {
		r := h.searched(tt.args...)
		var names []string
		for _, p := range r.Passages {
			if len(names) == 0 || names[len(names)-1] != p.Document.Name {
				names = append(names, p.Document.Name)
			}
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
		if r.ChunksSearched < 3 || r.TookMS <= 0 || r.Latency.Searches == 0 || r.Latency.P50MS > r.Latency.P99MS {
			t.Errorf("%s: %d chunks, %v ms, %+v", tt.name, r.ChunksSearched, r.TookMS, r.Latency)
		}
	}
	p := h.searched("warranty years").Passages[0]
	if p.Match.LexicalRank != 1 || p.Match.LexicalScore <= 0 || p.Match.Fused <= 0 || p.Quote.Text != "The warranty lasts two years from delivery." {
		t.Errorf("match %+v, quote %q", p.Match, p.Quote.Text)
	}
	var marked []string
	for _, m := range p.Highlights {
		marked = append(marked, p.Text[m.Start-p.Start:m.End-p.Start])
	}
	if got := strings.Join(marked, " "); got != "Warranty warranty years" && got != "warranty years" {
		t.Errorf("marked are %q", got)
	}
	said := h.must("search", "warranty years")
	if !regexp.MustCompile(`(?s) 1  1\.000  Terms of sale.*The warranty lasts two years.*words: rank 1, score.*mode lexical, .*p50 .* ms and p99 .* ms of the last \d+ searches`).MatchString(said) {
		t.Errorf("search said:\n%s", said)
	}
	for args, want := range map[string]string{
		"--mode vector warranty":   "there is no embedder yet", // found by words, and that is said
		"--metadata year warranty": "NAME=VALUE",
		"--document none warranty": "none",
		"--limit 1000 warranty":    "limit",
	} {
		_, out, errs := h.run(append([]string{"search"}, strings.Fields(args)...)...)
		if !strings.Contains(out+errs, want) {
			t.Errorf("search %s said %q, %q, nothing of %q", args, out, errs, want)
		}
	}
}

// TestSearchIsReranked by a server, and goes on when the server is gone.
func TestSearchIsReranked(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Documents []string }
		json.NewDecoder(r.Body).Decode(&asked)
		var results []map[string]any
		for i, d := range asked.Documents {
			score := 0.0
			if strings.Contains(d, "old machine") {
				score = 1
			}
			results = append(results, map[string]any{"index": i, "relevance_score": score})
		}
		json.NewEncoder(w).Encode(map[string]any{"results": results})
	}))
	defer server.Close()
	t.Setenv("IBID_RERANK", "judge@"+server.URL)
	h := newHouse(t)
	h.library()
	h.serve()
	r := h.searched("water damage warranty")
	if r.Rerank == nil || r.Rerank.Method != "rerank/judge" || r.Passages[0].Document.Name != "notes.md" {
		t.Errorf("reranked: %+v, first %s", r.Rerank, r.Passages[0].Document.Name)
	}
	if r := h.searched("--no-rerank", "water damage warranty"); r.Rerank != nil || r.Passages[0].Document.Name != "terms.md" {
		t.Errorf("not reranked: %+v, first %s", r.Rerank, r.Passages[0].Document.Name)
	}
	if out := h.must("ask", "--json", "What about water damage?"); !strings.Contains(out, `"passages.reranked"`) {
		t.Errorf("the log of a question says nothing of reranking:\n%s", out)
	}
	server.Close()
	r = h.searched("water damage warranty")
	if r.Rerank != nil || r.Passages[0].Document.Name != "terms.md" || !strings.Contains(r.Warning, "reranking server") {
		t.Errorf("without the server: %+v, first %s, %q", r.Rerank, r.Passages[0].Document.Name, r.Warning)
	}
}

func TestMarkedWords(t *testing.T) {
	t.Parallel()
	out := &terminal{colour: true}
	p := ibid.Passage{Chunk: ibid.Chunk{Text: "It is his.", Start: 10}, Highlights: []ibid.Range{{Start: 13, End: 15}, {Start: 90, End: 99}}}
	if got, want := marked(out, p, "It is his."), "It "+out.paint(bold, "is")+" his."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEveryWayToSearchAnswers: the built-in model uses each tool that is forced,
// and cites what it finds.
func TestEveryWayToSearchAnswers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.library()
	_, url := h.serve()
	for tool, question := range map[string]string{
		"search_keywords":     "What does error E-1042 mean?",
		"search_propositions": "How long does the warranty last?",
		"search_hypothetical": "How long does the warranty last?",
		"search_graph":        "What does E-1042 mean?",
	} {
		body := strings.NewReader(`{"input_text":"` + question + `","force_tools":["` + tool + `"]}`)
		resp, err := http.Post(url+"/v1/threads/"+tool+"/user_message", "application/json", body)
		if err != nil {
			t.Fatal(err)
		}
		var started struct {
			MessageID string `json:"message_id"`
		}
		json.NewDecoder(resp.Body).Decode(&started)
		resp.Body.Close()
		log := getBody(t, url+"/v1/messages/"+started.MessageID+"/events?follow=true", "")
		if !strings.Contains(log, `"`+tool+`"`) || !strings.Contains(log, `"citation.added"`) || !strings.Contains(log, `"levels"`) {
			t.Errorf("%s: the log is\n%s", tool, log)
		}
	}
}
