package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ibid/internal/app/config"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

// CheckBackup says how old the newest backup is, and whether the last attempt failed.
func (u *Upkeep) CheckBackup(ctx context.Context) api.Check {
	last, err := u.last(ctx)
	schedule := u.schedule
	const set = `set backup = "daily to DIR, keep 7" in the configuration, or run ibid backup DIR`
	switch {
	case err != nil:
		return api.Bad("backup", api.LevelFail, err, "")
	case !last.OK && !last.At.IsZero():
		return api.Bad("backup", api.LevelFail, fmt.Errorf("the last one, to %s, failed: %s", last.To, last.Error), "mend that, then run ibid backup "+say.ShellQuote(last.To))
	case last.Success.IsZero() && schedule.Every == "":
		return api.Good("backup", "none was made, and none is scheduled; %s", set)
	case schedule.Every != "" && last.Kept.IsZero():
		return api.Bad("backup", api.LevelWarn, fmt.Errorf("none was made yet; scheduled %s", schedule), "ibid serve makes it when it runs, ibid backup makes one now")
	case schedule.Every != "" && u.now().Sub(last.Kept) > 2*schedule.Period():
		return api.Bad("backup", api.LevelWarn, fmt.Errorf("the newest was made on %s, though it is scheduled %s", day(last.Kept), schedule), "ibid serve makes it when it runs, ibid backup makes one now")
	}
	message := fmt.Sprintf("the newest was made on %s to %s", day(last.Success), last.To)
	if schedule.Every != "" {
		message += fmt.Sprintf("; scheduled %s", schedule)
	} else {
		message += "; none is scheduled"
	}
	if n := len(last.Result.Missing); n > 0 {
		return api.Bad("backup", api.LevelWarn, fmt.Errorf("%s; %s that the library has lost or damaged, and so had no backup, %s not in it", message, say.Count(n, "original"), say.AreOrIs(n)), MendHint)
	}
	return api.Good("backup", "%s", message)
}

func day(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// CheckScrub says what the last reading of all originals has found.
func (u *Upkeep) CheckScrub(ctx context.Context) api.Check {
	state, err := u.lookAgain(ctx)
	switch n := len(state.Problems); {
	case err != nil:
		return api.Bad("bytes of originals", api.LevelFail, err, "")
	case n > 0:
		p := state.Problems[0]
		what := "damaged"
		if p.Missing {
			what = "missing"
		}
		return api.Bad("bytes of originals", api.LevelFail, fmt.Errorf("%s damaged or missing, that of %s first (%s, %s)", say.Count(n, "original"), p.Name, what, p.Hash), MendHint)
	case state.Place != "":
		return api.Good("bytes of originals", "%d were read and are whole; the rest is being read", state.Checked)
	case state.Finished.IsZero() && u.scrub == config.ScrubOff:
		return api.Bad("bytes of originals", api.LevelWarn, errors.New("never read, so nobody knows whether they are whole"), "ibid doctor --scrub")
	case state.Finished.IsZero():
		return api.Good("bytes of originals", "not read yet; ibid serve reads them %s, ibid doctor --scrub now", u.scrub)
	}
	return api.Good("bytes of originals", "all %d were whole when they were read on %s", state.Checked, day(state.Finished))
}
