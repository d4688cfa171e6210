package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"ibid/internal/client"
)

// measureStreams measures what the program adds to a model's stream.
func measureStreams(ctx context.Context, o options, s *server, m *modelServer, t *table) error {
	m.answer(10, 0)
	var first []time.Duration
	for range 10 * o.runs {
		a, err := s.ask(ctx, nil)
		if err != nil {
			return err
		}
		first = append(first, a.firstEvent)
	}
	t.add("question sent → first event, p50", millis(median(first)), len(first))
	t.add("question sent → first event, p99", millis(percentile(first, 99)), len(first))

	if err := measureOverhead(ctx, o, s, m, t); err != nil {
		return err
	}
	return measureDelay(ctx, o, s, m, t)
}

// measureOverhead streams the same long answer straight from the model and
// through the program, by turns, as fast as it goes.
func measureOverhead(ctx context.Context, o options, s *server, m *modelServer, t *table) error {
	const words = 5000
	m.answer(words, 0)
	var direct, through []time.Duration
	for range o.runs {
		d, err := m.readDirectly(ctx)
		if err != nil {
			return err
		}
		a, err := s.ask(ctx, nil)
		if err != nil {
			return err
		}
		if a.words != words {
			return fmt.Errorf("of %d words %d arrived", words, a.words)
		}
		direct, through = append(direct, d), append(through, a.total)
	}
	perToken := func(d time.Duration) string {
		return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/words/1000)
	}
	t.add("per token, from the model directly", perToken(median(direct)), o.runs)
	t.add("per token, through ibid", perToken(median(through)), o.runs)
	t.add("overhead per token", perToken(median(through)-median(direct)), o.runs)
	return nil
}

// heldWords is how many words the agent may hold back at the beginning of an
// answer, while it may still turn out to be talk before a tool call
// (docs/decisions/0004): 200 characters.
const heldWords = 60

// measureDelay paces the model at 100 words a second and follows each word to
// the reader.
func measureDelay(ctx context.Context, o options, s *server, m *modelServer, t *table) error {
	const words = 200
	var delays []time.Duration
	for range o.runs {
		m.answer(words, 10*time.Millisecond)
		_, err := s.ask(ctx, func(text string) {
			now := time.Now()
			for _, w := range numberedWords(text) {
				if at, ok := m.sentAt(w); ok && w >= heldWords {
					delays = append(delays, now.Sub(at))
				}
			}
		})
		if err != nil {
			return err
		}
	}
	t.add("token sent → token read, once it flows, p50", millis(median(delays)), len(delays))
	t.add("token sent → token read, once it flows, p99", millis(percentile(delays, 99)), len(delays))
	return nil
}

// readDirectly reads one answer from the model and returns how long it took.
func (m *modelServer) readDirectly(ctx context.Context) (time.Duration, error) {
	body := `{"model":"test","stream":true,"messages":[{"role":"user","content":"how long is it?"}]}`
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url+"/api/chat", strings.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("ask the model: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, fmt.Errorf("ask the model: %w", err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		var piece struct{ Done bool }
		if err := json.Unmarshal(lines.Bytes(), &piece); err != nil {
			return 0, fmt.Errorf("read the model's stream: %w", err)
		}
		if piece.Done {
			return time.Since(began), nil
		}
	}
	return 0, errors.New("the model's stream broke off")
}

// answer is what a reader saw of one question.
type answer struct {
	firstEvent time.Duration // from sending the question
	total      time.Duration
	words      int
}

// ask asks a question in a new thread and reads its stream as the page does.
func (s *server) ask(ctx context.Context, text func(string)) (answer, error) {
	thread := fmt.Sprintf("bench-%d", time.Now().UnixNano())
	body := []byte(`{"input_text":"How long is the warranty of the device that was delivered last year?","think":"off","mode":"agentic"}`)
	var a answer
	began := time.Now()
	if err := s.do(ctx, http.MethodPost, "/v1/threads/"+thread+"/user_message", "application/json", bytes.NewReader(body), nil); err != nil {
		return a, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/v1/threads/"+thread+"/stream", nil)
	if err != nil {
		return a, fmt.Errorf("open stream: %w", err)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return a, fmt.Errorf("open stream: %w", err)
	}
	defer resp.Body.Close()
	failed, held := "", ""
	done := errors.New("the answer is there")
	err = client.ReadFrames(resp.Body, func() {}, func(event string, data []byte) error {
		if a.firstEvent == 0 {
			a.firstEvent = time.Since(began)
		}
		switch event {
		case "text_delta":
			var d struct{ Text string }
			if json.Unmarshal(data, &d) != nil {
				break
			}
			// The stream may be cut within a word: the rest waits for its end.
			held += d.Text
			end := strings.LastIndexByte(held, '.') + 1
			a.words += len(numberedWords(held[:end]))
			if text != nil {
				text(held[:end])
			}
			held = held[end:]
		case "error", "message_not_streaming":
			failed = event + ": " + string(data)
		case "done":
			a.total = time.Since(began)
			return done
		}
		return nil
	})
	switch {
	case failed != "":
		return a, errors.New(failed)
	case err != done:
		return a, fmt.Errorf("read stream: %w", err)
	}
	return a, nil
}
