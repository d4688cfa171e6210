package server

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"ibid"
	"ibid/internal/search"
	"ibid/internal/server/api"
)

func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit, err := intParam(r, "limit", 7, 1, 100)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	text := strings.TrimSpace(q.Get("q"))
	if text == "" {
		s.fail(w, r, ibid.Errorf(ibid.CodeBadRequest, "q is missing: what to search for"))
		return
	}
	scope, err := scopeParams(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	expand, err := flagParam(r, "expand")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	rerank, err := flagParam(r, "rerank")
	if err != nil {
		s.fail(w, r, err)
		return
	}
	found, err := s.cfg.Searcher.Search(r.Context(), s.view(r), search.Query{Text: text, Limit: limit, Mode: cmp.Or(search.Mode(q.Get("mode")), s.cfg.SearchMode),
		Scope: scope, Expand: expand, NoRerank: q.Has("rerank") && !rerank})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, s.searched(text, found))
}

// searched is a result as it is sent.
func (s *Server) searched(query string, found search.Result) api.SearchResult {
	recent := s.cfg.Searcher.Latency()
	out := api.SearchResult{Query: query, Mode: found.Mode, Passages: orEmpty(found.Passages), TookMS: milliseconds(found.Took),
		ChunksSearched: found.ChunksSearched,
		Latency:        api.SearchLatency{P50MS: milliseconds(recent.P50), P99MS: milliseconds(recent.P99), Searches: recent.Searches}}
	var warnings []string
	if found.VectorError != nil {
		warnings = append(warnings, found.VectorError.Error())
	}
	switch by := found.Reranking; {
	case by.Err != nil:
		warnings = append(warnings, by.Err.Error())
	case by.Method != "":
		out.Rerank = &api.Reranking{Method: by.Method, Input: by.Input, TopScore: by.TopScore, TookMS: milliseconds(by.Took)}
	}
	out.Warning = strings.Join(warnings, "; ")
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// flagParam reads NAME=true or NAME=false from the query; absent is false.
func flagParam(r *http.Request, name string) (bool, error) {
	switch v := r.URL.Query().Get(name); v {
	case "true", "1", "on":
		return true, nil
	case "", "false", "0", "off":
		return false, nil
	default:
		return false, ibid.Errorf(ibid.CodeBadRequest, "%s must be true or false, not %q", name, v)
	}
}
