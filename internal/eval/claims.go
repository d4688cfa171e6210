package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/agent"
	"ibid/internal/evidence"
	"ibid/internal/question"
	"ibid/internal/text"
)

// claim is a statement that is known to follow from a passage, or not to.
type claim struct {
	kind     string
	text     string
	evidence evidence.Passage
	holds    bool
}

// claims makes statements of n paragraphs of SQuAD: sentences of the paragraph;
// the same with a figure or a name of another; with a "not" put in or taken out;
// sentences of another paragraph of the article; and questions with their answer
// put behind them, or that of another question of the same paragraph.
func claims(set *Set, n int, seed uint64) []claim {
	rng := rand.New(rand.NewPCG(seed, 3))
	questions := map[string][]Query{}
	for _, q := range set.Queries {
		for id := range set.Relevant[q.ID] {
			questions[id] = append(questions[id], q)
		}
	}
	var all []claim
	for range n {
		d := rng.IntN(len(set.Documents))
		if len(set.Chunks[d]) < 2 {
			continue
		}
		i := rng.IntN(len(set.Chunks[d]))
		here, other := set.Chunks[d][i], set.Chunks[d][(i+1)%len(set.Chunks[d])]
		ev := evidence.Passage{Under: set.Documents[d].Title, Text: here.Text}
		add := func(kind, s string, holds bool) {
			if s != "" {
				all = append(all, claim{kind, s, ev, holds})
			}
		}
		s := anySentence(rng, here.Text)
		add("sentence", s, true)
		add("figure exchanged", exchangeFigure(rng, s), false)
		add("name exchanged", exchangeName(s, other.Text, here.Text), false)
		add("negation put in", deny(s), false)
		add("of another paragraph", anySentence(rng, other.Text), false)
		if qs := questions[here.ID]; len(qs) > 1 {
			k := rng.IntN(len(qs))
			q, o := qs[k], qs[(k+1)%len(qs)]
			add("question and its answer", statement(q.Text, q.Answers[0]), true)
			if question.KindOf(q.Text) == question.KindOf(o.Text) && !strings.Contains(strings.Join(q.Answers, " "), o.Answers[0]) {
				add("question and another answer", statement(q.Text, o.Answers[0]), false)
			}
		}
	}
	return all
}

func anySentence(rng *rand.Rand, s string) string {
	spans := text.Sentences(s)
	for range 5 {
		span := spans[rng.IntN(len(spans))]
		if said := s[span.Start:span.End]; len(strings.Fields(said)) > 6 {
			return said
		}
	}
	return ""
}

var figureAt = regexp.MustCompile(`\b\d+\b`)

func exchangeFigure(rng *rand.Rand, s string) string {
	at := figureAt.FindStringIndex(s)
	if at == nil {
		return ""
	}
	return s[:at[0]] + fmt.Sprint(1000 + rng.IntN(9000))[:max(1, min(4, at[1]-at[0]))] + "7" + s[at[1]:]
}

var nameAt = regexp.MustCompile(`[a-z,] ([A-Z][a-z]{3,})`)

func exchangeName(s, from, here string) string {
	at := nameAt.FindStringSubmatchIndex(s)
	if at == nil {
		return ""
	}
	for _, m := range nameAt.FindAllStringSubmatch(from, -1) {
		if !strings.Contains(here, m[1]) {
			return s[:at[2]] + m[1] + s[at[3]:]
		}
	}
	return ""
}

var auxiliary = regexp.MustCompile(`\b(is|are|was|were|has|had|can|could|will|would) `)

func deny(s string) string {
	at := auxiliary.FindStringIndex(s)
	if at == nil || strings.Contains(s, " not ") {
		return ""
	}
	return s[:at[1]] + "not " + s[at[1]:]
}

var asked = regexp.MustCompile(`(?i)\b(in what|on what|at what|what|which|who|whom|when|where|how many|how much|how|why|did|does|do)\b`)

