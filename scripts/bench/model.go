package main

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
)

// modelServer is a scripted model behind Ollama's wire format. Every question
// gets the same answer of numbered words, " w0. w1. w2.…", so that each can be
// followed from here to the reader.
type modelServer struct {
	url    string
	http   *http.Server
	script *switchScript

	mu   sync.Mutex
	sent map[int]time.Time // word → when it left
}

// switchScript is a handler that can be exchanged between measurements.
type switchScript struct {
	mu      sync.Mutex
	handler http.Handler
}

func (s *switchScript) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	h := s.handler
	s.mu.Unlock()
	h.ServeHTTP(w, r)
}

func startModel() (*modelServer, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the model: %w", err)
	}
	m := &modelServer{url: "http://" + ln.Addr().String(), script: &switchScript{}, sent: map[int]time.Time{}}
	m.answer(10, 0)
	m.http = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.script.ServeHTTP(&stampingWriter{ResponseWriter: w, model: m}, r)
	})}
	go m.http.Serve(ln) // ends with stop
	return m, nil
}

func (m *modelServer) stop() { m.http.Close() }

// answer sets the answer to questions: so many words, each after a pause.
func (m *modelServer) answer(words int, pace time.Duration) {
	text := make([]string, words)
	for i := range text {
		text[i] = " w" + strconv.Itoa(i) + "."
	}
	script := ibidtest.NewScript(
		ibidtest.Reply{Repeat: true, Text: text, Pace: pace},
	)
	script.Caps = ibid.Capabilities{Tools: true, ContextTokens: 32768}
	m.mu.Lock()
	clear(m.sent)
	m.mu.Unlock()
	m.script.mu.Lock()
	m.script.handler = ibidtest.OllamaHandler(script)
	m.script.mu.Unlock()
}

// sentAt returns when a word left the model.
func (m *modelServer) sentAt(word int) (time.Time, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.sent[word]
	return at, ok
}

// stampingWriter notes when each word leaves.
type stampingWriter struct {
	http.ResponseWriter
	model *modelServer
}

// Unwrap lets http.ResponseController flush.
func (w *stampingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *stampingWriter) Write(p []byte) (int, error) {
	now := time.Now()
	w.model.mu.Lock()
	for _, word := range numberedWords(string(p)) {
		w.model.sent[word] = now
	}
	w.model.mu.Unlock()
	return w.ResponseWriter.Write(p)
}

var numberedWord = regexp.MustCompile(`w(\d+)\.`)

func numberedWords(text string) []int {
	var words []int
	for _, match := range numberedWord.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(match[1])
		if err == nil {
			words = append(words, n)
		}
	}
	return words
}
