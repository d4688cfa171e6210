package server

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/run"
	"ibid/internal/server/api"
)

func (s *Server) listThreads(w http.ResponseWriter, r *http.Request) {
	page, err := pageParams(r)
	var threads []ibid.Thread
	var next string
	if err == nil {
		query := ibid.ThreadQuery{Text: strings.TrimSpace(r.URL.Query().Get("q")), ID: r.URL.Query().Get("id")}
		threads, next, err = s.cfg.Threads.Threads(r.Context(), s.view(r), query, page)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, api.Threads{Threads: orEmpty(threads), Next: next})
}

func (s *Server) getThread(w http.ResponseWriter, r *http.Request) {
	t, err := s.cfg.Threads.Thread(r.Context(), s.view(r), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, t)
}

// maxTitle bounds a thread's title, in bytes.
const maxTitle = 1000

func (s *Server) changeThread(w http.ResponseWriter, r *http.Request) {
	var in api.ThreadChange
	err := readJSON(w, r, &in)
	in.Title = strings.TrimSpace(in.Title)
	if err == nil && (len(in.Title) > maxTitle || strings.ContainsFunc(in.Title, unicode.IsControl)) {
		err = ibid.Errorf(ibid.CodeBadRequest, "a title is one line of at most %d bytes", maxTitle)
	}
	switch {
	case err != nil:
	case in.Title == "" && in.HeadID == "" && in.BranchID == "":
		err = ibid.Errorf(ibid.CodeBadRequest, "give a title, a head_id or a branch_id")
	case in.HeadID != "" && in.BranchID != "":
		err = ibid.Errorf(ibid.CodeBadRequest, "give a head_id or a branch_id, not both")
	}
	if err == nil && (in.Title != "" || in.HeadID != "") {
		err = s.cfg.Threads.SetThread(r.Context(), s.view(r), r.PathValue("id"), in.Title, in.HeadID)
	}
	if err == nil && in.BranchID != "" {
		err = s.cfg.Threads.ShowBranch(r.Context(), s.view(r), r.PathValue("id"), in.BranchID)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.getThread(w, r)
}

func (s *Server) postUserMessage(w http.ResponseWriter, r *http.Request) {
	var q api.Question
	if err := s.readQuestion(w, r, &q); err != nil {
		s.fail(w, r, err)
		return
	}
	threadID := r.PathValue("id")
	accepted, err := s.start(r, run.Ask{ThreadID: threadID, EditMessageID: q.EditMessageID, Request: ibid.Request{
		Text: q.InputText, Mode: q.Mode, Scope: q.Scope, Think: q.Think, ForceTools: q.ForceTools, Attachments: q.Attachments, Fresh: q.Fresh, Model: q.Model}})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusAccepted, api.Asked{MessageID: accepted.MessageID, UserMessageID: accepted.UserMessageID, WorkflowID: "agent-" + threadID})
}

// maxQuestion bounds a question's text, in bytes.
const maxQuestion = 200_000

// start checks a question, whichever protocol it came by, and hands it to the
// runner.
func (s *Server) start(r *http.Request, ask run.Ask) (run.Accepted, error) {
	q := &ask.Request
	q.Text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(q.Text, "\x00", ""), "�"))
	if ask.ThreadID == "" {
		ask.ThreadID = s.cfg.NewID()
	}
	if err := validID("a thread's id", ask.ThreadID); err != nil {
		return run.Accepted{}, err
	}
	switch {
	case q.Text == "":
		return run.Accepted{}, ibid.Errorf(ibid.CodeBadRequest, "the question is empty")
	case len(q.Text) > maxQuestion:
		return run.Accepted{}, &ibid.Error{Code: ibid.CodeBadRequest, Message: "the question is longer than 200,000 bytes", Hint: "add long texts as documents"}
	}
	if err := s.checkRequest(r.Context(), s.view(r), q); err != nil {
		return run.Accepted{}, err
	}
	return s.cfg.Runner.Start(r.Context(), s.view(r), ask)
}

// checkRequest gives what a question does not say its default, and refuses what
// cannot be had.
func (s *Server) checkRequest(ctx context.Context, view access.View, q *ibid.Request) error {
	switch q.Mode {
	case "":
		q.Mode = ibid.ModeAuto
	case ibid.ModeAuto, ibid.ModeAgentic, ibid.ModeDirect:
	default:
		return ibid.Errorf(ibid.CodeBadRequest, "mode must be auto, agentic or direct, not %q", q.Mode)
	}
	switch q.Think {
	case "":
		q.Think = ibid.ThinkAuto
	case ibid.ThinkAuto, ibid.ThinkOn, ibid.ThinkOff:
	default:
		return ibid.Errorf(ibid.CodeBadRequest, "think must be auto, on or off, not %q", q.Think)
	}
	if err := s.checkAttachments(q.Attachments); err != nil {
		return err
	}
	if q.Model != "" && s.cfg.Choosable != nil {
		if err := s.cfg.Choosable(q.Model); err != nil {
			return err
		}
	}
	for _, name := range q.ForceTools {
		if s.cfg.Forceable == nil {
			break
		}
		if err := s.cfg.Forceable(name); err != nil {
			return err
		}
	}
	for _, id := range q.Scope.Documents {
		if _, err := s.cfg.Library.Document(ctx, view, id); err != nil {
			return err
		}
	}
	for i, name := range q.Scope.Databases {
		if s.cfg.Databases == nil {
			break
		}
		d, err := s.cfg.Databases.Database(ctx, view, name)
		if err != nil {
			return err
		}
		q.Scope.Databases[i] = d.ID
	}
	return nil
}

func (s *Server) stopThread(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	id, err := s.cfg.Runner.Stop(r.Context(), s.view(r), r.PathValue("id"))
	if err == nil && id == "" {
		err = ibid.Errorf(ibid.CodeNotFound, "nothing is running in this thread")
	}
	var status ibid.Status
	if err == nil {
		var stopped *ibid.Run
		if stopped, err = s.cfg.Messages.Run(r.Context(), s.view(r), id); err == nil {
			status = stopped.Status
		}
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, api.Stopped{MessageID: id, Status: status, StoppedInMS: time.Since(began).Milliseconds()})
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
