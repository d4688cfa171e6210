package pdfium

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// A PDF says at its end where its objects are and which one is the catalogue.
// PDFium finds the objects of a file that was cut off by itself, but not what it
// should begin with; mend writes that.

// Bounds of what is looked at in a file that was cut off.
const (
	mostPages    = 100_000
	mostFound    = 2_000_000 // objects
	mostInflated = 64 << 20  // bytes of all object streams
)

// object names an indirect object.
type object struct{ number, generation int }

func (o object) String() string { return fmt.Sprintf("%d %d R", o.number, o.generation) }

// remains are the objects of a file that was cut off.
type remains struct {
	pages    []object // in the order of the file, which is that of nearly all programs
	seen     map[object]bool
	trees    map[object]bool // nodes of the tree of pages
	root     object          // of that tree
	catalog  object
	points   object // where the catalogue says that the root is
	highest  int
	inflated int64
}

// isCut reports whether a file lacks what every PDF ends with.
func isCut(data []byte) bool {
	const near = 4 << 10
	return !bytes.Contains(data[max(0, len(data)-near):], []byte("startxref"))
}

// mend returns what makes a file that was cut off one that can be opened, when
// it is put behind it; nil where there is nothing to begin with, or where the
// key of an encrypted file is lost. Where more pages are found than a number,
// which its own list of pages gives, they are listed anew.
func mend(data []byte, than int) (end []byte, listed bool) {
	if bytes.Contains(data, []byte("/Standard")) && standardSecurity.Match(data) {
		return nil, false
	}
	r := remains{seen: make(map[object]bool), trees: make(map[object]bool)}
	r.scan(data)
	var s strings.Builder
	s.WriteString("\nendobj\n")
	free := r.highest + 1
	catalog := r.catalog
	switch {
	case than > 0 && len(r.pages) <= than:
		return nil, false
	case than == 0 && catalog.number > 0 && r.trees[r.points]:
	case than == 0 && r.root.number > 0:
		catalog = object{number: free}
		fmt.Fprintf(&s, "%d 0 obj\n<</Type/Catalog/Pages %v>>\nendobj\n", free, r.root)
	case len(r.pages) > 0:
		listed = true
		catalog = object{number: free}
		fmt.Fprintf(&s, "%d 0 obj\n<</Type/Catalog/Pages %d 0 R>>\nendobj\n%d 0 obj\n<</Type/Pages/Count %d/Kids[", free, free+1, free+1, len(r.pages))
		for _, p := range r.pages {
			fmt.Fprintf(&s, "%v ", p)
		}
		s.WriteString("]>>\nendobj\n")
	default:
		return nil, false
	}
	fmt.Fprintf(&s, "trailer\n<</Root %v/Size %d>>\nstartxref\n0\n%%%%EOF\n", catalog, free+2)
	return []byte(s.String()), listed
}

var (
	standardSecurity = regexp.MustCompile(`/Filter\s*/Standard\b`)
	typeOf           = regexp.MustCompile(`/Type\s*/(Pages|Page|Catalog|ObjStm)\b`)
	pagesOf          = regexp.MustCompile(`/Pages\s+(\d{1,9})\s+(\d{1,5})\s+R`)
	countOf          = regexp.MustCompile(`/N\s+(\d{1,7})`)
	firstOf          = regexp.MustCompile(`/First\s+(\d{1,9})`)
)

// scan looks at every object: what stands between an "obj" and the next.
func (r *remains) scan(data []byte) {
	mark := []byte(" obj")
	at := bytes.Index(data, mark)
	for n := 0; at >= 0 && n < mostFound; n++ {
		body := data[at+len(mark):]
		next := bytes.Index(body, mark)
		if next >= 0 {
			body = body[:next]
		}
		if o, ok := nameBefore(data[:at]); ok {
			r.look(o, body)
		}
		if next < 0 {
			return
		}
		at += len(mark) + next
	}
}

// nameBefore reads the two numbers that end before an "obj".
func nameBefore(data []byte) (object, bool) {
	const longest = 20
	fields := bytes.Fields(data[max(0, len(data)-longest):])
	if len(fields) < 2 {
		return object{}, false
	}
	// What stands directly before the number, as the end of a comment, is not of it.
	name := fields[len(fields)-2]
	digits := name[bytes.LastIndexFunc(name, func(c rune) bool { return c < '0' || c > '9' })+1:]
	number, err1 := strconv.Atoi(string(digits))
	generation, err2 := strconv.Atoi(string(fields[len(fields)-1]))
	return object{number, generation}, err1 == nil && err2 == nil && number > 0 && number < 1<<23 && generation < 1<<16
}

// look takes note of what an object is.
func (r *remains) look(o object, body []byte) {
	r.highest = max(r.highest, o.number)
	whole := body
	ended := false
	for _, end := range []string{"endobj", "stream"} {
		if i := bytes.Index(body, []byte(end)); i >= 0 {
			body, ended = body[:i], true
		}
	}
	kind := typeOf.FindSubmatch(body)
	if kind == nil || !ended {
		return
	}
	if string(kind[1]) == "ObjStm" {
		r.unpack(body, whole[len(body):])
		return
	}
	r.take(o, string(kind[1]), body)
}

func (r *remains) take(o object, kind string, body []byte) {
	switch kind {
	case "Page":
		if !r.seen[o] && len(r.pages) < mostPages {
			r.seen[o] = true
			r.pages = append(r.pages, o)
		}
	case "Pages":
		r.trees[o] = true
		if !bytes.Contains(body, []byte("/Parent")) {
			r.root = o
		}
	case "Catalog":
		if m := pagesOf.FindSubmatch(body); m != nil {
			r.catalog = o
			r.points.number, _ = strconv.Atoi(string(m[1]))
			r.points.generation, _ = strconv.Atoi(string(m[2]))
		}
	}
}

// unpack looks at the objects of an object stream (PDF 32000-1, 7.5.7): pairs of
// number and place, then the objects.
func (r *remains) unpack(dict, stream []byte) {
	n, first := countOf.FindSubmatch(dict), firstOf.FindSubmatch(dict)
	if n == nil || first == nil {
		return
	}
	stream = bytes.TrimPrefix(stream, []byte("stream"))
	stream = bytes.TrimPrefix(bytes.TrimPrefix(stream, []byte("\r")), []byte("\n"))
	z, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return
	}
	text, _ := io.ReadAll(io.LimitReader(z, mostInflated-r.inflated)) // as far as it goes
	r.inflated += int64(len(text))
	start, _ := strconv.Atoi(string(first[1]))
	if start > len(text) {
		return
	}
	places := bytes.Fields(text[:start])
	for i := 0; i+1 < len(places); i += 2 {
		number, err1 := strconv.Atoi(string(places[i]))
		from, err2 := strconv.Atoi(string(places[i+1]))
		to := len(text) - start
		if i+3 < len(places) {
			to, _ = strconv.Atoi(string(places[i+3]))
		}
		if err1 != nil || err2 != nil || number <= 0 || number >= 1<<23 || from < 0 || to < from || start+to > len(text) {
			continue
		}
		r.highest = max(r.highest, number)
		body := text[start+from : start+to]
		if kind := typeOf.FindSubmatch(body); kind != nil && string(kind[1]) != "ObjStm" {
			r.take(object{number: number}, string(kind[1]), body)
		}
	}
}
