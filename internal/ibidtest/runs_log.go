package ibidtest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

func testOneLog(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	const words = 30
	id := s.accept()
	l := s.claim(s.a, s.pa, time.Minute)
	// Every number is written by several at once: one of them gets it.
	var mu sync.Mutex
	taken := map[int64]int{}
	Contend(t, []LeaseStore{s.a, s.b}, 2, func(by LeaseStore, n int) bool {
		run, err := by.Run(s.ctx(), access.For(ibid.Owner), id)
		if err != nil {
			t.Error(err)
			return false
		}
		if run.LastSeq > words || n > 100*words {
			return false
		}
		if by.AppendEvents(s.ctx(), l, s.word(l, run.LastSeq+1, "x")) == nil {
			mu.Lock()
			defer mu.Unlock()
			taken[run.LastSeq+1]++
		}
		return true
	})
	for seq, n := range taken {
		if n != 1 {
			t.Errorf("event %d was taken %d times", seq, n)
		}
	}
	log, err := s.b.Events(s.ctx(), access.For(ibid.Owner), id, 0, 1000)
	if err != nil || len(log) != words+1 {
		t.Fatalf("%d events, %v", len(log), err)
	}
	for i, e := range log {
		if e.Seq != int64(i)+1 {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
	}
}

func testEndsOnce(t *testing.T, open Opener[LeaseStore]) {
	s := openTwice(t, open)
	for range 10 {
		id := s.accept()
		l := s.claim(s.a, s.pa, time.Minute)
		var mu sync.Mutex
		var ended []string
		Contend(t, []LeaseStore{s.a, s.b}, 2, func(by LeaseStore, n int) bool {
			text := fmt.Sprint("end ", n)
			err := s.tryFinish(by, l, 2, text)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				ended = append(ended, text)
			} else if !errors.Is(err, ibid.ErrLeaseLost) {
				t.Error(err)
			}
			return false
		})
		m, err := s.b.Message(s.ctx(), access.For(ibid.Owner), id)
		if err != nil || len(ended) != 1 || m.Text != ended[0] || m.Status != ibid.StatusCompleted {
			t.Errorf("%v ended it, saved is %q (%s), %v", ended, m.Text, m.Status, err)
		}
		if err := s.a.RequestStop(s.ctx(), id); err != nil {
			t.Error(err)
		}
		if run, err := s.a.Run(s.ctx(), access.For(ibid.Owner), id); err != nil || run.StopRequested || run.Status != ibid.StatusCompleted {
			t.Errorf("a run that has ended: %+v, %v", run, err)
		}
		s.none(s.b, s.pb)
	}
}
