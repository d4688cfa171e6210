package server

import (
	"ibid/internal/server/api"
	"net/http"
)

// listTools answers all tools that there are, set up or not: messages of the past
// name tools, too.
func (s *Server) listTools(w http.ResponseWriter, _ *http.Request) {
	words := make([]api.Tool, 0, len(s.cfg.Tools))
	for _, t := range s.cfg.Tools {
		words = append(words, api.Tool{Name: t.Name, Kind: string(t.Kind), Doing: t.Doing, Done: t.Done})
	}
	writeJSON(w, http.StatusOK, api.Tools{Tools: words})
}
