package adding

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"ibid"
	"ibid/internal/client"
)

// sayer writes the outcome of each file.
type sayer struct{ to *bytes.Buffer }

func (sayer) Found(*Added) {}

func (sayer) Sending(*Added, int64) {}

func (sayer) Working(*Added) {}

func (sayer) Taken(*Added) {}

func (sayer) Flush() {}

func (s sayer) Finished(one *Added) { fmt.Fprintf(s.to, "%s: %s\n", one.Name, one.Outcome()) }

// TestAddTakesNoOldNews tells an adder of changes in orders that the network allows.
func TestAddTakesNoOldNews(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000).UTC()
	var said bytes.Buffer
	begin := func(names ...string) *Adder {
		said.Reset()
		a := New(nil, Options{}, sayer{&said})
		var sources []string
		for _, name := range names {
			sources = append(sources, "/x/"+name)
		}
		a.take(sending{begun: sources})
		return a
	}
	doc := func(name string, status ibid.DocumentStatus, changed time.Time) ibid.Document {
		return ibid.Document{ID: "id-" + name, Name: name, Source: "/x/" + name, Status: status, Chunks: 1, ChangeAt: ibid.At(changed)}
	}
	sent := func(name string) *Added {
		return &Added{Item: Item{Name: name}, Source: "/x/" + name, Doc: doc(name, ibid.DocumentQueued, at), since: at}
	}

	a := begin("a", "b")
	a.change(client.Change{Document: doc("a", ibid.DocumentReady, at)}) // before its id is known
	a.take(sending{done: []*Added{sent("a"), sent("b")}})
	if !a.asking["id-a"] || a.asking["id-b"] {
		t.Errorf("asks for %v", a.asking)
	}
	a.change(client.Change{Document: doc("b", ibid.DocumentReady, at.Add(-time.Second))}) // the version before
	if len(a.pending) != 2 {
		t.Error("what was ready before it was sent is taken for what was sent")
	}
	a.change(client.Change{Document: doc("b", ibid.DocumentReady, at)})
	a.change(client.Change{Document: doc("b", ibid.DocumentFailed, at.Add(time.Second))}) // later, by somebody else
	a.change(client.Change{Document: ibid.Document{ID: "id-b"}, Removed: true})
	if said.String() != "b: 1 chunk\n" || a.failed != 0 {
		t.Errorf("said %q, %d failed", said.String(), a.failed)
	}
	a.change(client.Change{Document: ibid.Document{ID: "id-a"}, Removed: true})
	if a.failed != 1 || len(a.pending) != 0 {
		t.Errorf("removed while it was added: %d failed, %d pending", a.failed, len(a.pending))
	}

	a = begin("a", "b")
	a.change(client.Change{Document: ibid.Document{ID: "id-a"}, Removed: true}) // of whichever file it was
	a.take(sending{done: []*Added{sent("a"), sent("b")}})
	if !a.asking["id-a"] || !a.asking["id-b"] {
		t.Errorf("after a removal it asks for %v", a.asking)
	}

	a = begin("a", "b")
	a.take(sending{done: []*Added{sent("a")}})
	a.change(client.Change{Begun: true}) // whatever came before was missed
	a.take(sending{done: []*Added{sent("b")}})
	if !a.asking["id-a"] || !a.asking["id-b"] {
		t.Errorf("where a stream begins it asks for %v", a.asking)
	}
}
