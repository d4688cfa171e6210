package tool

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/search"
	"ibid/internal/text"
)

// Tools that read whole documents call the model directly, never through the
// agent: one system prompt that holds the task and the fenced texts, one user
// turn that holds the question. What stands in the texts can make the model say
// something wrong, but not do anything: it is given no tools.

const (
	// maxReading bounds what one inner call reads of documents, in bytes: some
	// 6,000 tokens, which fits a window of 8k with the answer.
	maxReading = 24_000
	maxOutline = 2_500
	// bestPerDocument is how many passages of a document can be cited afterwards.
	bestPerDocument = 5
)

// read returns what a document says.
func read(ctx context.Context, view access.View, library Library, d ibid.Document) (ibid.Extract, error) {
	x, err := library.Text(ctx, view, d.ID)
	switch {
	case err != nil && ibid.CodeOf(err) != ibid.CodeNotFound:
		return x, fmt.Errorf("read the text of document %s: %w", d.ID, err)
	case err != nil && d.Status == ibid.DocumentFailed:
		return x, complain("%s could not be read: %s", title(d), line(d.Error, 300))
	case err != nil:
		return x, complain("%s has not been read yet; try again in a moment", title(d))
	case strings.TrimSpace(x.Text) == "":
		return x, complain("%s holds no readable text", title(d))
	}
	return x, nil
}

// ask has one turn with the model.
func ask(ctx context.Context, model ibid.Model, req ibid.ModelRequest) (string, ibid.ModelResponse, error) {
	req.Think = ibid.ThinkOff
	res, err := model.Generate(ctx, req, func(ibid.ModelDelta) {})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return strings.TrimSpace(res.Turn.Text()), res, err
}

// gaveUp is the output for a model that failed; an error when ctx has ended.
func gaveUp(ctx context.Context, err error, usage ibid.Usage, what string) (ibid.ToolOutput, error) {
	if ctx.Err() != nil {
		return ibid.ToolOutput{Usage: usage}, fmt.Errorf("%s: %w", what, ctx.Err())
	}
	out := failed("could not %s: %s. Use search_knowledge_base instead.", what, line(err.Error(), 400))
	out.Usage = usage
	return out, nil
}

// best returns the passages of a document that fit a text best. That none can
// be had is no reason to fail: they only serve citing.
func best(ctx context.Context, view access.View, s Searcher, scope ibid.Scope, d ibid.Document, text string) []ibid.Passage {
	if text = line(text, 500); text == "" {
		return nil
	}
	found, err := find(ctx, view, s, search.Query{Text: text, Scope: within(scope, d.ID), Limit: bestPerDocument})
	if err != nil {
		return nil
	}
	return found.Passages
}

// beginning is a document, or the start of it, under one handle.
func beginning(handle string, d ibid.Document, x ibid.Extract, limit int) (h ibid.Handled, all bool) {
	text := text.Clip(x.Text, limit)
	if all = len(text) == len(x.Text); !all { // not in the middle of a word
		if i := strings.LastIndexFunc(text, unicode.IsSpace); i > len(text)/2 {
			text = text[:i]
		}
	}
	return ibid.Handled{Handle: handle, Title: title(d), Category: d.Category, Text: strings.TrimSpace(text), Score: 1}, all
}

// outline tells a model the headings of a document, "" where it has none.
func outline(d ibid.Document, x ibid.Extract) string {
	list := headings(x)
	if list == "" {
		return ""
	}
	return fmt.Sprintf("Headings of all of %q (data too):\n%s\n", title(d), list)
}

// headings are those of a document, one a line and indented by their depth.
func headings(x ibid.Extract) string {
	var b strings.Builder
	for _, block := range x.Blocks {
		if block.Kind != ibid.BlockHeading || block.Start < 0 || block.End > len(x.Text) || block.Start > block.End {
			continue
		}
		entry := strings.Repeat("  ", min(max(block.Level-1, 0), 5)) + "- " + line(x.Text[block.Start:block.End], 120) + "\n"
		if b.Len()+len(entry) > maxOutline {
			b.WriteString("- …\n")
			break
		}
		b.WriteString(entry)
	}
	return defuse(b.String())
}
