package ibid

// DocumentQuery asks for documents of the library. The zero query asks for all of
// them, by name. Where several fields are set, a document must satisfy all.
type DocumentQuery struct {
	Scope    Scope
	InFolder *string // its folder is this very one; "" are those in no folder
	Called   string  // a part of its name, path, title, category or a tag, as text.NormalizeName compares them
	Name     string  // its exact name
	ID       string  // the beginning of its id
	Source   string  // its exact source
	PartOf   string  // id of the archive or message that it lay in
	Status   []DocumentStatus
	Sort     DocumentSort
}

// DocumentSort is the order of a list of documents.
type DocumentSort string

// The orders of documents.
const (
	SortName    DocumentSort = "name"    // ascending, by its bytes; the default
	SortAdded   DocumentSort = "added"   // newest first
	SortChanged DocumentSort = "changed" // newest first
)

// NameMatch is how a name that somebody gives fits a document's. All but NameExact
// compare normalized names.
type NameMatch int

// The ways in which a name fits, from the strictest on.
const (
	NameExact    NameMatch = iota
	NameSame               // but for case, quotes and what stands for a space
	NameStem               // but for the extension as well
	NameBegins             // it is the beginning
	NameContains           // it is a part
)

// LibraryCounts are how much the library holds.
type LibraryCounts struct {
	Documents int
	Chunks    int
}

// FolderQuery asks for folders that have documents in them or below. The zero query asks
// for all of them. Where several fields are set, a folder must satisfy all.
type FolderQuery struct {
	Scope  Scope   // documents of this scope are counted, and folders without any left out
	In     *string // it lies directly in this folder; "" is the top
	Called string  // a part of its path, as text.NormalizeName compares them
}

// FolderCount is how many documents a folder has.
type FolderCount struct {
	Path      string
	Documents int // directly in it
	Total     int // in it and below it
}

// LabelCount is how many documents have a category or a tag.
type LabelCount struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
}
