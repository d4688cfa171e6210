package upkeep

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/app/config"
	"ibid/internal/backup"
	"ibid/internal/server/api"
)

func (u *Upkeep) scrubState(ctx context.Context) (state api.ScrubState, err error) {
	state.Problems = []api.ScrubProblem{}
	text, err := u.store.Setting(ctx, scrubSetting)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &state)
	}
	return state, err
}

func (u *Upkeep) saveScrub(ctx context.Context, state api.ScrubState) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return u.store.SetSetting(ctx, scrubSetting, string(text))
}

// scrubPeriod is the time from the beginning of one reading to the next.
func (u *Upkeep) scrubPeriod() time.Duration {
	if u.scrub == config.ScrubMonthly {
		return 30 * 24 * time.Hour
	}
	return 7 * 24 * time.Hour
}

// keepScrubbed reads all originals once in a while, and goes on where the process
// before this one has stopped. The first reading comes one period after the first
// start. Where the originals cannot be reached it tries again until they can.
func (u *Upkeep) keepScrubbed(ctx context.Context) {
	away := false // that they are was said
	for {
		state, err := u.scrubState(ctx)
		if err == nil && state.Next.IsZero() {
			state.Next = u.now().Add(u.scrubPeriod()).UTC()
			err = u.saveScrub(ctx, state)
		}
		if err == nil && !u.now().Before(state.Next) && u.scrubbing.TryLock() {
			err = u.scrubOn(ctx, state, backup.Slow, nil)
			u.scrubbing.Unlock()
		}
		wasAway := away
		if away = err != nil && ibid.CodeOf(err) == ibid.CodeAway; err != nil && ctx.Err() == nil && !(away && wasAway) {
			u.log.Warn("cannot read the originals", "error", err)
		}
		if sleep(ctx, longestWait) != nil {
			return
		}
	}
}

// saveEvery is how many originals, or bytes, are read between two notes of the
// place.
const (
	saveEveryFiles = 200
	saveEveryBytes = 256 << 20
)

// scrubOn reads the originals from the noted place on. progress may be nil.
func (u *Upkeep) scrubOn(ctx context.Context, state api.ScrubState, pace backup.Pace, progress func(api.ScrubProgress)) error {
	originals := u.originals()
	var at api.ScrubProgress
	listed := map[string]bool{} // the hashes of the problems that are listed
	for hash, err := range u.inUse(ctx) {
		if err != nil {
			return err
		}
		bytes, err := originals.Size(ctx, hash)
		if err != nil {
			return err
		}
		at.Total++
		at.TotalBytes += bytes
		if slices.ContainsFunc(state.Problems, func(p api.ScrubProblem) bool { return p.Hash == hash }) {
			listed[hash] = true
		}
	}
	if state.Place == "" {
		state.Checked, state.Bytes = 0, 0
	}
	state.Problems = slices.DeleteFunc(state.Problems, func(p api.ScrubProblem) bool { return !listed[p.Hash] }) // of documents that are gone
	unsaved, unsavedBytes := 0, int64(0)
	for hash, err := range u.inUse(ctx) {
		if err != nil {
			return err
		}
		if hash <= state.Place {
			continue
		}
		problem, err := originals.Check(ctx, hash, pace, func(n int64) {
			state.Bytes += n
			unsavedBytes += n
			if progress != nil {
				at.Done, at.DoneBytes, at.Problems = state.Checked, state.Bytes, len(state.Problems)
				progress(at)
			}
		})
		if err != nil {
			return err
		}
		if problem != nil && !u.stillListed(ctx, hash) {
			problem = nil // its document was removed for good meanwhile
		}
		u.note(ctx, &state, hash, problem)
		state.Place = hash
		state.Checked++
		if unsaved++; unsaved >= saveEveryFiles || unsavedBytes >= saveEveryBytes || problem != nil {
			unsaved, unsavedBytes = 0, 0
			if err := u.saveScrub(ctx, state); err != nil {
				return err
			}
		}
	}
	state.Place, state.Finished, state.Next = "", u.now().UTC(), u.now().Add(u.scrubPeriod()).UTC()
	if err := u.saveScrub(ctx, state); err != nil {
		return err
	}
	if len(state.Problems) > 0 {
		u.log.Error("originals are damaged or missing", "how_many", len(state.Problems), "mend", MendHint)
	} else {
		u.log.Info("all originals are whole", "files", state.Checked, "bytes", state.Bytes)
	}
	return nil
}

// inUse yields the hashes of the originals that are in use, in order.
func (u *Upkeep) inUse(ctx context.Context) iter.Seq2[string, error] {
	return ibid.Each(func(page ibid.Page) ([]string, string, error) { return u.store.Originals(ctx, page) })
}

func (u *Upkeep) originals() backup.Originals {
	return backup.Originals{FS: u.disk, Dir: u.dir, Blobs: u.library.Blobs}
}

