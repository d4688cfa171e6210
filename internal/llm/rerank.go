package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"ibid"
)

// Reranker judges passages by a server's reranking model. Two protocols are
// spoken: that of Cohere, Jina, vLLM and llama-server (POST /v1/rerank with
// query and documents), and that of Hugging Face's text-embeddings-inference
// (POST /rerank with query and texts). Which one the server speaks is found out
// at the first call.
type Reranker struct {
	origin
	ways   []rerankWay
	chosen atomic.Int32 // of ways, counted from 1; 0: not known yet
}

// rerankWay is an address and the protocol that is tried there.
type rerankWay struct {
	url string
	tei bool
}

// rerankTime bounds how long a server may be silent: a search waits for it.
const rerankTime = 20 * time.Second

// OpenReranker returns the reranking model that cfg.Spec names: URL, or
// MODEL@URL where the server has several. A URL without "rerank" at its end is
// the server's base. It calls nobody.
func OpenReranker(cfg Config) (*Reranker, error) {
	model, address := "", strings.TrimSpace(cfg.Spec)
	if i := strings.LastIndex(address, "@http"); i > 0 {
		model, address = address[:i], address[i+1:]
	}
	base, err := parseBase(address)
	if err != nil || strings.ContainsAny(model, " \t\n") {
		e := ibid.Errorf(ibid.CodeBadRequest, "reranker %q is no URL", cfg.Spec)
		if err != nil {
			e = ibid.Errorf(ibid.CodeBadRequest, "reranker %q: %v", cfg.Spec, err)
		}
		e.Hint = "write off, maxsim, http://HOST:PORT or MODEL@https://HOST/v1"
		return nil, e
	}
	cfg.HeaderTimeout, cfg.IdleTimeout = cmp.Or(cfg.HeaderTimeout, rerankTime), cmp.Or(cfg.IdleTimeout, rerankTime)
	cfg = cfg.withDefaults()
	r := &Reranker{
		origin: origin{http: newClient(cfg), server: "the reranking server", model: model, host: base.Host, key: cfg.APIKey,
			hint: "is it running, and is the URL right?"}}
	if r.model == "" {
		r.model = base.Host
	}
	url := base.String()
	switch last := url[strings.LastIndex(url, "/")+1:]; {
	case last == "rerank" || last == "reranking":
		r.ways = []rerankWay{{url, false}, {url, true}}
	case base.Path == "":
		r.ways = []rerankWay{{url + "/v1/rerank", false}, {url + "/rerank", true}}
	default:
		r.ways = []rerankWay{{url + "/rerank", false}, {url + "/rerank", true}}
	}
	return r, nil
}

// Name says which model reranks, for people.
func (r *Reranker) Name() string { return "rerank/" + r.model }

// Rerank returns the relevance of each text to the query, higher is better.
func (r *Reranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if chosen := r.chosen.Load(); chosen > 0 {
		scores, f := r.ask(ctx, r.ways[chosen-1], query, texts)
		if f != nil {
			return nil, result(ctx, f)
		}
		return scores, nil
	}
	var first *failure
	for i, way := range r.ways {
		scores, f := r.ask(ctx, way, query, texts)
		if f == nil {
			r.chosen.Store(int32(i + 1))
			return scores, nil
		}
		if first == nil || first.status == http.StatusNotFound {
			first = f
		}
		if !f.otherProtocol() {
			break
		}
	}
	return nil, result(ctx, first)
}

// otherProtocol reports whether a refusal may be due to the address or the form
// of the request.
func (f *failure) otherProtocol() bool {
	switch f.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusBadRequest, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

func (r *Reranker) ask(ctx context.Context, way rerankWay, query string, texts []string) ([]float64, *failure) {
	body := map[string]any{"query": query, "documents": texts, "top_n": len(texts)}
	if way.tei {
		body = map[string]any{"query": query, "texts": texts, "truncate": true}
	} else if r.model != r.host {
		body["model"] = r.model
	}
	resp, f := r.post(ctx, way.url, body)
	if f != nil {
		return nil, f
	}
	defer resp.Body.Close()
	var raw json.RawMessage
	if f := r.decode(resp.Body, &raw); f != nil {
		return nil, f
	}
	scores, err := readScores(raw, len(texts))
	if err != nil {
		return nil, r.garbled(err)
	}
	return scores, nil
}

// judged is what a server says of one text.
type judged struct {
	Index     int      `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

// readScores takes a list of judgements, bare or as "results", in any order. All
// n texts must be judged, each once.
func readScores(raw json.RawMessage, n int) ([]float64, error) {
	var list []judged
	if json.Unmarshal(raw, &list) != nil {
		var inside struct {
			Results []judged `json:"results"`
		}
		if err := json.Unmarshal(raw, &inside); err != nil {
			return nil, err
		}
		list = inside.Results
	}
	if len(list) != n {
		return nil, fmt.Errorf("%d scores for %d texts", len(list), n)
	}
	scores := make([]float64, n)
	seen := make([]bool, n)
	for _, j := range list {
		score := j.Relevance
		if score == nil {
			score = j.Score
		}
		if j.Index < 0 || j.Index >= n || seen[j.Index] || score == nil {
			return nil, fmt.Errorf("the score of text %d is missing, double or not asked for", j.Index)
		}
		seen[j.Index], scores[j.Index] = true, *score
	}
	return scores, nil
}
