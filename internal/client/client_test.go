package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

func TestFailureKeepsCodeAndHint(t *testing.T) {
	t.Parallel()
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusConflict)
		io.WriteString(w, `{"error":{"code":"CONFLICT","message":"busy","hint":"wait"},"message_id":"m7"}`)
	}))
	_, err := c.Ask(context.Background(), "t1", api.Question{InputText: "q"})
	var coded *ibid.Error
	if !errors.As(err, &coded) || coded.Code != ibid.CodeConflict || coded.Message != "busy" || coded.Hint != "wait" {
		t.Errorf("error is %#v", err)
	}
}

func TestFailureOfAStrangeServerIsOneLine(t *testing.T) {
	t.Parallel()
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>\n\x1b[31mBad\n Gateway</html>", http.StatusBadGateway)
	}))
	_, err := c.DocumentsWhere(context.Background(), nil, nil, 0)
	if err == nil || strings.ContainsAny(err.Error(), "\n\x1b") || !strings.Contains(err.Error(), "502") {
		t.Errorf("error is %q", err)
	}
}

// flaky answers only after it has torn a number of connections.
func flaky(torn int, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if torn > 0 {
			torn--
			io.Copy(io.Discard, r.Body)
			panic(http.ErrAbortHandler)
		}
		h(w, r)
	}
}

func TestReadsAreRepeatedQuestionsAreNot(t *testing.T) {
	t.Parallel()
	answered := 0
	ok := func(w http.ResponseWriter, _ *http.Request) {
		answered++
		io.WriteString(w, `{"documents":[{"id":"d1"}],"message_id":"m1"}`)
	}
	docs, err := clientOf(t, flaky(2, ok)).DocumentsWhere(context.Background(), nil, nil, 0)
	if err != nil || len(docs) != 1 || docs[0].ID != "d1" {
		t.Errorf("documents: %v, %v", docs, err)
	}
	// The first attempt may have begun a run: another would ask twice.
	answered = 0
	if _, err := clientOf(t, flaky(1, ok)).Ask(context.Background(), "t", api.Question{}); !IsConnectionError(err) || answered != 0 {
		t.Errorf("question: error %v, answered %d times", err, answered)
	}
}

func TestAQuestionThatNeverArrivedIsRepeated(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"message_id":"m1"}`)
	}))
	defer srv.Close()
	c := New(Endpoint{URL: gone.URL}, func(context.Context) (Endpoint, error) { return Endpoint{URL: srv.URL}, nil })
	c.pause = noPause
	a, err := c.Ask(context.Background(), "t", api.Question{})
	if err != nil || a.MessageID != "m1" {
		t.Errorf("%+v, %v", a, err)
	}
}

// libraryServer takes uploads in.
type libraryServer struct {
	t     *testing.T
	metas []map[string]string
	files map[string]string
}

func (l *libraryServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength <= 0 {
		l.t.Errorf("the length of the upload is %d, want it known", r.ContentLength)
	}
	parts, err := r.MultipartReader()
	if err != nil {
		l.t.Error(err)
		return
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			break
		}
		body, err := io.ReadAll(part)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if part.FormName() == "meta" {
			var meta map[string]string
			if err := json.Unmarshal(body, &meta); err != nil {
				l.t.Error(err)
			}
			l.metas = append(l.metas, meta)
			continue
		}
		l.files[part.FileName()] = string(body)
	}
	w.WriteHeader(http.StatusAccepted)
	io.WriteString(w, `{"documents":[{"id":"d1","status":"ready","unchanged":true}],"errors":[]}`)
}

func TestUpload(t *testing.T) {
	t.Parallel()
	lib := &libraryServer{t: t, files: map[string]string{}}
	content := strings.Repeat("words ", 300_000) // beyond the size from which a refusal is waited for
	opened, sent := 0, int64(0)
	u := Upload{
		Name: `räport "1".md`, Source: "/a/räport.md", Category: "work", Folder: "notes/2024",
		Open: func() (io.ReadCloser, int64, error) {
			opened++
			return io.NopCloser(strings.NewReader(content)), int64(len(content)), nil
		},
		Sent: func(n int64) { sent = n },
	}
	got, err := clientOf(t, flaky(1, lib.ServeHTTP)).Upload(context.Background(), u)
	if err != nil || got.ID != "d1" || !got.Unchanged {
		t.Fatalf("%+v, %v", got, err)
	}
	if opened != 2 || sent != int64(len(content)) {
		t.Errorf("opened %d times, sent %d bytes", opened, sent)
	}
	if lib.files[u.Name] != content {
		t.Errorf("arrived: %d files, %d bytes", len(lib.files), len(lib.files[u.Name]))
	}
	if m := lib.metas[0]; m["source"] != u.Source || m["category"] != "work" || m["folder"] != "notes/2024" {
		t.Errorf("meta is %v", m)
	}
}

func TestUploadThatIsRefused(t *testing.T) {
	t.Parallel()
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusUnprocessableEntity)
		io.WriteString(w, `{"documents":[],"errors":[{"name":"x.md","error":"not text","hint":"rename it"}]}`)
	}))
	_, err := c.Upload(context.Background(), Upload{Name: "x.md", Open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(strings.NewReader("x")), 1, nil
	}})
	if err == nil || say.Reason(err) != "not text (rename it)" {
		t.Errorf("error is %v", err)
	}
}

// A server that is busy has done nothing, so even a question is asked again, though
// not for ever.
func TestABusyServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	for _, busy := range []int{2, maxAttempts} {
		asked := 0
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if asked++; asked <= busy {
				w.WriteHeader(http.StatusTooManyRequests)
				io.WriteString(w, `{"error":{"code":"BUSY","message":"100 questions wait"}}`)
				return
			}
			io.WriteString(w, `{"message_id":"m7"}`)
		}))
		c.pause = func(context.Context, int) error { return nil }
		_, err := c.Ask(context.Background(), "t1", api.Question{InputText: "q"})
		if gaveUp := busy == maxAttempts; gaveUp != (err != nil && ibid.CodeOf(err) == ibid.CodeBusy) {
			t.Errorf("busy %d times: asked %d times, %v", busy, asked, err)
		}
	}
}
