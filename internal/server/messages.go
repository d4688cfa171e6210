package server

import (
	"ibid/internal/server/api"
	"net/http"

	"ibid"
)

// pageParams reads limit and cursor, as every list takes them.
func pageParams(r *http.Request) (ibid.Page, error) {
	limit, err := intParam(r, "limit", ibid.DefaultLimit, 1, ibid.MaxLimit)
	return ibid.Page{Limit: limit, Cursor: r.URL.Query().Get("cursor")}, err
}

// listMessages answers a part of a thread, and reads no more of it: the newest
// messages of the branch that is shown, or of all branches, or those around one.
func (s *Server) listMessages(w http.ResponseWriter, r *http.Request) {
	part, err := s.messagePart(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, part)
}

func (s *Server) messagePart(r *http.Request) (api.Messages, error) {
	var part api.Messages
	thread, err := s.cfg.Threads.Thread(r.Context(), s.view(r), r.PathValue("id"))
	if err != nil {
		return part, err
	}
	page, err := pageParams(r)
	if err != nil {
		return part, err
	}
	var messages []ibid.Message
	switch query := r.URL.Query(); {
	case query.Get("all") == "true" && query.Has("around"), page.Cursor != "" && query.Has("around"):
		err = ibid.Errorf(ibid.CodeBadRequest, "around goes with neither all nor cursor")
	case query.Get("all") == "true":
		messages, part.Next, err = s.cfg.Branches.Messages(r.Context(), s.view(r), thread.ID, page)
	case query.Has("around"):
		messages, part.Next, part.Newer, err = s.cfg.Branches.BranchAround(r.Context(), s.view(r), thread.ID, thread.HeadID, query.Get("around"), page.Limit)
	case isNewer(page):
		messages, part.Newer, err = s.cfg.Branches.BranchAfter(r.Context(), s.view(r), thread.ID, page)
	default:
		messages, part.Next, err = s.cfg.Branches.Branch(r.Context(), s.view(r), thread.ID, thread.HeadID, page)
	}
	if err != nil {
		return part, err
	}
	ids := make([]string, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	siblings, err := s.cfg.Branches.Siblings(r.Context(), s.view(r), ids)
	if err != nil {
		return part, err
	}
	part.Messages = make([]api.ListedMessage, len(messages))
	for i, m := range messages {
		if part.Messages[i].Message, err = s.current(r, m); err != nil {
			return part, err
		}
		part.Messages[i].Siblings = siblings[m.ID]
	}
	return part, nil
}

// isNewer reports whether a page's cursor is one of BranchAfter: it has two keys
// and those of Branch have one.
func isNewer(page ibid.Page) bool {
	var head, after string
	ok, err := page.DecodeCursor(&head, &after)
	return ok && err == nil
}

// current returns a message as it stands: one that is still being written is
// folded from its log.
func (s *Server) current(r *http.Request, m ibid.Message) (ibid.Message, error) {
	if m.Role != ibid.RoleAssistant || m.Status.Done() {
		return m, nil
	}
	var fold ibid.Fold
	var after int64
	for {
		events, err := s.cfg.Messages.Events(r.Context(), s.view(r), m.ID, after, 1000)
		if err != nil {
			return m, err
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			if d, first := e.Data.(ibid.RunStarted); first && after == 0 {
				fold = s.cfg.Runner.Fold(d.Kind)
			}
			fold.Add(e)
			after = e.Seq
		}
	}
	if after == 0 {
		return m, nil
	}
	return fold.Message(), nil
}

func (s *Server) message(r *http.Request) (ibid.Message, error) {
	m, err := s.cfg.Messages.Message(r.Context(), s.view(r), r.PathValue("id"))
	if err != nil {
		return m, err
	}
	return s.current(r, m)
}

func (s *Server) getMessage(w http.ResponseWriter, r *http.Request) {
	m, err := s.message(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, m)
}

func (s *Server) deleteMessage(w http.ResponseWriter, r *http.Request) {
	if err := s.cfg.Messages.DeleteMessage(r.Context(), s.view(r), r.PathValue("id")); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
