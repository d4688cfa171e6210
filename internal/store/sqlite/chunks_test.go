package sqlite_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
	"ibid/internal/store/sqlite"
)

const threeLevels = "Terms\n\nThe lease runs.  It ends.\n\n\nNo dogs.\n\nPrice\n\nNine hundred."

// levels are the chunks of threeLevels, by hand.
func levels(document, version string) []ibid.Chunk {
	chunk := func(id, parent string, level, ordinal, start, end int, heading string, pages ...int) ibid.Chunk {
		return ibid.Chunk{ID: id, DocumentID: document, Version: version, Ordinal: ordinal, Level: level, ParentID: parent,
			Heading: []string{heading}, Text: threeLevels[start:end], Start: start, End: end, Pages: pages}
	}
	return []ibid.Chunk{
		chunk("c_10", "", 1, 0, 0, 43, "Terms", 1, 2),
		chunk("c_20", "c_10", 2, 0, 0, 32, "Terms", 1),
		chunk("c_20s1", "c_20", 3, 0, 0, 5, "Terms", 1),
		chunk("c_20s2", "c_20", 3, 1, 7, 22, "Terms", 1),
		chunk("c_20s3", "c_20", 3, 2, 24, 32, "Terms", 1),
		chunk("c_21", "c_10", 2, 1, 35, 43, "Terms", 2),
		chunk("c_21s1", "c_21", 3, 0, 35, 43, "Terms", 2),
		chunk("c_11", "", 1, 1, 45, 65, "Price", 2),
		chunk("c_22", "c_11", 2, 2, 45, 65, "Price", 2),
		chunk("c_22s1", "c_22", 3, 0, 52, 65, "Price", 2),
	}
}

func finish(t *testing.T, db *sqlite.DB, document, version string, chunks []ibid.Chunk) {
	t.Helper()
	d := ibid.Document{Principal: ibid.Owner, ID: document, Name: "lease.md", Source: "/" + document}
	if _, _, err := db.PutDocument(t.Context(), d, version); err != nil {
		t.Fatal(err)
	}
	_, l, _, ok, err := db.ClaimDocument(t.Context(), "p", time.Minute, 0)
	if err != nil || !ok || l.DocumentID != document || l.Version != version {
		t.Fatalf("claimed %+v, %v, %v", l, ok, err)
	}
	d.Version, d.Status = version, ibid.DocumentReady
	if _, _, err := db.FinishDocument(t.Context(), l, d, ibid.Extract{Text: threeLevels}, chunks, nil, time.Now()); err != nil {
		t.Fatal(err)
	}
}

func TestChunksOfThreeLevelsComeBackAsTheyWere(t *testing.T) {
	db := open(t)
	want := levels("d1", "v1")
	finish(t, db, "d1", "v1", want)
	for _, c := range want {
		got, err := db.Chunks(t.Context(), access.For(ibid.Owner), []string{c.ID})
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %d chunks, %v", c.ID, len(got), err)
		}
		if diff := cmp.Diff(c, got[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.ID, diff)
		}
	}
	ids := []string{"c_20", "c_22", "c_20s2", "c_10", "c_none", "c_20s9", "c_nones1", "c_10s1"}
	parents, err := db.Parents(t.Context(), access.For(ibid.Owner), ids)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]ibid.Chunk{"c_20": want[0], "c_22": want[7], "c_20s2": want[1]}, parents); diff != "" {
		t.Errorf("parents (-want +got):\n%s", diff)
	}
	sentences, err := db.Sentences(t.Context(), access.For(ibid.Owner), []string{"c_20", "c_10", "c_none"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[2:5], sentences); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
	passages, err := ibidtest.Whole(db.DocumentChunks(t.Context(), access.For(ibid.Owner), "d1", ibidtest.Everything))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ibid.Chunk{want[1], want[5], want[8]}, passages); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	around, err := db.Around(t.Context(), access.For(ibid.Owner), []string{"c_20", "c_22", "c_21s1", "c_10", "c_none"})
	if err != nil {
		t.Fatal(err)
	}
	first := []ibid.Chunk{want[1], want[5]} // a section, and the passage behind it
	wantAround := map[string][]ibid.Chunk{"c_20": first, "c_21s1": {want[1], want[5], want[8]}, "c_22": {want[5], want[8]}, "c_10": first}
	if diff := cmp.Diff(wantAround, around); diff != "" {
		t.Errorf("around (-want +got):\n%s", diff)
	}
	sets, next, err := db.ChunkSets(t.Context(), ibid.Page{})
	if want := (ibid.ChunkSet{}).With("c_20").With("c_21").With("c_22"); err != nil || next != "" || len(sets) != 1 || sets[0].DocumentID != "d1" || sets[0].Chunks != want {
		t.Errorf("the sets are %+v, want %+v, %q, %v", sets, want, next, err)
	}
}

// Passages that an older ibid has stored have neither sections nor sentences
// until they are divided, and are searched all the same.
func TestDivideAnOldDocument(t *testing.T) {
	db := open(t)
	all := levels("d1", "v1")
	old := []ibid.Chunk{all[1], all[5], all[8]}
	for i := range old {
		old[i].ParentID = ""
	}
	finish(t, db, "d1", "v1", old)
	if ids, _, err := db.Undivided(t.Context(), ibid.Page{}); err != nil || len(ids) != 1 || ids[0] != "d1" {
		t.Fatalf("undivided are %v, %v", ids, err)
	}
	parents, err := db.Parents(t.Context(), access.For(ibid.Owner), []string{"c_20"})
	sentences, err2 := db.Sentences(t.Context(), access.For(ibid.Owner), []string{"c_20"})
	if err != nil || err2 != nil || len(parents) > 0 || len(sentences) > 0 {
		t.Fatalf("it has %v and %v, %v, %v", parents, sentences, err, err2)
	}
	if err := db.PutEmbeddings(t.Context(), "space", []string{"c_20"}, [][]float32{{1}}); err != nil {
		t.Fatal(err)
	}
	if err := db.Divide(t.Context(), "d1", levels("d1", "v0")); err != nil {
		t.Fatal(err)
	}
	if ids, _, _ := db.Undivided(t.Context(), ibid.Page{}); len(ids) != 1 {
		t.Error("the chunks of another version took the place of its own")
	}
	if err := db.Divide(t.Context(), "d1", all); err != nil {
		t.Fatal(err)
	}
	if ids, _, err := db.Undivided(t.Context(), ibid.Page{}); err != nil || len(ids) > 0 {
		t.Fatalf("undivided are %v, %v", ids, err)
	}
	got, err := db.Chunks(t.Context(), access.For(ibid.Owner), []string{"c_10"})
	if err != nil || len(got) != 1 || got[0].Text != all[0].Text {
		t.Errorf("its section is %v, %v", got, err)
	}
	if vectors, err := db.Embeddings(t.Context(), "space", []string{"c_20"}); err != nil || len(vectors) != 1 {
		t.Errorf("dividing lost its embeddings: %v", err)
	}
}
