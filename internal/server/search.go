package server

import (
	"cmp"
	"net/http"
	"strings"

	"ibid"
	"ibid/internal/search"
)

// searchResponse is GET /v1/search.
type searchResponse struct {
	Query          string         `json:"query"`
	Mode           search.Mode    `json:"mode"` // the one that was used, never auto
	Passages       []ibid.Passage `json:"passages"`
	TookMS         float64        `json:"took_ms"`
	ChunksSearched int            `json:"chunks_searched"`
	Warning        string         `json:"warning,omitempty"` // why the vector half is missing
}

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
	found, err := s.cfg.Searcher.Search(r.Context(), search.Query{Text: text, Limit: limit, Mode: cmp.Or(search.Mode(q.Get("mode")), s.cfg.SearchMode),
		Scope: scope})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out := searchResponse{Query: text, Mode: found.Mode, Passages: orEmpty(found.Passages),
		TookMS: float64(found.Took.Microseconds()) / 1000, ChunksSearched: found.ChunksSearched}
	if found.VectorError != nil {
		out.Warning = found.VectorError.Error()
	}
	writeJSON(w, http.StatusOK, out)
}
