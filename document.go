package ibid

import (
	"maps"
	"slices"
)

// MaxMembers is how many files one archive may bring, archives within it included.
const MaxMembers = 2000

// Document is one file, page or note of the user's. Its ID never changes;
// Version does whenever its content does.
type Document struct {
	Principal Principal      `json:"-"` // whose it is
	ID        string         `json:"id"`
	Title     string         `json:"title"`              // from the content, else the file name
	Name      string         `json:"name"`               // file name, "report.pdf"
	Source    string         `json:"source,omitempty"`   // path or URL it was added from; identifies it when it is added again
	PartOf    string         `json:"part_of,omitempty"`  // id of the archive or message that it lay in
	Folder    string         `json:"folder,omitempty"`   // "contracts/2024", no leading or trailing slash
	Category  string         `json:"category,omitempty"` // one free word or phrase
	Tags      []string       `json:"tags,omitempty"`     // free words or phrases, ascending, each once
	Metadata  Metadata       `json:"metadata,omitempty"` // free fields: author, project…
	Format    string         `json:"format"`             // "pdf", "markdown", "html", "text", "code"…
	Version   string         `json:"version,omitempty"`  // content hash of the version that is searched
	Language  string         `json:"language,omitempty"` // ISO 639-1, "" when unknown
	Bytes     int64          `json:"bytes"`
	Pages     int            `json:"pages,omitempty"` // 0 for formats without pages
	Chunks    int            `json:"chunks"`
	Status    DocumentStatus `json:"status"`
	Stage     string         `json:"stage,omitempty"`       // extract, chunk, embed, index while Status is processing; or StageWait
	Progress  float64        `json:"progress,omitempty"`    // 0 to 1 within the whole pipeline
	PagesDone int            `json:"pages_done,omitempty"`  // of Pages, while it is read
	ETA       float64        `json:"eta_seconds,omitempty"` // until it is ready, while Status is processing; 0 when unknown
	Error     string         `json:"error,omitempty"`       // one clear line when Status is failed
	Notice    string         `json:"notice,omitempty"`      // one clear line when something was lost, "pages 4-5 could not be read"
	Embedded  int            `json:"chunks_embedded"`       // chunks of this version that had to be embedded
	Kept      int            `json:"chunks_kept"`           // chunks taken over from the version before
	AddedAt   Time           `json:"added_at"`
	ChangeAt  Time           `json:"changed_at"`
}

// Metadata are free fields of a document, by name.
type Metadata map[string]string

// DocumentStatus is where a document stands in the pipeline.
type DocumentStatus string

// A document is queued, then processing, then ready or failed.
const (
	DocumentQueued     DocumentStatus = "queued"
	DocumentProcessing DocumentStatus = "processing"
	DocumentReady      DocumentStatus = "ready"
	DocumentFailed     DocumentStatus = "failed"
)

// StageWait is the stage of a document whose original can't be reached now. It is tried
// again until it can.
const StageWait = "wait"

// QueueCounts are how much the pipeline has before it.
type QueueCounts struct {
	Waiting    int `json:"waiting"`    // documents
	Processing int `json:"processing"` // documents
	Pages      int `json:"pages"`      // of those that are processed
	PagesDone  int `json:"pages_done"`
}

// Names returns what a document may be called by: its name, its path in the
// library, its title.
func (d Document) Names() []string {
	names := []string{d.Name}
	if d.Folder != "" {
		names = append(names, d.Folder+"/"+d.Name)
	}
	if d.Title != "" {
		names = append(names, d.Title)
	}
	return names
}

// Described returns d with what people or a file say of it taken over from said:
// name, title, folder, category, tags and metadata. What is empty in said stays as
// it is in d.
func (d Document) Described(said Document) Document {
	take := func(to *string, from string) {
		if from != "" {
			*to = from
		}
	}
	take(&d.Name, said.Name)
	take(&d.Title, said.Title)
	take(&d.Folder, said.Folder)
	take(&d.Category, said.Category)
	if len(said.Tags) > 0 {
		d.Tags = said.Tags
	}
	if len(said.Metadata) > 0 {
		d.Metadata = said.Metadata
	}
	return d
}

// SameDescription reports whether the same is said of two documents.
func (d Document) SameDescription(other Document) bool {
	return d.Name == other.Name && d.Title == other.Title && d.Folder == other.Folder && d.Category == other.Category &&
		slices.Equal(d.Tags, other.Tags) && maps.Equal(d.Metadata, other.Metadata)
}
