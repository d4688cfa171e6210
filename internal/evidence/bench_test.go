package evidence

import (
	"bytes"
	"testing"
)

// BenchmarkBack finds what backs a statement among as many sources as a thorough run
// finds: 28 passages with one beside each.
func BenchmarkBack(b *testing.B) {
	passages := map[string]foundPassage{}
	var t testing.T
	var order []string
	for _, p := range readLines[foundPassage](&t, "passages.jsonl") {
		passages[p.ID] = p
		order = append(order, p.ID)
	}
	pairs := readLines[paraphrase](&t, "dev.jsonl")
	var sources []Source
	for i := range 28 {
		sources = append(sources, Source{Under: passages[order[2*i]].Title, Pieces: []string{passages[order[2*i]].Text, passages[order[2*i+1]].Text}})
	}
	words()
	b.Run("sources", func(b *testing.B) {
		for b.Loop() {
			New(sources)
		}
	})
	m := New(sources)
	b.Run("statement", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			m.Back(pairs[i%len(pairs)].Statement, "", []int{i % 28})
		}
	})
	b.Run("quoted", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			m.Quoted(pairs[i%len(pairs)].Sentence, nil)
		}
	})
}

// BenchmarkWords reads the table of words, which is done once.
func BenchmarkWords(b *testing.B) {
	for b.Loop() {
		if _, err := ReadTable(bytes.NewReader(wordTable)); err != nil {
			b.Fatal(err)
		}
	}
}
