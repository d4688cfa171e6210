package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ibid"
)

// failure is an error that has not left the package, with what an adapter needs to decide on a way around it.
type failure struct {
	*ibid.Error
	status int      // of the HTTP answer, 0 when there was none
	said   apiError // what the server said
	silent bool     // the server did not even begin to answer
}

// apiError is a server's error, whatever its shape.
type apiError struct {
	Message      string
	Type         string
	Code         string
	PromptTokens int // when the prompt was too long: its length
}

func (e apiError) mentions(words ...string) bool {
	all := strings.ToLower(e.Message + " " + e.Type + " " + e.Code)
	for _, w := range words {
		if strings.Contains(all, w) {
			return true
		}
	}
	return false
}

// overflow reports whether the prompt was longer than the model's window, in
// the words of Ollama, llama.cpp, vLLM and OpenAI.
func (e apiError) overflow() bool {
	return e.mentions("exceed_context_size", "context_length_exceeded", "context length", "context size",
		"context window", "prompt is too long", "maximum input length")
}

// maxErrorText bounds, in bytes, what a server's error adds to ours.
const maxErrorText = 400

// failed turns an error of the transport or of a stream into a failure. A
// context that was cancelled by the caller is for the caller to look at first.
func (o origin) failed(err error) *failure {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the URL, which may hold a secret
	}
	e := &ibid.Error{Code: ibid.CodeLLMUnavailable, Retryable: true, Err: err}
	f := &failure{Error: e}
	var stalled *stalledError
	var dns *net.DNSError
	switch {
	case errors.As(err, &stalled):
		f.silent = !stalled.begun
		e.Code, e.Message = ibid.CodeTimeout, fmt.Sprintf("%s (%s) is too slow: %v", o.server, o.model, stalled)
		e.Hint, e.Err = "a smaller model answers sooner", nil
	case errors.Is(err, errTooLarge):
		e.Code, e.Retryable, e.Message = ibid.CodeLLM, false, fmt.Sprintf("%s (%s) does not stop talking", o.server, o.model)
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Message, e.Hint = fmt.Sprintf("%s cannot be reached at %s", o.server, o.host), o.hint
	case errors.As(err, &dns):
		e.Message, e.Hint = fmt.Sprintf("there is no host %s", o.host), "check the URL of the model"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = fmt.Sprintf("%s (%s) broke off in the middle", o.server, o.model)
	default:
		e.Message = fmt.Sprintf("the connection to %s at %s failed", o.server, o.host)
	}
	return f
}

// brokenOff is a stream that ended without its terminal marker.
func (o origin) brokenOff() *failure { return o.failed(io.ErrUnexpectedEOF) }

// broken is the failure of a stream that ended in an error.
func (o origin) broken(err error) *failure {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &mismatch) || errors.Is(err, errTooManyBlocks) {
		return o.garbled(err)
	}
	return o.failed(err)
}

// garbled is an answer that is not the protocol.
func (o origin) garbled(err error) *failure {
	return &failure{Error: &ibid.Error{Code: ibid.CodeLLMUnavailable, Retryable: true, Err: err,
		Message: fmt.Sprintf("%s at %s sent something that is not its protocol", o.server, o.host)}}
}

// nothing is a turn that stayed empty however often it was asked for.
func (o origin) nothing(times int) *failure {
	return &failure{Error: &ibid.Error{Code: ibid.CodeLLM,
		Message: fmt.Sprintf("%s (%s) gave an empty answer %d times", o.server, o.model, times),
		Hint:    "it may be too small to use tools; try a larger model"}}
}

