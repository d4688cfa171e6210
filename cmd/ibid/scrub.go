package main

import (
	"context"
	"fmt"
)

// scrub has all originals read, and says what was found. The check of the server
// counts them; here each damaged one has a line of its own.
func (c *cli) scrub(ctx context.Context, s *session) []check {
	bar := newWorkBar(newTerminal(c.err, c.env))
	var found scrubState
	err := s.longWork(ctx, "/v1/scrub", struct{}{}, bar.showScrub, &found)
	bar.end()
	if err != nil {
		return []check{failed("scrub", err)}
	}
	checks := []check{passed("scrub", fmt.Sprintf("%s with %s read", count(found.Checked, "original"), byteSize(found.Bytes)))}
	for _, p := range found.Problems {
		what := "is damaged: its bytes are not those that were added"
		if p.Missing {
			what = "is missing"
		}
		checks = append(checks, check{Name: "original", Level: levelFail, Message: fmt.Sprintf("that of %s %s (files/%s/%s)", p.Name, what, p.Hash[:2], p.Hash), Hint: mendHint})
	}
	return checks
}
