package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
)

// crashKills is how often TestCrash kills the server; $IBID_KILLS overrides it
// (make soak).
const crashKills = 200

// crashHouse is a server that is killed and started again, again and again, and
// the people who talk to it meanwhile.
type crashHouse struct {
	house
	flags []string

	mu      sync.Mutex
	url     string        // "" while the server is down
	changed chan struct{} // closed when url changes
	active  atomic.Int64  // runs being read
	heard   chan struct{} // the server that is up has said something
}

// TestCrash kills the real server with SIGKILL at random moments while four
// threads ask, and shows that nothing is lost: every accepted question ends
// with exactly one saved answer, no finished tool step runs again, and readers
// who come back see one story.
func TestCrash(t *testing.T) {
	t.Parallel()
	kills := ibidtest.Fewer(t, crashKills/10, crashKills)
	if n, err := strconv.Atoi(os.Getenv("IBID_KILLS")); err == nil {
		kills = n
	}
	h := &crashHouse{house: newHouse(t), changed: make(chan struct{}), heard: make(chan struct{}, 1)}
	h.must("add", h.file("terms.md", warrantyText))
	model := ibidtest.OllamaServer(t, crashScript()...)
	h.flags = []string{"--model", "ollama:test@" + model.URL}
	life := h.answerTime()

	ctx, stopAsking := context.WithCancel(t.Context())
	var people sync.WaitGroup
	stories := make([]*crashStory, 4)
	for i := range stories {
		stories[i] = &crashStory{h: h, thread: fmt.Sprintf("thread-%d", i), seen: map[string][]ibid.Event{}}
		people.Go(func() { stories[i].live(ctx) })
	}
	inMidRun := h.killRepeatedly(kills, life)
	stopAsking()
	people.Wait()

	server := h.up()
	var sum crashSum
	for _, s := range stories {
		s.check(t, &sum)
	}
	server.cmd.Process.Kill()
	server.end()
	t.Logf("kills %d (%d with answers under way), runs %d, events %d, lost %d, duplicated %d, continued %d, sealed %d",
		kills, inMidRun, sum.runs, sum.events, sum.lost, sum.duplicated, sum.continued, sum.sealed)
	if sum.continued+sum.sealed == 0 || inMidRun == 0 {
		t.Error("no run was interrupted: the harness tests nothing")
	}
}

// crashScript answers every question in the same way, whatever came before:
// think, search and calculate, then write with a footnote.
func crashScript() []ibidtest.Reply {
	plan := ibidtest.Plan("They want to know how long it lasts. I will search the terms and do the sum.")
	plan.Repeat, plan.Pace = true, time.Millisecond
	tools := ibidtest.Reply{Repeat: true, Pace: time.Millisecond, When: func(r ibid.ModelRequest) bool {
		return len(r.Tools) > 0 && r.Turns[len(r.Turns)-1].Role != ibid.RoleTool
	}, Calls: []ibid.ToolCall{
		{Name: "search_knowledge_base", Arguments: []byte(`{"query":"how long does the warranty last"}`)},
		{Name: "calculator", Arguments: []byte(`{"expression":"2*12"}`)},
	}}
	answer := ibidtest.Say(crashAnswer)
	answer.Repeat, answer.Pace = true, 3*time.Millisecond
	judge := ibidtest.Say("{}") // leaves it to the rules
	judge.Repeat, judge.When = true, func(r ibid.ModelRequest) bool { return len(r.Schema) > 0 }
	return []ibidtest.Reply{judge, plan, tools, answer}
}

const crashAnswer = "The warranty lasts two years from the day of delivery [c1]. That makes twenty-four months in all, " +
	"counted from the day on which the goods came to the buyer, and damage by water is not covered by it [c1]. " +
	"Nothing else in the terms changes this, so plan for twenty-four months and not for a day more than that."

// up starts the server and tells everybody where it is.
func (h *crashHouse) up() *process {
	p, url := h.serve(h.flags...)
	h.setURL(url)
	return p
}

func (h *crashHouse) setURL(url string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.url = url
	close(h.changed)
	h.changed = make(chan struct{})
}

// answerTime lets one question be answered and returns how long a server has to
// live on this machine for that, in bounds.
func (h *crashHouse) answerTime() time.Duration {
	server := h.up()
	s := &crashStory{h: h, thread: "first", seen: map[string][]ibid.Event{}}
	began := time.Now()
	id, err := s.ask(h.address(h.t.Context()))
	if err != nil || !s.follow(h.t.Context(), id) {
		h.t.Fatalf("the first question is not answered: %v, %+v", err, s.seen)
	}
	took := time.Since(began)
	h.setURL("")
	server.cmd.Process.Kill()
	server.end()
	return min(max(took, 350*time.Millisecond), 3*time.Second)
}

// killRepeatedly kills servers that live for up to so long. It returns how many
// kills hit while something was being answered.
func (h *crashHouse) killRepeatedly(kills int, life time.Duration) (inMidRun int) {
	rng := rand.New(rand.NewPCG(1, uint64(kills)))
	for range kills {
		select {
		case <-h.heard: // said by the one before
		default:
		}
		server := h.up()
		// From before the first question is taken up to after an answer's end.
		if rng.IntN(5) > 0 {
			select {
			case <-h.heard:
			case <-time.After(hang):
				h.t.Fatal("the server says nothing")
			}
		}
		time.Sleep(time.Duration(rng.Int64N(int64(life))))
		if h.active.Load() > 0 {
			inMidRun++
		}
		h.setURL("")
		server.cmd.Process.Signal(syscall.SIGKILL)
		server.end()
	}
	return inMidRun
}

func (h *crashHouse) hear() {
	select {
	case h.heard <- struct{}{}:
	default:
	}
}

// address waits until the server is up; "" when ctx ends first.
func (h *crashHouse) address(ctx context.Context) string {
	for {
		h.mu.Lock()
		url, changed := h.url, h.changed
		h.mu.Unlock()
		if url != "" {
			return url
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ""
		}
	}
}

// TestTerminateHandsBack stops the server softly in the middle of an answer
// that does not come to an end; the next server goes on with it.
func TestTerminateHandsBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	gate := ibidtest.NewGate(3)
	_, flags := scriptedModel(t, ibidtest.Reply{Text: strings.SplitAfter("The warranty lasts two years.", " "), Gate: gate, Repeat: true})
	server, url := h.serve(flags...)
	resp, err := http.Post(url+"/v1/threads/t1/user_message", "application/json", strings.NewReader(`{"input_text":"how long?","think":"off"}`))
	if err != nil {
		t.Fatal(err)
	}
	var accepted struct {
		MessageID string `json:"message_id"`
	}
	err = json.NewDecoder(resp.Body).Decode(&accepted)
	resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	<-gate.Reached()
	server.cmd.Process.Signal(syscall.SIGTERM)
	if code := server.end(); code != exitOK {
		errs, _ := server.errs.look()
		t.Fatalf("exit code %d: %s", code, errs)
	}
	gate.Open()
	_, url = h.serve(flags...)
	events := followToEnd(t, url, accepted.MessageID)
	m := ibid.FoldEvents(events)
	if m.Status != ibid.StatusCompleted || m.Attempts != 2 || !strings.HasPrefix(m.Text, "The warranty lasts two years.") {
		t.Fatalf("the answer went on as %+v", m)
	}
}

func followToEnd(t *testing.T, url, runID string) []ibid.Event {
	t.Helper()
	resp, err := http.Get(url + "/v1/messages/" + runID + "/events?follow=true")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var events []ibid.Event
	for dec := json.NewDecoder(resp.Body); dec.More(); {
		var e ibid.Event
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}
