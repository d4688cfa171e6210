package ibid

import (
	"slices"
)

// Scope narrows what is searched. The zero Scope is everything. Where several
// fields are set, a document must satisfy all of them.
type Scope struct {
	Documents []string `json:"documents,omitempty"` // document IDs, any of them
	Category  string   `json:"category,omitempty"`
	Folder    string   `json:"folder,omitempty"`   // the folder and all below it
	Tags      []string `json:"tags,omitempty"`     // all of them
	Metadata  Metadata `json:"metadata,omitempty"` // all of these fields, with these values
	// Databases narrows which databases are asked, any of them. Where nothing else
	// is named, no document lies in the scope; see Includes and HasDatabase.
	Databases []string `json:"databases,omitempty"`
}

// IsZero reports whether the scope excludes nothing.
func (s Scope) IsZero() bool {
	return len(s.Databases) == 0 && s.allDocuments()
}

// OnlyDatabases reports whether a question is limited to databases, so that no
// document answers it.
func (s Scope) OnlyDatabases() bool {
	return len(s.Databases) > 0 && s.allDocuments()
}

func (s Scope) allDocuments() bool {
	return len(s.Documents) == 0 && s.Category == "" && s.Folder == "" && len(s.Tags) == 0 && len(s.Metadata) == 0
}

// Includes reports whether a document lies in the scope. None does where the scope
// names nothing but databases.
func (s Scope) Includes(d Document) bool {
	if s.OnlyDatabases() {
		return false
	}
	if s.Category != "" && s.Category != d.Category {
		return false
	}
	if s.Folder != "" && d.Folder != s.Folder && !hasFolderPrefix(d.Folder, s.Folder) {
		return false
	}
	for _, tag := range s.Tags {
		if !slices.Contains(d.Tags, tag) {
			return false
		}
	}
	for name, value := range s.Metadata {
		if has, ok := d.Metadata[name]; !ok || has != value {
			return false
		}
	}
	return len(s.Documents) == 0 || slices.Contains(s.Documents, d.ID)
}

func hasFolderPrefix(folder, parent string) bool {
	return len(folder) > len(parent) && folder[:len(parent)] == parent && folder[len(parent)] == '/'
}

// HasDatabase reports whether a database lies in the scope: one that is named,
// or any where the scope names neither databases nor documents.
func (s Scope) HasDatabase(id string) bool {
	if len(s.Databases) > 0 {
		return slices.Contains(s.Databases, id)
	}
	return s.IsZero()
}
