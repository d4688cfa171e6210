package lsa

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestMaxSim: words that are there count fully, like ones a little, words that
// stand together more.
func TestMaxSim(t *testing.T) {
	m := fit(t, corpusOf(120), Config{Dimensions: len(topics)})
	filler := strings.Repeat(" river boat harbour sail anchor captain", 5)
	texts := []string{
		"the xyzzy of the car",
		"the xyzzy" + filler + " car",
		"the automobile",
		"the bread",
		"",
	}
	scores, err := m.MaxSim(context.Background(), "car xyzzy", texts)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(scores[0]-1) > 1e-9 {
		t.Errorf("all words close together: %v, want 1", scores[0])
	}
	for i := 1; i < len(texts); i++ {
		if scores[i] >= scores[i-1] && scores[i-1] > 0 {
			t.Errorf("%q scores %v, no less than %v of %q", texts[i], scores[i], scores[i-1], texts[i-1])
		}
	}
	if scores[4] != 0 {
		t.Errorf("nothing scores %v", scores[4])
	}
	if scores, err := m.MaxSim(context.Background(), "the", texts[:1]); err != nil || math.IsNaN(scores[0]) {
		t.Errorf("a query of stop words: %v, %v", scores, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.MaxSim(ctx, "car", texts); err == nil {
		t.Error("a cancelled context was not noticed")
	}
}
