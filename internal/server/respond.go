package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"ibid/internal/server/api"
	"io"
	"net/http"
	"reflect"
	"strconv"

	"ibid"
)

// fail answers with an error. What is not one of our kinds is logged, and its
// text kept from the client.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		breakOff()
	}
	body := api.Error{Error: s.detail(r, err)}
	var known *ibid.Error
	if errors.As(err, &known) && known.Code == ibid.CodeBusy {
		w.Header().Set("Retry-After", strconv.FormatInt(max(1, known.RetryAfter/1000), 10))
	}
	var live *ibid.LiveRunError
	if errors.As(err, &live) {
		body.MessageID, body.LastEntryID = live.RunID, strconv.FormatInt(live.LastSeq, 10)
	}
	status := body.Error.Code.Status()
	if errors.Is(err, errStalled) {
		status = http.StatusRequestTimeout // it is the client's time that ran out
	}
	writeJSON(w, status, body)
}

// breakOff closes the connection without an answer. Either nobody is there to
// read one, or the server stops: then a client that still waits must not take
// the silence for success, and asks again.
func breakOff() { panic(http.ErrAbortHandler) }

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // a reader that has gone is no error of ours
}

// routed answers what the API has no route for as it answers every other failure.
func routed(routes *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse, route := routes.Handler(r)
		if route != "" {
			routes.ServeHTTP(w, r)
			return
		}
		refused := refusal{header: http.Header{}}
		refuse.ServeHTTP(&refused, r)
		detail := api.ErrorDetail{Code: ibid.CodeNotFound, Message: "there is no route " + r.URL.Path, Hint: "docs/api.md lists them"}
		if allowed := refused.header.Get("Allow"); allowed != "" {
			w.Header().Set("Allow", allowed)
			detail = api.ErrorDetail{Code: ibid.CodeBadRequest, Message: r.URL.Path + " does not take " + r.Method, Hint: "it takes " + allowed}
		}
		writeJSON(w, refused.status, api.Error{Error: detail})
	})
}

// refusal keeps the status and the header of an answer and drops its text.
type refusal struct {
	header http.Header
	status int
}

func (f *refusal) Header() http.Header         { return f.header }
func (f *refusal) WriteHeader(status int)      { f.status = status }
func (f *refusal) Write(p []byte) (int, error) { return len(p), nil }

// maxBody bounds a JSON request: a question with its images.
const maxBody = 64 << 20

// readJSON decodes a request's body and says in plain words what is wrong with it.
func readJSON(w http.ResponseWriter, r *http.Request, v any) error {
	body := http.MaxBytesReader(w, r.Body, maxBody)
	dec := json.NewDecoder(body)
	err := dec.Decode(v)
	if err == nil && dec.More() {
		err = errors.New("more than one JSON value")
	}
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errStalled):
		return err
	case errors.Is(err, io.EOF):
		return ibid.Errorf(ibid.CodeBadRequest, "the request has no body; send a JSON object")
	case errors.As(err, &tooLarge):
		return ibid.Errorf(ibid.CodeBadRequest, "the request is larger than %d MB", maxBody>>20)
	}
	return ibid.Errorf(ibid.CodeBadRequest, "the request is not the JSON that is expected: %s", jsonProblem(err))
}

// jsonProblem says what is wrong with JSON in the words of the API, not of Go.
func jsonProblem(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	want := map[reflect.Kind]string{reflect.String: "text", reflect.Bool: "true or false", reflect.Slice: "a list",
		reflect.Struct: "an object", reflect.Map: "an object"}[wrong.Type.Kind()]
	if want == "" {
		want = "a whole number"
	}
	return fmt.Sprintf("%s must be %s, not %s", cmp.Or(wrong.Field, "it"), want, wrong.Value)
}

// intParam reads a query parameter that must be a whole number within bounds.
func intParam(r *http.Request, name string, fallback, low, high int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, ibid.Errorf(ibid.CodeBadRequest, "%s must be a whole number from %d to %d, not %q", name, low, high, text)
	}
	return n, nil
}

// validID refuses ids that could not have come from us or from a careful
// client; they end up in logs, file names and headers.
func validID(what, id string) error {
	ok := id != "" && len(id) <= 128
	for _, c := range []byte(id) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == ':')
	}
	if !ok {
		return ibid.Errorf(ibid.CodeBadRequest, "%s", fmt.Sprintf("%s must be 1 to 128 letters, digits, or - _ . :", what))
	}
	return nil
}
