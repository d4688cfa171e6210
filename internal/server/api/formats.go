package api

// Formats is the answer of GET /v1/formats.
type Formats struct {
	Formats []Format `json:"formats"`
}

// Format is a kind of file that is read.
type Format struct {
	Name       string   `json:"name"`  // of documents: their format
	Label      string   `json:"label"` // for people
	Kind       string   `json:"kind"`  // pages, text, markup, web, book, slides, table, code, mail, picture, archive
	Extensions []string `json:"extensions"`
	MIME       []string `json:"mime,omitempty"`
	Drawn      bool     `json:"drawn,omitempty"` // its pages can be asked for as pictures
	Holds      bool     `json:"holds,omitempty"` // files lie in it that become documents of their own
}
