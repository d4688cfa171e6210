package reader_test

import (
	"strings"
	"testing"

	"ibid"
)

// letterTurn is a question with a letter of two passages beside it, as the agent
// shows them.
func letterTurn(question string) ibid.Turn {
	passages := []ibid.Handled{
		{Handle: "c1", Title: "letter.txt", Text: "Dear Ms Okafor, the deposit of 2,400 euros is returned within 30 days after the keys are handed over.", Score: 1},
		{Handle: "c2", Title: "letter.txt", Text: "The final reading of the electricity meter takes place on 28 April at ten.", Score: 1}}
	turn := ibid.UserTurn(question)
	turn.Parts = append(turn.Parts, ibid.Part{File: &ibid.AttachedFile{ID: "u:0", Name: "letter.txt", MIME: "text/plain", Passages: passages}})
	return turn
}

// holds is what the reader is told of the library.
func holds(titles ...string) *ibid.Brief {
	return &ibid.Brief{Instruction: ibid.InstructAnswer, Holdings: &ibid.Holdings{Documents: len(titles), Exact: true, Titles: titles}}
}

var handbook = holds("Rental handbook", "Lease of the mill")

// What comes with a question is asked first where the question points at it or it
// surely answers; the library where it is named or nothing fits.
func TestQuestionsAboutAttachedTexts(t *testing.T) {
	for question, want := range map[string]string{
		"Within how many days is the deposit returned according to the letter?": "30 days after the keys are handed over.” [c1]",
		"When is the final reading of the electricity meter?":                   "28 April at ten.” [c2]",
		"What do they read on 28 April, as this says?":                          "[c2]",
		"Summarise the attached letter":                                         "[c1]\n\n> “The final reading of the electricity meter takes place on 28 April at ten.” [c2]",
		"What is this about?":                                                   "” [c1]\n\n> “",
		"Summarize.":                                                            "” [c2]",
		"What does letter.txt say?":                                             "” [c2]",
		"Summarise the rental handbook":                                         "→ analyze_document",
		"What does the lease say about the deposit?":                            "→ search_knowledge_base",
		"Who owns the harbour of Bergen?":                                       "→ search_knowledge_base",
		"What is 3 * 4?":                                                        "→ calculator",
		"Thanks":                                                                "You are welcome",
	} {
		res := generate(t, ibid.ModelRequest{Brief: handbook, Tools: tools, Turns: []ibid.Turn{letterTurn(question)}})
		got := res.Turn.Text()
		for _, c := range res.Turn.Calls() {
			got += "→ " + c.Name
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\n got %q\nwant %q", question, got, want)
		}
	}
}

// What was found elsewhere does not displace the letter that the question is about,
// and answers beside it where it is about neither.
func TestAttachedTextBesideWhatWasFound(t *testing.T) {
	passages := []ibid.Handled{{Handle: "c3", Title: "Rental handbook", Text: "The deposit is returned within 90 days in most cases. A deposit may be three months of rent.", Score: 1}}
	found := ibid.FormatPassages(passages)
	for question, want := range map[string]string{
		"Within how many days is the deposit returned according to the letter?": "[c1]",
		"How many months of rent may a deposit be?":                             "[c3]",
	} {
		turns := with([]ibid.Turn{letterTurn(question)}, "search_knowledge_base", `{"query":"deposit"}`, found)
		if got := generate(t, ibid.ModelRequest{Brief: handbook, Tools: tools, Turns: turns}).Turn.Text(); !strings.Contains(got, want) || strings.Count(got, "[c") != 1 {
			t.Errorf("%s\n got %q\nwant %q alone", question, got, want)
		}
	}
	direct := letterTurn("Summarise the attached letter")
	direct.Parts = append(direct.Parts, ibid.Part{Findings: &ibid.Findings{Question: "Summarise the attached letter", Passages: passages, Attached: true}})
	if got := generate(t, ibid.ModelRequest{Brief: handbook, Turns: []ibid.Turn{direct}}).Turn.Text(); !strings.Contains(got, "[c1]") || strings.Contains(got, "[c3]") {
		t.Errorf("in the direct mode: %q", got)
	}
}

// The results of tools are marked with their handles.
func TestResultsAreMarked(t *testing.T) {
	for question, tc := range map[string]struct{ tool, args, result, want string }{
		"What is 12 * 7?":           {"calculator", `{"expression":"12 * 7"}`, "84", "12 × 7 = **84** [c1]"},
		"What time is it in UTC?":   {"current_time", `{"timezone":"UTC"}`, "2026-11-21T07:28:52Z, Saturday (UTC)", "It is Saturday, 21 November 2026, 07:28 (UTC) [c1]."},
		"What documents do I have?": {"list_documents", `{}`, "2 documents:\n- a.pdf, pdf, 3 chunks\n- b.md, markdown, 1 chunk", "2 documents [c1]:\n- a.pdf, pdf, 3 chunks\n- b.md, markdown, 1 chunk"},
	} {
		turns := with(conversation(question), tc.tool, tc.args, tc.result+"\n"+ibid.FormatResult("c1"))
		if got := generate(t, ibid.ModelRequest{Tools: tools, Turns: turns}).Turn.Text(); got != tc.want {
			t.Errorf("%s\n got %q\nwant %q", question, got, tc.want)
		}
	}
}
