package server

import (
	"net/http"

	"ibid"
	"ibid/internal/access"
)

// view is what whoever asks may see.
func (s *Server) view(r *http.Request) access.View {
	if s.cfg.Principal == nil {
		return access.For(ibid.Owner)
	}
	return access.For(s.cfg.Principal(r))
}
