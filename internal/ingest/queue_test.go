package ingest

import (
	"testing"

	"ibid"
	"ibid/internal/access"
)

func TestTheQueueIsCounted(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files, func(c *Config) { c.Workers = 1 })
	// The first waits until all are there: with nothing left to do a new count begins.
	s.add("a.txt", "wait for the walrus.")
	s.add("b.txt", "wait for the giraffe.")
	last := s.add("c.txt", "The pelican.").ID
	<-files.waiting
	files.block <- struct{}{}
	<-files.waiting // the only worker has counted the first and begun the second
	q, err := s.Queue(t.Context(), access.For(ibid.Owner))
	if err != nil || q.Waiting != 1 || q.Processing != 1 || q.Done != 1 || q.ETA <= 0 {
		t.Errorf("queue %+v, %v", q, err)
	}
	close(files.block)
	s.settled(last)
	if q, err := s.Queue(t.Context(), access.For(ibid.Owner)); err != nil || (q != Queue{}) {
		t.Errorf("with nothing left the queue is %+v, %v", q, err)
	}
}
