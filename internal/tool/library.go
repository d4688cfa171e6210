package tool

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/search"
	"ibid/internal/text"
)

// Searcher finds passages.
type Searcher interface {
	Search(ctx context.Context, q search.Query) (search.Result, error)
}

// Library holds the documents.
type Library interface {
	// Documents returns the documents in a scope.
	Documents(ctx context.Context, scope ibid.Scope) ([]ibid.Document, error)
	// Text returns what the searched version of a document says. The error is a
	// NOT_FOUND where none has been read yet.
	Text(ctx context.Context, documentID string) (ibid.Extract, error)
}

// within is the scope of one document of a wider scope.
func within(scope ibid.Scope, id string) ibid.Scope {
	scope.Documents = []string{id}
	return scope
}

// maxNear is how many names are offered when one is not clear.
const maxNear = 8

// documentNamed finds the document that a model means, among those in a scope.
func documentNamed(ctx context.Context, library Library, scope ibid.Scope, wanted string) (ibid.Document, error) {
	docs, err := library.Documents(ctx, scope)
	if err != nil {
		return ibid.Document{}, fmt.Errorf("look for document %q: %w", wanted, err)
	}
	return resolve(docs, wanted)
}

// resolve finds the document that a model means: by id, path, name or title,
// whatever the case, without the extension, by a beginning or by a part that
// only one document has. Its complaint lists near names.
func resolve(docs []ibid.Document, wanted string) (ibid.Document, error) {
	if len(docs) == 0 {
		return ibid.Document{}, complain("there are no documents to look at")
	}
	for _, d := range docs {
		if d.ID == wanted {
			return d, nil
		}
	}
	exact, folded := strings.Trim(wanted, " \t\"'`“”"), fold(wanted)
	if folded == "" {
		return ibid.Document{}, complain("%q names no document", line(wanted, 200))
	}
	rules := []func(name string) bool{
		func(name string) bool { return name == exact },
		func(name string) bool { return fold(name) == folded },
		func(name string) bool { return withoutExtension(fold(name)) == withoutExtension(folded) },
		func(name string) bool { return strings.HasPrefix(fold(name), folded) },
		func(name string) bool { return strings.Contains(fold(name), folded) },
	}
	for _, fits := range rules {
		var found []ibid.Document
		for _, d := range docs {
			if slices.ContainsFunc(names(d), fits) {
				found = append(found, d)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return ibid.Document{}, complain("%q may be any of %d documents; use one of these ids: %s",
				line(wanted, 200), len(found), offer(found, true))
		}
	}
	if d, ok := byWords(docs, exact); ok {
		return d, nil
	}
	return ibid.Document{}, complain("there is no document %q; the nearest are: %s", line(wanted, 200), offer(nearest(docs, folded), false))
}

// byWords finds the one document that has all words of a name in its own: "the
// Amazon filing" is amazon-2019.pdf.
func byWords(docs []ibid.Document, wanted string) (ibid.Document, bool) {
	called := make([][]string, len(docs))
	for i, d := range docs {
		called[i] = names(d)
	}
	found, _ := text.Mentions("summarise "+wanted, called)
	if len(found) != 1 {
		return ibid.Document{}, false
	}
	return docs[found[0]], true
}

// names are what a document may be called by.
func names(d ibid.Document) []string {
	n := []string{d.Name}
	if d.Folder != "" {
		n = append(n, d.Folder+"/"+d.Name)
	}
	if d.Title != "" {
		n = append(n, d.Title)
	}
	return n
}

// fold makes names comparable: case, quotes, and what stands for a space do not
// count.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '–', '\t', '\n', '\u00a0':
			return ' '
		}
		return r
	}, strings.ToLower(s))
	return strings.Join(strings.Fields(strings.Trim(s, " \"'`“”")), " ")
}

// withoutExtension cuts off ".pdf", but not what follows a point in a title.
func withoutExtension(name string) string {
	ext := path.Ext(name)
	if len(ext) > 6 || strings.Contains(ext, " ") {
		return name
	}
	return strings.TrimSuffix(name, ext)
}

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

// nearest orders documents by how much of the wanted name is in theirs, and
// returns the best few.
func nearest(docs []ibid.Document, folded string) []ibid.Document {
	wanted := trigrams(folded)
	type near struct {
		doc   ibid.Document
		share float64
	}
	all := make([]near, len(docs))
	for i, d := range docs {
		all[i].doc = d
		for _, name := range names(d) {
			all[i].share = max(all[i].share, overlap(wanted, trigrams(fold(name))))
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(b.share, a.share) })
	var best []ibid.Document
	for _, n := range all[:min(len(all), maxNear)] {
		best = append(best, n.doc)
	}
	return best
}

// trigrams are the runs of three bytes in s, padded with spaces.
func trigrams(s string) map[string]bool {
	s = " " + s + " "
	set := make(map[string]bool, len(s))
	for i := 0; i+3 <= len(s); i++ {
		set[s[i:i+3]] = true
	}
	return set
}

// overlap is the share that two sets have in common (Dice).
func overlap(a, b map[string]bool) float64 {
	common := 0
	for g := range a {
		if b[g] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}
