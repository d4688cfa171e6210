package main

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"ibid"
)

// leastPrefix is how much of an id has to be given.
const leastPrefix = 6

// named returns the documents that some names mean, each once. All names are looked
// up before anything is done, so that a mistyped one does nothing.
func (s *session) named(ctx context.Context, names []string) ([]ibid.Document, error) {
	if len(names) == 0 {
		return nil, nil
	}
	documents, err := s.documents(ctx)
	if err != nil {
		return nil, err
	}
	var all []ibid.Document
	seen := map[string]bool{}
	for _, name := range names {
		found, err := findDocuments(documents, name)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if !seen[d.ID] {
				seen[d.ID] = true
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// namedDocuments returns the documents that any of the names means, in the order
// of the list. Unlike findDocuments it takes all that a plain name fits: nothing
// is done to them.
func namedDocuments(documents []ibid.Document, names []string) ([]ibid.Document, error) {
	wanted := map[string]bool{}
	for _, name := range names {
		found := selectDocuments(documents, func(d ibid.Document) bool { return name != "" && (d.Name == name || d.Title == name) })
		if len(found) == 0 {
			var err error
			if found, err = findDocuments(documents, name); err != nil {
				return nil, err
			}
		}
		for _, d := range found {
			wanted[d.ID] = true
		}
	}
	return selectDocuments(documents, func(d ibid.Document) bool { return wanted[d.ID] }), nil
}

// findDocuments returns the documents that a name on the command line means: an
// id or its beginning, a file name, the path or URL it was added from, or a
// pattern over names and library paths. A name that fits several documents is
// an error unless it is a pattern.
func findDocuments(documents []ibid.Document, name string) ([]ibid.Document, error) {
	if name == "" {
		return nil, notFound(documents, name)
	}
	fits := []func(ibid.Document) bool{
		func(d ibid.Document) bool { return d.ID == name },
		func(d ibid.Document) bool { return d.Source == name || libraryPath(d) == name },
		func(d ibid.Document) bool { return d.Name == name || d.Title == name },
		func(d ibid.Document) bool { return len(name) >= leastPrefix && strings.HasPrefix(d.ID, name) },
	}
	for _, fit := range fits {
		found := selectDocuments(documents, fit)
		switch {
		case len(found) == 1:
			return found, nil
		case len(found) > 1:
			return nil, severalFit(name, found)
		}
	}
	if !hasPattern(name) {
		return nil, notFound(documents, name)
	}
	if _, err := path.Match(name, ""); err != nil {
		return nil, fmt.Errorf("%q is no pattern: %w", name, err)
	}
	found := selectDocuments(documents, func(d ibid.Document) bool {
		for _, s := range []string{d.Name, libraryPath(d), d.Source} {
			if ok, _ := path.Match(name, s); ok {
				return true
			}
		}
		return false
	})
	if len(found) == 0 {
		return nil, notFound(documents, name)
	}
	return found, nil
}

func selectDocuments(documents []ibid.Document, fit func(ibid.Document) bool) []ibid.Document {
	var found []ibid.Document
	for _, d := range documents {
		if fit(d) {
			found = append(found, d)
		}
	}
	return found
}

// libraryPath is a document's folder and name.
func libraryPath(d ibid.Document) string { return path.Join(d.Folder, d.Name) }

func severalFit(name string, found []ibid.Document) error {
	var lines []string
	for _, d := range found {
		lines = append(lines, d.ID+"  "+cmp.Or(d.Source, libraryPath(d)))
	}
	err := ibid.Errorf(ibid.CodeBadRequest, "%q fits %d documents:\n  %s", name, len(found), strings.Join(lines, "\n  "))
	err.Hint = "name one by its id"
	return err
}

func notFound(documents []ibid.Document, name string) error {
	err := ibid.Errorf(ibid.CodeNotFound, "there is no document %q", name)
	var names []string
	for _, d := range documents {
		names = append(names, d.Name)
	}
	err.Hint = "`ibid ls` lists them"
	if near := nearest(name, names); near != "" {
		err.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return err
}
