package main

import (
	"context"
	"fmt"

	"ibid/internal/app"
	"ibid/internal/app/upkeep"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

// scrub has all originals read, and says what was found. The check of the server
// counts them; here each damaged one has a line of its own.
func (c *cli) scrub(ctx context.Context, s *app.Session) []api.Check {
	bar := newWorkBar(newTerminal(c.err, c.env))
	found, err := s.Scrub(ctx, bar.showScrub)
	bar.end()
	if err != nil {
		return []api.Check{failed("scrub", err)}
	}
	checks := []api.Check{passed("scrub", fmt.Sprintf("%s with %s read", say.Count(found.Checked, "original"), say.Bytes(found.Bytes)))}
	for _, p := range found.Problems {
		what := "is damaged: its bytes are not those that were added"
		if p.Missing {
			what = "is missing"
		}
		checks = append(checks, api.Check{Name: "original", Level: api.LevelFail, Message: fmt.Sprintf("that of %s %s (files/%s/%s)", p.Name, what, p.Hash[:2], p.Hash), Hint: upkeep.MendHint})
	}
	return checks
}
