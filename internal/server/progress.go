package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ingest"
	"ibid/internal/wire"
)

func (s *Server) cancelDocument(w http.ResponseWriter, r *http.Request) {
	d, err := s.cfg.Pipeline.Cancel(r.Context(), s.view(r), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, d)
}

// retryDocument lets a document that failed be read again.
func (s *Server) retryDocument(w http.ResponseWriter, r *http.Request) {
	d, err := s.cfg.Pipeline.Retry(r.Context(), s.view(r), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusAccepted, d)
}

// documentSSE carries no positions: a frame is a document as it stands, and
// whoever comes back is told how it stands then.
var documentSSE = format{contentType: "text/event-stream"}

// documentEvents shows one document from now until nothing more happens to it.
func (s *Server) documentEvents(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	_, at, wake, _ := s.cfg.Pipeline.Activity(-1) // taken before the first look
	d, err := s.cfg.Library.Document(r.Context(), s.view(r), id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out := documentWriter{newWriter(s, w, r, documentSSE)}
	for {
		if out.document(d) != nil {
			return
		}
		if settled(d) {
			_ = out.send("done", struct{}{})
			return
		}
		for changed := false; !changed; {
			if !s.awaitActivity(r.Context(), out, wake) {
				return
			}
			_, at, wake, _ = s.cfg.Pipeline.Activity(at)
			now, err := s.cfg.Library.Document(r.Context(), s.view(r), id)
			if ibid.CodeOf(err) == ibid.CodeNotFound && err != nil {
				_ = out.removed(id)
				return
			}
			if err != nil {
				return
			}
			changed = now.Status != d.Status || now.Stage != d.Stage || now.Progress != d.Progress
			d = now
		}
	}
}

// libraryEvents shows every document that changes, those in work first. Without
// follow=true it ends when nothing is in work.
func (s *Server) libraryEvents(w http.ResponseWriter, r *http.Request) {
	follow := r.URL.Query().Get("follow") == "true"
	_, at, wake, _ := s.cfg.Pipeline.Activity(-1)
	docs, err := s.inWork(r.Context(), s.view(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out := documentWriter{newWriter(s, w, r, documentSSE)}
	if out.flush() != nil { // the reader must see that it is connected, also when nothing happens
		return
	}
	working := map[string]bool{}
	show := func(d ibid.Document) error {
		if settled(d) {
			delete(working, d.ID)
		} else {
			working[d.ID] = true
		}
		return out.document(d)
	}
	for _, d := range docs {
		if !settled(d) && show(d) != nil {
			return
		}
	}
	var queue ingest.Queue
	for {
		now, err := s.cfg.Pipeline.Queue(r.Context(), s.view(r))
		if err == nil && now != queue {
			queue = now
			if out.send("queue", queue) != nil {
				return
			}
		}
		if !follow && len(working) == 0 && queue.Waiting+queue.Processing == 0 {
			break
		}
		if !s.awaitActivity(r.Context(), out, wake) {
			return
		}
		var ids []string
		var complete bool
		ids, at, wake, complete = s.cfg.Pipeline.Activity(at)
		if !complete {
			_ = out.send("behind", struct{}{}) // fetch the list, and come back
			return
		}
		if s.showChanged(r.Context(), s.view(r), out, ids, working, show) != nil {
			return
		}
	}
	_ = out.send("done", struct{}{})
}

// inWork returns documents that the pipeline works on or is to work on, those that
// it works on first; the first ones where there are many.
func (s *Server) inWork(ctx context.Context, view access.View) ([]ibid.Document, error) {
	var all []ibid.Document
	for _, status := range []ibid.DocumentStatus{ibid.DocumentProcessing, ibid.DocumentQueued} {
		q := ibid.DocumentQuery{Status: []ibid.DocumentStatus{status}}
		docs, _, err := s.cfg.Library.Documents(ctx, view, q, ibid.Page{Limit: ibid.MaxLimit - len(all)})
		if err != nil {
			return nil, err
		}
		if all = append(all, docs...); len(all) >= ibid.MaxLimit {
			break
		}
	}
	return all, nil
}

func (s *Server) showChanged(ctx context.Context, view access.View, out documentWriter, ids []string, working map[string]bool, show func(ibid.Document) error) error {
	docs, err := s.cfg.Library.DocumentsByID(ctx, view, ids)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, d := range docs {
		there[d.ID] = true
		if err := show(d); err != nil {
			return err
		}
	}
	if len(there) == len(ids) {
		return nil
	}
	known, err := s.cfg.Library.Known(ctx, view, ids) // the others are somebody else's
	if err != nil {
		return err
	}
	for _, id := range known {
		if !there[id] {
			delete(working, id)
			if err := out.removed(id); err != nil {
				return err
			}
		}
	}
	return nil
}

func settled(d ibid.Document) bool {
	return d.Status != ibid.DocumentQueued && d.Status != ibid.DocumentProcessing
}

// activityPause is how long changes are gathered into one look.
const activityPause = 100 * time.Millisecond

// awaitActivity waits for the next change, and a little longer for what comes
// with it. It reports whether the reader is still there.
func (s *Server) awaitActivity(ctx context.Context, out documentWriter, wake <-chan struct{}) bool {
	beat := time.NewTicker(s.cfg.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-beat.C:
			if out.heartbeat() != nil {
				return false
			}
			continue
		case <-wake:
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(activityPause):
			return true
		}
	}
}

// documentWriter writes documents as frames.
type documentWriter struct{ *writer }

func (o documentWriter) document(d ibid.Document) error { return o.send("document", d) }

func (o documentWriter) removed(id string) error {
	return o.send("removed", map[string]string{"id": id})
}

func (o documentWriter) send(event string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := o.write("", wire.Frame{Event: event, Data: data}); err != nil {
		return err
	}
	return o.flush()
}
