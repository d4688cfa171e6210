package app

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/app/config"
	"ibid/internal/ingest"
)

// addText adds a document and waits until it is read.
func (p *inProcess) addText(name, text string) {
	p.t.Helper()
	doc, err := p.app.Pipeline.Add(p.t.Context(), access.For(ibid.Owner), ingest.File{Name: name, Source: "/" + name}, strings.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	p.call("GET", "/v1/documents/"+doc.ID+"/events", nil, nil)
}

// framesOf asks through POST /api/query/stream and returns the names of the
// events, runs of the same one as one.
func (p *inProcess) framesOf(question, mode string) string {
	p.t.Helper()
	_, stream := p.call("POST", "/api/query/stream", map[string]any{"query": question, "mode": mode}, nil)
	var names []string
	for _, line := range strings.Split(stream, "\n") {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			names = append(names, name)
		}
	}
	return strings.Join(slices.Compact(names), " ")
}

// The same question in another thread is answered from the cache, as a stream with
// its footnotes, until a document changes; another question never is.
func TestAnswerGivenBefore(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(*config.Config) {})
	p.addText("lease.md", "# Lease of the mill\n\nThe rent of the mill is 1,250 euros a month.\n\nThe lease was signed in 2022.\n")
	first := p.ask("t1", map[string]any{"input_text": "What is the rent of the mill?"})
	if first.Finished == nil || first.Finished.Cached || first.Cache == nil || first.Cache.Hit || len(first.Citations) == 0 {
		t.Fatalf("the first answer is %+v, cache %+v", first.Finished, first.Cache)
	}
	again := p.ask("t2", map[string]any{"input_text": "please tell me: what is the rent of the mill"})
	if again.Finished == nil || !again.Finished.Cached || again.Cache == nil || !again.Cache.Hit || again.Text != first.Text ||
		len(again.Citations) != len(first.Citations) || again.Finished.Confidence != first.Finished.Confidence {
		t.Errorf("the second answer is %q, %+v, cache %+v", again.Text, again.Finished, again.Cache)
	}
	if same := p.ask("t1", map[string]any{"input_text": "What is the rent of the mill?"}); same.Finished.Cached {
		t.Errorf("asked again in its thread: %+v", same.Cache)
	}
	for i, other := range []map[string]any{
		{"input_text": "What is not the rent of the mill?"},
		{"input_text": "What is the rent of the mill?", "scope": map[string]any{"folder": "elsewhere"}},
	} {
		if m := p.ask(fmt.Sprint("other", i), other); m.Finished.Cached {
			t.Errorf("%v is answered from the cache", other)
		}
	}
	p.addText("deed.md", "# Deed\n\nThe mill was sold.\n")
	if m := p.ask("t4", map[string]any{"input_text": "What is the rent of the mill?"}); m.Finished.Cached {
		t.Errorf("a new document leaves the old answer: %+v", m.Cache)
	}
	if status, _ := p.call("DELETE", "/v1/threads/t4", nil, nil); status >= http.StatusBadRequest {
		t.Fatalf("the thread cannot be deleted: %d", status)
	}
	if m := p.ask("t5", map[string]any{"input_text": "What is the rent of the mill?"}); m.Finished.Cached {
		t.Errorf("the answer of a deleted thread is given again: %+v", m.Cache)
	}
}

// The events of POST /api/query/stream in the order that is laid down for it.
func TestQueryStreamInOrder(t *testing.T) {
	t.Parallel()
	p := openInProcess(t, func(*config.Config) {})
	p.addText("lease.md", "# Lease of the mill\n\nThe rent of the mill is 1,250 euros a month.\n")
	const question = "What is the rent of the mill?"
	for _, tc := range []struct{ name, mode, want string }{
		{"direct", "direct", "query_analysis cache_miss retrieval_start retrieval_result crag_evaluation rerank_result generation_start token verification sources done"},
		{"cached", "direct", "query_analysis cache_hit token sources done"},
		{"agentic", "agentic", "query_analysis cache_miss retrieval_start retrieval_result crag_evaluation generation_start token verification sources done"},
	} {
		if got := p.framesOf(question, tc.mode); got != tc.want {
			t.Errorf("%s: %s\nwant %s", tc.name, got, tc.want)
		}
	}
}
