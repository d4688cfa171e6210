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

// folders answers the tree of the library, with the categories and tags in use.
func (s *Server) folders(w http.ResponseWriter, r *http.Request) {
	totals, err := s.cfg.Library.Totals(r.Context(), s.view(r))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	var lists [3][]ibid.LabelCount
	for i, list := range []func(context.Context, access.View) ([]ibid.LabelCount, error){s.cfg.Library.Folders, s.cfg.Library.Categories, s.cfg.Library.Tags} {
		if lists[i], err = list(r.Context(), s.view(r)); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	writeJSON(w, http.StatusOK, api.Folders{Folder: tree(lists[0]), Categories: orEmpty(lists[1]), Tags: orEmpty(lists[2]),
		Documents: totals.Documents, Chunks: totals.Chunks})
}

// tree makes a tree of the folders that documents lie in.
func tree(folders []ibid.LabelCount) *api.Folder {
	root := &api.Folder{Breadcrumb: []api.Crumb{}, Folders: []*api.Folder{}}
	byPath := map[string]*api.Folder{"": root}
	var at func(path string) *api.Folder
	at = func(path string) *api.Folder {
		if f := byPath[path]; f != nil {
			return f
		}
		parentPath, name := "", path
		if i := strings.LastIndexByte(path, '/'); i >= 0 {
			parentPath, name = path[:i], path[i+1:]
		}
		parent := at(parentPath)
		f := &api.Folder{Name: name, Path: path, Folders: []*api.Folder{}}
		f.Breadcrumb = append(slices.Clone(parent.Breadcrumb), api.Crumb{Name: name, Path: path})
		parent.Folders = append(parent.Folders, f)
		byPath[path] = f
		return f
	}
	for _, f := range folders {
		at(f.Name).Documents = f.Documents
	}
	sumUp(root)
	return root
}

// sumUp counts what lies below, and puts folders in order.
func sumUp(f *api.Folder) int {
	f.Total = f.Documents
	for _, sub := range f.Folders {
		f.Total += sumUp(sub)
	}
	slices.SortFunc(f.Folders, func(a, b *api.Folder) int { return cmp.Compare(a.Name, b.Name) })
	return f.Total
}
