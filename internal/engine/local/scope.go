package local

import (
	"slices"

	"ibid"
)

// labels numbers the distinct categories, folders, tags and fields of metadata.
type labels struct {
	numbers map[string]uint32
	names   []string
}

func newLabels() labels { return labels{numbers: make(map[string]uint32)} }

func (l *labels) number(name string) uint32 {
	n, ok := l.numbers[name]
	if !ok {
		n = uint32(len(l.names))
		l.numbers[name] = n
		l.names = append(l.names, name)
	}
	return n
}

// marks numbers the tags and the metadata of a document.
func (l *labels) marks(doc ibid.Document) []uint32 {
	var marks []uint32
	for _, tag := range doc.Tags {
		marks = append(marks, l.number(tagLabel(tag)))
	}
	for name, value := range doc.Metadata {
		marks = append(marks, l.number(fieldLabel(name, value)))
	}
	return marks
}

// Texts have no NUL, so no label of one kind is like one of another.
func tagLabel(tag string) string           { return "\x00" + tag }
func fieldLabel(name, value string) string { return "\x00" + name + "\x00" + value }

// demanded returns the labels that a scope asks for; ok is false where no
// document has one of them.
func (l *labels) demanded(scope ibid.Scope) (marks []uint32, ok bool) {
	demand := func(label string) bool {
		n, known := l.numbers[label]
		marks = append(marks, n)
		return known
	}
	for _, tag := range scope.Tags {
		if !demand(tagLabel(tag)) {
			return nil, false
		}
	}
	for name, value := range scope.Metadata {
		if !demand(fieldLabel(name, value)) {
			return nil, false
		}
	}
	return marks, true
}

// allowed returns, by slot, whether the scope includes the document; nil means
// that everything is.
func (x *Index) allowed(scope ibid.Scope, sc *scratch) []bool {
	if scope.IsZero() {
		return nil
	}
	ok := zeroed(&sc.allowed, len(x.slots))
	if scope.OnlyDatabases() {
		return ok
	}
	if len(scope.Documents) > 0 {
		for _, id := range scope.Documents {
			if at, known := x.documents[id]; known {
				ok[at] = true
			}
		}
	} else {
		for i := range ok {
			ok[i] = true
		}
	}
	marks, known := x.labels.demanded(scope)
	if !known {
		clear(ok)
		return ok
	}
	category := x.labels.judged(scope.Category, func(name string) bool {
		return ibid.Scope{Category: scope.Category}.Includes(ibid.Document{Category: name})
	})
	folder := x.labels.judged(scope.Folder, func(name string) bool {
		return ibid.Scope{Folder: scope.Folder}.Includes(ibid.Document{Folder: name})
	})
	for i := range x.slots {
		if s := &x.slots[i]; ok[i] {
			ok[i] = s.id != "" && (category == nil || category[s.category]) && (folder == nil || folder[s.folder]) && s.has(marks)
		}
	}
	return ok
}

// judged returns, by label, whether a rule lets it through: the root package's, which
// is asked once for each. nil means that nothing is wanted.
func (l *labels) judged(wanted string, rule func(name string) bool) []bool {
	if wanted == "" {
		return nil
	}
	judged := make([]bool, len(l.names))
	for n, name := range l.names {
		judged[n] = rule(name)
	}
	return judged
}

func (s *slot) has(marks []uint32) bool {
	for _, m := range marks {
		if !slices.Contains(s.marks, m) {
			return false
		}
	}
	return true
}

// zeroed returns a slice of n zero values, reusing the memory of *buf.
func zeroed[T any](buf *[]T, n int) []T {
	list := sized(buf, n)
	clear(list)
	return list
}

// sized returns a slice of n values that are to be overwritten, reusing the
// memory of *buf.
func sized[T any](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n+n/4) // the index may be growing
	}
	*buf = (*buf)[:n]
	return *buf
}
