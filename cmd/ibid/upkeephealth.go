package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ibid/internal/server"
)

// checkBackup says how old the newest backup is, and whether the last attempt failed.
func (a *app) checkBackup(ctx context.Context) server.Check {
	last, err := a.upkeep.last(ctx)
	schedule := a.upkeep.schedule
	const set = `set backup = "daily to DIR, keep 7" in the configuration, or run ibid backup DIR`
	switch {
	case err != nil:
		return bad("backup", levelFail, err, "")
	case !last.OK && !last.At.IsZero():
		return bad("backup", levelFail, fmt.Errorf("the last one, to %s, failed: %s", last.To, last.Error), "mend that, then run ibid backup "+shellQuote(last.To))
	case last.Success.IsZero() && schedule.Every == "":
		return good("backup", "none was made, and none is scheduled; %s", set)
	case schedule.Every != "" && last.Kept.IsZero():
		return bad("backup", levelWarn, fmt.Errorf("none was made yet; scheduled %s", schedule), "ibid serve makes it when it runs, ibid backup makes one now")
	case schedule.Every != "" && a.upkeep.now().Sub(last.Kept) > 2*schedule.Period():
		return bad("backup", levelWarn, fmt.Errorf("the newest was made on %s, though it is scheduled %s", day(last.Kept), schedule), "ibid serve makes it when it runs, ibid backup makes one now")
	}
	message := fmt.Sprintf("the newest was made on %s to %s", day(last.Success), last.To)
	if schedule.Every != "" {
		message += fmt.Sprintf("; scheduled %s", schedule)
	} else {
		message += "; none is scheduled"
	}
	if n := len(last.Result.Missing); n > 0 {
		return bad("backup", levelWarn, fmt.Errorf("%s; %s that the library has lost or damaged, and so had no backup, %s not in it", message, count(n, "original"), areOrIs(n)), mendHint)
	}
	return good("backup", "%s", message)
}

func areOrIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// checkScrub says what the last reading of all originals has found.
func (a *app) checkScrub(ctx context.Context) server.Check {
	state, err := a.upkeep.lookAgain(ctx)
	switch n := len(state.Problems); {
	case err != nil:
		return bad("bytes of originals", levelFail, err, "")
	case n > 0:
		p := state.Problems[0]
		what := "damaged"
		if p.Missing {
			what = "missing"
		}
		return bad("bytes of originals", levelFail, fmt.Errorf("%s damaged or missing, that of %s first (%s, %s)", count(n, "original"), p.Name, what, p.Hash), mendHint)
	case state.Place != "":
		return good("bytes of originals", "%d were read and are whole; the rest is being read", state.Checked)
	case state.Finished.IsZero() && a.upkeep.scrub == scrubOff:
		return bad("bytes of originals", levelWarn, errors.New("never read, so nobody knows whether they are whole"), "ibid doctor --scrub")
	case state.Finished.IsZero():
		return good("bytes of originals", "not read yet; ibid serve reads them %s, ibid doctor --scrub now", a.upkeep.scrub)
	}
	return good("bytes of originals", "all %d were whole when they were read on %s", state.Checked, day(state.Finished))
}
