package api

import "ibid"

// Folders is GET /v1/folders: a part of the tree of the library, and beside its first
// page the first categories and tags in use.
type Folders struct {
	Categories     []ibid.LabelCount `json:"categories"`
	CategoriesNext string            `json:"categories_next,omitempty"` // the cursor of GET /v1/categories behind these
	Chunks         int               `json:"chunks"`                    // of the whole library
	Documents      int               `json:"documents"`                 // of the whole library
	Folder         *Folder           `json:"folder"`
	Next           string            `json:"next,omitempty"`
	Tags           []ibid.LabelCount `json:"tags"`
	TagsNext       string            `json:"tags_next,omitempty"` // the cursor of GET /v1/tags behind these
}

// Categories is GET /v1/categories.
type Categories struct {
	Categories []ibid.LabelCount `json:"categories"`
	Next       string            `json:"next,omitempty"`
}

// Tags is GET /v1/tags.
type Tags struct {
	Next string            `json:"next,omitempty"`
	Tags []ibid.LabelCount `json:"tags"`
}

// Folder is a node of the library's tree.
type Folder struct {
	Name       string    `json:"name"` // "" for the whole library
	Path       string    `json:"path"`
	Breadcrumb []Crumb   `json:"breadcrumb"` // from the outermost folder to this one
	Documents  int       `json:"documents"`  // directly in it
	Total      int       `json:"total"`      // and in all below it
	Folders    []*Folder `json:"folders"`
}

// Crumb is a step on the way to a folder.
type Crumb struct {
	Name string `json:"name"`
	Path string `json:"path"`
}
