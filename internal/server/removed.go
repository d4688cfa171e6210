package server

import (
	"ibid/internal/server/api"
	"net/http"

	"ibid"
)

// listRemoved lists what can be taken back, the latest removal first.
func (s *Server) listRemoved(w http.ResponseWriter, r *http.Request) {
	page, err := pageParams(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	removed, next, err := s.cfg.Threads.Removed(r.Context(), s.view(r), s.cfg.Now().Add(-s.cfg.KeepRemoved), page)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	for i := range removed {
		removed[i].Until = ibid.At(removed[i].RemovedAt.Add(s.cfg.KeepRemoved))
	}
	writeJSON(w, http.StatusOK, api.Removed{Removed: orEmpty(removed), Next: next})
}

func (s *Server) removeDocument(w http.ResponseWriter, r *http.Request) {
	if err := s.cfg.Pipeline.Remove(r.Context(), s.view(r), r.PathValue("id")); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) restoreDocument(w http.ResponseWriter, r *http.Request) {
	d, err := s.cfg.Pipeline.Restore(r.Context(), s.view(r), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, d)
}

// deleteThread stops what is being written in a thread, and removes it.
func (s *Server) deleteThread(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if _, err := s.cfg.Runner.Stop(r.Context(), s.view(r), id); err != nil {
		s.fail(w, r, err)
		return
	}
	if err := s.cfg.Threads.RemoveThread(r.Context(), s.view(r), id, s.cfg.Now()); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) restoreThread(w http.ResponseWriter, r *http.Request) {
	err := s.cfg.Threads.RestoreThread(r.Context(), s.view(r), r.PathValue("id"), s.cfg.Now().Add(-s.cfg.KeepRemoved))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.getThread(w, r)
}
