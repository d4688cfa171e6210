package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ingest"
	"ibid/internal/server/api"
)

// scopeParams reads a scope from the query: document=, tag= and metadata=NAME=VALUE
// may be given several times.
func scopeParams(r *http.Request) (ibid.Scope, error) {
	q := r.URL.Query()
	scope := ibid.Scope{Documents: q["document"], Category: q.Get("category"), Folder: strings.Trim(q.Get("folder"), "/"), Tags: q["tag"]}
	for _, field := range q["metadata"] {
		name, value, ok := strings.Cut(field, "=")
		if !ok {
			return scope, ibid.Errorf(ibid.CodeBadRequest, "metadata is written NAME=VALUE, not %q", field)
		}
		if scope.Metadata == nil {
			scope.Metadata = ibid.Metadata{}
		}
		scope.Metadata[name] = value
	}
	return scope, nil
}

func (s *Server) describeDocument(w http.ResponseWriter, r *http.Request) {
	var change ingest.Description
	if err := readJSON(w, r, &change); err != nil {
		s.fail(w, r, err)
		return
	}
	d, err := s.cfg.Pipeline.Describe(r.Context(), s.view(r), r.PathValue("id"), change)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, d)
}

// folders answers a part of the library's tree: a page of all folders, or of those
// directly in one. The categories and tags in use stand beside the first page.
func (s *Server) folders(w http.ResponseWriter, r *http.Request) {
	answer, err := s.folderTree(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *Server) folderTree(r *http.Request) (answer api.Folders, err error) {
	ctx, view := r.Context(), s.view(r)
	q := ibid.FolderQuery{Called: r.URL.Query().Get("q")}
	if r.URL.Query().Has("in") {
		in := strings.Trim(r.URL.Query().Get("in"), "/")
		q.In = &in
	}
	page, err := labelPage(r)
	if err != nil {
		return answer, err
	}
	totals, err := s.cfg.Library.Totals(ctx, view)
	if err != nil {
		return answer, err
	}
	answer = api.Folders{Categories: []ibid.LabelCount{}, Tags: []ibid.LabelCount{}, Documents: totals.Documents, Chunks: totals.Chunks}
	folders, next, err := s.cfg.Library.Folders(ctx, view, q, page)
	if err != nil {
		return answer, err
	}
	answer.Next = next
	t := &tree{ctx: ctx, view: view, counts: s.cfg.Library, byPath: map[string]*api.Folder{}}
	for _, f := range folders {
		t.byPath[f.Path] = &api.Folder{Documents: f.Documents, Total: f.Total}
	}
	top := ""
	if q.In != nil {
		top = *q.In
	}
	if answer.Folder, err = t.grow(top, folders); err != nil || page.Cursor != "" {
		return answer, err
	}
	first := ibid.Page{Limit: page.Limit}
	categories, next, err := s.cfg.Library.Categories(ctx, view, q.Called, first)
	if err != nil {
		return answer, err
	}
	answer.Categories, answer.CategoriesNext = orEmpty(categories), next
	tags, next, err := s.cfg.Library.Tags(ctx, view, q.Called, first)
	answer.Tags, answer.TagsNext = orEmpty(tags), next
	return answer, err
}

// labelPage reads the page of a list of labels, which q narrows.
func labelPage(r *http.Request) (ibid.Page, error) {
	if len(r.URL.Query().Get("q")) > maxCalled {
		return ibid.Page{}, ibid.Errorf(ibid.CodeBadRequest, "q has more than %d bytes", maxCalled)
	}
	return pageParams(r)
}

func (s *Server) listCategories(w http.ResponseWriter, r *http.Request) {
	s.labels(w, r, s.cfg.Library.Categories, func(labels []ibid.LabelCount, next string) any { return api.Categories{Categories: labels, Next: next} })
}

func (s *Server) listTags(w http.ResponseWriter, r *http.Request) {
	s.labels(w, r, s.cfg.Library.Tags, func(labels []ibid.LabelCount, next string) any { return api.Tags{Tags: labels, Next: next} })
}

// labels answers a page of a list of labels.
func (s *Server) labels(w http.ResponseWriter, r *http.Request, list func(ctx context.Context, view access.View, called string, page ibid.Page) ([]ibid.LabelCount, string, error),
	answer func(labels []ibid.LabelCount, next string) any) {
	page, err := labelPage(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	labels, next, err := list(r.Context(), s.view(r), r.URL.Query().Get("q"), page)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, answer(orEmpty(labels), next))
}

// tree puts a page of folders in their places. Those on the way to them that the page
// does not have are counted one by one.
type tree struct {
	ctx    context.Context
	view   access.View
	counts Library
	byPath map[string]*api.Folder
}

// grow returns the folder at the top, with folders below it.
func (t *tree) grow(top string, folders []ibid.FolderCount) (*api.Folder, error) {
	root, err := t.node(top)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		for path := f.Path; path != top; path = parentOf(path) {
			n, err := t.node(path)
			if err != nil {
				return nil, err
			}
			parent, err := t.node(parentOf(path))
			if err != nil {
				return nil, err
			}
			if slices.Contains(parent.Folders, n) {
				break // it has its place, and so have those above
			}
			parent.Folders = append(parent.Folders, n)
		}
	}
	for _, n := range t.byPath {
		slices.SortFunc(n.Folders, func(a, b *api.Folder) int { return cmp.Compare(a.Name, b.Name) })
	}
	return root, nil
}

// node returns the folder at a path, which is counted where that is not known.
func (t *tree) node(path string) (*api.Folder, error) {
	n := t.byPath[path]
	if n == nil {
		n = new(api.Folder)
		var err error
		if n.Documents, _, err = t.counts.KnownCount(t.ctx, t.view, ibid.DocumentQuery{InFolder: &path}); err != nil {
			return nil, err
		}
		if n.Total, _, err = t.counts.KnownCount(t.ctx, t.view, ibid.DocumentQuery{Scope: ibid.Scope{Folder: path}}); err != nil {
			return nil, err
		}
		t.byPath[path] = n
	}
	if n.Folders == nil {
		n.Name, n.Path, n.Folders, n.Breadcrumb = path[strings.LastIndexByte(path, '/')+1:], path, []*api.Folder{}, []api.Crumb{}
		for end, c := range path + "/" {
			if c == '/' && path != "" {
				step := path[:end]
				n.Breadcrumb = append(n.Breadcrumb, api.Crumb{Name: step[strings.LastIndexByte(step, '/')+1:], Path: step})
			}
		}
	}
	return n, nil
}

// parentOf is the path of the folder that a folder lies in, "" for the top.
func parentOf(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }
