package sqlite_test

import (
	"fmt"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite/process"
)

func pagePlace(t testing.TB) ibidtest.Opener[ibidtest.PageStore] {
	open := place(t)
	return func(t testing.TB) ibidtest.PageStore { return open(t) }
}

func TestPages(t *testing.T) { ibidtest.Run(t, ibidtest.PageCases, pagePlace) }

func TestPageMutants(t *testing.T) { ibidtest.TestPageMutants(t, pagePlace) }

// TestLostLeasesAreGivenUpInParts: however many were lost at once, a call gives up some
// of them, and the next the rest.
func TestLostLeasesAreGivenUpInParts(t *testing.T) {
	db, ctx := open(t), t.Context()
	const lost = process.MaxReleased + 3
	for n := range lost {
		at, id := ibid.At(time.UnixMilli(1_700_000_000_000)), fmt.Sprintf("d%04d", n)
		if _, _, err := db.PutDocument(ctx, ibid.Document{Principal: ibid.Owner, ID: id, Name: id, Source: "/" + id, AddedAt: at, ChangeAt: at}, "v"); err != nil {
			t.Fatal(err)
		}
		if _, _, _, ok, err := db.ClaimDocument(ctx, "gone", time.Hour, 3); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	for _, want := range []int{process.MaxReleased, lost - process.MaxReleased, 0} {
		if ids, _, err := db.ReleaseLostDocuments(ctx, 3, "it ended"); err != nil || len(ids) != want {
			t.Errorf("given up are %d, %v; want %d", len(ids), err, want)
		}
	}
}
