package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/wire"
)

// last is what counting ends with, however it ends.
const last = 1000

// counted is the one event of a kind of work that only this test knows.
type counted struct {
	N int `json:"n"`
}

func (counted) EventType() string { return "count.item" }

// count is a kind of work that counts up, each number cited, as often as it is told
// to: "next" and "end".
func count(lines <-chan string) Kind {
	return Kind{
		Name: "count",
		Work: func(ctx context.Context, task *Task, emit func(ibid.EventData) error) (ibid.Finished, error) {
			fmt.Println("counting")
			task.AtEnd(func(ibid.Message) []ibid.EventData { return []ibid.EventData{counted{N: last}} })
			var options struct{ From int }
			if err := json.Unmarshal(task.Run.Request.Options, &options); err != nil {
				return ibid.Finished{}, err
			}
			next := options.From
			for _, e := range task.Log {
				if c, ok := ibid.EventAs[counted](e.Data); ok {
					next = c.N + 1
				}
			}
			for {
				select {
				case <-ctx.Done():
					return ibid.Finished{}, ctx.Err()
				case line := <-lines:
					switch line {
					case "end":
						return ibid.Finished{SourcesCount: next - options.From}, nil
					case "panic":
						panic("a bug in a kind")
					}
				}
				n, id, words := next-options.From+1, fmt.Sprintf("c_%08d", next), fmt.Sprintf("The number %d.", next)
				for _, data := range []ibid.EventData{
					ibid.CitationAdded{Citation: ibid.Citation{N: n, ChunkID: id, Text: words}},
					ibid.CitationPlaced{N: n, Found: n, ChunkID: id, Quote: words},
					ibid.AnswerDelta{Text: fmt.Sprintf("%d [%s] ", next, id)},
					counted{N: next}, // its end is what another process goes on from
				} {
					if err := emit(data); err != nil {
						return ibid.Finished{}, err
					}
				}
				next++
			}
		},
		Fold: func(m *ibid.Message, data ibid.EventData) {
			c, ok := ibid.EventAs[counted](data)
			if !ok {
				return
			}
			var numbers []int
			_ = json.Unmarshal(m.Work, &numbers) // nothing at first
			m.Work, _ = json.Marshal(append(numbers, c.N))
		},
	}
}

// startCount begins to count from 7.
func (h *house) startCount(t *testing.T, thread string) Accepted {
	t.Helper()
	acc, err := h.Start(t.Context(), access.For(ibid.Owner), Ask{ThreadID: thread, Kind: "count",
		Request: ibid.Request{Text: "count up", Options: json.RawMessage(`{"from":7}`)}})
	if err != nil {
		t.Fatal(err)
	}
	return acc
}

func (w *watcher) counts(n int) {
	w.t.Helper()
	w.until(fmt.Sprint(n), func(d ibid.EventData) bool {
		c, ok := ibid.EventAs[counted](d)
		return ok && c.N == n
	})
}

// frames are the native stream's of what was read: the names, and the items.
func (w *watcher) frames() (names string, items []string) {
	var p wire.Threads
	for _, e := range w.got {
		for _, f := range p.Next(e) {
			names += f.Event + " "
			if f.Event == "item" {
				items = append(items, string(f.Data))
			}
		}
	}
	return names, items
}

// A kind of work that nothing else knows is streamed to another process, continued
// there when its own is killed, with nothing lost or repeated, and saved with what it
// came to and its citations.
func TestAnotherKindOfWork(t *testing.T) {
	dir, lines := t.TempDir(), make(chan string)
	there := startProcess(t, dir)
	there.tell("count t1")
	id := there.says("asked")
	there.says("counting")
	here, _ := openScripted(t, dir, often, func(c *Config) { c.Kinds = []Kind{count(lines)} })
	w := here.watch(t, id)
	for n := 7; n <= 8; n++ {
		there.tell("next")
		w.counts(n)
	}
	there.kill()
	lines <- "next"
	w.counts(9)
	lines <- "end"
	w.finished(ibid.StatusCompleted)

	names, items := w.frames()
	if got := strings.Join(items, " "); got != fmt.Sprintf(`{"type":"item","message_id":%[1]q,"n":7} {"type":"item","message_id":%[1]q,"n":8} {"type":"item","message_id":%[1]q,"n":9} {"type":"item","message_id":%[1]q,"n":1000}`, id) {
		t.Errorf("the stream has the items %s", got)
	}
	if !strings.HasPrefix(names, "message_start citations citation_placed text_start text_delta text_end item ") || !strings.HasSuffix(names, " item item message_end done ") {
		t.Errorf("the stream is %s", names)
	}
	m, err := here.db.Message(t.Context(), access.For(ibid.Owner), id)
	if err != nil || m.Kind != "count" || string(m.Work) != "[7,8,9,1000]" || m.Text != "7 [c_00000007] 8 [c_00000008] 9 [c_00000009] " || m.Attempts != 2 ||
		m.Status != ibid.StatusCompleted || m.Finished.SourcesCount != 3 || m.Memory != nil {
		t.Errorf("saved is %+v, %v", m, err)
	}
	if len(m.Citations) != 3 || m.Citations[2].N != 3 || m.Citations[2].Quote != "The number 9." || len(m.Found) != 3 {
		t.Errorf("cited is %+v", m.Citations)
	}
	run, err := here.db.Run(t.Context(), access.For(ibid.Owner), id)
	if err != nil || run.Kind != "count" || string(run.Request.Options) != `{"from":7}` {
		t.Errorf("the run is %+v, %v", run, err)
	}
}

