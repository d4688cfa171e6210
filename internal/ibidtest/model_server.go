package ibidtest

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid"
)

// ServedModel is a model that a scripted server claims to have.
type ServedModel struct {
	Name          string
	Capabilities  []string // as Ollama names them: completion, tools, thinking, vision, embedding
	ContextLength int
}

// ModelServer is a scripted model behind a real wire format. Its refusals
// (unknown model, thinking or tools that a model lacks) are those of the real
// server.
type ModelServer struct {
	// URL is where a client is pointed at: the server for Ollama, its /v1 for
	// OpenAI's protocol.
	URL    string
	Script *Script
	Models []ServedModel
	// EmbedLimit, when set, is how many words an embedding takes in.
	EmbedLimit int

	wire    wireFormat
	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever a counter changes
	stats   ServerStats
	log     []WireRequest
	wedged  chan struct{} // not nil while wedged; closed by an unload
}

// ServerStats counts what a scripted server did. A piece is a token's worth of
// thinking or text.
type ServerStats struct {
	Requests        int // to generate, not counting probes
	Open            int // being answered now
	Sent            int // pieces sent
	Disconnects     int // clients that left in mid-answer
	AfterDisconnect int // pieces made for a client that had left
	Unloads         int // Ollama: requests to unload the model
	Probes          int
}

// WireRequest is a request as it came in.
type WireRequest struct {
	Path   string
	Header http.Header
	Body   []byte
}

// wireFormat is the part of a server that differs between protocols.
type wireFormat interface {
	// decode reads a request to generate. model is the name it asks for.
	decode(path string, body []byte) (model string, req ibid.ModelRequest, stream bool, err error)
	// refuse returns the status and error text for what the model lacks, or 0.
	refuse(m *ServedModel, model string, body []byte) (status int, message string)
	// errorBody is an error of the server's own shape.
	errorBody(status int, message string) string
	contentType() string
	begin(w io.Writer, model string)
	piece(w io.Writer, model string, d ibid.ModelDelta)
	call(w io.Writer, model string, i int, c ibid.ToolCall)
	finish(w io.Writer, model string, stop ibid.StopReason, calls int, u ibid.Usage, body []byte)
	errorInside(w io.Writer, message string)
	half(w io.Writer, model string)
}

// AllCapabilities is what the default model of a scripted server can do.
var AllCapabilities = []string{"completion", "tools", "thinking", "vision"}

func newModelServer(wire wireFormat, script *Script) *ModelServer {
	return &ModelServer{
		Script:  script,
		Models:  []ServedModel{{Name: "test", Capabilities: AllCapabilities, ContextLength: 32768}},
		wire:    wire,
		changed: make(chan struct{}),
	}
}

func serve(t testing.TB, s *ModelServer, path string) *ModelServer {
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	s.URL = srv.URL + path
	return s
}

// Stats returns the counters.
func (s *ModelServer) Stats() ServerStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Requests returns what came in, in order.
func (s *ModelServer) Requests() []WireRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]WireRequest(nil), s.log...)
}

// Await waits until the counters are as wanted, and fails the test when they
// never are.
func (s *ModelServer) Await(t testing.TB, what string, ok func(ServerStats) bool) {
	t.Helper()
	deadline := time.NewTimer(2 * time.Minute)
	defer deadline.Stop()
	for {
		s.mu.Lock()
		stats, changed := s.stats, s.changed
		s.mu.Unlock()
		if ok(stats) {
			return
		}
		select {
		case <-changed:
		case <-deadline.C:
			t.Fatalf("the model server never saw %s: %+v", what, stats)
		}
	}
}

func (s *ModelServer) count(f func(*ServerStats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.stats)
	close(s.changed)
	s.changed = make(chan struct{})
}

