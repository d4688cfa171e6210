package run

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

// TestHistoryOfRandomThreads compares what is read in windows with a walk over all
// messages of a thread, as history was made before.
func TestHistoryOfRandomThreads(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ibid.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.UnixMilli(1_700_000_000_000).UTC()
	long, dropped := 0, 0
	for seed := range uint64(ibidtest.Fewer(t, 3, 12)) {
		rng := rand.New(rand.NewPCG(seed, 6))
		thread := fmt.Sprintf("t%d", seed)
		var ids []string
		var last *ibid.Run
		for n := range 4 + rng.IntN(30) {
			parent := ""
			if len(ids) > 0 && rng.IntN(30) > 0 {
				back := max(0, rng.IntN(8)-4) // to questions too: their answers were deleted
				parent = ids[max(0, len(ids)-1-back)]
			}
			now = now.Add(time.Duration(rng.IntN(300)) * time.Minute)
			last = &ibid.Run{Principal: ibid.Owner, ID: fmt.Sprintf("%s-r%d", thread, n), ThreadID: thread, UserMessageID: fmt.Sprintf("%s-u%d", thread, n),
				Request: ibid.Request{Text: strings.Repeat("ü", rng.IntN(200))}, Status: ibid.StatusQueued, AcceptedAt: now}
			user := ibid.Message{ID: last.UserMessageID, ThreadID: thread, ParentID: parent, Role: ibid.RoleUser, Text: last.Request.Text,
				Status: ibid.StatusCompleted, Request: &last.Request, CreatedAt: ibid.At(now)}
			answer := ibid.Message{ID: last.ID, ThreadID: thread, ParentID: user.ID, Role: ibid.RoleAssistant, CreatedAt: ibid.At(now)}
			if err := db.StartRun(t.Context(), ibid.Thread{Principal: ibid.Owner, ID: thread, CreatedAt: ibid.At(now), UpdatedAt: ibid.At(now)}, user, answer, *last, nil, 1); err != nil {
				t.Fatal(err)
			}
			claimed, err := db.ClaimRun(t.Context(), "p", time.Minute)
			if err != nil || claimed == nil {
				t.Fatal(claimed, err)
			}
			answer.Status, answer.Text = ibid.StatusCompleted, strings.Repeat("a", rng.IntN(3)*rng.IntN(300))
			if err := db.FinishRun(t.Context(), ibid.Lease{RunID: claimed.ID, Owner: "p", Fence: claimed.Fence}, nil, answer, now); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, user.ID, answer.ID)
		}
		all, next, err := db.Messages(t.Context(), access.For(ibid.Owner), thread, ibid.Page{Limit: ibid.MaxLimit})
		if err != nil || next != "" {
			t.Fatal(next, err)
		}
		for i, limits := range [][2]int{{10, 48_000}, {3, 48_000}, {1, 500}, {50, 700}, {100, 100_000}, {17, 2000}, {2, 48_000}, {2, 1500}} {
			last.Request.AllHistory = i > 5
			r := New(Config{Threads: db, HistoryMessages: limits[0], MemoryChars: limits[1], Now: func() time.Time { return now }})
			got, err := r.history(t.Context(), last)
			if err != nil {
				t.Fatal(err)
			}
			want := naiveHistory(r.cfg, all, last)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("thread %d, %v:\n%+v, want\n%+v", seed, limits, got, want)
			}
			if m := got.withAnswer(last.Request.Text, "answer"); m.UsedChars > m.BudgetChars || m.Pairs+m.DroppedPairs != want.memory.Pairs+want.memory.DroppedPairs+1 {
				t.Errorf("thread %d, %v: the meter says %+v", seed, limits, m)
			}
			if got.memory.Pairs > historyWindow/2 {
				long++
			}
			if got.memory.DroppedPairs > 0 {
				dropped++
			}
		}
	}
	if dropped == 0 || long == 0 {
		t.Errorf("%d histories were cut, %d are longer than what is read at once", dropped, long)
	}
}

func naiveHistory(cfg Config, all []ibid.Message, run *ibid.Run) history {
	byID := map[string]ibid.Message{}
	for _, m := range all {
		byID[m.ID] = m
	}
	var pairs []pair
	current := pair{}
	for m, ok := byID[byID[run.UserMessageID].ParentID]; ok; m, ok = byID[m.ParentID] {
		current.messages = append(current.messages, m)
		current.chars += len([]rune(m.Text))
		if m.Role == ibid.RoleUser {
			pairs, current = append(pairs, current), pair{}
		}
	}
	h := history{memory: ibid.Memory{BudgetChars: cfg.MemoryChars}}
	most := cfg.HistoryMessages
	if run.Request.AllHistory {
		most = len(all)
	}
	budget, messages := cfg.MemoryChars-len([]rune(run.Request.Text)), 0
	var kept []pair
	for _, p := range pairs {
		if messages+len(p.messages) > most || p.chars > budget {
			break
		}
		budget, messages, h.memory.UsedChars = budget-p.chars, messages+len(p.messages), h.memory.UsedChars+p.chars
		h.sizes = append(h.sizes, p.chars)
		kept = append(kept, p)
	}
	h.memory.Pairs, h.memory.DroppedPairs = len(kept), len(pairs)-len(kept)
	var before time.Time
	for _, p := range slices.Backward(kept) {
		for _, m := range slices.Backward(p.messages) {
			if m.Text != "" {
				h.turns = append(h.turns, past(m, before, cfg.Now(), cfg.Verb))
				before = m.CreatedAt.Time
			}
		}
	}
	return h
}
