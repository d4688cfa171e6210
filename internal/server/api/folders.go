package api

import "ibid"

// Folders is GET /v1/folders: the tree of the library, and the categories and tags
// in use.
type Folders struct {
	Categories []ibid.LabelCount `json:"categories"`
	Chunks     int               `json:"chunks"`
	Documents  int               `json:"documents"`
	Folder     *Folder           `json:"folder"`
	Tags       []ibid.LabelCount `json:"tags"`
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
