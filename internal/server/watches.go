package server

import (
	"context"
	"net/http"

	"ibid"
	"ibid/internal/server/api"
)

// Watches are the folders that are followed.
type Watches interface {
	// List returns a page of them, those first that were followed first.
	List(page ibid.Page) (watches []api.Watch, next string, err error)
	// Watch follows a folder from now on, over restarts too.
	Watch(ctx context.Context, path, folder string) (api.Watch, error)
	// Unwatch ends that; the documents stay.
	Unwatch(ctx context.Context, id string) error
	// Hold takes note of a folder that somebody else follows, until release.
	Hold(path, folder string) (release func())
}

func (s *Server) listWatches(w http.ResponseWriter, r *http.Request) {
	page, err := pageParams(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	watches, next, err := s.cfg.Watches.List(page)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, api.Watches{Watches: orEmpty(watches), Next: next})
}

// addWatch follows a folder. With "hold" the one who asks follows it, and the
// answer lasts as long as that does.
func (s *Server) addWatch(w http.ResponseWriter, r *http.Request) {
	var in api.WatchRequest
	if err := readJSON(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	if in.Hold {
		defer s.cfg.Watches.Hold(in.Path, in.Folder)()
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	watch, err := s.cfg.Watches.Watch(r.Context(), in.Path, in.Folder)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusCreated, watch)
}

func (s *Server) removeWatch(w http.ResponseWriter, r *http.Request) {
	if err := s.cfg.Watches.Unwatch(r.Context(), r.PathValue("id")); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
