package agent

import (
	"strconv"
	"strings"

	"ibid"
	"ibid/internal/evidence"
)

// keptOfWrong is how many passages of a search are shown although they are graded
// Incorrect: the rules see words only.
const keptOfWrong = 2

// hit is a passage that a call has found.
type hit struct {
	call     *call
	citation ibid.Citation
}

// hits are the passages in a call's output.
func (s *state) hits(c *call) []hit {
	if c.result == nil || !c.result.OK || c.result.Retrieval == nil {
		return nil
	}
	var found []hit
	for _, p := range ibid.ParsePassages(c.result.Output) {
		n, err := strconv.Atoi(strings.TrimPrefix(p.Handle, "c"))
		if citation, ok := s.ledger.At(n); ok && err == nil {
			found = append(found, hit{c, citation})
		}
	}
	return found
}

// cited is a passage that was found, as rules read it.
func cited(c ibid.Citation) evidence.Passage {
	return evidence.Passage{Under: c.Title + "\n" + c.Heading, Text: c.Text, Score: c.Score}
}

// query is what the passage was found with.
func (h hit) query() string { return queryOf(h.call.ToolCall) }

// kept are the hits of a call that are worth reading: without what is graded
// INCORRECT, but for the first few of a call that found nothing better.
func (s *state) kept(r *round, c *call) []hit {
	hits := s.hits(c)
	var kept []hit
	for _, h := range hits {
		if g, graded := r.grades[h.citation.ChunkID]; !graded || g.Classification != evidence.Incorrect {
			kept = append(kept, h)
		}
	}
	if len(kept) == 0 {
		return hits[:min(keptOfWrong, len(hits))]
	}
	return kept
}

// shown is a call's output as the model reads it: without the passages that are
// not worth reading, with sections in the place of passages that were expanded.
func (s *state) shown(r *round, c *call) string {
	output := c.result.Output
	hits := s.hits(c)
	if r.grades == nil || len(hits) == 0 {
		return output
	}
	_, rest, _ := cutLast(output, "</passage>\n")
	var b strings.Builder
	written := map[string]bool{}
	useful := false
	for _, h := range s.kept(r, c) {
		citation := h.citation
		g := r.grades[citation.ChunkID]
		useful = useful || g.Classification != evidence.Incorrect
		if g.Expanded {
			if n, ok := s.ledger.Number[g.ExpandedTo]; ok {
				citation, _ = s.ledger.At(n)
			}
		}
		if !written[citation.ChunkID] {
			written[citation.ChunkID] = true
			b.WriteString(ibid.FormatPassages([]ibid.Handled{handled(citation)}))
		}
	}
	if !useful {
		b.WriteString(ibid.NoneAnswers)
		if r.action == actReRetrieve {
			b.WriteString(" Search once more with other words.")
		}
		b.WriteByte('\n')
	}
	return b.String() + rest
}

// cutLast splits s after the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i+len(sep)], s[i+len(sep):], true
	}
	return "", s, false
}
