package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/wire"
)

// format is how a protocol puts frames on the wire.
type format struct {
	contentType string
	// id writes a position for protocols that carry one.
	id func(runID string, position int64) string
	// lines is true for NDJSON, false for server-sent events.
	lines bool
}

var (
	ndjson = format{contentType: "application/x-ndjson", lines: true}
	// threadSSE carries the bare position: the run is known from the thread.
	threadSSE = format{contentType: "text/event-stream", id: func(_ string, n int64) string { return strconv.FormatInt(n, 10) }}
	// runSSE names the run as well, so that Last-Event-ID alone is enough.
	runSSE = format{contentType: "text/event-stream", id: func(run string, n int64) string { return fmt.Sprintf("%s:%d", run, n) }}
)

// graceToWatch is how long after its end a run that nobody has watched to the
// end is still streamed to whoever comes for it: a fast answer may be finished
// before its asker has opened the stream.
const graceToWatch = time.Minute

// streamThread is GET /v1/threads/{id}/stream.
func (s *Server) streamThread(w http.ResponseWriter, r *http.Request) {
	threadID := r.PathValue("id")
	q := r.URL.Query()
	messageID, entryID := q.Get("last_message_id"), q.Get("last_entry_id")
	if (messageID == "") != (entryID == "") {
		s.fail(w, r, &ibid.Error{Code: ibid.CodeBadRequest, Message: "last_message_id and last_entry_id go together",
			Hint: "give both to resume, or none to watch the active run from its beginning"})
		return
	}
	if _, err := s.cfg.Threads.Thread(r.Context(), s.view(r), threadID); err != nil {
		s.fail(w, r, err)
		return
	}
	resumed := messageID != ""
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		// A browser that reconnects by itself repeats the address it was given;
		// what it has seen since stands in the header.
		entryID, resumed = last, true
	}
	after, err := position(entryID)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	runID, err := s.runToStream(r, threadID, messageID, resumed)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if runID == "" {
		if messageID == "" {
			if latest, err := s.cfg.Threads.LatestRun(r.Context(), s.view(r), threadID); err == nil && latest != nil {
				messageID = latest.ID
			}
		}
		out := newWriter(s, w, r, threadSSE)
		_ = out.write("", wire.NotStreaming(messageID))
		return
	}
	s.stream(w, r, runID, after, &wire.Threads{}, threadSSE)
}

// runToStream decides which run a reader of a thread gets; "" is none.
func (s *Server) runToStream(r *http.Request, threadID, messageID string, resumed bool) (string, error) {
	if messageID != "" {
		run, err := s.cfg.Messages.Run(r.Context(), s.view(r), messageID)
		if err != nil {
			return "", err
		}
		if run.ThreadID != threadID {
			return "", ibid.Errorf(ibid.CodeNotFound, "message %s is not in thread %s", messageID, threadID)
		}
		if run.Status.Done() {
			return "", nil
		}
		return run.ID, nil
	}
	latest, err := s.cfg.Threads.LatestRun(r.Context(), s.view(r), threadID)
	if err != nil || latest == nil {
		return "", err
	}
	if !latest.Status.Done() {
		return latest.ID, nil
	}
	if resumed || s.watched.has(latest.ID) {
		return "", nil
	}
	m, err := s.cfg.Messages.Message(r.Context(), s.view(r), latest.ID)
	if err != nil {
		return "", err
	}
	if m.Finished == nil {
		return "", nil
	}
	ended := latest.AcceptedAt.Add(time.Duration(m.Finished.Timing.TotalMS) * time.Millisecond)
	if s.cfg.Now().Sub(ended) > graceToWatch {
		return "", nil
	}
	return latest.ID, nil
}

// position reads how far a reader had come; "" is the beginning.
func position(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, ibid.Errorf(ibid.CodeBadRequest, "%q is not a position in a run's log; send back an id that the stream gave", text)
	}
	return n, nil
}

// runPosition reads "<message id>:<position>" as the other protocols write it.
func runPosition(text string) (runID string, after int64, err error) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, 0, nil
	}
	after, err = position(text[i+1:])
	return text[:i], after, err
}

