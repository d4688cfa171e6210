package reader

import (
	"encoding/json"
	"strings"

	"ibid"
)

// readFiles is how many files of a conversation are read at once.
const readFiles = 3

// filesOfPast returns the files that the head of a message of the past names.
func filesOfPast(text string) []string {
	head := strings.TrimPrefix(strings.TrimSpace(historyHead.FindString(text)), "<!-- METADATA: ")
	var past struct{ Files []struct{ ID string } }
	if json.Unmarshal([]byte(strings.TrimSuffix(head, " -->")), &past) != nil {
		return nil
	}
	var ids []string
	for _, f := range past.Files {
		ids = append(ids, f.ID)
	}
	return ids
}

// fileCalls read the files that a question is about: those that came with it,
// else, beside the library, the last ones of the conversation.
func (r *Reader) fileCalls(t task, m move, req ibid.ModelRequest) []ibid.ToolCall {
	files := t.files
	if len(files) == 0 {
		files = t.earlierFiles
	}
	about := m.tool == toolSearch || sumsUp(t.question)
	if len(files) == 0 || !about || !offers(req)(toolFile) {
		return nil
	}
	var calls []ibid.ToolCall
	for _, id := range files[max(0, len(files)-readFiles):] {
		read := move{tool: toolFile, args: []string{id, t.question}}
		if sumsUp(t.question) {
			read.args = read.args[:1]
		}
		calls = append(calls, read.calls(req.Tools, len(t.rounds)+len(calls))...)
	}
	if len(t.files) == 0 && m.tool == toolSearch && offers(req)(toolSearch) {
		calls = append(calls, m.calls(req.Tools, len(t.rounds)+len(calls))...)
	}
	return calls
}

// sumsUp reports whether a question asks for a summary of what lies before us.
func sumsUp(question string) bool {
	_, named := analysis(question)
	return named || thisDocument.MatchString(question)
}

// summaryOfFiles sums up files that were read for that, "" where none was.
func (r *Reader) summaryOfFiles(t task) string {
	if !sumsUp(t.question) {
		return ""
	}
	var passages []ibid.Handled
	for _, round := range t.rounds {
		if round.tool == toolFile && round.result != nil && !round.result.Failed {
			passages = merge(passages, ibid.ParsePassages(round.result.Content))
		}
	}
	if len(passages) == 0 {
		return ""
	}
	return r.summary(passages)
}
