package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"ibid/internal/server/api"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ibid"
)

// maxAttachments is how many files may come with one question.
const maxAttachments = 10

// checkAttachments bounds the files of a question, and makes their names and kinds
// something to rely on: what a client calls an image is one.
func (s *Server) checkAttachments(files []ibid.Attachment) error {
	if len(files) > maxAttachments {
		return &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("%d files are attached; a question takes at most %d", len(files), maxAttachments),
			Hint: "add them to the library, or ask in several steps"}
	}
	total := int64(0)
	for i := range files {
		f := &files[i]
		f.Name = attachmentName(f.Name, i)
		if len(f.Data) == 0 {
			return ibid.Errorf(ibid.CodeBadRequest, "the attached file %q is empty; send its bytes in data, as base64", f.Name)
		}
		f.Bytes = int64(len(f.Data))
		if total += f.Bytes; total > s.cfg.MaxAttachmentBytes {
			return s.attachmentsTooLarge()
		}
		kind, err := attachmentKind(*f)
		if err != nil {
			return err
		}
		f.MIME = kind
	}
	return nil
}

func attachmentName(name string, i int) string {
	name = baseName(strings.ToValidUTF8(name, ""), "")
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name))
	if name == "" || name == "." || name == ".." {
		return fmt.Sprintf("file-%d", i+1)
	}
	if end := path.Ext(name); len(name) > 200 && len(end) < 20 {
		return strings.ToValidUTF8(name[:200-len(end)], "") + end
	}
	return name
}

var mediaType = regexp.MustCompile(`^[a-z]+/[a-z0-9.+-]{1,100}$`)

// attachmentKind is what a file is: what its bytes say, else what it is called.
func attachmentKind(f ibid.Attachment) (string, error) {
	sniffed, _, _ := mime.ParseMediaType(http.DetectContentType(f.Data))
	declared, _, err := mime.ParseMediaType(f.MIME)
	switch {
	case strings.HasPrefix(sniffed, "image/") || sniffed == "application/pdf":
		return sniffed, nil
	case strings.HasPrefix(declared, "image/"):
		return "", ibid.Errorf(ibid.CodeBadRequest, "the attached file %q is not an image that is known", f.Name)
	case err == nil && mediaType.MatchString(declared) && declared != "application/octet-stream" && declared != "application/pdf":
		return declared, nil
	case sniffed == "text/plain" && utf8.Valid(f.Data):
		return sniffed, nil
	}
	return "application/octet-stream", nil
}

// readQuestion reads a question: JSON, or a form whose "message" part is that JSON
// and whose "file" parts are attached to it.
func (s *Server) readQuestion(w http.ResponseWriter, r *http.Request, q *api.Question) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "multipart/form-data" {
		return readJSON(w, r, q)
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.cfg.MaxAttachmentBytes+1<<20)
	parts, err := r.MultipartReader()
	if err != nil {
		return ibid.Errorf(ibid.CodeBadRequest, "the form cannot be read: %v", err)
	}
	err = eachPart(parts, func(part *multipart.Part) error {
		content, err := io.ReadAll(part)
		if err != nil {
			return uploadBrokeOff(err)
		}
		switch part.FormName() {
		case "message":
			if err := json.Unmarshal(content, q); err != nil {
				return ibid.Errorf(ibid.CodeBadRequest, "the message part is not the JSON that is expected: %s", jsonProblem(err))
			}
		case "file":
			if len(q.Attachments) > maxAttachments {
				return s.checkAttachments(q.Attachments)
			}
			q.Attachments = append(q.Attachments, ibid.Attachment{Name: part.FileName(), MIME: part.Header.Get("Content-Type"), Data: content})
		}
		return nil
	})
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return s.attachmentsTooLarge()
	}
	return err
}

func (s *Server) attachmentsTooLarge() error {
	return &ibid.Error{Code: ibid.CodeBadRequest, Message: fmt.Sprintf("the attached files are larger than %d MiB together", s.cfg.MaxAttachmentBytes>>20),
		Hint: "add large files to the library, or raise limits.attachment_mb"}
}

// fileOf returns the file of a message that a path names.
func (s *Server) fileOf(r *http.Request) (ibid.File, error) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 {
		return ibid.File{}, ibid.Errorf(ibid.CodeBadRequest, "%q is no file of a message; they are counted from 0", r.PathValue("n"))
	}
	return s.cfg.Messages.File(r.Context(), s.view(r), r.PathValue("id"), n)
}

// messageFile serves a file of a message, as documentFile does.
func (s *Server) messageFile(w http.ResponseWriter, r *http.Request) {
	f, err := s.fileOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("ETag", `"`+f.Version+`"`) // there is no time that it changed, so ranges are asked for by this
	serveFile(w, r, f.Name, time.Time{}, bytes.NewReader(f.Data))
}

// messageFileText says what a file of a message says, as documentText does. It is
// read when somebody asks for the first time.
func (s *Server) messageFileText(w http.ResponseWriter, r *http.Request) {
	f, err := s.fileOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	x, err := s.cfg.FileText(r.Context(), s.view(r), f)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, x)
}

// serveFile serves bytes that came from outside. Only what a browser shows
// without running anything is shown; the rest is downloaded.
func serveFile(w http.ResponseWriter, r *http.Request, name string, changed time.Time, content io.ReadSeeker) {
	head := make([]byte, 512)
	n, _ := io.ReadFull(content, head)
	kind := http.DetectContentType(head[:n])
	disposition := "attachment"
	switch kind {
	case "application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp":
		disposition = "inline"
	default:
		kind = "application/octet-stream"
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": name}))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, no-cache")
	http.ServeContent(w, r, "", changed, content)
}
