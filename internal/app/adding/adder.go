// Package adding brings files and folders into the library through its HTTP API, and
// follows folders.
package adding

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"ibid"
	"ibid/internal/client"
	"ibid/internal/document"
	"ibid/internal/document/format"
	"ibid/internal/fetch"
	"ibid/internal/ingest"
	"ibid/internal/say"
)

// Adder is one run of add. One goroutine, that of run, keeps what is known of every
// file: it is told what the senders have sent, and what the server says becomes of
// it (changes). So nobody asks for lists while it goes on; only where something may
// have been missed are the pending documents asked for, by their ids.
//
// What is done is counted and told, not kept.
type Adder struct {
	Options
	client  *client.Client
	report  Reporter
	formats format.List
	took    func(*Added)      // called for every file that was taken in; may be nil
	pending map[string]*Added // id → sent and not done yet
	sending map[string]bool   // source → whether it changed while it was being sent
	asking  map[string]bool   // ids of pending documents that have to be asked for
	opened  []*Added          // archives whose members have to be asked for

	files    int // done or pending, members of archives included
	failed   int
	wordless int // pictures in which nothing was read
}

// Options say how files are taken in.
type Options struct {
	Category string
	Tags     []string
	Folder   string
	Password string // of protected files; "" for none
	NoWait   bool   // not until the documents can be searched
	// Fetch gets a page whose address was given; nil where none is.
	Fetch func(ctx context.Context, url string) (fetch.Page, error)
}

// Reporter is told what becomes of files. Sending may come beside the rest.
type Reporter interface {
	Found(*Added)          // a file that came out of an archive is waited for, too
	Sending(*Added, int64) // so many bytes of a file are sent
	Working(*Added)        // its document says how far it is
	Taken(*Added)          // a file was sent, and is not waited for
	Finished(*Added)       // a file is done; outcome says what came of it
	Flush()                // nothing more is told for now
}

// Nobody is a reporter where nobody wants to know.
type Nobody struct{}

func (Nobody) Found(*Added) {}

func (Nobody) Sending(*Added, int64) {}

func (Nobody) Working(*Added) {}

func (Nobody) Taken(*Added) {}

func (Nobody) Finished(*Added) {}

func (Nobody) Flush() {}

// Added is one item and what became of it.
type Added struct {
	Item
	Source    string
	Doc       ibid.Document
	since     time.Time // when it was sent, as the server has it
	unchanged bool
	Err       error
	done      bool
}

func New(to *client.Client, o Options, report Reporter) *Adder {
	return &Adder{
		Options: o,
		client:  to,
		report:  report,
		formats: document.Formats(),
		pending: map[string]*Added{},
		sending: map[string]bool{},
		asking:  map[string]bool{},
	}
}

// Tally is what adding came to.
type Tally struct {
	Files    int // done or pending, members of archives included
	Failed   int
	Wordless int // pictures in which nothing was read
	Pending  int // sent and not done yet
}

func (a *Adder) Tally() Tally { return Tally{a.files, a.failed, a.wordless, len(a.pending)} }

// Run sends every item, then waits until they all are processed.
func (a *Adder) Run(ctx context.Context, items []Item) error {
	defer a.report.Flush()
	ctx, cancel := context.WithCancel(ctx)
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	var changes <-chan client.Change // nil: nothing is waited for
	if !a.NoWait {
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
func (a *Adder) take(s sending) {
	for _, source := range s.begun {
		a.sending[source] = false
	}
	for _, one := range s.done {
		changed := a.sending[one.Source]
		delete(a.sending, one.Source)
		a.files++
		if one.Err != nil {
			a.finish(one)
			continue
		}
		if a.took != nil {
			a.took(one)
		}
		a.pending[one.Doc.ID] = one
		a.update(one, one.Doc)
		if one.done {
			continue
		}
		if changed { // perhaps after it was taken in
			a.asking[one.Doc.ID] = true
		}
		if a.NoWait {
			a.report.Taken(one)
		}
	}
}

// change learns what became of a document.
func (a *Adder) change(ch client.Change) {
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
func (a *Adder) ask(ctx context.Context) error {
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
func (a *Adder) findMembers(ctx context.Context, archive *Added) error {
	for d, err := range a.client.EachDocument(ctx, url.Values{"part_of": {archive.Doc.ID}}) {
		if err != nil {
			return err
		}
		if d.PartOf != archive.Doc.ID || d.ChangeAt.Before(archive.since) || a.pending[d.ID] != nil {
			continue
		}
		name := archive.Name + strings.TrimPrefix(d.Source, archive.Source)
		one := &Added{Item: Item{Name: name, Size: d.Bytes}, Source: d.Source, Doc: d, since: archive.since}
		a.files++
		a.pending[d.ID] = one
		a.report.Found(one)
		a.update(one, d)
	}
	return nil
}

func (a *Adder) update(one *Added, doc ibid.Document) {
	if doc.ChangeAt.Before(one.since) {
		return // as it was before it was sent
	}
	one.Doc = doc
	switch doc.Status {
	case ibid.DocumentReady:
		if !one.unchanged && !a.NoWait && a.formats.Holding(doc.Format) {
			a.opened = append(a.opened, one)
		}
		a.finish(one)
	case ibid.DocumentFailed:
		one.Err = errors.New(doc.Error)
		a.finish(one)
	default:
		a.report.Working(one)
	}
}

func (a *Adder) gone(one *Added) {
	one.Err = errors.New("was removed while it was being added")
	a.finish(one)
}

// finish says what became of an item, once.
func (a *Adder) finish(one *Added) {
	if one.done {
		return
	}
	one.done = true
	delete(a.pending, one.Doc.ID)
	switch {
	case one.Wordless():
		a.wordless++
	case one.Err != nil:
		a.failed++
	}
	a.report.Finished(one)
}

// Wordless reports whether nothing was read in a picture that merely lies in a
// folder or an archive. Photographs often do, so that this is no fault.
func (one *Added) Wordless() bool {
	return one.Doc.Status == ibid.DocumentFailed && (one.root != "" || one.Doc.PartOf != "") && ingest.Picture(one.Name)
}

// Outcome is the line that says what happened to an item.
func (one *Added) Outcome() string {
	if one.Err != nil {
		return say.Reason(one.Err)
	}
	d := one.Doc
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
