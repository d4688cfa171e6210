package wire

import (
	"strings"

	"ibid"
)

// Tokens is GET and POST /api/chat/stream: server-sent events without names,
// {"token","type"} with type reasoning, final_answer, tool_call or error, ended
// by {"done":true,"metadata":{…}} with the number of token frames of this very
// stream. What the question was classified as, and the SQL that a model writes,
// are reasoning; the route is one tool_call token, of the first tool that is a
// route. A retraction is an empty reasoning token with "retracted":true.
type Tokens struct {
	Tools Tools

	cursor
	routed           bool
	reasoning, final int
}

// Next implements Projection.
func (p *Tokens) Next(e ibid.Event) []Frame {
	out := p.begin(e)
	token := func(text, typ string) { out.add("", nil, field{"token", text}, field{"type", typ}) }
	switch d := e.Data.(type) {
	case ibid.QueryAnalyzed:
		p.reasoning++
		token(classification(d), "reasoning")
	case ibid.ReasoningDelta:
		p.route(d.Tool, token)
		p.reasoning++
		token(d.Text, "reasoning")
	case ibid.ToolStarted:
		p.route(d.Tool, token)
	case ibid.AnswerDelta:
		p.final++
		token(d.Text, "final_answer")
	case ibid.AnswerRetracted:
		out.add("", nil, field{"token", ""}, field{"type", "reasoning"}, field{"retracted", true}, field{"reason", d.Reason})
	case ibid.RunFailed:
		token(d.Message, "error")
	case ibid.RunFinished:
		out.add("", nil, field{"done", true}, field{"metadata", map[string]int{
			"tokens_sent": p.reasoning + p.final, "reasoning_tokens": p.reasoning, "final_tokens": p.final}})
	}
	return out.done()
}

// route shows where the answer is looked for, once.
func (p *Tokens) route(tool string, token func(text, typ string)) {
	if route := routeOf(kindOf(p.Tools, tool)); route != "" && !p.routed {
		p.routed = true
		token(route, "tool_call")
	}
}

// classification says what was made of the question.
func classification(d ibid.QueryAnalyzed) string {
	s := "Classified as " + d.Complexity + ", " + string(d.Mode)
	if d.Decomposed && len(d.SubQueries) > 0 {
		s += ", in parts: " + strings.Join(d.SubQueries, "; ")
	}
	return s + ".\n\n"
}

// routeOf says in one line where tools of a kind look; "" for those that are no
// route.
func routeOf(kind ibid.ToolKind) string {
	switch kind {
	case ibid.ToolDatabase:
		return "🔍 Querying database"
	case ibid.ToolSearch, ibid.ToolDocument:
		return "📚 Searching knowledge base"
	}
	return ""
}