// refused turns an HTTP status that is not 200 into a failure.
func (o origin) refused(status int, header http.Header, body []byte) *failure {
	said := o.read(body)
	if said.Message == "" {
		said.Message = strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, http.StatusText(status)))
	}
	e := &ibid.Error{Code: ibid.CodeLLM, Message: fmt.Sprintf("%s (%s): %s", o.server, o.model, said.Message)}
	unauthorised := status == http.StatusUnauthorized || status == http.StatusForbidden
	switch {
	case said.overflow() && status != http.StatusTooManyRequests:
		e.Code = ibid.CodeContextOverflow
		e.Hint = "ask about fewer or shorter documents, or give the model a larger context"
	case o.key == "" && o.keyHint != "" && (unauthorised || said.mentions("api key")):
		e.Hint = o.keyHint
	case unauthorised || said.mentions("api key not valid"):
		e.Hint = "check the API key"
	case status == http.StatusNotFound:
		e.Hint = "check the model's name and the URL"
	case said.mentions("insufficient_quota"):
		e.Hint = "the account has no credit left"
	case said.mentions("does not support tools"):
		e.Hint = "choose a model that can use tools"
	case said.mentions("multimodal", "image input is not supported"):
		e.Hint = "choose a model that can see images"
	case temporary(status):
		e.Code, e.Retryable = ibid.CodeLLMUnavailable, true
		e.RetryAfter = cmp.Or(retryAfter(header, time.Now()), retryDelay(body))
	}
	return &failure{Error: e, status: status, said: said}
}

// temporary reports whether a later try may fare better.
func temporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500 && status != http.StatusNotImplemented
}

// inStream turns an error object inside a stream into a failure.
func (o origin) inStream(body []byte) *failure {
	said := o.read(body)
	f := o.refused(http.StatusServiceUnavailable, nil, body)
	if said.mentions("invalid_request") && !said.overflow() {
		f.Code, f.Retryable = ibid.CodeLLM, false
	}
	f.status = http.StatusOK
	return f
}

// read finds what an error body says, without our key and bounded.
func (o origin) read(body []byte) apiError {
	said := readError(body, 0)
	if o.key != "" {
		said.Message = strings.ReplaceAll(said.Message, o.key, "***")
	}
	said.Message = strings.Join(strings.Fields(strings.ToValidUTF8(said.Message, "")), " ")
	if len(said.Message) > maxErrorText {
		said.Message = strings.ToValidUTF8(said.Message[:maxErrorText], "") + "…"
	}
	return said
}

// readError unpacks {"error": …}, where the error may be a text, an object, or
// a text that is again JSON.
func readError(body []byte, depth int) apiError {
	var outer struct {
		Error        json.RawMessage `json:"error"`
		Message      string          `json:"message"`
		Detail       json.RawMessage `json:"detail"`
		Type         string          `json:"type"`
		Code         json.RawMessage `json:"code"`
		PromptTokens int             `json:"n_prompt_tokens"`
	}
	if depth > 3 || json.Unmarshal(body, &outer) != nil {
		text := strings.TrimSpace(string(body))
		if strings.HasPrefix(text, "<") || strings.HasPrefix(text, "{") { // a page, or half an object
			return apiError{}
		}
		return apiError{Message: text}
	}
	for _, inner := range []json.RawMessage{outer.Error, outer.Detail} {
		var text string
		switch {
		case len(inner) == 0 || string(inner) == "null":
		case json.Unmarshal(inner, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "{"):
			return readError([]byte(text), depth+1)
		case text != "":
			return apiError{Message: text}
		case inner[0] == '{':
			return readError(inner, depth+1)
		}
	}
	return apiError{Message: outer.Message, Type: outer.Type,
		Code: strings.Trim(string(outer.Code), `"`), PromptTokens: outer.PromptTokens}
}

// retryAfter returns, in milliseconds, how long the server asks us to wait.
func retryAfter(h http.Header, now time.Time) int64 {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return int64(ms)
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return int64(s * 1000)
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return at.Sub(now).Milliseconds()
	}
	return 0
}

// retryDelay returns, in milliseconds, how long Google's servers ask us to wait.
func retryDelay(body []byte) int64 {
	var said struct {
		Error struct {
			Details []struct {
				RetryDelay string `json:"retryDelay"` // of google.rpc.RetryInfo: "34.07s"
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &said) == nil {
		for _, detail := range said.Error.Details {
			if d, err := time.ParseDuration(detail.RetryDelay); err == nil && d > 0 {
				return d.Milliseconds()
			}
		}
	}
	return 0
}

// result is what Generate returns for a failure: the caller's own cancellation
// comes before whatever it made the transport say.
func result(ctx context.Context, f *failure) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case f == nil:
		return nil
	}
	return f.Error
}
