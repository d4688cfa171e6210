//go:build unix

package document_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/document"
)

func TestAKilledWorkerIsNotTheFilesFault(t *testing.T) {
	pool := fakePool(t, "killed", document.Limits{})
	read := func(killed int) (ibid.Extract, error) {
		return pool.Extract(context.Background(), document.Request{Data: []byte("%PDF-"), Name: "a.pdf", Killed: killed}, nil)
	}
	for killed := range document.Alone {
		if x, err := read(killed); !errors.Is(err, ibid.ErrWorkerKilled) {
			t.Fatalf("after %d kills: text %q, %v", killed, x.Text, err)
		}
	}
	x, err := read(document.Alone) // now the page that kills it costs itself
	if err != nil || x.Text != pages("1", "2", "4", "5") {
		t.Fatalf("text %q, %v", x.Text, err)
	}
	if !strings.HasPrefix(x.Notice, "page 3 could not be read: "+ibid.WorkerKilled) {
		t.Errorf("notice %q", x.Notice)
	}
}

func TestAPageWhoseWorkerIsKilledIsDrawnOnceMore(t *testing.T) {
	pool := fakePool(t, "killed", document.Limits{})
	_, err := pool.RenderPage(context.Background(), document.Request{Data: []byte("%PDF-"), Name: "a.pdf"}, 3, 100)
	if errors.Is(err, ibid.ErrWorkerKilled) || err == nil || !strings.Contains(err.Error(), "page 3 cannot be drawn: "+ibid.WorkerKilled) {
		t.Errorf("error %v", err)
	}
}
