package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/database"
	"ibid/internal/ingest"
	"ibid/internal/server/api"
)

// Databases are the attached databases.
type Databases interface {
	// List returns a page of the databases, the oldest first.
	List(ctx context.Context, view access.View, page ibid.Page) (databases []ibid.Database, next string, err error)
	Database(ctx context.Context, view access.View, id string) (ibid.Database, error)
	Add(ctx context.Context, view access.View, a database.Addition) (ibid.Database, error)
	Remove(ctx context.Context, view access.View, id string) (ibid.Database, error)
	Restore(ctx context.Context, view access.View, id string) (ibid.Database, error)
	Test(ctx context.Context, view access.View, id string) (ibid.Database, error)
	Query(ctx context.Context, view access.View, id, sql string) (ibid.Table, error)
}

func (s *Server) listDatabases(w http.ResponseWriter, r *http.Request) {
	page, err := pageParams(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	databases, next, err := s.cfg.Databases.List(r.Context(), s.view(r), page)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, api.Databases{Databases: orEmpty(databases), Next: next})
}

// addDatabase attaches what a JSON object names, or an uploaded file.
func (s *Server) addDatabase(w http.ResponseWriter, r *http.Request) {
	var d ibid.Database
	var err error
	if parts, formErr := r.MultipartReader(); formErr == nil {
		d, err = s.uploadDatabase(w, r, parts.NextPart)
	} else {
		var in api.DatabaseAddition
		if err = readJSON(w, r, &in); err == nil {
			d, err = s.cfg.Databases.Add(r.Context(), s.view(r), database.Addition{Name: in.Name, Source: ibid.Secret(in.Source)})
		}
	}
	s.answerDatabase(w, r, http.StatusCreated, d, err)
}

// uploadDatabase takes in the file of a multipart form; a part "meta" before it
// may hold {"name"}.
func (s *Server) uploadDatabase(w http.ResponseWriter, r *http.Request, next func() (*multipart.Part, error)) (d ibid.Database, err error) {
	var meta api.DatabaseAddition
	for {
		part, err := next()
		if errors.Is(err, io.EOF) {
			return d, ibid.Errorf(ibid.CodeBadRequest, "the form holds no file; name the part \"file\"")
		}
		if err != nil {
			return d, uploadBrokeOff(err)
		}
		switch part.FormName() {
		case "meta":
			if err := json.NewDecoder(io.LimitReader(part, 64<<10)).Decode(&meta); err != nil {
				return d, ibid.Errorf(ibid.CodeBadRequest, "the meta part is not JSON: %v", err)
			}
		case "file":
			return s.takeDatabase(r, http.MaxBytesReader(w, part, s.cfg.MaxUploadBytes), database.Addition{Name: meta.Name, Source: ibid.Secret(partName(part, ingest.File{}))})
		}
	}
}

func (s *Server) takeDatabase(r *http.Request, content io.Reader, a database.Addition) (d ibid.Database, err error) {
	f, err := os.CreateTemp("", "ibid-upload-*")
	if err != nil {
		return d, fmt.Errorf("keep an upload: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = io.Copy(f, content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return d, ibid.Errorf(ibid.CodeBadRequest, "larger than %d MB", s.cfg.MaxUploadBytes>>20)
	case err != nil:
		return d, fmt.Errorf("keep an upload: %w", err)
	}
	a.File = f.Name()
	return s.cfg.Databases.Add(r.Context(), s.view(r), a)
}

func (s *Server) answerDatabase(w http.ResponseWriter, r *http.Request, status int, d ibid.Database, err error) {
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, status, d)
}

func (s *Server) getDatabase(w http.ResponseWriter, r *http.Request) {
	d, err := s.cfg.Databases.Database(r.Context(), s.view(r), r.PathValue("id"))
	s.answerDatabase(w, r, http.StatusOK, d, err)
}

func (s *Server) testDatabase(w http.ResponseWriter, r *http.Request) {
	d, err := s.cfg.Databases.Test(r.Context(), s.view(r), r.PathValue("id"))
	s.answerDatabase(w, r, http.StatusOK, d, err)
}

func (s *Server) restoreDatabase(w http.ResponseWriter, r *http.Request) {
	d, err := s.cfg.Databases.Restore(r.Context(), s.view(r), r.PathValue("id"))
	s.answerDatabase(w, r, http.StatusOK, d, err)
}

func (s *Server) removeDatabase(w http.ResponseWriter, r *http.Request) {
	if _, err := s.cfg.Databases.Remove(r.Context(), s.view(r), r.PathValue("id")); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) queryDatabase(w http.ResponseWriter, r *http.Request) {
	var in api.DatabaseQuery
	if err := readJSON(w, r, &in); err != nil {
		s.fail(w, r, err)
		return
	}
	began := s.cfg.Now()
	table, err := s.cfg.Databases.Query(r.Context(), s.view(r), r.PathValue("id"), in.SQL)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, api.QueryResult{Table: table, TookMS: s.cfg.Now().Sub(began).Milliseconds()})
}
