package ingest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/blob"
)

// File describes a file that is added.
type File struct {
	Name     string `json:"name"`
	Source   string `json:"source"` // path or URL; the same source again is a new version
	Title    string `json:"title"`
	Folder   string `json:"folder"`
	Category string `json:"category"`

	Tags     []string      `json:"tags"`
	Metadata ibid.Metadata `json:"metadata"`

	// OnSameName says what becomes of a file without a source whose folder holds
	// another document of its name; KeepBoth where it is empty.
	OnSameName ibid.OnSameName `json:"on_same_name"`

	// Password opens the file where it is protected. It is held in memory until
	// the file has been read, and stored nowhere.
	Password string `json:"password"`
}

// Added is what adding a file came to.
type Added struct {
	ibid.Document // as it stands
	// Unchanged: the document was ready with these very bytes already.
	Unchanged bool
	// SameName is the other document that has the file's name; nil for none.
	SameName *ibid.SameName
}

// Add keeps a file's bytes and queues the document. Fields that are empty in f
// keep their stored values where the document exists already: the one with the
// same source, or for a file without a source what f.OnSameName says. With Refuse
// the error is a CONFLICT, and SameName is set beside it.
func (p *Pipeline) Add(ctx context.Context, view access.View, f File, content io.Reader) (added Added, err error) {
	f.Folder, f.Tags = cleanFolder(f.Folder), cleanTags(f.Tags)
	f.Title, f.Category = shownText(f.Title), strings.TrimSpace(f.Category)
	f.Name = cmp.Or(shownText(f.Name), "unnamed")
	if err := checkDescription(ibid.Document{Folder: f.Folder, Category: f.Category, Tags: f.Tags, Metadata: f.Metadata}); err != nil {
		return added, err
	}
	if err := f.OnSameName.Check(); err != nil {
		return added, err
	}
	put := p.cfg.Store.PutDocument
	if f.Source == "" {
		put = func(ctx context.Context, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error) {
			stored, unchanged, added.SameName, err = p.cfg.Store.PutUpload(ctx, d, version, f.OnSameName)
			return stored, unchanged, err
		}
	}
	now := p.cfg.Now()
	added.Document, added.Unchanged, err = p.queue(ctx, ibid.Document{
		Principal: view.Principal(), ID: p.cfg.NewID(), Title: f.Title, Name: f.Name, Source: f.Source, Folder: f.Folder, Category: f.Category,
		Tags: f.Tags, Metadata: f.Metadata, AddedAt: ibid.At(now), ChangeAt: ibid.At(now),
	}, content, f.Password, put)
	if added.Unchanged { // it may have another folder or category now
		p.publish.Lock()
		p.tellLater()
		p.publish.Unlock()
	}
	return added, err
}

// putFunc takes in a document whose bytes are kept: Store.PutDocument, or what
// does as it for uploads.
type putFunc func(ctx context.Context, d ibid.Document, version string) (stored ibid.Document, unchanged bool, err error)

// queue keeps a document's bytes and lets it wait for the pipeline.
func (p *Pipeline) queue(ctx context.Context, d ibid.Document, content io.Reader, password string, put putFunc) (stored ibid.Document, unchanged bool, err error) {
	upload, err := p.cfg.Blobs.Receive(ctx, content)
	if err != nil {
		return d, false, err
	}
	defer upload.Drop()
	if upload.Bytes() == 0 {
		return d, false, ibid.Errorf(ibid.CodeBadRequest, "the file is empty")
	}
	d.Bytes = upload.Bytes()
	if err := p.holdPassword(ctx, upload.Hash(), password); err != nil {
		return d, false, fmt.Errorf("add %s: %w", d.Name, err)
	}
	stored, unchanged, err = p.putDocument(ctx, upload, d, put)
	if err != nil || unchanged {
		p.forgetPassword(upload.Hash())
	}
	if err != nil {
		return d, false, fmt.Errorf("add %s: %w", d.Name, err)
	}
	p.announce(stored.ID)
	if !unchanged {
		p.jobs.supersede(stored.ID, upload.Hash())
		p.nudge()
		p.notify(topicQueue)
	}
	return stored, unchanged, nil
}

// putDocument keeps the bytes and takes in the document that refers to them.
func (p *Pipeline) putDocument(ctx context.Context, u blob.Upload, d ibid.Document, put putFunc) (stored ibid.Document, unchanged bool, err error) {
	p.bytes.RLock()
	at, fresh, err := u.Put(ctx)
	if err == nil {
		stored, unchanged, err = put(ctx, d, u.Hash())
	}
	p.bytes.RUnlock()
	if err != nil && fresh {
		p.takeBack(context.WithoutCancel(ctx), u.Hash(), at)
	}
	return stored, unchanged, err
}

// takeBack deletes bytes that were put at a time and were not there before, and that
// nothing has come to refer to, unless somebody else has put them again.
func (p *Pipeline) takeBack(ctx context.Context, hash string, put time.Time) {
	if _, err := p.discard(ctx, hash, put.Add(1)); err != nil {
		p.cfg.Log.Warn("cannot delete the original of a document that was not added", "hash", hash, "error", err)
	}
}