func statement(question, answer string) string {
	s := strings.TrimRight(strings.TrimSpace(asked.ReplaceAllString(question, "")), "? ")
	return strings.Join(strings.Fields(s), " ") + " " + answer + "."
}

// verdicts measures the verification of answers: the share of claims of known
// truth on which it is right. Each is put into the mouth of a model that cites
// the passage it is about, so that what is measured is what users get. judge
// decides; nil: the rules.
func verdicts(ctx context.Context, all []claim, judge ibid.Model) (accuracy float64, err error) {
	right, judged := 0, 0
	for _, c := range all {
		details, err := verified(ctx, c, judge)
		if err != nil {
			return 0, err
		}
		if len(details) == 0 {
			continue // not taken for a statement
		}
		judged++
		supported := !slices.ContainsFunc(details, func(d ibid.Claim) bool { return d.Verdict != evidence.Supported })
		right += count(supported == c.holds)
	}
	return share(right, judged), nil
}

func verified(ctx context.Context, c claim, judge ibid.Model) ([]ibid.Claim, error) {
	cfg := agent.Config{Model: claimant{c.text}, Tools: []agent.Tool{given{c.evidence}}, Verification: agent.JudgeRules, Grading: agent.JudgeOff}
	if judge != nil {
		cfg.Judge, cfg.Verification = judge, agent.JudgeModel
	}
	var found []ibid.Claim
	task := agent.Task{Request: ibid.Request{Text: "What does it say?", Mode: ibid.ModeAgentic}}
	_, err := agent.Run(ctx, cfg, task, func(d ibid.EventData) error {
		if v, ok := d.(ibid.AnswerVerified); ok {
			found = v.Details
		}
		return nil
	})
	return found, err
}

// claimant is a model that asks for the passage and then says its sentence.
type claimant struct{ says string }

// Name implements ibid.Model.
func (claimant) Name() string { return "claimant" }

// Generate implements ibid.Model.
func (m claimant) Generate(ctx context.Context, req ibid.ModelRequest, emit func(ibid.ModelDelta)) (ibid.ModelResponse, error) {
	resp := ibid.ModelResponse{Turn: ibid.Turn{Role: ibid.RoleAssistant}, StopReason: ibid.StopEnd}
	switch {
	case len(req.Tools) == 0: // the plan
	case req.Turns[len(req.Turns)-1].Role != ibid.RoleTool:
		resp.StopReason = ibid.StopTools
		resp.Turn.Parts = []ibid.Part{{Call: &ibid.ToolCall{ID: "1", Name: given{}.Spec().Name, Arguments: json.RawMessage(`{"query":"it"}`)}}}
	default:
		text := m.says + " [c1]"
		emit(ibid.ModelDelta{Text: text})
		resp.Turn.Parts = []ibid.Part{{Text: text}}
	}
	return resp, ctx.Err()
}

// given is a search that finds one passage, whatever is asked.
type given struct{ evidence evidence.Passage }

// Spec tells the model about the tool.
func (given) Spec() ibid.ToolSpec {
	return ibid.ToolSpec{Name: "search_knowledge_base", Kind: ibid.ToolSearch, Description: "Finds passages.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`)}
}

// Detail is empty: nobody looks.
func (given) Detail(json.RawMessage) string { return "" }

// Call finds the passage.
func (t given) Call(context.Context, access.View, ibid.ToolCall, ibid.ToolEnv) (ibid.ToolOutput, error) {
	p := ibid.Passage{Chunk: ibid.Chunk{ID: "c_given", DocumentID: "d_given", Level: 2, Text: t.evidence.Text, End: len(t.evidence.Text)},
		Document: ibid.Document{ID: "d_given", Title: t.evidence.Under}, Score: 1}
	return ibid.ToolOutput{Passages: []ibid.Passage{p}, Retrieval: &ibid.Retrieval{ChunksFound: 1, TopScore: 1}}, nil
}
