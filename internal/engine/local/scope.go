package local

import (
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
)

// labels numbers the distinct categories, folders, tags, fields of metadata and
// principals.
type labels struct {
	numbers   map[string]uint32
	names     []string
	documents map[uint32]int // by the label of a principal: how many are its
}

func newLabels() labels {
	return labels{numbers: make(map[string]uint32), documents: make(map[uint32]int)}
}

func (l *labels) number(name string) uint32 {
	n, ok := l.numbers[name]
	if !ok {
		n = uint32(len(l.names))
		l.numbers[name] = n
		l.names = append(l.names, name)
	}
	return n
}

// marks numbers the tags and the metadata of a document, and whose it is.
func (l *labels) marks(doc ibid.Document) []uint32 {
	var marks []uint32
	for _, tag := range doc.Tags {
		marks = append(marks, l.number(tagLabel(tag)))
	}
	for name, value := range doc.Metadata {
		marks = append(marks, l.number(fieldLabel(name, value)))
	}
	return append(marks, l.number(principalLabel(doc.Principal)))
}

// Texts have no NUL and the names of fields are not empty, so no label of one kind is
// like one of another.
func tagLabel(tag string) string           { return "\x00" + tag }
func fieldLabel(name, value string) string { return "\x00" + name + "\x00" + value }

func principalLabel(p ibid.Principal) string { return "\x00\x00" + string(p) }

// setMarks gives a document its marks; none when it goes. mu is held.
func (x *Index) setMarks(at uint32, marks []uint32) {
	s := &x.slots[at]
	if len(s.marks) > 0 {
		x.labels.documents[s.principal]--
	}
	s.marks = marks
	if len(marks) > 0 {
		s.principal = marks[len(marks)-1]
		x.labels.documents[s.principal]++
	}
}

// withPrincipal returns the marks of a snapshot. Older ones don't say whose a
// document is: all were the owner's.
func (l *labels) withPrincipal(marks []uint32) []uint32 {
	if n := len(marks); n > 0 && int(marks[n-1]) < len(l.names) && strings.HasPrefix(l.names[marks[n-1]], principalLabel("")) {
		return marks
	}
	return append(marks, l.number(principalLabel(ibid.Owner)))
}

// sees returns the label of whoever looks; all is true where every document of the
// index is seen, and ok is false where none is.
func (x *Index) sees(view access.View) (label uint32, all, ok bool) {
	if view.All() {
		return 0, true, true
	}
	label, known := x.labels.numbers[principalLabel(view.Principal())]
	ok = known && view.Principal() != ""
	return label, ok && x.labels.documents[label] == len(x.documents), ok
}

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

// allowed returns, by slot, whether the view sees the document and the scope includes
// it; nil means that all are.
func (x *Index) allowed(view access.View, scope ibid.Scope, sc *scratch) []bool {
	principal, all, sees := x.sees(view)
	if all && scope.IsZero() {
		return nil
	}
	ok := zeroed(&sc.allowed, len(x.slots))
	if !sees || scope.OnlyDatabases() {
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
			ok[i] = s.id != "" && (all || s.principal == principal) && (category == nil || category[s.category]) && (folder == nil || folder[s.folder]) && s.has(marks)
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
