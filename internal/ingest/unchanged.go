package ingest

import (
	"cmp"
	"context"
	"strings"

	"ibid"
	"ibid/internal/access"
)

// Known is a file that may have been added before.
type Known struct {
	File
	Hash  string `json:"hash"` // ibid.VersionOf its bytes
	Bytes int64  `json:"bytes"`
}

// Unchanged returns for each file the document that adding it would leave as it
// is, nil where adding it would change something or there is none: the one with
// its source, where that is ready with these very bytes and already has the name,
// title, folder, category, tags and metadata that the file gives. A document whose
// original is missing, of another size or known to be damaged is not among them:
// sending the file again mends it.
func (p *Pipeline) Unchanged(ctx context.Context, view access.View, files []Known) ([]*ibid.Document, error) {
	sources := make([]string, len(files))
	for i, f := range files {
		sources[i] = f.Source
	}
	documents, err := p.cfg.Store.DocumentsBySource(ctx, view, sources)
	if err != nil {
		return nil, err
	}
	bySource := map[string]*ibid.Document{}
	for i, d := range documents {
		bySource[d.Source] = &documents[i]
	}
	damaged, err := p.cfg.Damaged(ctx)
	if err != nil {
		return nil, err
	}
	unchanged := make([]*ibid.Document, len(files))
	for i, f := range files {
		d := bySource[f.Source]
		if d != nil && f.Source != "" && d.Status == ibid.DocumentReady && d.Version == f.Hash && d.Bytes == f.Bytes &&
			!damaged[f.Hash] && d.SameDescription(d.Described(described(f.File))) {
			holds, err := p.holds(ctx, f.Hash, f.Bytes)
			if err != nil {
				return nil, err
			}
			if holds {
				unchanged[i] = d
			}
		}
	}
	return unchanged, nil
}

// holds reports whether the bytes of a hash are there, as many as there must be. The error
// says that this can't be found out now.
func (p *Pipeline) holds(ctx context.Context, hash string, bytes int64) (bool, error) {
	info, err := p.cfg.Blobs.Stat(ctx, hash)
	if err != nil && ibid.CodeOf(err) == ibid.CodeAway {
		return false, err
	}
	return err == nil && info.Bytes == bytes, nil
}

// described is what a file says of its document, as it is kept.
func described(f File) ibid.Document {
	return ibid.Document{
		Name: cmp.Or(shownText(f.Name), "unnamed"), Title: shownText(f.Title), Source: f.Source,
		Folder: cleanFolder(f.Folder), Category: strings.TrimSpace(f.Category), Tags: cleanTags(f.Tags), Metadata: f.Metadata,
	}
}
