package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ibid"
)

// checkChunks checks what Chunks promises, whatever the document is.
func checkChunks(t *testing.T, x ibid.Extract, chunks []ibid.Chunk) {
	t.Helper()
	covered := make([]int, len(x.Text))
	ids := make(map[string]bool)
	at := 0
	for i, c := range chunks {
		if c.Start < at || c.End <= c.Start || c.End > len(x.Text) || c.Text != x.Text[c.Start:c.End] {
			t.Fatalf("chunk %d covers %d to %d, after %d", i, c.Start, c.End, at)
		}
		at = c.End
		if !utf8.ValidString(c.Text) || strings.TrimSpace(c.Text) != c.Text {
			t.Errorf("chunk %d is not cut at characters: %q", i, c.Text)
		}
		if len(c.Text) > maxChunk {
			t.Errorf("chunk %d has %d bytes", i, len(c.Text))
		}
		if c.Ordinal != i || ids[c.ID] || !strings.HasPrefix(c.ID, "c_") || len(c.ID) != 18 {
			t.Errorf("chunk %d has ordinal %d and id %q", i, c.Ordinal, c.ID)
		}
		ids[c.ID] = true
		first, last := ibid.PageOf(x.PageAt, c.Start), ibid.PageOf(x.PageAt, c.End-1)
		if first != last {
			t.Errorf("chunk %d lies on pages %d to %d", i, first, last)
		}
		if x.Pages > 0 && !slices.Equal(c.Pages, []int{first}) || x.Pages == 0 && c.Pages != nil {
			t.Errorf("chunk %d is on page %d and says %v", i, first, c.Pages)
		}
		for k := c.Start; k < c.End; k++ {
			covered[k]++
		}
	}
	for _, b := range x.Blocks {
		for k, r := range x.Text[b.Start:b.End] {
			if !unicode.IsSpace(r) && covered[b.Start+k] != 1 {
				t.Fatalf("%q at %d is in %d chunks", r, b.Start+k, covered[b.Start+k])
			}
		}
	}
}

// document builds an extract from lines "kind page level text".
type document struct{ x ibid.Extract }

func (d *document) page() {
	d.x.Pages++
	at := len(d.x.Text)
	if at > 0 {
		at += 2
	}
	d.x.PageAt = append(d.x.PageAt, at)
}

func (d *document) add(kind ibid.BlockKind, path []string, s string) {
	if d.x.Text != "" {
		d.x.Text += "\n\n"
	}
	start := len(d.x.Text)
	d.x.Text += s
	d.x.Blocks = append(d.x.Blocks, ibid.Block{Kind: kind, Start: start, End: len(d.x.Text), Page: d.x.Pages, Heading: path})
}

func sentences(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "This is sentence number %d of the paragraph. ", i+1)
	}
	return strings.TrimSpace(b.String())
}

func TestChunksStayUnderTheirHeading(t *testing.T) {
	var d document
	d.add(ibid.BlockHeading, nil, "Manual")
	d.add(ibid.BlockHeading, []string{"Manual"}, "Setting up")
	d.add(ibid.BlockParagraph, []string{"Manual", "Setting up"}, "Plug it in.")
	d.add(ibid.BlockParagraph, []string{"Manual", "Setting up"}, "Wait a minute.")
	d.add(ibid.BlockHeading, []string{"Manual"}, "Mending")
	d.add(ibid.BlockParagraph, []string{"Manual", "Mending"}, "Call us.")
	chunks := Chunks(ibid.Document{ID: "d1", Title: "The manual"}, d.x)
	checkChunks(t, d.x, chunks)
	if len(chunks) != 2 {
		t.Fatalf("%d chunks, want 2: %+v", len(chunks), chunks)
	}
	if got := strings.Join(chunks[0].Heading, "/"); got != "Manual/Setting up" {
		t.Errorf("heading %q", got)
	}
	if want := "Manual\n\nSetting up\n\nPlug it in.\n\nWait a minute."; chunks[0].Text != want {
		t.Errorf("text %q", chunks[0].Text)
	}
}

func TestChunksLeaveTheTitleOutOfTheHeading(t *testing.T) {
	var d document
	d.add(ibid.BlockHeading, nil, "The Manual")
	d.add(ibid.BlockParagraph, []string{"The Manual"}, "Plug it in.")
	chunks := Chunks(ibid.Document{ID: "d1", Title: "the manual"}, d.x)
	if len(chunks) != 1 || chunks[0].Heading != nil {
		t.Errorf("chunks %+v", chunks)
	}
}

func TestChunksStayOnTheirPage(t *testing.T) {
	var d document
	d.page()
	d.add(ibid.BlockParagraph, nil, "The end of the first page.")
	d.page()
	d.page()
	d.add(ibid.BlockParagraph, nil, "The beginning of the third.")
	chunks := Chunks(ibid.Document{ID: "d1"}, d.x)
	checkChunks(t, d.x, chunks)
	if len(chunks) != 2 || chunks[0].Pages[0] != 1 || chunks[1].Pages[0] != 3 {
		t.Errorf("chunks %+v", chunks)
	}
}

func TestChunksEndWithSentences(t *testing.T) {
	var d document
	d.add(ibid.BlockParagraph, nil, sentences(100))
	chunks := Chunks(ibid.Document{ID: "d1"}, d.x)
	checkChunks(t, d.x, chunks)
	for _, c := range chunks {
		if !strings.HasSuffix(c.Text, ".") || !strings.HasPrefix(c.Text, "This is") {
			t.Errorf("chunk %q…%q", c.Text[:20], c.Text[len(c.Text)-20:])
		}
		if len(c.Text) < targetChunk/2 {
			t.Errorf("chunk of %d bytes", len(c.Text))
		}
	}
}

