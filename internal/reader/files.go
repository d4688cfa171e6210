package reader

import (
	"slices"

	"ibid"
	"ibid/internal/question"
	"ibid/internal/text"
)

// readFiles is how many files of a conversation are read at once.
const readFiles = 3

// namedFile is a file of the conversation that has to be read.
type namedFile struct{ ID, Name string }

// filesAtHand are those that came with the question, else the last ones of the
// conversation.
func (t task) filesAtHand() []namedFile {
	files := t.files
	if len(files) == 0 && len(t.attached) == 0 {
		files = t.earlierFiles
	}
	return files[max(0, len(files)-readFiles):]
}

// fileCalls read the files that a question may be about: those that came with it,
// else the last ones of the conversation. The library is searched beside them
// unless the question points at what came with it.
func (r *Reader) fileCalls(t task, m move, req ibid.ModelRequest) []ibid.ToolCall {
	files, whole := t.filesAtHand(), t.asksForAttached()
	if len(files) == 0 || !whole && m.tool != toolSearch || !offers(req)(toolFile) {
		return nil
	}
	var calls []ibid.ToolCall
	for _, f := range files {
		read := move{tool: toolFile, args: []string{f.ID, t.question}}
		if whole {
			read.args = read.args[:1]
		}
		calls = append(calls, read.calls(req.Tools, len(t.rounds)+len(calls))...)
	}
	if (len(t.files) == 0 || !whole && !t.aboutAttached()) && m.tool == toolSearch && offers(req)(toolSearch) {
		calls = append(calls, m.calls(req.Tools, len(t.rounds)+len(calls))...)
	}
	return calls
}

var (
	// attachedWords say that something came with a question.
	attachedWords = text.WordSet("attached attachment attachments enclosed")
	// pointing words come before what lies before us: "this letter".
	pointing = text.WordSet("the this these")
)

// aboutAttached reports whether a question points at the files of the conversation:
// by their names, by saying that they are attached, or by "this" and what documents
// are called in general ("the letter"), unless one of the library is called so.
func (t task) aboutAttached() bool {
	var called [][]string
	for _, p := range t.attached {
		called = append(called, []string{p.Title})
	}
	for _, f := range t.filesAtHand() {
		called = append(called, []string{f.Name})
	}
	if len(called) == 0 {
		return false
	}
	if found, _ := question.Mentions(t.question, called); len(found) > 0 {
		return true
	}
	// With a file beside the question "this" can hardly mean anything else.
	came, points, before := len(t.attached)+len(t.files) > 0, question.ThisDocument(t.question), ""
	for w := range text.Words(t.question) {
		switch {
		case came && attachedWords[w.Text]:
			return true
		case documentWords[w.Text] && t.inLibrary(w.Text):
			return false
		case documentWords[w.Text] && pointing[before], came && pointing[w.Text] && w.Text != "the":
			points = true
		}
		before = w.Text
	}
	return points
}

// asksForAttached reports whether a question asks for the files of the conversation
// as a whole: to sum them up, or what they are about.
func (t task) asksForAttached() bool {
	if len(t.attached)+len(t.filesAtHand()) == 0 {
		return false
	}
	name, whole := question.Whole(t.question)
	whole = whole || question.ThisDocument(t.question)
	if !whole && !question.Asks(t.question) && len(t.attached)+len(t.files) > 0 {
		return true // "Summarise, please."
	}
	return whole && (t.aboutAttached() || !t.inLibrary(name))
}

// surelyAnswer reports whether passages hold an answer that is not called unsure.
func surelyAnswer(question string, passages []ibid.Handled) bool {
	ranked := choose(withoutDocuments(question, passages), passages)
	return len(ranked) > 0 && worthSaying(ranked) && assured(ranked) >= sureFrom
}

// filePassages are those of the files of the conversation: of the texts that came
// with the question, and of the files that were read.
func (t task) filePassages() []ibid.Handled {
	passages := t.attached
	for _, round := range t.rounds {
		if round.tool == toolFile && round.result != nil && !round.result.Failed {
			passages = merge(passages, ibid.ParsePassages(round.result.Content))
		}
	}
	return passages
}

// fromFiles answers from passages of the files of the conversation alone: where they
// are asked for as a whole, where the question points at them, and where those that
// came with it surely answer.
func (r *Reader) fromFiles(t task, questions []string, passages []ibid.Handled) (answer string, ok bool) {
	surely := func(q string) bool { return surelyAnswer(q, passages) }
	switch {
	case len(passages) == 0:
		return "", false
	case t.asksForAttached():
		return r.summary(passages), true
	case t.aboutAttached(), len(t.attached)+len(t.files) > 0 && slices.ContainsFunc(questions, surely):
		return r.quoteAll(questions, passages)
	}
	return "", false
}
