package ibid

import (
	"slices"
	"time"
)

// What a model is told is said in values: a Brief above the conversation, and typed
// parts within it. Only internal/llm/prompt has words for them. A model that reads
// words is sent those; the built-in one (internal/reader) reads the values, so that
// no sentence of a prompt matters to it.

// Instruction names something that a model is told to do.
type Instruction string

// Of a whole request, in its Brief.
const (
	InstructAnswer  Instruction = "answer"  // the question of the conversation
	InstructGrade   Instruction = "grade"   // passages, for a question
	InstructVerify  Instruction = "verify"  // claims, by passages
	InstructRewrite Instruction = "rewrite" // a question, so that it stands alone
	InstructAnalyze Instruction = "analyze" // one document
	InstructCompare Instruction = "compare" // two documents, for a question
	InstructImagine Instruction = "imagine" // a passage that would answer
	InstructName    Instruction = "name"    // what passages name
	InstructTrial   Instruction = "trial"   // say a word, to show that it is there
)

// Within a conversation, in a Note.
const (
	InstructPlan   Instruction = "plan"   // think about how to proceed, and don't answer yet
	InstructHeed   Instruction = "heed"   // what the note says of the question before it
	InstructEmpty  Instruction = "empty"  // the last turn was empty: say something
	InstructForced Instruction = "forced" // tools that have to be used were not: use them
	InstructBudget Instruction = "budget" // no more tools: answer with what was found
)

// Brief is what stands above a conversation: what the model is to do, and what it is
// told of the place where it does it.
type Brief struct {
	Instruction Instruction

	// To answer.
	Today     time.Time
	Holdings  *Holdings         // what there is to search; nil says nothing
	Databases []DatabaseOutline // that can be asked
	Direct    bool              // the documents are searched for the model
	Search    bool              // the model may search the documents itself
	Tools     []ToolKind        // the kinds of all tools of this question
	Scope     *Scope            // what the user has limited the question to; nil: nothing
	Forced    []string          // tools that have to be used

	Documents []ShownDocument // to analyze and to compare
}

// Offers reports whether a tool of a kind can be called for this question.
func (b Brief) Offers(kind ToolKind) bool { return slices.Contains(b.Tools, kind) }

// Holdings say what the library holds, as far as a question may see it.
type Holdings struct {
	Documents int      // how many there are
	Exact     bool     // there are just so many, else more
	Titles    []string // what some of them are called
}

// More is how many documents there are beside those with titles.
func (h Holdings) More() int { return max(0, h.Documents-len(h.Titles)) }

// DatabaseOutline is what a model is told of a database.
type DatabaseOutline struct {
	Name   string
	Kind   string
	Tables []TableOutline
	More   int // tables that are left out
}

// TableOutline is what a model is told of a table.
type TableOutline struct {
	Name    string
	Columns []string
}

// ShownDocument is what a model is shown of a document. Headings are those of all of
// it, one a line and indented by their depth, where it is not shown whole.
type ShownDocument struct {
	Title    string
	Headings string
	Passages []Handled
}

// Past is a message of the past in a turn of its role.
type Past struct {
	Text  string
	At    time.Time
	Ago   time.Duration // how long ago that was
	Gap   time.Duration // since the message before, where it opened a new session; else 0
	Files []PastFile    // that came with it, or that it made
	Tools []string      // that it used, each once
	Did   string        // what it did with them
}

// PastFile is a file of a message of the past. ID is what retrieve_file takes.
type PastFile struct{ Name, Type, ID string }

// AttachedFile is a file that came with the question. It is shown by its Passages, or
// by its Text where it cannot be cited; a picture that the model sees by its Handle. Of
// any other file the model is told only that it is there.
type AttachedFile struct {
	ID, Name, MIME string
	Passages       []Handled
	Text           string
	Handle         string
}

// Shown reports whether what is in the file stands in the turn.
func (f AttachedFile) Shown() bool { return len(f.Passages) > 0 || f.Text != "" || f.Handle != "" }

// Findings are the passages that were found for a question, the best first, and the
// question as it stands alone.
type Findings struct {
	Question string
	Passages []Handled
	Doubtful bool // none of the passages seems to answer
	Attached bool // what came with the question stands in passages, too
}

// Note is what the agent tells the model within a conversation. The fields below the
// instruction go with InstructHeed, Tools also with InstructForced.
type Note struct {
	Instruction Instruction
	Standalone  string   // the question as it stands alone, where it does not
	SubQueries  []string // the questions that it is made of
	Scope       *Scope   // what the user has limited the question to
	Search      bool     // the documents have to be searched: the scope counts there only
	Tools       []string // that have to be used
}

// Picture says what the picture behind it in a turn shows.
type Picture struct {
	Tool string // that asked for it
	Page int    // 0 where there are none
}

// Subject is what a brief that is no conversation is about.
type Subject struct {
	Question string
	Title    string    // of the document to analyze
	Passages []Handled // to grade, to verify by, to find names in
	Claims   []SubjectClaim
	Earlier  []Said // what was said before the question, oldest first
}

// SubjectClaim is a claim to verify, with the handles of the passages it cites.
type SubjectClaim struct {
	Text  string
	Cites []string
}

// Said is what somebody said.
type Said struct {
	Role Role
	Text string
}

// About is the turn of a brief that is no conversation.
func About(s Subject) Turn {
	return Turn{Role: RoleUser, Parts: []Part{{Subject: &s}}}
}
