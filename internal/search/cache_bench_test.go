package search

import (
	"context"
	"fmt"
	"testing"

	"ibid"
	"ibid/internal/access"
)

type manyAnswered []ibid.Answered

func (m manyAnswered) Answered(context.Context, access.View, string, string, int) ([]ibid.Answered, error) {
	return m, nil
}
func (m manyAnswered) KeepAnswered(context.Context, ibid.Answered) error { return nil }

// BenchmarkAnswerCache looks for a question among as many as are compared at most.
func BenchmarkAnswerCache(b *testing.B) {
	var all manyAnswered
	for i := range maxAnswered {
		all = append(all, ibid.Answered{Question: fmt.Sprintf("What is the rent of the mill number %d in the year 1953?", i), MessageID: fmt.Sprint(i)})
	}
	c := NewAnswerCache(all, func() ibid.Embedder { return nil })
	for i := 0; b.Loop(); i++ {
		if _, _, err := c.Lookup(b.Context(), access.For(ibid.Owner), "key", "thread", fmt.Sprintf("Who sold the mill number %d?", i)); err != nil {
			b.Fatal(err)
		}
	}
}
