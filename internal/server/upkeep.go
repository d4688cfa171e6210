package server

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"ibid"
	"ibid/internal/backup"
	"ibid/internal/server/api"
	"ibid/internal/wire"
)

// Upkeep backs the library up, mends it, and looks whether its originals are whole.
// Each of these takes long, and tells progress how far it is.
type Upkeep interface {
	// Backup makes a backup now: the one that is set, where to is "". keep is how
	// many copies stay there, 0 for all.
	Backup(ctx context.Context, to string, keep int, progress func(backup.Progress)) (backup.Result, error)
	// Mend puts originals that are damaged or missing back from a backup.
	Mend(ctx context.Context, from string, progress func(api.ScrubProgress)) (api.Mended, error)
	// Scrub reads all originals.
	Scrub(ctx context.Context, progress func(api.ScrubProgress)) (api.ScrubState, error)
}

// ownerHeader carries the word that stands in server.json. Whoever knows it can
// read the data directory anyway, and may name paths of this machine; a token
// alone, which others may have, must not.
const ownerHeader = "Ibid-Owner"

// isOwner reports whether a request comes from who may read the data directory.
func (s *Server) isOwner(r *http.Request) bool {
	return s.cfg.Owner != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get(ownerHeader)), []byte(s.cfg.Owner)) == 1
}

// errOnlyOwner refuses a path that came over the network.
func errOnlyOwner() error {
	e := ibid.Errorf(ibid.CodeForbidden, "over HTTP nobody may say where on this machine is written or read")
	e.Hint = "run ibid backup or ibid restore on the machine itself, or set backup in its configuration"
	return e
}

// postBackup is POST /v1/backup.
func (s *Server) postBackup(w http.ResponseWriter, r *http.Request) {
	var req api.BackupRequest
	if err := readJSON(w, r, &req); err != nil {
		s.fail(w, r, err)
		return
	}
	if req.To != "" && !s.isOwner(r) {
		s.fail(w, r, errOnlyOwner())
		return
	}
	work(s, w, r, func(ctx context.Context, progress func(backup.Progress)) (backup.Result, error) {
		return s.cfg.Upkeep.Backup(ctx, req.To, req.Keep, progress)
	})
}

// postMend is POST /v1/mend.
func (s *Server) postMend(w http.ResponseWriter, r *http.Request) {
	var req api.MendRequest
	if err := readJSON(w, r, &req); err != nil {
		s.fail(w, r, err)
		return
	}
	if !s.isOwner(r) {
		s.fail(w, r, errOnlyOwner())
		return
	}
	work(s, w, r, func(ctx context.Context, progress func(api.ScrubProgress)) (api.Mended, error) {
		return s.cfg.Upkeep.Mend(ctx, req.From, progress)
	})
}

// postScrub is POST /v1/scrub.
func (s *Server) postScrub(w http.ResponseWriter, r *http.Request) {
	work(s, w, r, s.cfg.Upkeep.Scrub)
}

// progressPause is the least time between two lines of progress.
const progressPause = 200 * time.Millisecond

// work does something that takes long, and shows it as NDJSON: lines with progress,
// then one with the result or the error. What fails before it has begun is
// answered as any failure. It ends when the reader leaves.
func work[Progress, Result any](s *Server, w http.ResponseWriter, r *http.Request, do func(ctx context.Context, progress func(Progress)) (Result, error)) {
	type line = api.WorkLine[Progress, Result]
	var mu sync.Mutex
	var latest Progress // that is not written yet
	news := make(chan struct{}, 1)
	var result Result
	ended := make(chan error, 1) // once result is there
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		var err error
		result, err = do(ctx, func(progress Progress) {
			mu.Lock()
			latest = progress
			mu.Unlock()
			select {
			case news <- struct{}{}:
			default:
			}
		})
		ended <- err
	}()
	var out *writer // nil until something is written
	write := func(l line) {
		if out == nil {
			out = newWriter(s, w, r, ndjson)
		}
		data, err := json.Marshal(l)
		if err == nil {
			err = out.write("", wire.Frame{Data: data})
		}
		if err == nil {
			err = out.flush()
		}
		if err != nil {
			cancel()
		}
	}
	beat := time.NewTicker(s.cfg.Heartbeat)
	defer beat.Stop()
	pause := time.NewTimer(0)
	defer pause.Stop()
	<-pause.C
	ready := news // nil while lines pause
	for {
		select {
		case <-ready:
			mu.Lock()
			v := latest
			mu.Unlock()
			write(line{Progress: &v})
			ready = nil
			pause.Reset(progressPause)
		case <-pause.C:
			ready = news
		case <-beat.C:
			if out != nil && out.heartbeat() != nil {
				cancel()
			}
		case err := <-ended:
			switch {
			case err == nil:
				write(line{Result: &result})
			case r.Context().Err() != nil:
				breakOff()
			case out == nil:
				s.fail(w, r, err)
			default:
				detail := s.detail(r, err)
				write(line{Error: &detail})
			}
			return
		}
	}
}

// detail is an error as an answer shows it.
func (s *Server) detail(r *http.Request, err error) api.ErrorDetail {
	var known *ibid.Error
	if errors.As(err, &known) {
		return api.ErrorDetail{Code: known.Code, Message: known.Message, Hint: known.Hint}
	}
	if r.Context().Err() == nil {
		s.cfg.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	return api.ErrorDetail{Code: ibid.CodeInternal, Message: "something went wrong", Hint: "the server's log says what"}
}
