package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/document/format"
)

// boxFormats are the formats in whose files others lie.
var boxFormats = format.List{
	{Name: "zip", Kind: format.KindArchive, Members: func(format.File, *format.Unpacker) error { return nil }},
	{Name: "eml", Kind: format.KindMail, Members: func(format.File, *format.Unpacker) error { return nil }},
}

// boxes opens the archives that box makes.
type boxes struct{}

func (boxes) Members(_ context.Context, o Original, each func(name string, data []byte) error) (notice string, err error) {
	raw, err := os.ReadFile(o.Path)
	if err != nil {
		return "", err
	}
	var files map[string]string
	if err := json.Unmarshal(raw, &files); err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == "broken" {
			return "", ibid.Errorf(ibid.CodeBadRequest, "the archive cannot be unpacked to its end")
		}
		if err := each(name, []byte(files[name])); err != nil {
			return "", err
		}
	}
	return "", nil
}

func box(namesAndContents ...string) string {
	files := map[string]string{}
	for i := 0; i < len(namesAndContents); i += 2 {
		files[namesAndContents[i]] = namesAndContents[i+1]
	}
	raw, _ := json.Marshal(files)
	return string(raw)
}

// shelf returns the documents by source, once none is in work.
func (s *shop) shelf() map[string]ibid.Document {
	s.t.Helper()
	found := map[string]ibid.Document{}
	s.eventually("all is taken in", func() bool {
		docs, _, err := s.db.Documents(s.t.Context(), access.For(ibid.Owner), ibid.DocumentQuery{}, ibid.Page{Limit: ibid.MaxLimit})
		if err != nil {
			s.t.Fatal(err)
		}
		clear(found)
		ready := true
		for _, d := range docs {
			found[d.Source] = d
			ready = ready && d.Status == ibid.DocumentReady
		}
		if len(found) != len(docs) {
			s.t.Fatalf("%d documents have %d sources", len(docs), len(found))
		}
		return ready
	})
	return found
}

func (s *shop) holds(sources ...string) map[string]ibid.Document {
	s.t.Helper()
	found := s.shelf()
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, sources) {
		s.t.Fatalf("the library holds %v, want %v", got, sources)
	}
	s.agrees(len(sources))
	return found
}

func TestAnArchivesFilesAreDocuments(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files)
	s.settled(s.add("a.zip", box("deep/walrus.txt", "The walrus sleeps.", "giraffe.txt", "The giraffe eats.", "logo.png", "x")).ID)
	first := s.holds("/x/a.zip", "/x/a.zip!/deep/walrus.txt", "/x/a.zip!/giraffe.txt")
	archive, walrus, giraffe := first["/x/a.zip"], first["/x/a.zip!/deep/walrus.txt"], first["/x/a.zip!/giraffe.txt"]
	if walrus.PartOf != archive.ID || walrus.Folder != "a.zip/deep" || walrus.Name != "walrus.txt" || giraffe.Folder != "a.zip" {
		t.Errorf("members %+v and %+v", walrus, giraffe)
	}
	if !strings.Contains(archive.Notice, "1 of its files, which hold no words") {
		t.Errorf("notice %q", archive.Notice)
	}

	// A new version changes what has changed, and nothing else.
	s.settled(s.add("a.zip", box("deep/walrus.txt", "The walrus swims.", "new/pelican.txt", "The pelican flies.", "giraffe.txt", "The giraffe eats.")).ID)
	second := s.holds("/x/a.zip", "/x/a.zip!/deep/walrus.txt", "/x/a.zip!/giraffe.txt", "/x/a.zip!/new/pelican.txt")
	if second["/x/a.zip!/deep/walrus.txt"].ID != walrus.ID || second["/x/a.zip!/giraffe.txt"].ID != giraffe.ID || files.read["giraffe.txt"] != 1 || files.read["walrus.txt"] != 2 {
		t.Errorf("read %v", files.read)
	}
	s.settled(s.add("a.zip", box("deep/walrus.txt", "The walrus swims.")).ID)
	s.holds("/x/a.zip", "/x/a.zip!/deep/walrus.txt")

	// It moves as a whole, and goes as a whole.
	to := "/y/b.zip"
	if _, err := s.Describe(t.Context(), access.For(ibid.Owner), archive.ID, Description{Source: &to}); err != nil {
		t.Fatal(err)
	}
	if moved := s.holds("/y/b.zip", "/y/b.zip!/deep/walrus.txt"); moved["/y/b.zip!/deep/walrus.txt"].ID != walrus.ID {
		t.Error("the member is another document")
	}
	if err := s.Remove(t.Context(), access.For(ibid.Owner), archive.ID); err != nil {
		t.Fatal(err)
	}
	s.holds()
	if s.finds("walrus") != "" {
		t.Error("a removed archive's member is found")
	}
}

func TestArchivesHaveLimits(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	inner := box("three.zip", box("deep.txt", "Too deep."), "in.txt", "Inside.")
	s.settled(s.add("a.zip", box("two.zip", inner)).ID)
	found := s.holds("/x/a.zip", "/x/a.zip!/two.zip", "/x/a.zip!/two.zip!/in.txt", "/x/a.zip!/two.zip!/three.zip")
	if d := found["/x/a.zip!/two.zip!/three.zip"]; !strings.Contains(d.Notice, "archive within an archive") {
		t.Errorf("notice %q", d.Notice)
	}
	if err := s.Remove(t.Context(), access.For(ibid.Owner), found["/x/a.zip"].ID); err != nil {
		t.Fatal(err)
	}
	s.holds()

	p := &unpacking{Pipeline: s.Pipeline, archive: ibid.Document{Source: "/x/b.zip", Name: "b.zip"}, kept: map[string]bool{}, files: maxMembers}
	for _, name := range []string{"a.txt", "b\x00.txt"} {
		if err := p.take(t.Context(), name, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	p.files = 0
	if err := p.take(t.Context(), "b\x00.txt", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if said := p.notice("1 was damaged"); said != fmt.Sprintf("1 was damaged; left out: 1 of its files, which have no name that can be kept; "+
		"left out: 2 of its files, which exceed what one archive may bring: %d files, 512 MiB", maxMembers) {
		t.Errorf("notice %q", said)
	}
}

// Where an archive breaks off, nothing is known to be gone.
func TestABrokenArchiveRemovesNothing(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	s.settled(s.add("a.zip", box("a.txt", "The walrus.", "z.txt", "The giraffe.")).ID)
	d := s.settled(s.add("a.zip", box("a.txt", "The pelican.", "broken", "")).ID)
	s.holds("/x/a.zip", "/x/a.zip!/a.txt", "/x/a.zip!/z.txt")
	if !strings.Contains(d.Notice, "cannot be unpacked to its end") {
		t.Errorf("notice %q", d.Notice)
	}
}

// An archive that is removed while it is unpacked leaves nothing behind.
func TestARemovedArchiveBringsNothing(t *testing.T) {
	s := openShop(t, t.TempDir(), newParagraphs())
	d := s.settled(s.add("a.zip", box("a.txt", "The walrus.")).ID)
	if err := s.Remove(t.Context(), access.For(ibid.Owner), d.ID); err != nil {
		t.Fatal(err)
	}
	u := &unpacking{Pipeline: s.Pipeline, archive: d, kept: map[string]bool{}}
	if err := u.take(t.Context(), "late.txt", []byte("Too late.")); ibid.CodeOf(err) != ibid.CodeNotFound || errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	s.holds()
}
