package server

import (
	"net/http"

	"ibid/internal/server/api"
)

// listFormats answers the kinds of files that are read.
func (s *Server) listFormats(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, api.Formats{Formats: append([]api.Format{}, s.cfg.Formats...)})
}
