package tool

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/text"
)

// documentList is a library in memory, which finds documents by looking at each.
type documentList []ibid.Document

func (l documentList) in(scope ibid.Scope, fits func(ibid.Document) bool) []ibid.Document {
	var in []ibid.Document
	for _, d := range l {
		if scope.Includes(d) && fits(d) {
			in = append(in, d)
		}
	}
	return in
}

func (l documentList) asked(q ibid.DocumentQuery) []ibid.Document {
	part := text.NormalizeName(q.Called)
	return l.in(q.Scope, func(d ibid.Document) bool {
		called := append(append(d.Names(), d.Folder, d.Category), d.Tags...)
		return (q.InFolder == nil || *q.InFolder == d.Folder) &&
			slices.ContainsFunc(called, func(s string) bool { return strings.Contains(text.NormalizeName(s), part) })
	})
}

// Documents returns a page; they stand in the order in which they were added. A
// cursor is the name to go on behind.
func (l documentList) Documents(_ context.Context, _ access.View, q ibid.DocumentQuery, page ibid.Page) ([]ibid.Document, string, error) {
	docs := l.asked(q)
	var sort, name string
	var number int64
	if ok, err := page.DecodeCursor(&sort, &name, &number); err != nil {
		return nil, "", err
	} else if ok {
		docs = docs[slices.IndexFunc(docs, func(d ibid.Document) bool { return d.Name == name })+1:]
	}
	if size := page.Size(); len(docs) > size {
		return docs[:size], ibid.EncodeCursor("name", docs[size-1].Name, 0), nil
	}
	return docs, "", nil
}

func (l documentList) CountDocuments(_ context.Context, _ access.View, q ibid.DocumentQuery) (int, bool, error) {
	return len(l.asked(q)), true, nil
}

func (l documentList) Called(_ context.Context, _ access.View, scope ibid.Scope, how ibid.NameMatch, name string) ([]ibid.Document, error) {
	normal := text.NormalizeName(name)
	rule := map[ibid.NameMatch]func(s string) bool{
		ibid.NameExact:    func(s string) bool { return s == name },
		ibid.NameSame:     func(s string) bool { return text.NormalizeName(s) == normal },
		ibid.NameStem:     func(s string) bool { return strings.HasPrefix(text.NormalizeName(s), text.NameStem(normal)) },
		ibid.NameBegins:   func(s string) bool { return strings.HasPrefix(text.NormalizeName(s), normal) },
		ibid.NameContains: func(s string) bool { return strings.Contains(text.NormalizeName(s), normal) },
	}[how]
	return l.in(scope, func(d ibid.Document) bool { return slices.ContainsFunc(d.Names(), rule) }), nil
}

func (l documentList) Mentioned(_ context.Context, _ access.View, scope ibid.Scope, _ string) ([]ibid.Document, int, error) {
	all := l.in(scope, func(ibid.Document) bool { return true })
	return all, len(all), nil
}

func (l documentList) Alike(_ context.Context, _ access.View, scope ibid.Scope, normal string, limit int) ([]ibid.Document, error) {
	all := l.in(scope, func(ibid.Document) bool { return true })
	likeness := func(d ibid.Document) (most float64) {
		for _, name := range d.Names() {
			most = max(most, text.Likeness(normal, text.NormalizeName(name)))
		}
		return most
	}
	slices.SortStableFunc(all, func(a, b ibid.Document) int { return cmp.Compare(likeness(b), likeness(a)) })
	return all[:min(len(all), limit)], nil
}

// Folders knows those directly in a folder.
func (l documentList) Folders(_ context.Context, _ access.View, q ibid.FolderQuery, page ibid.Page) ([]ibid.FolderCount, string, error) {
	var subs []ibid.FolderCount
	folder := *q.In
	for _, d := range l.in(q.Scope, func(ibid.Document) bool { return true }) {
		rest := d.Folder + "/"
		if folder != "" {
			var below bool
			if rest, below = strings.CutPrefix(rest, folder+"/"); !below {
				continue
			}
		}
		name, _, _ := strings.Cut(rest, "/")
		in := path.Join(folder, name)
		at := slices.IndexFunc(subs, func(s ibid.FolderCount) bool { return s.Path == in })
		switch {
		case name == "":
		case at < 0:
			subs = append(subs, ibid.FolderCount{Path: in, Total: 1})
		default:
			subs[at].Total++
		}
	}
	slices.SortFunc(subs, func(a, b ibid.FolderCount) int { return strings.Compare(a.Path, b.Path) })
	return cut(subs, page)
}

func (l documentList) FolderCalled(_ context.Context, _ access.View, scope ibid.Scope, wanted string) (string, bool, error) {
	for _, d := range l.in(scope, func(ibid.Document) bool { return true }) {
		for path := d.Folder; path != ""; path = path[:max(0, strings.LastIndexByte(path, '/'))] {
			if strings.EqualFold(path, wanted) {
				return path, true, nil
			}
		}
	}
	return "", false, nil
}

// TestFoldersThatDoNotFit: of very many folders as many are listed as fit, and the rest
// are counted.
func TestFoldersThatDoNotFit(t *testing.T) {
	const folders = 2000
	s := &shelf{}
	for n := range folders {
		s.docs = append(s.docs, ibid.Document{ID: fmt.Sprint("d", n), Name: "a.txt", Folder: fmt.Sprintf("top/a folder with a long name %04d", n)})
	}
	s.docs = append(s.docs, ibid.Document{ID: "here", Name: "here.txt", Folder: "top"})
	out := call(t, NewListContents(s), map[string]any{"folder": "top"}, ibid.ToolEnv{})
	listed, more := strings.Count(out.Content, "- a folder with a long name"), 0
	if at := strings.Index(out.Content, "… "); at >= 0 {
		fmt.Sscanf(out.Content[at:], "… %d more are not listed here.", &more)
	}
	if listed == 0 || len(out.Content) > ibid.MaxToolOutput || listed+more != folders+1 || !strings.Contains(out.Summary, "2000 folders, 1 document") {
		t.Errorf("%d folders are listed, %d more counted, in %d bytes: %s", listed, more, len(out.Content), out.Summary)
	}
}
