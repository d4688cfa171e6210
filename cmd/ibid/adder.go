package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"ibid"
	"ibid/internal/client"
	"ibid/internal/fetch"
	"ibid/internal/ingest"
	"ibid/internal/say"
)

// adder is one run of add. One goroutine, that of run, keeps what is known of every
// file: it is told what the senders have sent, and what the server says becomes of
// it (changes). So nobody asks for lists while it goes on; only where something may
// have been missed are the pending documents asked for, by their ids.
//
// What is done is counted and told, not kept.
type adder struct {
	sendOptions
	client  *client.Client
	report  reporter
	took    func(*added)      // called for every file that was taken in; may be nil
	pending map[string]*added // id → sent and not done yet
	sending map[string]bool   // source → whether it changed while it was being sent
	asking  map[string]bool   // ids of pending documents that have to be asked for
	opened  []*added          // archives whose members have to be asked for

	files    int // done or pending, members of archives included
	failed   int
	wordless int // pictures in which nothing was read
}

// sendOptions say how files are taken in.
type sendOptions struct {
	category string
	tags     []string
	folder   string
	password string // of protected files; "" for none
	noWait   bool   // not until the documents can be searched
	// fetch gets a page whose address was given; nil where none is.
	fetch func(ctx context.Context, url string) (fetch.Page, error)
}

// reporter is told what becomes of files. Sending may come beside the rest.
type reporter interface {
	Found(*added)          // a file that came out of an archive is waited for, too
	Sending(*added, int64) // so many bytes of a file are sent
	Working(*added)        // its document says how far it is
	Taken(*added)          // a file was sent, and is not waited for
	Finished(*added)       // a file is done; outcome says what came of it
	Flush()                // nothing more is told for now
}

// nobody is a reporter where nobody wants to know.
type nobody struct{}

func (nobody) Found(*added)          {}
func (nobody) Sending(*added, int64) {}
func (nobody) Working(*added)        {}
func (nobody) Taken(*added)          {}
func (nobody) Finished(*added)       {}
func (nobody) Flush()                {}

// added is one item and what became of it.
type added struct {
	item
	source    string
	doc       ibid.Document
	since     time.Time // when it was sent, as the server has it
	unchanged bool
	err       error
	done      bool
}

func newAdder(to *client.Client, o sendOptions, report reporter) *adder {
	return &adder{
		sendOptions: o,
		client:      to,
		report:      report,
		pending:     map[string]*added{},
		sending:     map[string]bool{},
		asking:      map[string]bool{},
	}
}

// tally is what adding came to.
type tally struct {
	files    int // done or pending, members of archives included
	failed   int
	wordless int // pictures in which nothing was read
	pending  int // sent and not done yet
}

func (a *adder) tally() tally { return tally{a.files, a.failed, a.wordless, len(a.pending)} }

// run sends every item, then waits until they all are processed.
func (a *adder) run(ctx context.Context, items []item) error {
	defer a.report.Flush()
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	var changes <-chan client.Change // nil: nothing is waited for
	if !a.noWait {
		changes = a.client.Changes(ctx)
		working.Go(func() {
			<-ctx.Done()
			for range changes { // until it is closed
			}
		})
	}
	sent := make(chan sending)
	working.Go(func() {
		defer close(sent)
		a.sendAll(ctx, items, sent)
	})
	for sent != nil || changes != nil && len(a.pending) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s, more := <-sent:
			if !more {
				sent = nil
			}
			if s.err != nil {
				return s.err
			}
			a.take(s)
		case ch, more := <-changes:
			if !more {
				return ctx.Err()
			}
			if ch.Err != nil {
				return ch.Err
			}
			a.change(ch)
		}
		if err := a.ask(ctx); err != nil {
			return err
		}
		a.report.Flush()
	}
	return nil
}

// take learns what the senders begin to send and have sent.
func (a *adder) take(s sending) {
	for _, source := range s.begun {
		a.sending[source] = false
	}
	for _, one := range s.done {
		changed := a.sending[one.source]
		delete(a.sending, one.source)
		a.files++
		if one.err != nil {
			a.finish(one)
			continue
		}
		if a.took != nil {
			a.took(one)
		}
		a.pending[one.doc.ID] = one
		a.update(one, one.doc)
		if one.done {
			continue
		}
		if changed { // perhaps after it was taken in
			a.asking[one.doc.ID] = true
		}
		if a.noWait {
			a.report.Taken(one)
		}
	}
}