// stream shows a run to one reader from a position until the run ends or the
// reader goes. The run does not notice either way.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, runID string, after int64, p wire.Projection, f format) {
	if err := s.bringTo(r.Context(), s.view(r), runID, after, p); err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("X-Message-Id", runID)
	out := newWriter(s, w, r, f)
	if out.flush() != nil {
		return
	}
	tail := s.cfg.Runner.Tail(s.view(r), runID, after)
	for {
		ctx, cancel := context.WithTimeout(r.Context(), s.cfg.Heartbeat)
		events, err := tail.Next(ctx)
		cancel()
		switch {
		case errors.Is(err, io.EOF):
			s.watched.add(runID)
			return
		case r.Context().Err() != nil:
			return
		case errors.Is(err, context.DeadlineExceeded):
			if out.heartbeat() != nil {
				return
			}
			continue
		case err != nil:
			s.cfg.Log.Error("cannot read a run's log", "run", runID, "error", err)
			return
		}
		for _, e := range events {
			for _, frame := range p.Next(e) {
				if out.write(runID, frame) != nil {
					return
				}
			}
		}
		if out.flush() != nil {
			return
		}
	}
}

// bringTo feeds a projection the events that its reader has had already.
func (s *Server) bringTo(ctx context.Context, view access.View, runID string, after int64, p wire.Projection) error {
	if after == 0 {
		return nil
	}
	run, err := s.cfg.Messages.Run(ctx, view, runID)
	if err != nil {
		return err
	}
	if after > run.LastSeq {
		return ibid.Errorf(ibid.CodeBadRequest, "position %d is beyond the end of the run's log (%d)", after, run.LastSeq)
	}
	for at := int64(0); at < after; {
		events, err := s.cfg.Messages.Events(ctx, view, runID, at, int(min(1000, after-at)))
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return nil
		}
		for _, e := range events {
			p.Next(e)
			at = e.Seq
		}
	}
	return nil
}

// writer puts frames on one connection. Each write has a deadline: a reader
// that has stopped reading is dropped, and can resume.
type writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	format  format
	timeout time.Duration
}

func newWriter(s *Server, w http.ResponseWriter, _ *http.Request, f format) *writer {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	out := &writer{w: w, control: http.NewResponseController(w), format: f, timeout: s.cfg.WriteTimeout}
	if !f.lines {
		_, _ = io.WriteString(w, "retry: 1000\n\n")
	}
	return out
}

func (o *writer) write(runID string, f wire.Frame) error {
	o.deadline()
	if o.format.lines {
		return wire.WriteLine(o.w, f)
	}
	id := ""
	if runID != "" && o.format.id != nil {
		id = o.format.id(runID, f.Position)
	}
	return wire.WriteSSE(o.w, f, id)
}

// heartbeat keeps a connection open while there is nothing to say, such as while a
// run is queued: proxies end what is silent for long. Readers pass over it: in
// server-sent events it is a comment, in NDJSON, which has none, an empty line.
func (o *writer) heartbeat() error {
	beat := ": still here\n\n"
	if o.format.lines {
		beat = "\n"
	}
	o.deadline()
	if _, err := io.WriteString(o.w, beat); err != nil {
		return err
	}
	return o.flush()
}

func (o *writer) flush() error {
	o.deadline()
	return o.control.Flush()
}

func (o *writer) deadline() {
	// Not every ResponseWriter of a test can do it; a real connection can.
	_ = o.control.SetWriteDeadline(time.Now().Add(o.timeout))
}

// messageEvents is GET /v1/messages/{id}/events: the log itself.
func (s *Server) messageEvents(w http.ResponseWriter, r *http.Request) {
	after, err := position(r.URL.Query().Get("after"))
	if err == nil {
		_, err = s.cfg.Messages.Run(r.Context(), s.view(r), r.PathValue("id"))
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	id := r.PathValue("id")
	if r.URL.Query().Get("follow") == "true" {
		s.stream(w, r, id, after, wire.Log{}, ndjson)
		return
	}
	out := newWriter(s, w, r, ndjson)
	for {
		events, err := s.cfg.Messages.Events(r.Context(), s.view(r), id, after, 500)
		if err != nil || len(events) == 0 {
			return
		}
		for _, e := range events {
			for _, f := range (wire.Log{}).Next(e) {
				if out.write(id, f) != nil {
					return
				}
			}
			after = e.Seq
		}
	}
}