// What another kind of work has come to when somebody stops it from elsewhere is saved.
func TestAnotherKindIsStopped(t *testing.T) {
	here, there := twoProcesses(t, patient)
	there.tell("count t2")
	second := there.says("asked")
	there.tell("next")
	here.watch(t, second).counts(7)
	if stopped, err := here.Stop(t.Context(), access.For(ibid.Owner), "t2"); err != nil || stopped != second {
		t.Fatalf("stopped %q, %v", stopped, err)
	}
	if m, err := here.db.Message(t.Context(), access.For(ibid.Owner), second); err != nil || m.Status != ibid.StatusStopped || string(m.Work) != "[7,1000]" || len(m.Citations) != 1 {
		t.Errorf("saved is %+v, %v", m, err)
	}
}

// A question after work of another kind, in the same conversation, is an answer like
// any other, and is told what was said.
func TestKindsInOneConversation(t *testing.T) {
	lines := make(chan string, 10)
	var told []ibid.Turn
	h := openHouse(t, t.TempDir(), func(_ context.Context, task agent.Task, emit func(ibid.EventData) error) (agent.Outcome, error) {
		told = task.History
		return agent.Outcome{}, emit(ibid.AnswerDelta{Text: "yes"})
	}, func(c *Config) { c.Kinds = []Kind{count(lines)} })
	lines <- "next"
	lines <- "panic"
	acc := h.startCount(t, "t1")
	h.read(t, acc.MessageID, 0)
	m, err := h.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
	if err != nil || m.Status != ibid.StatusFailed || m.Error.Code != ibid.CodeInternal || string(m.Work) != "[7,1000]" {
		t.Errorf("saved is %+v, %v", m, err)
	}
	again := h.ask(t, "t1", "Did you count?")
	for _, e := range h.read(t, again.MessageID, 0) {
		if e.Data.EventType() == "count.item" {
			t.Errorf("an answer has %+v", e)
		}
	}
	m, err = h.db.Message(t.Context(), access.For(ibid.Owner), again.MessageID)
	if err != nil || m.Kind != "" || m.Text != "yes" || m.Work != nil || m.Memory == nil || len(told) != 2 {
		t.Errorf("saved is %+v after %+v, %v", m, told, err)
	}
}

func TestUnknownKind(t *testing.T) {
	dir := t.TempDir()
	lines := make(chan string)
	h := openHouse(t, dir, say("no"), func(c *Config) { c.Kinds = []Kind{count(lines)} })
	_, err := h.Start(t.Context(), access.For(ibid.Owner), Ask{ThreadID: "t0", Kind: "sing", Request: ibid.Request{Text: "la"}})
	if ibid.CodeOf(err) != ibid.CodeBadRequest {
		t.Errorf("a kind that nobody knows: %v", err)
	}
	if _, err := h.db.Thread(t.Context(), access.For(ibid.Owner), "t0"); ibid.CodeOf(err) != ibid.CodeNotFound {
		t.Errorf("its thread: %v", err)
	}
	acc := h.startCount(t, "t1")
	lines <- "next"
	h.stop() // it is handed back

	older := openHouse(t, dir, say("no"))
	w := older.watch(t, acc.MessageID)
	w.finished(ibid.StatusFailed)
	m, err := older.db.Message(t.Context(), access.For(ibid.Owner), acc.MessageID)
	if err != nil || m.Error == nil || !strings.Contains(m.Error.Message, `"count"`) {
		t.Errorf("saved is %+v, %v", m, err)
	}
	if _, err := w.tail.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}
