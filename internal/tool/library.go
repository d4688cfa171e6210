package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/question"
	"ibid/internal/search"
	"ibid/internal/text"
)

// Searcher finds passages.
type Searcher interface {
	Search(ctx context.Context, view access.View, q search.Query) (search.Result, error)
}

// Library holds the documents. Nothing asks for all of them: there may be many.
type Library interface {
	// Documents returns a page of the documents that a query asks for.
	Documents(ctx context.Context, view access.View, q ibid.DocumentQuery, page ibid.Page) (docs []ibid.Document, next string, err error)
	// CountDocuments returns how many there are; exact is false where there are more.
	CountDocuments(ctx context.Context, view access.View, q ibid.DocumentQuery) (n int, exact bool, err error)
	// Called returns documents of a scope that a name fits in one way, by name: 500 at
	// most, whatever fits beyond them.
	Called(ctx context.Context, view access.View, scope ibid.Scope, how ibid.NameMatch, name string) ([]ibid.Document, error)
	// Mentioned returns the documents of a scope that a question may name, for
	// question.MentionsAmong to decide, and how many documents the scope has. They are
	// 500 at most by their whole names, and a few for each word of the question.
	Mentioned(ctx context.Context, view access.View, scope ibid.Scope, question string) (candidates []ibid.Document, of int, err error)
	// Alike returns the documents whose names are most like a normalized one.
	Alike(ctx context.Context, view access.View, scope ibid.Scope, normal string, limit int) ([]ibid.Document, error)
	// Text returns what the searched version of a document says. The error is a
	// NOT_FOUND where none has been read yet.
	Text(ctx context.Context, view access.View, documentID string) (ibid.Extract, error)
}

// Folders are how documents are filed.
type Folders interface {
	Library
	// Folders returns a page of the folders that a query asks for, by path.
	Folders(ctx context.Context, view access.View, q ibid.FolderQuery, page ibid.Page) (folders []ibid.FolderCount, next string, err error)
	// FolderCalled returns the folder of that path, whatever its case.
	FolderCalled(ctx context.Context, view access.View, scope ibid.Scope, path string) (folder string, ok bool, err error)
}

// within is the scope of one document of a wider scope.
func within(scope ibid.Scope, id string) ibid.Scope {
	scope.Documents = []string{id}
	return scope
}

// maxNear is how many names are offered when one is not clear.
const maxNear = 8

// documentNamed finds the document that a model means, among those in a scope: by
// id, path, name or title, whatever the case, without the extension, by a beginning
// or by a part that only one document has, or by words that only one has. Its
// complaint lists near names.
func documentNamed(ctx context.Context, view access.View, library Library, scope ibid.Scope, wanted string) (ibid.Document, error) {
	d, err := resolve(ctx, view, library, scope, wanted)
	if c := complaint(""); err != nil && !errors.As(err, &c) {
		return d, fmt.Errorf("look for document %q: %w", line(wanted, 200), err)
	}
	return d, err
}

func resolve(ctx context.Context, view access.View, library Library, scope ibid.Scope, wanted string) (ibid.Document, error) {
	n, _, err := library.CountDocuments(ctx, view, ibid.DocumentQuery{Scope: scope})
	if err != nil {
		return ibid.Document{}, err
	}
	if n == 0 {
		return ibid.Document{}, complain("there are no documents to look at")
	}
	if d, ok, err := documentByID(ctx, view, library, scope, wanted); ok || err != nil {
		return d, err
	}
	exact, normal := strings.Trim(wanted, " \t\"'`“”"), normalize(wanted)
	if normal == "" {
		return ibid.Document{}, complain("%q names no document", line(wanted, 200))
	}
	for how := ibid.NameExact; how <= ibid.NameContains; how++ {
		found, err := library.Called(ctx, view, scope, how, exact)
		if err != nil {
			return ibid.Document{}, err
		}
		if how == ibid.NameStem { // its candidates have other points behind the name too
			found = slices.DeleteFunc(found, func(d ibid.Document) bool {
				return !slices.ContainsFunc(d.Names(), func(name string) bool { return text.NameStem(normalize(name)) == text.NameStem(normal) })
			})
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return ibid.Document{}, complain("%q may be any of %d documents; use one of these ids: %s",
				line(wanted, 200), len(found), offer(found, true))
		}
	}
	if d, ok, err := byWords(ctx, view, library, scope, exact); ok || err != nil {
		return d, err
	}
	near, err := library.Alike(ctx, view, scope, normal, maxNear)
	if err != nil {
		return ibid.Document{}, err
	}
	return ibid.Document{}, complain("there is no document %q; the nearest are: %s", line(wanted, 200), offer(near, false))
}

// documentByID returns the document of an id, if it lies in a scope.
func documentByID(ctx context.Context, view access.View, library Library, scope ibid.Scope, id string) (ibid.Document, bool, error) {
	if len(scope.Documents) > 0 && !slices.Contains(scope.Documents, id) {
		return ibid.Document{}, false, nil
	}
	docs, _, err := library.Documents(ctx, view, ibid.DocumentQuery{Scope: within(scope, id)}, ibid.Page{Limit: 1})
	if err != nil || len(docs) == 0 {
		return ibid.Document{}, false, err
	}
	return docs[0], true, nil
}

// byWords finds the one document that has all words of a name in its own: "the
// Amazon filing" is amazon-2019.pdf.
func byWords(ctx context.Context, view access.View, library Library, scope ibid.Scope, wanted string) (ibid.Document, bool, error) {
	found, _, err := mentioned(ctx, view, library, scope, "summarise "+wanted)
	if err != nil || len(found) != 1 {
		return ibid.Document{}, false, err
	}
	return found[0], true, nil
}

// mentioned returns the documents of a scope that a question names, and the
// question without their names.
func mentioned(ctx context.Context, view access.View, library Library, scope ibid.Scope, asked string) (found []ibid.Document, rest string, err error) {
	candidates, of, err := library.Mentioned(ctx, view, scope, asked)
	if err != nil {
		return nil, "", err
	}
	called := make([][]string, len(candidates))
	for i, d := range candidates {
		called[i] = d.Names()
	}
	at, rest := question.MentionsAmong(asked, called, of)
	for _, i := range at {
		found = append(found, candidates[i])
	}
	return found, rest, nil
}

// normalize makes names comparable.
func normalize(s string) string { return text.NormalizeName(s) }

// offer lists documents on one line, with their ids where names do not tell
// them apart.
func offer(docs []ibid.Document, ids bool) string {
	var shown []string
	for i, d := range docs {
		if i == maxNear {
			shown = append(shown, fmt.Sprintf("and %d more", len(docs)-i))
			break
		}
		s := line(d.Name, 120)
		if t := title(d); t != s {
			s += " (" + line(t, 120) + ")"
		}
		if ids {
			s = d.ID + " = " + s
		}
		shown = append(shown, s)
	}
	return strings.Join(shown, "; ")
}
