package sqlite_test

import (
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

// An answer of a removed thread stands for no other question.
func TestAnswersOfRemovedThreads(t *testing.T) {
	db, ctx, now := open(t), t.Context(), time.UnixMilli(1_700_000_000_000).UTC()
	user := ibid.Message{ID: "u1", ThreadID: "t1", Role: ibid.RoleUser, Text: "why", Status: ibid.StatusCompleted, CreatedAt: ibid.At(now)}
	answer := ibid.Message{ID: "r1", ThreadID: "t1", ParentID: "u1", Role: ibid.RoleAssistant, Status: ibid.StatusCompleted, CreatedAt: ibid.At(now)}
	run := ibid.Run{Principal: ibid.Owner, ID: "r1", ThreadID: "t1", UserMessageID: "u1", AcceptedAt: now}
	if err := db.StartRun(ctx, ibid.Thread{Principal: ibid.Owner, ID: "t1", CreatedAt: ibid.At(now), UpdatedAt: ibid.At(now)}, user, answer, run, nil, 1); err != nil {
		t.Fatal(err)
	}
	claimed, err := db.ClaimQueued(ctx, "r1", "p", time.Hour)
	if err != nil || claimed == nil {
		t.Fatalf("claimed %v, %v", claimed, err)
	}
	end := []ibid.Event{{Seq: 1, Run: "r1", At: now, Data: ibid.RunFinished{Finished: ibid.Finished{Status: ibid.StatusCompleted}}}}
	if err := db.FinishRun(ctx, ibid.Lease{RunID: "r1", Fence: claimed.Fence}, end, answer, now); err != nil {
		t.Fatal(err)
	}
	if err := db.KeepAnswered(ctx, ibid.Answered{Key: "k", Question: "why", MessageID: "r1", At: now}); err != nil {
		t.Fatal(err)
	}
	offered := func(want int) {
		t.Helper()
		if all, err := db.Answered(ctx, access.For(ibid.Owner), "k", "t2", 10); err != nil || len(all) != want {
			t.Errorf("%v, %v, want %d", all, err, want)
		}
		if _, _, threads, err := db.Counts(ctx, access.For(ibid.Owner)); err != nil || threads != want {
			t.Errorf("%d threads are counted, %v, want %d", threads, err, want)
		}
	}
	offered(1)
	if err := db.RemoveThread(ctx, access.For(ibid.Owner), "t1", now); err != nil {
		t.Fatal(err)
	}
	offered(0)
	if err := db.RestoreThread(ctx, access.For(ibid.Owner), "t1", now); err != nil {
		t.Fatal(err)
	}
	offered(1)
}
