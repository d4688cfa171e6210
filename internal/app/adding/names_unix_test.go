package adding

import (
	"testing"
	"time"

	"ibid"
)

// A watched file whose name is no text is the same document after a restart.
func TestWatchKnowsNamesThatAreNoText(t *testing.T) {
	t.Parallel()
	l := newLookout(t)
	path := l.put("bad\xff.txt", "something", time.Minute)
	l.remember(ibid.Document{ID: "d1", Source: validText(path)})
	l.expect("read bad\xff.txt")
	l.expect("")
	l.expect("")
	if l.known[validText(path)].id != "d1" {
		t.Error("the document was forgotten")
	}
}
