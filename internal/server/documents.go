package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strconv"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ingest"
	"ibid/internal/server/api"
)

// listDocuments answers a page of the documents that the query asks for.
func (s *Server) listDocuments(w http.ResponseWriter, r *http.Request) {
	q, err := documentQuery(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	page, err := pageParams(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if r.URL.Query().Has("below") {
		s.documentsBelow(w, r, page)
		return
	}
	docs, next, err := s.cfg.Library.Documents(r.Context(), s.view(r), q, page)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	answer := api.Documents{Documents: orEmpty(docs), Next: next}
	total, known, err := s.cfg.Library.KnownCount(r.Context(), s.view(r), q)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if known {
		answer.Total = &total
	}
	writeJSON(w, http.StatusOK, answer)
}

// maxCalled bounds the part of a name that is looked for, in bytes.
const maxCalled = 1000

// documentQuery reads what documents are asked for. status= may be given several
// times; in_folder= also without a value, for documents that lie in no folder.
func documentQuery(r *http.Request) (ibid.DocumentQuery, error) {
	scope, err := scopeParams(r)
	if err != nil {
		return ibid.DocumentQuery{}, err
	}
	v := r.URL.Query()
	q := ibid.DocumentQuery{Scope: scope, Called: v.Get("q"), Name: v.Get("name"), Source: v.Get("source"), ID: v.Get("id"), PartOf: v.Get("part_of"), Sort: ibid.DocumentSort(v.Get("sort"))}
	if len(q.Called) > maxCalled {
		return q, ibid.Errorf(ibid.CodeBadRequest, "q is longer than %d bytes", maxCalled)
	}
	if v.Has("in_folder") {
		folder := strings.Trim(v.Get("in_folder"), "/")
		q.InFolder = &folder
	}
	for _, name := range v["status"] {
		status := ibid.DocumentStatus(name)
		switch status {
		case ibid.DocumentQueued, ibid.DocumentProcessing, ibid.DocumentReady, ibid.DocumentFailed:
			q.Status = append(q.Status, status)
		default:
			return q, ibid.Errorf(ibid.CodeBadRequest, "there is no status %q; there are queued, processing, ready and failed", name)
		}
	}
	return q, nil
}

func (s *Server) getDocument(w http.ResponseWriter, r *http.Request) {
	d, err := s.cfg.Library.Document(r.Context(), s.view(r), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, d)
}

// Bounds of what a form says of a file, in bytes. A password of PDF itself stops
// at 127.
const (
	maxMeta     = 64 << 10
	maxPassword = 1 << 10
)

// addDocuments takes in the files of a multipart form one after the other,
// without holding any of them in memory. A file that cannot be taken in is
// reported, and the others go on.
func (s *Server) addDocuments(w http.ResponseWriter, r *http.Request) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/json" {
		s.addURL(w, r)
		return
	}
	parts, err := r.MultipartReader()
	if err != nil {
		s.fail(w, r, &ibid.Error{Code: ibid.CodeBadRequest, Message: "send the files as multipart/form-data",
			Hint: "curl -F file=@report.pdf http://HOST/v1/documents, or send {\"url\":\"https://…\"} as application/json"})
		return
	}
	u := &upload{server: s, Uploads: api.Uploads{Documents: []api.Uploaded{}, Errors: []api.RefusedFile{}}}
	if err := eachPart(parts, func(part *multipart.Part) error { return u.take(w, r, part) }); err != nil {
		s.fail(w, r, err)
		return
	}
	status := http.StatusAccepted
	if len(u.Documents) == 0 && len(u.Errors) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if len(u.Documents) == 0 && len(u.Errors) == 0 {
		s.fail(w, r, ibid.Errorf(ibid.CodeBadRequest, "the form holds no file; name the parts \"file\""))
		return
	}
	writeJSON(w, status, u.Uploads)
}

// upload is a form that is being taken in.
type upload struct {
	server *Server
	next   ingest.File     // what parts before the next file have said of it
	onSame ibid.OnSameName // of files whose meta does not say
	api.Uploads
}

// eachPart calls take for the parts of a form, in their order, until one fails.
func eachPart(form *multipart.Reader, take func(*multipart.Part) error) error {
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return uploadBrokeOff(err)
		}
		if err := take(part); err != nil {
			return err
		}
	}
}

func uploadBrokeOff(err error) error {
	if errors.Is(err, errStalled) {
		return err
	}
	return ibid.Errorf(ibid.CodeBadRequest, "the upload broke off: %w", err)
}

// take takes one part in. An error ends the whole upload.
func (u *upload) take(w http.ResponseWriter, r *http.Request, part *multipart.Part) error {
	switch part.FormName() {
	case "meta":
		u.next = ingest.File{Password: u.next.Password}
		if err := json.NewDecoder(io.LimitReader(part, maxMeta)).Decode(&u.next); err != nil {
			return ibid.Errorf(ibid.CodeBadRequest, "a meta part is not JSON: %v", err)
		}
		if err := u.next.OnSameName.Check(); err != nil {
			return err
		}
	case "on_same_name":
		text, err := io.ReadAll(io.LimitReader(part, maxMeta))
		if err != nil {
			return uploadBrokeOff(err)
		}
		u.onSame = ibid.OnSameName(text)
		return u.onSame.Check()
	case "password":
		password, err := io.ReadAll(io.LimitReader(part, maxPassword))
		if err != nil {
			return uploadBrokeOff(err)
		}
		u.next.Password = string(password)
	case "file":
		u.file(w, r, part)
	}
	return nil
}

