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

// TestAnArchiveHasABound: no archive gets more members than one transaction removes
// with it.
func TestAnArchiveHasABound(t *testing.T) {
	db, ctx := open(t), t.Context()
	put := func(id, partOf string) error {
		at := ibid.At(time.UnixMilli(1_700_000_000_000))
		_, _, err := db.PutDocument(ctx, ibid.Document{Principal: ibid.Owner, ID: id, Name: id, Source: "/" + id, PartOf: partOf, AddedAt: at, ChangeAt: at}, "v")
		return err
	}
	for _, d := range [][2]string{{"z", ""}, {"other", ""}, {"m1", "z"}, {"o1", "other"}} {
		if err := put(d[0], d[1]); err != nil {
			t.Fatal(err)
		}
	}
	for members, want := range map[int]ibid.Code{2*ibid.MaxMembers - 1: "", 2 * ibid.MaxMembers: ibid.CodeConflict} {
		if err := db.Exec(`UPDATE labels SET documents = ? WHERE principal = 'owner' AND kind = 'part_of' AND value = 'z'`, members); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprint("m", members)
		if err := put(id, "z"); (err != nil) != (want != "") || err != nil && ibid.CodeOf(err) != want {
			t.Errorf("a member of an archive that has %d: %v, want %q", members, err, want)
		}
		if err := put("o"+id, "other"); err != nil {
			t.Errorf("a member of another archive: %v", err)
		}
		if err := put("m1", "z"); err != nil { // it is there
			t.Errorf("a new version of a member: %v", err)
		}
	}
}
