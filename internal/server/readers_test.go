package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/agent"
	"ibid/internal/server"
)

// smallBuffers makes connections that hold little, so that a reader who does
// not read is felt soon.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(4 << 10)
	}
	return c, err
}

// TestAReaderThatStopsReadingIsDropped opens a stream and never reads it. The
// run and another reader go on; the slow one is cut off, and gets the rest when
// it comes back.
func TestAReaderThatStopsReadingIsDropped(t *testing.T) {
	start := make(chan struct{})
	piece := strings.Repeat("x", 8<<10)
	const pieces = 400
	h := openHouse(t, func(ctx context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		<-start
		for i := range pieces {
			if err := emit(ibid.AnswerDelta{Text: fmt.Sprintf("%d:%s\n", i, piece)}); err != nil {
				return agent.Outcome{}, err
			}
		}
		return agent.Outcome{}, nil
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	impatient := h.cfg
	impatient.WriteTimeout = 100 * time.Millisecond
	dropped := make(chan struct{})
	handler := server.New(impatient).Handler()
	narrow := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(dropped) // there is one request
		handler.ServeHTTP(w, r)
	}))
	narrow.Listener = smallBuffers{ln}
	narrow.Start()
	defer narrow.Close()

	_, accepted := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"a"}`)
	id := accepted["message_id"].(string)
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	fmt.Fprintf(conn, "GET /v1/threads/t1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	head := make([]byte, 12)
	if _, err := io.ReadFull(conn, head); err != nil { // it is being served
		t.Fatal(err)
	}
	good := h.open("GET", "/v1/threads/t1/stream", "")
	close(start)
	whole := text(h.frames(good, nil))
	if len(whole) < pieces*len(piece) {
		t.Fatalf("the good reader got %d bytes", len(whole))
	}
	<-dropped
	// What the slow reader was sent before it was dropped, it can still read.
	_ = conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
	rest, err := io.ReadAll(conn)
	if err != nil && !strings.Contains(err.Error(), "reset") {
		t.Fatalf("the slow reader's connection stays open: %v", err)
	}
	if len(rest) > len(whole)/2 {
		t.Fatalf("the slow reader was not dropped: %d bytes", len(rest))
	}
	again := h.open("GET", "/chat/stream?message_id="+id, "")
	var tokens strings.Builder
	for _, f := range h.frames(again, nil) {
		if f.data["type"] == "token" {
			tokens.WriteString(f.data["text"].(string))
		}
	}
	if tokens.String() != whole {
		t.Fatalf("after coming back: %d bytes of %d", tokens.Len(), len(whole))
	}
}

func text(frames []frame) string {
	var b strings.Builder
	for _, f := range frames {
		if f.event == "text_delta" {
			b.WriteString(f.data["text"].(string))
		}
	}
	return b.String()
}

// TestEveryProtocolResumesFromEveryFrame cuts the streams of a finished run
// after every single frame and asks for the rest, over HTTP.
func TestEveryProtocolResumesFromEveryFrame(t *testing.T) {
	h := openHouse(t, func(_ context.Context, _ agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		for i := range 120 {
			data := []ibid.EventData{
				ibid.ReasoningDelta{Text: fmt.Sprintf("r%d ", i)},
				ibid.ToolStarted{CallID: fmt.Sprint(i), Tool: "calculator", Input: []byte(`{}`)},
				ibid.ToolFinished{CallID: fmt.Sprint(i), Tool: "calculator", OK: true, Output: "4"},
				ibid.AnswerDelta{Text: fmt.Sprintf("a%d ", i)},
			}[i%4]
			if i == 90 {
				data = ibid.AnswerRetracted{Reason: "again"}
			}
			if err := emit(data); err != nil {
				return agent.Outcome{}, err
			}
		}
		return agent.Outcome{}, nil
	})
	_, accepted := h.call("POST", "/v1/threads/t1/user_message", `{"input_text":"a"}`)
	id := accepted["message_id"].(string)
	cuts := 0
	for _, path := range []string{"/chat/stream", "/api/query/stream", "/api/chat/stream"} {
		whole := h.frames(h.open("GET", path+"?message_id="+id, ""), nil)
		for i := range whole[:len(whole)-1] {
			rest := h.frames(h.open("GET", path, "", "Last-Event-ID", whole[i].id), nil)
			// Frames of one event that came before the cut may come again.
			if missing := len(whole) - 1 - i - len(rest); missing > 0 || -missing > 1 {
				t.Fatalf("%s cut after frame %d of %d: %d frames came after it", path, i+1, len(whole), len(rest))
			}
			for k := 1; k <= min(len(rest), len(whole)-1-i); k++ {
				a, b := rest[len(rest)-k], whole[len(whole)-k]
				if path == "/api/chat/stream" && k == 1 {
					continue // it counts the frames of this response
				}
				if fmt.Sprint(a) != fmt.Sprint(b) {
					t.Fatalf("%s cut after frame %d: %v is not %v", path, i+1, a, b)
				}
			}
			cuts++
		}
	}
	after := 0
	for {
		resp := h.open("GET", fmt.Sprintf("/v1/messages/%s/events?after=%d", id, after), "")
		raw, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("events after %d: %d", after, resp.StatusCode)
		}
		if len(raw) == 0 {
			break
		}
		if first := fmt.Sprintf(`{"seq":%d,`, after+1); !strings.HasPrefix(string(raw), first) {
			t.Fatalf("events after %d begin with %.40s", after, raw)
		}
		after++
		cuts++
	}
	t.Logf("%d cuts", cuts)
}
