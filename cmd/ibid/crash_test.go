package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
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
	kills := ibidtest.Fewer(t, crashKills/5, crashKills)
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

// crashStory is one thread and all that its reader has seen.
type crashStory struct {
	h      *crashHouse
	thread string
	runs   []string                // in the order in which they were accepted
	seen   map[string][]ibid.Event // run → events, as they came
}

// live asks one question after the other until ctx ends. A run that it has
// accepted it follows to the end, through every crash.
func (s *crashStory) live(ctx context.Context) {
	for ctx.Err() == nil {
		url := s.h.address(ctx)
		if url == "" {
			return
		}
		id, err := s.ask(url)
		if err != nil {
			time.Sleep(5 * time.Millisecond) // the server is going down
			continue
		}
		s.h.active.Add(1)
		for !s.follow(ctx, id) && ctx.Err() == nil {
		}
		s.h.active.Add(-1)
	}
}

// ask posts a question. A question whose reply was lost may have been accepted:
// then the thread is busy, and the reply says with which run.
func (s *crashStory) ask(url string) (runID string, err error) {
	resp, err := http.Post(url+"/v1/threads/"+s.thread+"/user_message", "application/json",
		strings.NewReader(`{"input_text":"how long does the warranty last?"}`))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var out struct {
		MessageID string `json:"message_id"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusAccepted && resp.StatusCode != http.StatusConflict {
		return "", fmt.Errorf("status %d", resp.StatusCode)
	}
	s.h.hear()
	if _, known := s.seen[out.MessageID]; !known {
		s.seen[out.MessageID] = nil
		s.runs = append(s.runs, out.MessageID)
	}
	return out.MessageID, nil
}

// follow reads a run's log from where the reader stands, and reports whether it
// has seen the end.
func (s *crashStory) follow(ctx context.Context, runID string) bool {
	url := s.h.address(ctx)
	if url == "" {
		return false
	}
	after := int64(0)
	if n := len(s.seen[runID]); n > 0 {
		after = s.seen[runID][n-1].Seq
	}
	resp, err := http.Get(fmt.Sprintf("%s/v1/messages/%s/events?follow=true&after=%d", url, runID, after))
	if err != nil {
		time.Sleep(5 * time.Millisecond)
		return false
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return false // a line without its end was not received
		}
		if len(line) == 1 {
			continue // a sign of life
		}
		var e ibid.Event
		if json.Unmarshal(line, &e) != nil {
			return false
		}
		s.h.hear()
		s.seen[runID] = append(s.seen[runID], e)
		if _, end := e.Data.(ibid.RunFinished); end {
			return true
		}
	}
}

// crashSum is what the harness found in all.
type crashSum struct {
	runs, events, lost, duplicated, continued, sealed int
}

// check holds what the reader saw against what is stored.
func (s *crashStory) check(t *testing.T, sum *crashSum) {
	t.Helper()
	url := s.h.address(t.Context())
	for id := range s.stored(t, url) { // among them may be one whose acceptance nobody heard of
		if _, known := s.seen[id]; !known {
			s.seen[id] = nil
			s.runs = append(s.runs, id)
		}
	}
	s.finishAll(t)
	stored := s.stored(t, url)
	for _, id := range s.runs {
		if _, ok := stored[id]; !ok {
			sum.lost++
			t.Errorf("an accepted question has no saved answer: %s", id)
		}
	}
	for id, m := range stored {
		sum.runs++
		log := s.log(t, url, id)
		sum.events += len(log)
		s.checkRun(t, sum, m, log)
	}
}

// finishAll waits for runs that were still going when the asking stopped.
func (s *crashStory) finishAll(t *testing.T) {
	for _, id := range s.runs {
		ctx, cancel := context.WithTimeout(t.Context(), hang)
		for !ended(s.seen[id]) && !s.follow(ctx, id) && ctx.Err() == nil {
		}
		cancel()
		if !ended(s.seen[id]) {
			t.Errorf("run %s does not end", id)
		}
	}
}

func ended(events []ibid.Event) bool {
	if len(events) == 0 {
		return false
	}
	_, end := events[len(events)-1].Data.(ibid.RunFinished)
	return end
}

// stored returns the assistant messages of the thread, and holds that every
// question has exactly one.
func (s *crashStory) stored(t *testing.T, url string) map[string]ibid.Message {
	t.Helper()
	var all []ibid.Message
	for cursor := ""; ; {
		var list struct {
			Messages []ibid.Message `json:"messages"`
			Next     string         `json:"next"`
		}
		getInto(t, url+"/v1/threads/"+s.thread+"/messages?all=true&limit=500&cursor="+cursor, &list)
		all = append(all, list.Messages...)
		if cursor = list.Next; cursor == "" {
			break
		}
	}
	answers, perQuestion := map[string]ibid.Message{}, map[string]int{}
	for _, m := range all {
		if m.Role == ibid.RoleAssistant {
			answers[m.ID] = m
			perQuestion[m.ParentID]++
		}
	}
	for _, m := range all {
		if m.Role == ibid.RoleUser && perQuestion[m.ID] != 1 {
			t.Errorf("question %s has %d answers", m.ID, perQuestion[m.ID])
		}
	}
	return answers
}

func (s *crashStory) log(t *testing.T, url, runID string) []ibid.Event {
	t.Helper()
	resp, err := http.Get(url + "/v1/messages/" + runID + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var log []ibid.Event
	for dec := json.NewDecoder(resp.Body); dec.More(); {
		var e ibid.Event
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		log = append(log, e)
	}
	return log
}

func getInto(t *testing.T, url string, v any) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		t.Fatal(err)
	}
}

func (s *crashStory) checkRun(t *testing.T, sum *crashSum, m ibid.Message, log []ibid.Event) {
	t.Helper()
	if err := soundLog(log); err != nil {
		sum.duplicated++
		t.Errorf("run %s: %v", m.ID, err)
	}
	switch m.Status {
	case ibid.StatusCompleted:
		if m.Attempts > 1 {
			sum.continued++
		}
		if cited := strings.Count(m.Text, "[c_"); cited != 2 || len(m.Citations) == 0 {
			t.Errorf("run %s: the answer cites %d times: %q", m.ID, cited, m.Text)
		}
		if plain := withoutMarkers(m.Text); plain != withoutMarkers(crashAnswer) {
			t.Errorf("run %s answers %q", m.ID, plain)
		}
	case ibid.StatusInterrupted:
		sum.sealed++
	default:
		t.Errorf("run %s ended as %q: %+v", m.ID, m.Status, m.Error)
	}
	if err := ibidtest.SoundFootnotes(log); err != nil {
		t.Errorf("run %s: %v", m.ID, err)
	}
	folded := ibid.FoldEvents(log)
	if folded.Text != m.Text || !reflect.DeepEqual(folded.Citations, m.Citations) || len(folded.Found) != len(m.Found) || folded.Status != m.Status {
		t.Errorf("run %s: the saved message is not the fold of its log", m.ID)
	}
	if seen, ok := s.seen[m.ID]; ok {
		if err := sameStory(seen, log); err != nil {
			sum.lost++
			t.Errorf("run %s: %v", m.ID, err)
		}
	}
}

func withoutMarkers(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "[c")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "]")
	}
}

// soundLog holds that a log counts without gaps, ends once, and that no tool
// call that had finished ran again.
func soundLog(log []ibid.Event) error {
	finished := map[string]bool{}
	for i, e := range log {
		if e.Seq != int64(i)+1 {
			return fmt.Errorf("event %d has number %d", i+1, e.Seq)
		}
		switch d := e.Data.(type) {
		case ibid.ToolStarted:
			if finished[d.CallID] {
				return fmt.Errorf("tool call %s ran again after it had finished", d.CallID)
			}
		case ibid.ToolFinished:
			if finished[d.CallID] {
				return fmt.Errorf("tool call %s finished twice", d.CallID)
			}
			finished[d.CallID] = true
		case ibid.RunFinished:
			if i != len(log)-1 {
				return errors.New("something stands after the end")
			}
		}
	}
	if !ended(log) {
		return errors.New("the log has no end")
	}
	return nil
}

// sameStory holds that what a reader saw, through all its reconnections, is the
// log: every event once and unchanged, deltas perhaps folded together.
func sameStory(seen, log []ibid.Event) error {
	var got, want []byte
	for _, e := range seen {
		got = appendStory(got, e)
	}
	for _, e := range log {
		want = appendStory(want, e)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("a reader saw another story:\n%s\nthe log:\n%s", got, want)
	}
	return nil
}

func appendStory(b []byte, e ibid.Event) []byte {
	switch d := e.Data.(type) {
	case ibid.AnswerDelta:
		return append(b, d.Text...)
	case ibid.ReasoningDelta:
		return append(b, d.Text...)
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return append(b, err.Error()...)
	}
	return append(append(b, '\n'), raw...)
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