// change learns what became of a document.
func (a *adder) change(ch client.Change) {
	if ch.Begun {
		for source := range a.sending {
			a.sending[source] = true
		}
		for id := range a.pending {
			a.asking[id] = true
		}
		return
	}
	d := ch.Document
	if _, ours := a.sending[d.Source]; ours && d.Source != "" {
		a.sending[d.Source] = true
	}
	one := a.pending[d.ID]
	switch {
	case one == nil && ch.Removed: // perhaps one whose id is not known yet
		for source := range a.sending {
			a.sending[source] = true
		}
	case one == nil:
	case ch.Removed:
		a.gone(one)
	default:
		a.update(one, d)
	}
}

// askAtOnce is how many documents one request asks for: their ids stand in its
// address.
const askAtOnce = 200

// ask asks for the pending documents of which a change may have been missed, and
// for what came out of archives.
func (a *adder) ask(ctx context.Context) error {
	for len(a.asking) > 0 {
		ids := make([]string, 0, askAtOnce)
		for id := range a.asking {
			if delete(a.asking, id); a.pending[id] != nil {
				ids = append(ids, id)
			}
			if len(ids) == askAtOnce {
				break
			}
		}
		if len(ids) == 0 {
			continue
		}
		there := map[string]bool{}
		for d, err := range a.client.EachDocument(ctx, url.Values{"document": ids}) {
			if err != nil {
				return err
			}
			there[d.ID] = true
			if one := a.pending[d.ID]; one != nil {
				a.update(one, d)
			}
		}
		for _, id := range ids {
			if one := a.pending[id]; one != nil && !there[id] {
				a.gone(one)
			}
		}
	}
	for len(a.opened) > 0 {
		archive := a.opened[len(a.opened)-1]
		a.opened = a.opened[:len(a.opened)-1]
		if err := a.findMembers(ctx, archive); err != nil {
			return err
		}
	}
	return nil
}

// findMembers waits also for what came out of an archive. Those of an archive that
// is ready are all there.
func (a *adder) findMembers(ctx context.Context, archive *added) error {
	for d, err := range a.client.EachDocument(ctx, url.Values{"part_of": {archive.doc.ID}}) {
		if err != nil {
			return err
		}
		if d.PartOf != archive.doc.ID || d.ChangeAt.Before(archive.since) || a.pending[d.ID] != nil {
			continue
		}
		name := archive.name + strings.TrimPrefix(d.Source, archive.source)
		one := &added{item: item{name: name, size: d.Bytes}, source: d.Source, doc: d, since: archive.since}
		a.files++
		a.pending[d.ID] = one
		a.report.Found(one)
		a.update(one, d)
	}
	return nil
}

// archives are the formats of documents that other documents come out of.
var archives = []string{"zip", "eml"}

func (a *adder) update(one *added, doc ibid.Document) {
	if doc.ChangeAt.Before(one.since) {
		return // as it was before it was sent
	}
	one.doc = doc
	switch doc.Status {
	case ibid.DocumentReady:
		if !one.unchanged && !a.noWait && slices.Contains(archives, doc.Format) {
			a.opened = append(a.opened, one)
		}
		a.finish(one)
	case ibid.DocumentFailed:
		one.err = errors.New(doc.Error)
		a.finish(one)
	default:
		a.report.Working(one)
	}
}

func (a *adder) gone(one *added) {
	one.err = errors.New("was removed while it was being added")
	a.finish(one)
}

// finish says what became of an item, once.
func (a *adder) finish(one *added) {
	if one.done {
		return
	}
	one.done = true
	delete(a.pending, one.doc.ID)
	switch {
	case one.wordless():
		a.wordless++
	case one.err != nil:
		a.failed++
	}
	a.report.Finished(one)
}

// wordless reports whether nothing was read in a picture that merely lies in a
// folder or an archive. Photographs often do, so that this is no fault.
func (one *added) wordless() bool {
	return one.doc.Status == ibid.DocumentFailed && (one.root != "" || one.doc.PartOf != "") && ingest.Picture(one.name)
}

// outcome is the line that says what happened to an item.
func (one *added) outcome() string {
	if one.err != nil {
		return say.Reason(one.err)
	}
	d := one.doc
	var said string
	switch {
	case one.unchanged:
		said = "unchanged"
	case d.Kept > 0:
		said = fmt.Sprintf("%d of %s embedded, %d kept", d.Embedded, say.Count(d.Chunks, "chunk"), d.Kept)
	case d.Pages > 0:
		said = say.Count(d.Pages, "page") + ", " + say.Count(d.Chunks, "chunk")
	default:
		said = say.Count(d.Chunks, "chunk")
	}
	if d.Notice != "" {
		said += "; " + d.Notice
	}
	return said
}
