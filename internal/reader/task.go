package reader

import (
	"encoding/json"
	"slices"
	"strings"

	"ibid"
)

// task is what a request asks for, taken apart.
type task struct {
	brief        ibid.Brief
	question     string         // what the user asked last
	forced       []string       // the tools that have to be used for it
	attached     []ibid.Handled // the passages of texts that came with it
	files        []namedFile    // files that came with it and have to be read
	earlier      []string       // what the user said before, oldest first
	earlierFiles []namedFile    // that came with that
	rounds       []round        // tool calls since the question, oldest first

	searched bool           // the agent has searched the documents itself
	given    []ibid.Handled // what it found, the best first
	inFull   string         // the question as it stands alone, where it does not
	subject  *ibid.Subject  // of a brief that is no conversation
}

// round is a tool call and what came of it.
type round struct {
	tool   string
	args   map[string]any
	result *ibid.ToolResult
}

func newTask(req ibid.ModelRequest) task {
	var t task
	if req.Brief != nil {
		t.brief = *req.Brief
	}
	byID := map[string]int{}
	for _, turn := range req.Turns {
		switch turn.Role {
		case ibid.RoleUser:
			if asks(turn) { // else it is the agent that speaks
				t.ask(turn)
				clear(byID)
			}
		case ibid.RoleAssistant:
			for _, c := range turn.Calls() {
				var args map[string]any
				if json.Unmarshal(c.Arguments, &args) != nil {
					args = nil
				}
				byID[c.ID] = len(t.rounds)
				t.rounds = append(t.rounds, round{tool: c.Name, args: args})
			}
		case ibid.RoleTool:
			for _, p := range turn.Parts {
				if p.Result == nil {
					continue
				}
				if i, ok := byID[p.Result.CallID]; ok {
					t.rounds[i].result = p.Result
				}
			}
		}
	}
	return t
}

// asks reports whether a turn has words of the user, or what a brief is about.
func asks(turn ibid.Turn) bool {
	return turn.Text() != "" || slices.ContainsFunc(turn.Parts, func(p ibid.Part) bool { return p.Subject != nil || p.File != nil || p.Past != nil })
}

// ask takes a new question, with what came with it.
func (t *task) ask(turn ibid.Turn) {
	if t.question != "" {
		t.earlier = append(t.earlier, t.question)
	}
	t.question, t.forced, t.attached, t.rounds = strings.TrimSpace(turn.Text()), nil, nil, nil
	t.earlierFiles = append(t.earlierFiles, t.files...)
	t.files, t.searched, t.given, t.inFull, t.subject = nil, false, nil, "", nil
	for _, p := range turn.Parts {
		switch {
		case p.Past != nil:
			for _, f := range p.Past.Files {
				t.files = append(t.files, namedFile{ID: f.ID, Name: f.Name})
			}
		case p.File != nil:
			t.attach(*p.File)
		case p.Findings != nil:
			t.searched, t.given, t.inFull = true, shown(p.Findings.Passages), p.Findings.Question
		case p.Note != nil:
			t.heed(*p.Note)
		case p.Subject != nil:
			t.subject = p.Subject
			t.question = p.Subject.Question
		}
	}
}

// attach takes a file that came with the question. One that is only named has to be
// read; a picture is nothing to read.
func (t *task) attach(f ibid.AttachedFile) {
	switch {
	case len(f.Passages) > 0:
		t.attached = append(t.attached, shown(f.Passages)...)
	case f.Text != "": // it cannot be cited
		t.attached = append(t.attached, ibid.Handled{Title: f.Name, Text: f.Text, Score: 1})
	case !f.Shown():
		t.files = append(t.files, namedFile{ID: f.ID, Name: f.Name})
	}
}

// heed takes what the agent says of the question.
func (t *task) heed(n ibid.Note) {
	if n.Instruction != ibid.InstructHeed {
		return
	}
	t.inFull, t.forced = n.Standalone, n.Tools
	if n.Search {
		t.forced = append(slices.Clip(t.forced), toolSearch)
	}
}

// shown are passages as every model is shown them.
func shown(passages []ibid.Handled) []ibid.Handled {
	all := make([]ibid.Handled, len(passages))
	for i, p := range passages {
		all[i] = p.AsShown()
	}
	return all
}

// promptPassages returns the passages that the brief, or what it is about, holds.
func (t task) promptPassages() []ibid.Handled {
	var all []ibid.Handled
	for _, d := range t.brief.Documents {
		all = append(all, shown(d.Passages)...)
	}
	if t.subject != nil {
		all = append(all, shown(t.subject.Passages)...)
	}
	return all
}

// inputWords counts the words that are read in a request: the reader's tokens. It
// reads no prompt, so those of prompts are not among them.
func inputWords(req ibid.ModelRequest) int {
	n := 0
	count := func(texts ...string) {
		for _, s := range texts {
			n += len(strings.Fields(s))
		}
	}
	passages := func(all []ibid.Handled) {
		for _, p := range all {
			count(p.Title, p.Heading, p.Text)
		}
	}
	if req.Brief != nil {
		for _, d := range req.Brief.Documents {
			passages(d.Passages)
		}
	}
	for _, t := range req.Turns {
		count(t.Text())
		for _, p := range t.Parts {
			switch {
			case p.Result != nil:
				count(p.Result.Content)
			case p.File != nil:
				count(p.File.Name, p.File.Text)
				passages(p.File.Passages)
			case p.Findings != nil:
				count(p.Findings.Question)
				passages(p.Findings.Passages)
			case p.Subject != nil:
				count(p.Subject.Question)
				passages(p.Subject.Passages)
			}
		}
	}
	return n
}
