package index

import "ibid"

// labels numbers the distinct categories and folders.
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

// allowed returns, by slot, whether the scope includes the document; nil means
// that everything is.
func (x *Index) allowed(scope ibid.Scope, sc *scratch) []bool {
	if scope.IsZero() {
		return nil
	}
	ok := zeroed(&sc.allowed, len(x.slots))
	if len(scope.Documents) > 0 {
		wanted := make(map[string]bool, len(scope.Documents))
		for _, id := range scope.Documents {
			wanted[id] = true
		}
		for i := range x.slots {
			ok[i] = wanted[x.slots[i].id]
		}
	} else {
		for i := range ok {
			ok[i] = true
		}
	}
	// Each label is judged once, by the rule of the root package.
	category, folder := make([]bool, len(x.labels.names)), make([]bool, len(x.labels.names))
	for n, name := range x.labels.names {
		category[n] = ibid.Scope{Category: scope.Category}.Includes(ibid.Document{Category: name})
		folder[n] = ibid.Scope{Folder: scope.Folder}.Includes(ibid.Document{Folder: name})
	}
	for i := range x.slots {
		s := &x.slots[i]
		ok[i] = ok[i] && s.id != "" && category[s.category] && folder[s.folder]
	}
	return ok
}

// zeroed returns a slice of n zero values, reusing the memory of *buf.
func zeroed[T any](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n)
		return *buf
	}
	*buf = (*buf)[:n]
	clear(*buf)
	return *buf
}
