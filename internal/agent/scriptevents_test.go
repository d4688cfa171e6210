package agent

import (
	"errors"
	"fmt"
	"strings"

	"ibid"
)

// answerAround is the text of the answer that event i is a part of: all of it up to
// where it is retracted.
func answerAround(log []ibid.EventData, i int) string {
	var b strings.Builder
	for k, e := range log {
		switch d := e.(type) {
		case ibid.AnswerDelta:
			b.WriteString(d.Text)
		case ibid.AnswerRetracted:
			if k > i {
				return b.String()
			}
			b.Reset()
		}
	}
	return b.String()
}

// writeEvents writes a log for people: one line per event, deltas joined, and
// under a finished tool call, after "|", what the model reads.
func writeEvents(log []ibid.EventData) string {
	var b strings.Builder
	for i := 0; i < len(log); i++ {
		switch d := log[i].(type) {
		case ibid.QueryAnalyzed:
			fmt.Fprintf(&b, "query.analyzed %s %s\n", d.Complexity, d.Mode)
			if d.Standalone != "" {
				fmt.Fprintf(&b, "  alone: %s\n", d.Standalone)
			}
			for _, q := range d.SubQueries {
				fmt.Fprintf(&b, "  asks: %s\n", q)
			}
		case ibid.CacheChecked:
			fmt.Fprintf(&b, "cache.checked hit=%t %.2f %q\n", d.Hit, d.Similarity, d.OriginalQuery)
		case ibid.PassagesGraded:
			fmt.Fprintf(&b, "passages.graded %d correct, %d ambiguous, %d incorrect, %d expanded: %s\n", d.Correct, d.Ambiguous, d.Incorrect, d.Expanded, d.Action)
			for _, g := range d.Details {
				fmt.Fprintf(&b, "  %s %s %.2f", g.ChunkID, g.Classification, g.Score)
				if g.Expanded {
					fmt.Fprintf(&b, ", as %s %.2f", g.ExpandedTo, g.NewScore)
				}
				b.WriteByte('\n')
			}
		case ibid.PassagesReranked:
			fmt.Fprintf(&b, "passages.reranked by %s: %d of %d, best %.2f\n", d.Method, d.OutputCount, d.InputCount, d.TopScore)
		case ibid.AnswerVerified:
			fmt.Fprintf(&b, "answer.verified confidence %.2f\n", d.Confidence)
			for _, c := range d.Details {
				fmt.Fprintf(&b, "  %s %q %v\n", c.Verdict, c.Claim, c.ChunkIDs)
			}
		case ibid.ReasoningDelta:
			text := d.Text
			for ; i+1 < len(log); i++ {
				more, ok := log[i+1].(ibid.ReasoningDelta)
				if !ok {
					break
				}
				text += more.Text
			}
			fmt.Fprintf(&b, "reasoning %q\n", text)
		case ibid.ToolStarted:
			fmt.Fprintf(&b, "tool.started %s %s %s (%s) iteration %d\n", d.CallID, d.Tool, d.Input, d.Detail, d.Iteration)
		case ibid.CitationAdded:
			fmt.Fprintf(&b, "citation.added c%d %s %s %v\n", d.N, d.ChunkID, d.Title, d.Pages)
		case ibid.CitationPlaced:
			fmt.Fprintf(&b, "citation.placed %d: %q backs %q (%s) %v\n", d.N, d.Quote, answerAround(log, i)[d.Statement.Start:d.Statement.End], d.Support, d.Pages)
		case ibid.ToolFinished:
			fmt.Fprintf(&b, "tool.finished %s ok=%t: %s\n", d.CallID, d.OK, d.Summary)
			for _, line := range strings.Split(strings.TrimRight(d.Output, "\n"), "\n") {
				fmt.Fprintf(&b, "  | %s\n", line)
			}
		case ibid.AnswerStarted:
			fmt.Fprintf(&b, "answer.started %s, %d passages\n", d.Model, d.ContextChunks)
		case ibid.AnswerDelta:
			text := d.Text
			for ; i+1 < len(log); i++ {
				more, ok := log[i+1].(ibid.AnswerDelta)
				if !ok {
					break
				}
				text += more.Text
			}
			fmt.Fprintf(&b, "answer %q\n", text)
		case ibid.AnswerRetracted:
			fmt.Fprintf(&b, "answer.retracted: %s\n", d.Reason)
		case ibid.SourcesNamed:
			fmt.Fprintf(&b, "sources.named %v\n", d.Sources)
		default:
			fmt.Fprintf(&b, "%s, which is not the agent's\n", d.EventType())
		}
	}
	return b.String()
}

func writeEnd(out Outcome, err error) string {
	if err != nil {
		var known *ibid.Error
		if errors.As(err, &known) {
			return fmt.Sprintf("failed: %s: %s\n", known.Code, known.Message)
		}
		return fmt.Sprintf("failed: %v\n", err)
	}
	cached := ""
	if out.Cached {
		cached = ", cached"
	}
	return fmt.Sprintf("done: %d iterations, %d requests, tools %v, %d cited, %d dropped, confidence %.2f%s\n",
		out.Iterations, out.Usage.ModelRequests, out.ToolsUsed, out.SourcesCount, out.DroppedMarkers, out.Confidence, cached)
}