// file takes a file in.
func (u *upload) file(w http.ResponseWriter, r *http.Request, part *multipart.Part) {
	file := u.next
	u.next = ingest.File{}
	file.Name = partName(part, file)
	file.OnSameName = cmp.Or(file.OnSameName, u.onSame)
	added, err := u.server.cfg.Pipeline.Add(r.Context(), u.server.view(r), file, http.MaxBytesReader(w, part, u.server.cfg.MaxUploadBytes))
	switch {
	case err != nil && r.Context().Err() != nil && !errors.Is(err, errStalled):
		breakOff()
	case err != nil:
		failed := u.server.failedFile(file.Name, err)
		failed.SameName = added.SameName
		u.Errors = append(u.Errors, failed)
	default:
		u.Documents = append(u.Documents, api.Uploaded(added))
	}
}

// addURL fetches a page of the web and takes it in, with its URL as its source:
// added again, it is a new version.
func (s *Server) addURL(w http.ResponseWriter, r *http.Request) {
	var asked api.DocumentURL
	if err := readJSON(w, r, &asked); err != nil {
		s.fail(w, r, err)
		return
	}
	if asked.URL = strings.TrimSpace(asked.URL); asked.URL == "" {
		s.fail(w, r, &ibid.Error{Code: ibid.CodeBadRequest, Message: "the request names no url", Hint: `send {"url":"https://…"}, or files as multipart/form-data`})
		return
	}
	added, err := s.fetchDocument(r.Context(), s.view(r), asked.URL, asked.File)
	if r.Context().Err() != nil && err != nil {
		breakOff()
	}
	if err != nil {
		failed := []api.RefusedFile{s.failedFile(asked.URL, err)}
		writeJSON(w, http.StatusUnprocessableEntity, api.Uploads{Documents: []api.Uploaded{}, Errors: failed})
		return
	}
	writeJSON(w, http.StatusAccepted, api.Uploads{Documents: []api.Uploaded{api.Uploaded(added)}, Errors: []api.RefusedFile{}})
}

func (s *Server) fetchDocument(ctx context.Context, view access.View, url string, file ingest.File) (ingest.Added, error) {
	if s.cfg.Fetcher == nil {
		return ingest.Added{}, &ibid.Error{Code: ibid.CodeBadRequest, Message: "this server fetches nothing", Hint: "send the file itself"}
	}
	page, err := s.cfg.Fetcher.Get(ctx, url)
	if err != nil {
		return ingest.Added{}, err
	}
	file.Source = url
	if file.Name == "" {
		file.Name = page.Name
	}
	file.Name = baseName(file.Name, unnamed)
	return s.cfg.Pipeline.Add(ctx, view, file, bytes.NewReader(page.Body))
}

func partName(part *multipart.Part, meta ingest.File) string {
	name := meta.Name
	if name == "" {
		name = part.FileName()
	}
	return baseName(name, unnamed)
}

// unnamed is what a document is called whose file has no name.
const unnamed = "unnamed"

// baseName is the last part of a name, whichever system wrote it, otherwise where
// there is none.
func baseName(name, otherwise string) string {
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	if name == "." || name == "/" {
		return otherwise
	}
	return name
}

func (s *Server) failedFile(name string, err error) api.RefusedFile {
	var known *ibid.Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return api.RefusedFile{Name: name, Error: fmt.Sprintf("larger than %d MB", s.cfg.MaxUploadBytes>>20)}
	case errors.As(err, &known):
		return api.RefusedFile{Name: name, Error: known.Message, Hint: known.Hint, Code: known.Code}
	}
	s.cfg.Log.Error("cannot take in a file", "name", name, "error", err)
	return api.RefusedFile{Name: name, Error: "could not be taken in", Hint: "the server's log says why"}
}

// documentFile serves a document's original bytes.
func (s *Server) documentFile(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	version := r.URL.Query().Get("version")
	original, err := s.cfg.Originals.Original(r.Context(), s.view(r), id, version)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer original.Close()
	name := id
	if d, err := s.cfg.Library.Document(r.Context(), s.view(r), id); err == nil {
		name = d.Name
	}
	serveFile(w, r, name, original.Info().Put, original)
}

func (s *Server) documentText(w http.ResponseWriter, r *http.Request) {
	x, err := s.cfg.Library.Extract(r.Context(), s.view(r), r.PathValue("id"), r.URL.Query().Get("version"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, x)
}

func (s *Server) pageImage(w http.ResponseWriter, r *http.Request) {
	page, err := strconv.Atoi(r.PathValue("page"))
	if err != nil || page < 1 {
		s.fail(w, r, ibid.Errorf(ibid.CodeBadRequest, "%q is no page", r.PathValue("page")))
		return
	}
	width, err := intParam(r, "width", 1000, 50, 4000)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	png, err := s.cfg.Originals.PageImage(r.Context(), s.view(r), r.PathValue("id"), r.URL.Query().Get("version"), page, width)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(png)
}