func TestChunksOfTablesAreRows(t *testing.T) {
	var d document
	var rows []string
	for i := range 200 {
		rows = append(rows, fmt.Sprintf("row %d | %d | some value", i, i*i))
	}
	d.add(ibid.BlockTable, nil, strings.Join(rows, "\n"))
	chunks := Chunks(ibid.Document{ID: "d1"}, d.x)
	checkChunks(t, d.x, chunks)
	for _, c := range chunks {
		if !strings.HasPrefix(c.Text, "row ") || !strings.HasSuffix(c.Text, "some value") {
			t.Errorf("chunk %q", c.Text)
		}
	}
}

func TestChunksKeepTheirIDs(t *testing.T) {
	build := func(second string) []ibid.Chunk {
		var d document
		d.add(ibid.BlockHeading, nil, "One")
		d.add(ibid.BlockParagraph, []string{"One"}, sentences(20))
		d.add(ibid.BlockHeading, nil, "Two")
		d.add(ibid.BlockParagraph, []string{"Two"}, second)
		d.add(ibid.BlockHeading, nil, "Three")
		d.add(ibid.BlockParagraph, []string{"Three"}, sentences(20))
		return Chunks(ibid.Document{ID: "d1", Version: second}, d.x)
	}
	before, after := build("The old words."), build("The new words, which are more.")
	kept := 0
	for i := range after {
		if after[i].ID == before[i].ID {
			kept++
		} else if !strings.Contains(after[i].Text, "new words") {
			t.Errorf("chunk %d was not changed and has another id: %q", i, after[i].Text)
		}
	}
	if kept != len(after)-1 || len(after) != len(before) {
		t.Errorf("%d of %d chunks kept their id", kept, len(after))
	}
}

func TestEqualChunksHaveDifferentIDs(t *testing.T) {
	var d document
	for range 3 {
		d.page()
		d.add(ibid.BlockParagraph, nil, "The same words on every page.")
	}
	checkChunks(t, d.x, Chunks(ibid.Document{ID: "d1"}, d.x))
}

// TestChunksCoverEverything makes documents of random blocks.
func TestChunksCoverEverything(t *testing.T) {
	for seed := range uint64(300) {
		d := randomDocument(rand.New(rand.NewPCG(seed, 1)))
		checkChunks(t, d.x, Chunks(ibid.Document{ID: "d1"}, d.x))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomDocument(r *rand.Rand) document {
	var d document
	kinds := []ibid.BlockKind{ibid.BlockParagraph, ibid.BlockList, ibid.BlockTable, ibid.BlockCode}
	paged := r.IntN(2) == 0
	var path []string
	for range r.IntN(40) {
		if paged && (d.x.Pages == 0 || r.IntN(4) == 0) {
			d.page()
		}
		if r.IntN(5) == 0 {
			path = append(slices.Clone(path[:r.IntN(len(path)+1)]), fmt.Sprintf("Heading %d", r.IntN(9)))
			d.add(ibid.BlockHeading, path[:len(path)-1], path[len(path)-1])
			continue
		}
		d.add(kinds[r.IntN(len(kinds))], path, randomText(r))
	}
	if paged {
		d.page()
		d.x.PageAt[d.x.Pages-1] = len(d.x.Text)
	}
	return d
}

func randomText(r *rand.Rand) string {
	pieces := []string{"word ", "Überlänge ", "end. ", "日本語。", "\n", "a\tb | c\n", strings.Repeat("x", 1+r.IntN(3000)), "? ", "• "}
	s := "x"
	for range r.IntN(60) {
		s += pieces[r.IntN(len(pieces))]
	}
	return strings.TrimSpace(s)
}

func FuzzChunks(f *testing.F) {
	f.Add("One. Two. Three.", 2, 1)
	f.Add(strings.Repeat("日本語。", 600), 5, 0)
	f.Add(strings.Repeat("a", 5000), 0, 3)
	f.Fuzz(func(t *testing.T, s string, pages, kind int) {
		s = strings.ToValidUTF8(s, "?")
		if strings.TrimSpace(s) == "" {
			return
		}
		kinds := []ibid.BlockKind{ibid.BlockParagraph, ibid.BlockTable, ibid.BlockCode, ibid.BlockHeading}
		x := ibid.Extract{Text: s, Blocks: []ibid.Block{{Kind: kinds[uint(kind)%4], End: len(s)}}}
		for i := range min(max(pages, 0), 10) {
			at := len(s) * i / 10
			for at > 0 && !utf8.RuneStart(s[at]) {
				at--
			}
			x.PageAt = append(x.PageAt, at)
		}
		x.Pages = len(x.PageAt)
		checkChunks(t, x, Chunks(ibid.Document{ID: "d1"}, x))
	})
}

func BenchmarkChunks(b *testing.B) {
	d := randomDocument(rand.New(rand.NewPCG(7, 1)))
	for len(d.x.Text) < 1<<20 {
		d.add(ibid.BlockParagraph, nil, sentences(40))
	}
	b.SetBytes(int64(len(d.x.Text)))
	for b.Loop() {
		Chunks(ibid.Document{ID: "d1"}, d.x)
	}
}
