package ibidtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ibid"
)

// WriteFile writes a file, and the folders above it, and returns its path.
func WriteFile(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Environment is an environment of exactly these variables: name, value, name, …
func Environment(pairs ...string) func(name string) (value string, set bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// LogOf is the log of the run m1: its events are numbered from 1.
func LogOf(data ...ibid.EventData) []ibid.Event {
	at := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	var events []ibid.Event
	for i, d := range data {
		events = append(events, ibid.Event{Seq: int64(i + 1), Run: "m1", At: at, Data: d})
	}
	return events
}

// Lines are events as they are sent, a line each.
func Lines(t testing.TB, events []ibid.Event) []string {
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
