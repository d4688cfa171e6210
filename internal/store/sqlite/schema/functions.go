package schema

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ibid"
	"ibid/internal/text"

	"ibid/internal/store/sqlite/file"
	sqlitelib "modernc.org/sqlite"
)

// Register makes the functions known to SQLite that the triggers of migration 013
// call, so that what lists and
// lookups go by changes in the same statement as the document, whoever changes it:
//
//	ibid_described(data)      what of a document is listed, as JSON
//	ibid_folded(data)         what its parts are found by, as folded
//	ibid_labels(described)    its labels, as JSON: [[kind, value], …]
//	ibid_names(described)     what it is called, as JSON: [[folded, written, key], …]
//
// Their results are stored, so another rule needs a migration that stores them
// anew. Queries for labels call
//
//	ibid_normal(text)         text.NormalizeName
var Register = sync.OnceValue(func() error {
	for name, f := range map[string]func(string) (string, error){
		"ibid_described": describedOf, "ibid_folded": foldedOf, "ibid_labels": labelsOf, "ibid_names": namesOf,
		"ibid_normal": func(s string) (string, error) { return text.NormalizeName(s), nil },
	} {
		err := sqlitelib.RegisterDeterministicScalarFunction(name, 1, func(_ *sqlitelib.FunctionContext, args []driver.Value) (driver.Value, error) {
			switch v := args[0].(type) {
			case string:
				return f(v)
			case []byte:
				return f(string(v))
			}
			return nil, fmt.Errorf("%s: %T is no text", name, args[0])
		})
		if err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}
	return nil
})

// described is what of a document lists go by. Text in SQL ends at NUL, so there
// is none in it.
type described struct {
	Name      string        `json:"name"`
	Title     string        `json:"title,omitempty"`
	Folder    string        `json:"folder"`
	Category  string        `json:"category,omitempty"`
	Tags      []string      `json:"tags,omitempty"`
	Metadata  ibid.Metadata `json:"metadata,omitempty"`
	PartOf    string        `json:"part_of,omitempty"`
	Chunks    int           `json:"chunks"`
	ChangedAt int64         `json:"changed_at"` // Unix milliseconds
}

func listed(d ibid.Document) described {
	return described{
		Name: d.Name, Title: d.Title, Folder: d.Folder, Category: d.Category, Tags: d.Tags, Metadata: d.Metadata,
		PartOf: d.PartOf, Chunks: d.Chunks, ChangedAt: file.Millis(d.ChangeAt.Time),
	}
}

func documentOf(data string) (d ibid.Document, err error) {
	if err := json.Unmarshal([]byte(data), &d); err != nil {
		return d, fmt.Errorf("read a stored document: %w", err)
	}
	return d, nil
}

func describedOf(data string) (string, error) {
	d, err := documentOf(data)
	if err != nil {
		return "", err
	}
	return compact(listed(d))
}

func foldedOf(data string) (string, error) {
	d, err := documentOf(data)
	if err != nil {
		return "", err
	}
	return foldedParts(d), nil
}

func labelsOf(stored string) (string, error) {
	var d described
	if err := json.Unmarshal([]byte(stored), &d); err != nil {
		return "", fmt.Errorf("read what a document is listed by: %w", err)
	}
	return compact(labelsFor(d))
}

func namesOf(stored string) (string, error) {
	var d described
	if err := json.Unmarshal([]byte(stored), &d); err != nil {
		return "", fmt.Errorf("read what a document is listed by: %w", err)
	}
	rows := [][3]string{}
	for _, name := range (ibid.Document{Name: d.Name, Folder: d.Folder, Title: d.Title}).Names() {
		rows = append(rows, [3]string{text.NormalizeName(name), name, text.NameKey(name)})
	}
	return compact(rows)
}

func compact(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}

// The kinds of labels.
const (
	LabelFolder   = "folder"    // it lies in this folder or below
	LabelInFolder = "in_folder" // it lies directly in this folder
	LabelCategory = "category"
	LabelTag      = "tag"
	LabelField    = "field" // value: FieldLabel
	LabelPartOf   = "part_of"
	LabelStatus   = "status"
)

// Label is something by which documents are listed.
type Label struct{ Kind, Value string }

// MarshalJSON writes a label as an array.
func (l Label) MarshalJSON() ([]byte, error) { return json.Marshal([2]string{l.Kind, l.Value}) }

// FieldLabel is the label of a metadata field with a value.
func FieldLabel(name, value string) Label {
	pair, _ := json.Marshal([2]string{name, value}) // strings always have a JSON
	return Label{LabelField, string(pair)}
}

// labelsFor returns the labels of a document, each once and in order.
func labelsFor(d described) []Label {
	labels := []Label{{LabelInFolder, d.Folder}}
	for folder := d.Folder; folder != ""; folder = parentFolder(folder) {
		labels = append(labels, Label{LabelFolder, folder})
	}
	if d.Category != "" {
		labels = append(labels, Label{LabelCategory, d.Category})
	}
	for _, tag := range d.Tags {
		labels = append(labels, Label{LabelTag, tag})
	}
	for name, value := range d.Metadata {
		labels = append(labels, FieldLabel(name, value))
	}
	if d.PartOf != "" {
		labels = append(labels, Label{LabelPartOf, d.PartOf})
	}
	slices.SortFunc(labels, func(a, b Label) int {
		return strings.Compare(a.Kind+"\x00"+a.Value, b.Kind+"\x00"+b.Value)
	})
	return slices.Compact(labels)
}

func parentFolder(folder string) string {
	return folder[:max(0, strings.LastIndexByte(folder, '/'))]
}

// How the sections of folded parts end. Folded names have none of these, as all
// of them are space.
const (
	endOfName  = "\n"
	endOfNames = "\r"
	endOfParts = "\v"
)

// foldedParts is what parts of names are looked for in:
//
//	name\npath\ntitle\n\r category\ntag\n\v words\n\n
//
// Lines are folded (text.NormalizeName). The words are those of the names as
// text.NameWords folds them, where they don't stand in the names like that. What
// is shorter than three characters is found because no section ends the text.
func foldedParts(d ibid.Document) string {
	var b strings.Builder
	write := func(s string) {
		if s = text.NormalizeName(strings.ReplaceAll(s, "\x00", "")); s != "" {
			b.WriteString(s + endOfName)
		}
	}
	for _, name := range d.Names() {
		write(name)
	}
	names := b.String()
	b.WriteString(endOfNames)
	write(d.Folder)
	write(d.Category)
	for _, tag := range d.Tags {
		write(tag)
	}
	b.WriteString(endOfParts)
	for _, name := range d.Names() {
		for _, word := range text.NameWords(name) {
			if !strings.Contains(names, word) {
				b.WriteString(word + endOfName)
			}
		}
	}
	return b.String() + "\n\n"
}
