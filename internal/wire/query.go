package wire

import (
	"encoding/json"
	"strings"
	"time"

	"ibid"
)

// Query is POST /api/query/stream: server-sent events whose name stands in the
// data as well.
//
//	query_analysis cache_hit token* sources done
//	query_analysis cache_miss? (tool_call tool_result of decompose_query)? (retrieval_start retrieval_result |
//	tool_call tool_result | crag_evaluation | rerank_result)* generation_start
//	token* verification? [error] sources done
type Query struct {
	Tools Tools

	cursor
	fold   ibid.Fold
	tokens int

	begun      time.Time // the run
	decomposed *decomposed
	inParts    bool // the question was shown as taken apart
}

// decomposed is a question that was taken apart, which this protocol shows as a
// call of a tool once it is clear that the answer is no cached one.
type decomposed struct {
	query string
	parts []string
	took  time.Duration
}

// decomposeTool is what this protocol calls the taking apart of a question.
const decomposeTool = "decompose_query"

// querySource is a passage behind the answer in this protocol's words.
type querySource struct {
	ChunkID     string  `json:"chunk_id"`
	DocumentID  string  `json:"document_id"`
	Text        string  `json:"text"`
	Level       string  `json:"level"`
	Score       float64 `json:"score"`
	PageNumbers []int   `json:"page_numbers"`
	Heading     string  `json:"heading"`
}

// Next implements Projection.
func (p *Query) Next(e ibid.Event) []Frame {
	out := p.begin(e)
	add := func(typ string, data any) { out.add(typ, data, field{"type", typ}) }
	p.fold.Add(e)
	if _, checked := e.Data.(ibid.CacheChecked); !checked {
		p.showParts(add)
	}
	switch d := e.Data.(type) {
	case ibid.RunStarted:
		p.begun = e.At
	case ibid.QueryAnalyzed:
		if d.Decomposed {
			p.decomposed = &decomposed{d.Query, d.SubQueries, e.At.Sub(p.begun)}
		}
		add("query_analysis", map[string]any{"query": d.Query, "complexity": d.Complexity, "decomposed": d.Decomposed, "estimated_mode": d.Mode})
	case ibid.CacheChecked:
		if d.Hit {
			p.decomposed = nil
			add("cache_hit", map[string]any{"similarity": d.Similarity, "original_query": d.OriginalQuery, "cached_at": d.CachedAt})
		} else {
			add("cache_miss", nil)
			p.showParts(add)
		}
	case ibid.ToolStarted:
		if query, ok := retrievalQuery(p.Tools, d.Tool, d.Input); ok {
			add("retrieval_start", map[string]any{"tool": d.Tool, "query": query, "iteration": d.Iteration})
		} else {
			add("tool_call", map[string]any{"tool": d.Tool, "input": d.Input, "iteration": d.Iteration})
		}
	case ibid.ToolFinished:
		p.toolFinished(add, d)
	case ibid.PassagesGraded:
		add("crag_evaluation", d)
	case ibid.PassagesReranked:
		add("rerank_result", d)
	case ibid.AnswerStarted:
		if p.replayed() {
			break // nothing is generated
		}
		add("generation_start", map[string]any{"context_chunks": d.ContextChunks, "total_context_tokens": d.ContextTokens, "model": d.Model})
	case ibid.AnswerDelta:
		p.tokens++
		add("token", map[string]string{"content": d.Text})
	case ibid.AnswerRetracted:
		add("retracted", d)
	case ibid.AnswerVerified:
		if p.replayed() {
			break // it was when the answer was given first
		}
		add("verification", d)
	case ibid.RunFailed:
		add("error", map[string]any{"message": d.Message, "code": d.Code, "recoverable": d.Recoverable})
	case ibid.RunFinished:
		add("sources", map[string]any{"sources": p.sources()})
		tokens := d.Usage.OutputTokens
		if tokens == 0 {
			tokens = p.tokens
		}
		add("done", map[string]any{"total_time_ms": d.Timing.TotalMS, "tokens_generated": tokens, "iterations": d.Iterations,
			"tools_used": p.tools(d.ToolsUsed), "sources_count": d.SourcesCount, "confidence": d.Confidence, "mode": d.Mode, "cached": d.Cached})
	}
	return out.done()
}

// showParts shows once how the question was taken apart.
func (p *Query) showParts(add func(string, any)) {
	d := p.decomposed
	if d == nil {
		return
	}
	p.decomposed, p.inParts = nil, true
	add("tool_call", map[string]any{"tool": decomposeTool, "input": map[string]string{"query": d.query}, "iteration": 1})
	add("tool_result", map[string]any{"tool": decomposeTool, "result": map[string]any{"sub_queries": d.parts}, "duration_ms": max(0, d.took.Milliseconds())})
}

func (p *Query) tools(used []string) []string {
	if !p.inParts {
		return used
	}
	return append([]string{decomposeTool}, used...)
}

// replayed reports whether the answer was given before: this protocol shows such
// a one as tokens and sources only.
func (p *Query) replayed() bool {
	c := p.fold.Message().Cache
	return c != nil && c.Hit
}

func (p *Query) toolFinished(add func(string, any), d ibid.ToolFinished) {
	if kindOf(p.Tools, d.Tool) == ibid.ToolSearch {
		result := map[string]any{"tool": d.Tool, "chunks_found": 0, "top_score": 0.0, "levels": map[string]int{}, "duration_ms": d.DurationMS}
		if r := d.Retrieval; r != nil {
			result["chunks_found"], result["top_score"], result["levels"] = r.ChunksFound, r.TopScore, r.Levels
		}
		add("retrieval_result", result)
		return
	}
	var result any = map[string]any{"summary": d.Summary, "output": d.Output}
	if json.Valid([]byte(d.Output)) && strings.HasPrefix(strings.TrimSpace(d.Output), "{") {
		result = json.RawMessage(d.Output)
	}
	add("tool_result", map[string]any{"tool": d.Tool, "result": result, "duration_ms": d.DurationMS})
}

// sources are the passages that the answer cites, or all that were found where
// it cites none.
func (p *Query) sources() []querySource {
	m := p.fold.Message()
	cited, all := []querySource{}, []querySource{}
	for _, c := range m.Found {
		text := c.Text
		if text == "" {
			text = c.Quote
		}
		pages := c.Pages
		if pages == nil {
			pages = []int{}
		}
		s := querySource{ChunkID: c.ChunkID, DocumentID: c.DocumentID, Text: text, Level: c.Level, Score: c.Score, PageNumbers: pages, Heading: c.Heading}
		all = append(all, s)
		if strings.Contains(m.Text, "["+c.ChunkID+"]") {
			cited = append(cited, s)
		}
	}
	if len(cited) > 0 {
		return cited
	}
	return all
}

// retrievalQuery is what a tool looks for passages by.
func retrievalQuery(tools Tools, tool string, input json.RawMessage) (string, bool) {
	if kindOf(tools, tool) != ibid.ToolSearch {
		return "", false
	}
	var in struct {
		Query string `json:"query"`
	}
	_ = json.Unmarshal(input, &in) // a query that is no string is shown as empty
	return in.Query, true
}
