package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
)

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
