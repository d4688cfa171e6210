package ingest

import (
	"testing"

	"ibid"
	"ibid/internal/access"
)

func TestTheQueueIsCounted(t *testing.T) {
	files := newParagraphs()
	s := openShop(t, t.TempDir(), files, func(c *Config) { c.Workers = 1 })
	ids := []string{s.add("a.txt", "The walrus.").ID, s.add("b.txt", "wait for the giraffe.").ID, s.add("c.txt", "The pelican.").ID}
	<-files.waiting
	s.settled(ids[0])
	// A document is settled in the store a moment before it is counted.
	s.eventually("one is done", func() bool {
		q, err := s.Queue(t.Context(), access.For(ibid.Owner))
		return err != nil || q.Done > 0
	})
	q, err := s.Queue(t.Context(), access.For(ibid.Owner))
	if err != nil || q.Waiting != 1 || q.Processing != 1 || q.Done != 1 || q.ETA <= 0 {
		t.Errorf("queue %+v, %v", q, err)
	}
	close(files.block)
	s.settled(ids[2])
	s.eventually("the queue is empty", func() bool {
		q, err := s.Queue(t.Context(), access.For(ibid.Owner))
		return err == nil && q == Queue{}
	})
}
