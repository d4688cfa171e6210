package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ibid"
	"ibid/internal/access"
)

// Chunks are the passages that documents are cut into.
type Chunks interface {
	// DocumentChunks returns a page of a document's passages, in the order of its text.
	DocumentChunks(ctx context.Context, view access.View, documentID string, page ibid.Page) (passages []ibid.Chunk, next string, err error)
}

// passageLevel is the level of the chunks that are read: sections hold them, and
// sentences are parts of them.
const passageLevel = 2

// passagesOf returns the passages of a document in the order of its text, which is read
// whole to be shown by section, page or passage. Nothing was searched for, so nothing
// scores less than anything else.
func passagesOf(ctx context.Context, view access.View, chunks Chunks, d ibid.Document) ([]ibid.Passage, error) {
	all := ibid.Each(func(page ibid.Page) ([]ibid.Chunk, string, error) {
		return chunks.DocumentChunks(ctx, view, d.ID, page)
	})
	var passages []ibid.Passage
	for c, err := range all {
		if err != nil {
			return nil, fmt.Errorf("read the passages of document %s: %w", d.ID, err)
		}
		if c.Level == passageLevel {
			passages = append(passages, ibid.Passage{Chunk: c, Document: d, Score: 1})
		}
	}
	slices.SortStableFunc(passages, func(a, b ibid.Passage) int { return a.Start - b.Start })
	return passages, nil
}

// passageNamed finds the passage that a model means, among those it was shown, and
// its document, if that is still there and in the scope.
func passageNamed(ctx context.Context, view access.View, library Library, env ibid.ToolEnv, wanted string) (ibid.Citation, ibid.Document, error) {
	cited, err := shown(env, wanted)
	if err != nil {
		return cited, ibid.Document{}, err
	}
	if cited.Kind != ibid.SourceDocument && cited.Kind != ibid.SourceImage {
		return cited, ibid.Document{}, complain("%s is no document of the library; files of the conversation are read with retrieve_file", line(cited.Title, 200))
	}
	d, ok, err := documentByID(ctx, view, library, env.Scope, cited.DocumentID)
	if err != nil {
		return cited, ibid.Document{}, fmt.Errorf("look for the document of a passage: %w", err)
	}
	if ok {
		return cited, d, nil
	}
	return cited, ibid.Document{}, complain("the document of that passage, %s, is not there any more", line(cited.Title, 200))
}

// shown finds a passage by its handle ("c3", "[c3]") or by the id of its chunk.
func shown(env ibid.ToolEnv, wanted string) (ibid.Citation, error) {
	wanted = strings.Trim(wanted, " \t\"'`[]()【】")
	for _, c := range env.Shown {
		if c.ChunkID == wanted || strings.EqualFold(fmt.Sprintf("c%d", c.N), wanted) {
			return c, nil
		}
	}
	return ibid.Citation{}, complain("no passage %q was shown to you; use the id of one that was, like c1", line(wanted, 80))
}

// onPage returns the passages that stand on a page.
func onPage(all []ibid.Passage, page int) []ibid.Passage {
	var on []ibid.Passage
	for _, p := range all {
		if slices.Contains(p.Pages, page) {
			on = append(on, p)
		}
	}
	return on
}
