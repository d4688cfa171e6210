package reader

import (
	"regexp"
	"slices"
	"strings"

	"ibid/internal/question"
	"ibid/internal/text"
)

// knownNames are what is known of what the documents are called.
type knownNames struct {
	titles []string // of some that the library holds
	lists  string   // what list_documents said
}

func (t task) knownNames() knownNames {
	var k knownNames
	if t.brief.Holdings != nil {
		k.titles = t.brief.Holdings.Titles
	}
	for _, round := range t.rounds {
		if round.tool == toolList && round.result != nil && !round.result.Failed {
			k.lists += "\n" + round.result.Content
		}
	}
	return k
}

// inLibrary reports whether a name is a part of the title of a document that the
// library is known to hold, or means the library as a whole.
func (t task) inLibrary(name string) bool {
	h := t.brief.Holdings
	return h != nil && (wholeLibrary[strings.ToLower(name)] || anyContains(h.Titles, name))
}

// wholeLibrary is what the library is called as a whole.
var wholeLibrary = text.WordSet("library documents")

// listLine is a line of a list of documents: the name of a file, and its title.
var listLine = regexp.MustCompile(`(?m)^- ([^\n]+?\.\w{1,8})(?:, titled "([^"\n]*)")?, `)

// documents returns the names of each document that was listed, its file name first.
func (k knownNames) documents() [][]string {
	var documents [][]string
	for _, m := range listLine.FindAllStringSubmatch(k.lists, -1) {
		names := []string{m[1]}
		if m[2] != "" {
			names = append(names, m[2])
		}
		documents = append(documents, names)
	}
	return documents
}

// listed are the file names of the documents that were listed.
func (k knownNames) listed() []string {
	var names []string
	for _, d := range k.documents() {
		names = append(names, d[0])
	}
	return names
}

// namedIn returns the documents that a question names, by their file names.
func (k knownNames) namedIn(q string) []string {
	all := k.documents()
	found, _ := question.Mentions(q, all)
	var names []string
	for _, i := range found {
		name := all[i][0]
		if slices.ContainsFunc(all, func(d []string) bool { return d[0] == name && &d[0] != &all[i][0] }) {
			name = all[i][len(all[i])-1] // several files are called so: by its title
		}
		names = append(names, name)
	}
	return names
}

func anyContains(titles []string, name string) bool {
	return slices.ContainsFunc(titles, func(title string) bool { return containsName(title, name) })
}

// isDocument reports whether a name is that of a file, or may be a title and
// stands in what is known of the documents.
func (k knownNames) isDocument(name string) bool {
	return text.IsFileName(name) || isTitle(name) && (containsName(k.lists, name) || anyContains(k.titles, name))
}

// isTitle reports whether a name reads like that of a document: short, and with
// a capital or a word for a kind of document in it.
func isTitle(name string) bool {
	words := strings.Fields(name)
	if len(name) < 4 || len(words) > 12 {
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return upperAt(w, 0) || documentWords[strings.ToLower(w)]
	})
}

var documentWords = text.WordSet("contract report paper policy agreement lease manual handbook guide invoice minutes notes letter thesis article book study specification plan proposal deed statute regulation")

// containsName looks for a name as a whole, whatever its case.
func containsName(in, name string) bool {
	in, name = strings.ToLower(in), strings.ToLower(name)
	for i := strings.Index(in, name); i >= 0; {
		end := i + len(name)
		if (i == 0 || !isWordByte(in[i-1])) && (end == len(in) || !isWordByte(in[end])) {
			return true
		}
		next := strings.Index(in[i+1:], name)
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80 || b == '_'
}
