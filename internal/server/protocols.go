package server

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"

	"ibid"
	"ibid/internal/run"
	"ibid/internal/server/api"
	"ibid/internal/wire"
)

// ask starts a run and streams it to its asker in one protocol. The client
// leaving does not end the run.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, a run.Ask, p wire.Projection, f format) {
	accepted, err := s.start(r, a)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("X-Thread-Id", accepted.ThreadID)
	w.Header().Set("X-User-Message-Id", accepted.UserMessageID)
	s.stream(w, r, accepted.MessageID, 0, p, f)
}

// watch streams a run that exists already: ?message_id=ID&after=N, or the id
// that the stream gave as Last-Event-ID.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, p wire.Projection, f format) {
	runID, after := r.URL.Query().Get("message_id"), int64(0)
	var err error
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		runID, after, err = runPosition(last)
	} else if runID == "" {
		err = &ibid.Error{Code: ibid.CodeBadRequest, Message: "message_id is missing", Hint: "POST asks a question; GET watches a run by its message_id"}
	} else {
		after, err = position(r.URL.Query().Get("after"))
	}
	if err == nil {
		_, err = s.cfg.Messages.Run(r.Context(), s.view(r), runID)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.stream(w, r, runID, after, p, f)
}

func (s *Server) postRAG(w http.ResponseWriter, r *http.Request) {
	var in api.RAGQuestion
	if err := readJSON(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	if in.Question == "" {
		in.Question = in.Query
	}
	images, err := decodeImages(in.Images)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	in.Scope.Documents = append(in.Scope.Documents, in.Files...)
	s.ask(w, r, run.Ask{ThreadID: in.SessionID, EditMessageID: in.EditMessageID, Request: ibid.Request{
		Text: in.Question, Scope: in.Scope, Think: in.Think, Attachments: images, AllHistory: true}}, &wire.RAG{}, ndjson)
}

func (s *Server) watchRAG(w http.ResponseWriter, r *http.Request) {
	s.watch(w, r, &wire.RAG{}, ndjson)
}

func decodeImages(encoded []string) ([]ibid.Attachment, error) {
	var out []ibid.Attachment
	for i, text := range encoded {
		if strings.HasPrefix(text, "data:") {
			_, text, _ = strings.Cut(text, ",")
		}
		data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		if err != nil {
			return nil, ibid.Errorf(ibid.CodeBadRequest, "image %d is not base64", i+1)
		}
		mime := http.DetectContentType(data)
		if !strings.HasPrefix(mime, "image/") {
			return nil, ibid.Errorf(ibid.CodeBadRequest, "image %d is not an image that is known (%s)", i+1, mime)
		}
		out = append(out, ibid.Attachment{Name: fmt.Sprintf("image-%d", i+1), MIME: mime, Data: data})
	}
	return out, nil
}

// chatAsk is what a question of that protocol asks.
func chatAsk(in api.ChatQuestion) run.Ask {
	return run.Ask{ThreadID: in.ConversationID, EditMessageID: in.EditMessageID, Request: ibid.Request{
		Text: in.Message, Scope: in.Scope, Think: in.Think, ForceTools: in.ForceTools, Attachments: in.Files, AllHistory: true}}
}

func (s *Server) postChat(w http.ResponseWriter, r *http.Request) {
	var in api.ChatQuestion
	if err := readJSON(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	s.ask(w, r, chatAsk(in), &wire.Chat{}, runSSE)
}

func (s *Server) watchChat(w http.ResponseWriter, r *http.Request) {
	s.watch(w, r, &wire.Chat{}, runSSE)
}

// postChatBatch is the same run, answered as one body when it has ended.
func (s *Server) postChatBatch(w http.ResponseWriter, r *http.Request) {
	var in api.ChatQuestion
	if err := readJSON(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	accepted, err := s.start(r, chatAsk(in))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	for tail := s.cfg.Runner.Tail(s.view(r), accepted.MessageID, 0); ; {
		if _, err := tail.Next(r.Context()); err == io.EOF {
			break
		} else if err != nil {
			s.fail(w, r, err)
			return
		}
	}
	m, err := s.cfg.Messages.Message(r.Context(), s.view(r), accepted.MessageID)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, wire.NewChatMessage(m))
}

func (s *Server) getChatMessage(w http.ResponseWriter, r *http.Request) {
	m, err := s.message(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, wire.NewChatMessage(m))
}

// queryTimeout is how long a question of POST /api/query/stream has, in
// milliseconds (docs/protocols.md).
const queryTimeout = 30_000

// longestTimeout bounds what may be asked for, in milliseconds.
const longestTimeout = 24 * 60 * 60 * 1000

func (s *Server) postQuery(w http.ResponseWriter, r *http.Request) {
	var in api.QueryQuestion
	if err := readJSON(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	if in.TimeoutMS <= 0 {
		in.TimeoutMS = queryTimeout
	}
	s.ask(w, r, run.Ask{ThreadID: in.SessionID, Request: ibid.Request{
		Text: in.Query, Mode: in.Mode, Scope: in.Scope, TimeoutMS: min(in.TimeoutMS, longestTimeout)}}, &wire.Query{Tools: s.cfg.Tools}, runSSE)
}

func (s *Server) watchQuery(w http.ResponseWriter, r *http.Request) {
	s.watch(w, r, &wire.Query{Tools: s.cfg.Tools}, runSSE)
}

func (s *Server) postTokens(w http.ResponseWriter, r *http.Request) {
	var in api.TokensQuestion
	if err := readJSON(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	s.ask(w, r, run.Ask{ThreadID: in.SessionID, Request: ibid.Request{Text: in.Message, Scope: in.Scope}}, &wire.Tokens{Tools: s.cfg.Tools}, runSSE)
}

// getTokens asks with ?message=, as an EventSource does. When such a reader
// reconnects by itself it repeats the address; its Last-Event-ID tells that it
// wants the rest of the same answer, not a second one.
func (s *Server) getTokens(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("message") == "" || r.Header.Get("Last-Event-ID") != "" {
		s.watch(w, r, &wire.Tokens{Tools: s.cfg.Tools}, runSSE)
		return
	}
	s.ask(w, r, run.Ask{ThreadID: q.Get("session_id"), Request: ibid.Request{Text: q.Get("message")}}, &wire.Tokens{Tools: s.cfg.Tools}, runSSE)
}