// Damaged are the hashes of the originals that were found damaged or missing.
func (u *Upkeep) Damaged(ctx context.Context) (map[string]bool, error) {
	state, err := u.scrubState(ctx)
	hashes := map[string]bool{}
	for _, p := range state.Problems {
		hashes[p.Hash] = true
	}
	return hashes, err
}

// lookAgain reads the originals that were found damaged or missing once more, as
// they may have been added again, and forgets those that are whole. While all
// originals are being read it leaves that to the reading.
func (u *Upkeep) lookAgain(ctx context.Context) (api.ScrubState, error) {
	if !u.scrubbing.TryLock() {
		return u.scrubState(ctx)
	}
	defer u.scrubbing.Unlock()
	state, err := u.scrubState(ctx)
	if err != nil || len(state.Problems) == 0 {
		return state, err
	}
	left := []api.ScrubProblem{}
	for _, p := range state.Problems {
		problem, err := u.originals().Check(ctx, p.Hash, backup.Pace{}, nil)
		if err != nil {
			return state, err
		}
		if problem != nil && u.stillListed(ctx, p.Hash) {
			left = append(left, p)
		}
	}
	if len(left) == len(state.Problems) {
		return state, nil
	}
	state.Problems = left
	return state, u.saveScrub(ctx, state)
}

func (u *Upkeep) stillListed(ctx context.Context, hash string) bool {
	names, err := u.store.NamesOfVersions(ctx, access.System("the check of the originals"), []string{hash})
	_, listed := names[hash]
	return err != nil || listed
}

// note remembers what was found of one original.
func (u *Upkeep) note(ctx context.Context, state *api.ScrubState, hash string, problem *backup.Problem) {
	state.Problems = slices.DeleteFunc(state.Problems, func(p api.ScrubProblem) bool { return p.Hash == hash })
	if problem == nil {
		return
	}
	found := api.ScrubProblem{Problem: *problem}
	if names, err := u.store.NamesOfVersions(ctx, access.System("the check of the originals"), []string{hash}); err == nil {
		found.Name = names[hash]
	}
	state.Problems = append(state.Problems, found)
	u.log.Error("an original is not what it was", "hash", hash, "document", found.Name, "missing", found.Missing, "mend", MendHint)
}

// MendHint says how damaged originals come back.
const MendHint = "ibid restore BACKUP --only-damaged puts back what a backup has; or add the files again"

// Scrub reads all originals now, from the beginning.
func (u *Upkeep) Scrub(ctx context.Context, progress func(api.ScrubProgress)) (api.ScrubState, error) {
	if !u.scrubbing.TryLock() {
		e := ibid.Errorf(ibid.CodeConflict, "the originals are being read already")
		e.Hint = "wait for it to end; ibid doctor says what it has found"
		return api.ScrubState{}, e
	}
	defer u.scrubbing.Unlock()
	state, err := u.scrubState(ctx)
	if err != nil {
		return api.ScrubState{}, err
	}
	state.Place = ""
	pace := backup.Gentle
	if u.alone {
		pace = backup.Pace{}
	}
	if err := u.scrubOn(ctx, state, pace, progress); err != nil {
		return api.ScrubState{}, err
	}
	return u.scrubState(ctx)
}

// Mend reads all originals, and puts those that are damaged or missing back from a
// backup.
func (u *Upkeep) Mend(ctx context.Context, from string, progress func(api.ScrubProgress)) (api.Mended, error) {
	if _, err := backup.Open(ctx, u.disk, from, time.Time{}, nil); err != nil {
		return api.Mended{}, err // before all is read
	}
	state, err := u.Scrub(ctx, progress)
	if err != nil {
		return api.Mended{}, err
	}
	result := api.Mended{Checked: state.Checked, Problems: []api.ScrubProblem{}}
	if len(state.Problems) == 0 {
		return result, nil
	}
	var problems []backup.Problem
	for _, p := range state.Problems {
		problems = append(problems, p.Problem)
	}
	left, aside, err := u.originals().Mend(ctx, problems, from, u.now())
	if err != nil {
		return api.Mended{}, err
	}
	result.Aside, result.Mended = aside, len(problems)-len(left)
	for _, p := range state.Problems {
		if slices.Contains(left, p.Problem) {
			result.Problems = append(result.Problems, p)
		}
	}
	u.scrubbing.Lock()
	defer u.scrubbing.Unlock()
	if state, err = u.scrubState(ctx); err != nil {
		return api.Mended{}, err
	}
	state.Problems = result.Problems
	return result, u.saveScrub(ctx, state)
}

func (u *Upkeep) ScrubStatus(ctx context.Context) api.ScrubStatus {
	state, err := u.scrubState(ctx)
	if err != nil {
		u.log.Warn("cannot read how far the originals were read", "error", err)
	}
	return api.ScrubStatus{Setting: u.scrub, ScrubState: state}
}
