package server

import (
	"ibid/internal/server/api"
	"net/http"

	"ibid"
)

// unchangedDocuments says which files need not be sent: those whose document would
// stay as it is.
func (s *Server) unchangedDocuments(w http.ResponseWriter, r *http.Request) {
	var asked api.KnownFiles
	err := readJSON(w, r, &asked)
	if err == nil && len(asked.Files) > ibid.MaxLimit {
		err = ibid.Errorf(ibid.CodeBadRequest, "ask for at most %d files at once", ibid.MaxLimit)
	}
	var unchanged []*ibid.Document
	if err == nil {
		unchanged, err = s.cfg.Pipeline.Unchanged(r.Context(), s.view(r), asked.Files)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, api.Unchanged{Unchanged: orEmpty(unchanged)})
}

// documentsBelow answers a page of the documents whose path or URL begins with
// below=, by source: what the library has of a folder that is followed.
func (s *Server) documentsBelow(w http.ResponseWriter, r *http.Request, page ibid.Page) {
	for name := range r.URL.Query() {
		if name != "below" && name != "limit" && name != "cursor" {
			s.fail(w, r, ibid.Errorf(ibid.CodeBadRequest, "below goes with limit and cursor only, not with %s", name))
			return
		}
	}
	documents, next, err := s.cfg.Library.DocumentsFrom(r.Context(), s.view(r), r.URL.Query().Get("below"), page)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, api.Documents{Documents: orEmpty(documents), Next: next})
}
