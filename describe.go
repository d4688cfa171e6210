package ibid

import (
	"maps"
	"slices"
)

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