// ServeHTTP implements http.Handler.
func (s *ModelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.log = append(s.log, WireRequest{Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json; charset=utf-8") // streams say otherwise
	switch {
	case strings.HasSuffix(r.URL.Path, "/api/chat"), strings.HasSuffix(r.URL.Path, "/chat/completions"),
		strings.HasSuffix(r.URL.Path, "/messages"), strings.HasSuffix(r.URL.Path, ":streamGenerateContent"):
		s.generate(w, r, body)
	case strings.HasSuffix(r.URL.Path, "/api/show"):
		s.count(func(st *ServerStats) { st.Probes++ })
		s.ollamaShow(w, body)
	case strings.HasSuffix(r.URL.Path, "/api/tags"):
		s.count(func(st *ServerStats) { st.Probes++ })
		s.ollamaTags(w)
	case strings.HasSuffix(r.URL.Path, "/models"):
		s.count(func(st *ServerStats) { st.Probes++ })
		s.openAIModels(w)
	case strings.Contains(r.URL.Path, "/models/") && r.Method == http.MethodGet:
		s.count(func(st *ServerStats) { st.Probes++ })
		if _, ok := s.wire.(geminiWire); ok {
			s.geminiModel(w, r.URL.Path)
			return
		}
		s.anthropicModel(w, r.URL.Path)
	case strings.HasSuffix(r.URL.Path, "/api/embed"):
		s.ollamaEmbed(w, body)
	case strings.HasSuffix(r.URL.Path, "/embeddings"):
		s.openAIEmbeddings(w, body)
	default:
		http.NotFound(w, r)
	}
}

func (s *ModelServer) model(name string) *ServedModel {
	for i, m := range s.Models {
		if m.Name == name || m.Name == strings.TrimSuffix(name, ":latest") {
			return &s.Models[i]
		}
	}
	return nil
}

func (m *ServedModel) can(what string) bool {
	for _, c := range m.Capabilities {
		if c == what {
			return true
		}
	}
	return false
}

func (s *ModelServer) refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	io.WriteString(w, s.wire.errorBody(status, message))
}

func (s *ModelServer) generate(w http.ResponseWriter, r *http.Request, body []byte) {
	name, req, stream, err := s.wire.decode(r.URL.Path, body)
	if err != nil {
		s.refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	model := s.model(name)
	if status, message := s.wire.refuse(model, name, body); status != 0 {
		s.refuse(w, status, message)
		return
	}
	if len(req.Turns) == 0 && req.System == "" {
		s.unload(w, name)
		return
	}
	s.count(func(st *ServerStats) { st.Requests++; st.Open++ })
	defer s.count(func(st *ServerStats) { st.Open-- })
	if s.hangs(r.Context()) {
		return
	}
	reply, err := s.Script.next(req)
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	if !stream {
		s.refuse(w, http.StatusNotImplemented, "the scripted server only streams")
		return
	}
	s.stream(w, r.Context(), name, reply, body)
}

// hangs waits while the server is wedged, and reports whether the client left
// meanwhile.
func (s *ModelServer) hangs(ctx context.Context) bool {
	s.mu.Lock()
	wedged := s.wedged
	s.mu.Unlock()
	if wedged == nil {
		return false
	}
	select {
	case <-wedged:
		return false
	case <-ctx.Done():
		s.count(func(st *ServerStats) { st.Disconnects++ })
		return true
	}
}

// unload answers a request without messages, which loads or unloads a model.
func (s *ModelServer) unload(w http.ResponseWriter, name string) {
	s.mu.Lock()
	if s.wedged != nil {
		close(s.wedged)
		s.wedged = nil
	}
	s.mu.Unlock()
	s.count(func(st *ServerStats) { st.Unloads++ })
	json.NewEncoder(w).Encode(map[string]any{"model": name, "created_at": ollamaTime,
		"message": map[string]any{"role": "assistant", "content": ""}, "done": true, "done_reason": "unload"})
}

// stream plays a reply.
func (s *ModelServer) stream(w http.ResponseWriter, ctx context.Context, name string, r Reply, body []byte) {
	if s.faultBefore(w, ctx, r) {
		return
	}
	w.Header().Set("Content-Type", s.wire.contentType())
	flush := http.NewResponseController(w).Flush
	s.wire.begin(w, name)
	flush()
	for i := 0; ; i++ {
		if r.wait(ctx, i) != nil {
			s.count(func(st *ServerStats) { st.Disconnects++ })
			return
		}
		if r.Fault != FaultNone && i == r.FaultAt {
			s.faultInside(w, ctx, name, r)
			return
		}
		d, ok := r.piece(i)
		if !ok {
			break
		}
		gone := ctx.Err() != nil
		s.wire.piece(w, name, d)
		err := flush()
		s.count(func(st *ServerStats) {
			st.Sent++
			if gone || err != nil {
				st.AfterDisconnect++
			}
		})
	}
	if r.Err != nil {
		s.wire.errorInside(w, r.Err.Error())
		return
	}
	for i, c := range r.Calls {
		s.wire.call(w, name, i, c)
	}
	s.wire.finish(w, name, r.stop(), len(r.Calls), usageOf(r), body)
}

// faultBefore plays the faults that leave no stream.
func (s *ModelServer) faultBefore(w http.ResponseWriter, ctx context.Context, r Reply) bool {
	switch r.Fault {
	case FaultStatus:
		if r.RetryAfter != "" {
			w.Header().Set("Retry-After", r.RetryAfter)
		}
		if r.Body == "" {
			s.refuse(w, r.Status, "scripted failure")
			return true
		}
		w.WriteHeader(r.Status)
		io.WriteString(w, r.Body)
		return true
	case FaultWedge:
		s.mu.Lock()
		if s.wedged == nil {
			s.wedged = make(chan struct{})
		}
		s.mu.Unlock()
		<-ctx.Done()
		s.count(func(st *ServerStats) { st.Disconnects++ })
		return true
	}
	return false
}

// faultInside plays the faults that break a stream.
func (s *ModelServer) faultInside(w http.ResponseWriter, ctx context.Context, name string, r Reply) {
	switch r.Fault {
	case FaultCut:
		panic(http.ErrAbortHandler) // net/http tears the connection
	case FaultGarbage:
		io.WriteString(w, "data: <html>502 Bad Gateway</html>\n\n")
	case FaultHalfJSON:
		s.wire.half(w, name)
	case FaultErrorInside:
		s.wire.errorInside(w, "an error was encountered while running the model: unexpected EOF")
	case FaultStall:
		<-ctx.Done()
		s.count(func(st *ServerStats) { st.Disconnects++ })
	}
}

// EmbedDimensions is the length of the vectors that scripted servers make.
const EmbedDimensions = 64

// embedding hashes the words of a text into a vector of length 1, so that texts
// with the same words are close.
func embedding(text string) []float32 {
	v := make([]float32, EmbedDimensions)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New32a()
		io.WriteString(h, strings.Trim(word, ".,;:?!"))
		v[h.Sum32()%EmbedDimensions]++
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// embed returns the embeddings, or false when a text is too long and may not be
// cut.
func (s *ModelServer) embed(texts []string, truncate bool) (vectors [][]float32, tokens int, ok bool) {
	for _, text := range texts {
		words := strings.Fields(text)
		if s.EmbedLimit > 0 && len(words) > s.EmbedLimit {
			if !truncate {
				return nil, 0, false
			}
			words = words[:s.EmbedLimit]
		}
		tokens += len(words)
		vectors = append(vectors, embedding(strings.Join(words, " ")))
	}
	return vectors, tokens, true
}

// texts reads an "input" that is one string or several.
func texts(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []string
	json.Unmarshal(raw, &many)
	return many
}
