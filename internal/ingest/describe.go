package ingest

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"ibid"
	"ibid/internal/access"
)

// Bounds of what people say of a document; lengths are in bytes.
const (
	maxLabel  = 200 // a title, a category, a tag, the name of a field
	maxFolder = 1000
	maxValue  = 2000
	maxTags   = 100
	maxFields = 100
)

// Description is what people say of a document. In a change, nil leaves a thing
// as it is.
type Description struct {
	Name     *string            `json:"name"`   // file name
	Source   *string            `json:"source"` // where it is added from now; no other document may have it
	Title    *string            `json:"title"`
	Folder   *string            `json:"folder"`
	Category *string            `json:"category"`
	Tags     *[]string          `json:"tags"`     // in place of the old ones
	Metadata map[string]*string `json:"metadata"` // added to the old ones; null removes a field
}

// Describe changes what a document is called and where it belongs, and returns
// it as it then stands. Searches go by it at once.
func (p *Pipeline) Describe(ctx context.Context, view access.View, documentID string, change Description) (ibid.Document, error) {
	p.publish.Lock()
	defer p.publish.Unlock()
	d, err := p.cfg.Store.ChangeDocument(ctx, view, documentID, change.apply)
	if err != nil {
		return d, err
	}
	p.announce(documentID)
	p.tellLater()
	return d, nil
}

// apply changes a document; the error is for the person who asked for it.
func (c Description) apply(d *ibid.Document) error {
	if c.Name != nil {
		name := strings.TrimSpace(*c.Name)
		if name == "" || strings.ContainsAny(name, "/\\") {
			return ibid.Errorf(ibid.CodeBadRequest, "%q is no file name", name)
		}
		if d.Title == d.Name {
			d.Title = name // it had none of its own
		}
		d.Name = name
	}
	if c.Source != nil {
		if *c.Source == "" {
			return ibid.Errorf(ibid.CodeBadRequest, "the source is empty")
		}
		d.Source = *c.Source
	}
	if c.Title != nil {
		d.Title = strings.TrimSpace(*c.Title)
		if d.Title == "" {
			d.Title = d.Name
		}
	}
	if c.Folder != nil {
		d.Folder = cleanFolder(*c.Folder)
	}
	if c.Category != nil {
		d.Category = strings.TrimSpace(*c.Category)
	}
	if c.Tags != nil {
		d.Tags = cleanTags(*c.Tags)
	}
	fields := ibid.Metadata{}
	for name, value := range d.Metadata {
		fields[name] = value
	}
	for name, value := range c.Metadata {
		if value == nil {
			delete(fields, name)
		} else {
			fields[name] = *value
		}
	}
	d.Metadata = fields
	return checkDescription(*d)
}

// cleanFolder writes a folder's path as the library has it: no slash at its
// ends, no empty parts, nothing that leads upwards.
func cleanFolder(folder string) string {
	return strings.Trim(path.Clean("/"+strings.TrimSpace(folder)), "/")
}

// shownText is a name or a title as it is kept: one line of text. What steers a
// terminal is left out of it, whatever the file system allows.
func shownText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(s)
}

// cleanTags sorts tags and leaves out the empty and the repeated.
func cleanTags(tags []string) []string {
	var clean []string
	for _, tag := range tags {
		if tag = strings.TrimSpace(tag); tag != "" {
			clean = append(clean, tag)
		}
	}
	slices.Sort(clean)
	return slices.Compact(clean)
}

// checkDescription refuses what is too long or holds what cannot be shown.
func checkDescription(d ibid.Document) error {
	check := func(what, text string, limit int) error {
		if len(text) > limit {
			return ibid.Errorf(ibid.CodeBadRequest, "%s is longer than %d bytes", what, limit)
		}
		if strings.ContainsFunc(text, unicode.IsControl) || strings.ToValidUTF8(text, "") != text {
			return ibid.Errorf(ibid.CodeBadRequest, "%s holds control characters", what)
		}
		return nil
	}
	if len(d.Tags) > maxTags {
		return ibid.Errorf(ibid.CodeBadRequest, "a document has at most %d tags", maxTags)
	}
	if len(d.Metadata) > maxFields {
		return ibid.Errorf(ibid.CodeBadRequest, "a document has at most %d fields of metadata", maxFields)
	}
	err := check("the folder", d.Folder, maxFolder)
	if err == nil {
		err = check("the name", d.Name, maxFolder)
	}
	if err == nil {
		err = check("the title", d.Title, maxValue)
	}
	if err == nil {
		err = check("the source", d.Source, 2*maxValue)
	}
	if err == nil {
		err = check("the category", d.Category, maxLabel)
	}
	for _, tag := range d.Tags {
		if err == nil {
			err = check("a tag", tag, maxLabel)
		}
	}
	for name, value := range d.Metadata {
		if name == "" {
			return ibid.Errorf(ibid.CodeBadRequest, "a field of metadata has no name")
		}
		if err == nil {
			err = check("the name of a field", name, maxLabel)
		}
		if err == nil {
			err = check("the field "+name, value, maxValue)
		}
	}
	return err
}
