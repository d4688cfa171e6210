package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ibid"
	"ibid/internal/app/config"
)

var update = flag.Bool("update", false, "write the golden files anew")

const leasePage = `<html><body><h1>Lease of the mill</h1><p>The mill lies by the river.</p>
<p>The rent of the mill is 1,250 euros a month.</p><p>Notice must be given 90 days ahead.</p></body></html>`

const letter = `Dear Ms Okafor,

thank you for your letter of 3 March. The deposit of 2,400 euros is returned within 30 days after the keys are handed over.

The final reading of the electricity meter takes place on 28 April.
`

// rentalHandbook is a document of the library that a question about the letter is
// easily answered from by mistake.
const rentalHandbook = "# Rental handbook\n\nThe deposit is returned within 90 days in most cases. A deposit may be three months of rent.\n"

// env is an environment of exactly these variables.
func env(pairs ...string) config.Environment {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

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
