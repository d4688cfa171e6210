package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/ibidtest"
)

// fiveEvents is a short run that completes.
func fiveEvents() []ibid.Event {
	return ibidtest.LogOf(
		ibid.RunStarted{MessageID: "m1", ThreadID: "t1", Attempt: 1},
		ibid.AnswerStarted{Model: "reader"},
		ibid.AnswerDelta{Text: "one "},
		ibid.AnswerDelta{Text: "two"},
		ibid.RunFinished{Finished: ibid.Finished{Status: ibid.StatusCompleted}},
	)
}

// logServer serves a log, breaking the connection where breaks says so: the
// n-th connection delivers breaks[n] bytes of what is left, later ones all.
type logServer struct {
	lines  []string
	breaks []int
	after  []int64 // positions that were asked for
	tokens []string
}

func (s *logServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	if err != nil || r.URL.Query().Get("follow") != "true" || r.URL.Path != "/v1/messages/m1/events" {
		http.Error(w, `{"error":{"code":"BAD_REQUEST","message":"asked wrongly"}}`, http.StatusBadRequest)
		return
	}
	s.after = append(s.after, after)
	s.tokens = append(s.tokens, r.Header.Get("Authorization"))
	body := strings.Join(s.lines[after:], "")
	if n := len(s.after) - 1; n < len(s.breaks) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		fmt.Fprint(w, body[:min(s.breaks[n], len(body))])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	fmt.Fprint(w, body)
}

func noPause(context.Context, int) error { return nil }

func clientOf(t *testing.T, h http.Handler) *Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	c := New(Endpoint{URL: srv.URL, Token: "t0"}, nil)
	c.pause = noPause
	t.Cleanup(c.Close)
	return c
}

// followed collects the sequence numbers and the answer of a run.
func followed(c *Client) (seqs []int64, text string, err error) {
	err = c.Follow(context.Background(), "m1", func(_ []byte, e ibid.Event) error {
		seqs = append(seqs, e.Seq)
		if d, ok := e.Data.(ibid.AnswerDelta); ok {
			text += d.Text
		}
		return nil
	})
	return seqs, text, err
}

// However the connection breaks, every event is seen once and in order.
func TestFollowResumes(t *testing.T) {
	t.Parallel()
	all := ibidtest.Lines(t, fiveEvents())
	whole := len(strings.Join(all, ""))
	for cut := 0; cut <= whole; cut += 7 {
		srv := &logServer{lines: all, breaks: []int{cut}}
		seqs, text, err := followed(clientOf(t, srv))
		if err != nil || fmt.Sprint(seqs) != "[1 2 3 4 5]" || text != "one two" {
			t.Fatalf("broken after %d bytes: events %v, text %q, error %v", cut, seqs, text, err)
		}
		if srv.tokens[0] != "Bearer t0" {
			t.Fatalf("sent token %q", srv.tokens[0])
		}
	}
}

func TestFollowAsksBehindTheLastEvent(t *testing.T) {
	t.Parallel()
	all := ibidtest.Lines(t, fiveEvents())
	srv := &logServer{lines: all, breaks: []int{len(all[0]) + 5, len(all[1]), 0, 0}}
	if _, _, err := followed(clientOf(t, srv)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(srv.after); got != "[0 1 2 2 2]" {
		t.Errorf("asked behind %s", got)
	}
}

func TestFollowGivesUpWithoutProgress(t *testing.T) {
	t.Parallel()
	srv := &logServer{lines: ibidtest.Lines(t, fiveEvents()), breaks: make([]int, 100)}
	_, _, err := followed(clientOf(t, srv))
	if !IsConnectionError(err) || len(srv.after) != maxAttempts {
		t.Errorf("after %d attempts: %v", len(srv.after), err)
	}
}

// A log that ends cleanly before the run has finished has broken off as well.
func TestFollowDoesNotTakeAnEarlyEndForTheEnd(t *testing.T) {
	t.Parallel()
	srv := &logServer{lines: ibidtest.Lines(t, fiveEvents())[:3]}
	_, _, err := followed(clientOf(t, srv))
	if !errors.Is(err, errLogCut) {
		t.Errorf("error is %v", err)
	}
}

func TestFollowDoesNotRepeatWhatIsRefused(t *testing.T) {
	t.Parallel()
	asked := 0
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		http.Error(w, `{"error":{"code":"NOT_FOUND","message":"there is no message m1"}}`, http.StatusNotFound)
	}))
	if _, _, err := followed(c); ibid.CodeOf(err) != ibid.CodeNotFound || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// The process that answers may change in the middle of a run.
func TestFollowMovesToTheNextProcess(t *testing.T) {
	t.Parallel()
	all := ibidtest.Lines(t, fiveEvents())
	second := httptest.NewServer(&logServer{lines: all})
	defer second.Close()
	c := clientOf(t, &logServer{lines: all, breaks: []int{len(all[0]), 0, 0, 0, 0}})
	c.find = func(context.Context) (Endpoint, error) { return Endpoint{URL: second.URL}, nil }
	seqs, _, err := followed(c)
	if err != nil || fmt.Sprint(seqs) != "[1 2 3 4 5]" {
		t.Errorf("events %v, error %v", seqs, err)
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	c := clientOf(t, &logServer{lines: ibidtest.Lines(t, fiveEvents())})
	err := c.Follow(ctx, "m1", func([]byte, ibid.Event) error {
		cancel()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// Whatever the bytes, a follower never goes back, never hands on an event
// twice, and never calls an unfinished log finished.
func FuzzFollower(f *testing.F) {
	for _, e := range fiveEvents() {
		b, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b)+"\n", 3)
	}
	f.Add("\n\n{}\n", 1)
	f.Fuzz(func(t *testing.T, text string, at int) {
		var seqs []int64
		fl := follower{each: func(_ []byte, e ibid.Event) error {
			seqs = append(seqs, e.Seq)
			return nil
		}}
		at = max(0, min(at, len(text)))
		err := fl.read(strings.NewReader(text[:at]))
		if err != nil {
			err = fl.read(strings.NewReader(text[at:]))
		}
		if (err == nil) != fl.finished {
			t.Fatalf("finished %v, error %v", fl.finished, err)
		}
		for i := 1; i < len(seqs); i++ {
			if seqs[i] <= seqs[i-1] {
				t.Fatalf("events %v", seqs)
			}
		}
	})
}
