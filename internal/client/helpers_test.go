package client

import (
	"encoding/json"
	"testing"
	"time"

	"ibid"
)

// logOf numbers events of a run from 1.
func logOf(data ...ibid.EventData) []ibid.Event {
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	var events []ibid.Event
	for i, d := range data {
		events = append(events, ibid.Event{Seq: int64(i + 1), Run: "m1", At: at, Data: d})
	}
	return events
}

func lines(t *testing.T, events []ibid.Event) []string {
	t.Helper()
	var out []string
	for _, e := range events {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b)+"\n")
	}
	return out
}
