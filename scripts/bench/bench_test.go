package main

import (
	"fmt"
	"testing"
	"time"
)

func TestPercentile(t *testing.T) {
	var times []time.Duration
	for i := 100; i >= 1; i-- {
		times = append(times, time.Duration(i))
	}
	for p, want := range map[int]time.Duration{1: 1, 50: 50, 99: 99, 100: 100} {
		if got := percentile(times, p); got != want {
			t.Errorf("p%d is %d, want %d", p, got, want)
		}
	}
	if got := percentile(times[:1], 99); got != 100 {
		t.Errorf("p99 of one value is %d", got)
	}
	if got := percentile(nil, 50); got != 0 {
		t.Errorf("p50 of nothing is %d", got)
	}
}

func TestNumberedWords(t *testing.T) {
	if got := fmt.Sprint(numberedWords(" w7. w8. w90. and w9")); got != "[7 8 90]" {
		t.Errorf("found %s", got)
	}
}

func TestGeneratorRepeats(t *testing.T) {
	a, b := newGenerator(3), newGenerator(3)
	for range 3 {
		nameA, bodyA := a.document()
		nameB, bodyB := b.document()
		if nameA != nameB || string(bodyA) != string(bodyB) || len(bodyA) < 20_000 {
			t.Fatalf("%s and %s differ, or are short: %d bytes", nameA, nameB, len(bodyA))
		}
	}
	if a.query() != b.query() {
		t.Error("queries differ")
	}
}
