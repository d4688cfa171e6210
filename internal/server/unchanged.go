package server

import (
	"net/http"

	"ibid"
	"ibid/internal/ingest"
)

// unchangedDocuments says which files need not be sent: those whose document would
// stay as it is.
func (s *Server) unchangedDocuments(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Files []ingest.Known `json:"files"`
	}
	err := readJSON(w, r, &asked)
	if err == nil && len(asked.Files) > ibid.MaxLimit {
		err = ibid.Errorf(ibid.CodeBadRequest, "ask for at most %d files at once", ibid.MaxLimit)
	}
	var unchanged []*ibid.Document
	if err == nil {
		unchanged, err = s.cfg.Pipeline.Unchanged(r.Context(), asked.Files)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"unchanged": orEmpty(unchanged)})
}
