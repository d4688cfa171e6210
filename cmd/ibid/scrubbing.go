package main

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/backup"
)

// scrubState is what is remembered of the reading of originals.
type scrubState struct {
	Next     time.Time `json:"next,omitzero"`     // when the next reading begins
	Place    string    `json:"place,omitempty"`   // hash up to which the one under way has come
	Checked  int       `json:"checked"`           // originals, by the one under way or the last
	Bytes    int64     `json:"bytes"`             // that were read
	Finished time.Time `json:"finished,omitzero"` // when the last one was done
	// Problems are the originals that were found damaged or missing and have not been
	// found whole since.
	Problems []scrubProblem `json:"problems"`
}

type scrubProblem struct {
	backup.Problem
	Name string `json:"name"` // of a document that has it; "" when none is listed
}

func (u *upkeep) scrubState(ctx context.Context) (state scrubState, err error) {
	state.Problems = []scrubProblem{}
	text, err := u.store.Setting(ctx, scrubSetting)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &state)
	}
	return state, err
}

func (u *upkeep) saveScrub(ctx context.Context, state scrubState) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return u.store.SetSetting(ctx, scrubSetting, string(text))
}

// scrubPeriod is the time from the beginning of one reading to the next.
func (u *upkeep) scrubPeriod() time.Duration {
	if u.scrub == scrubMonthly {
		return 30 * 24 * time.Hour
	}
	return 7 * 24 * time.Hour
}

// keepScrubbed reads all originals once in a while, and goes on where the process
// before this one has stopped. The first reading comes one period after the first
// start.
func (u *upkeep) keepScrubbed(ctx context.Context) {
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
		if err != nil && ctx.Err() == nil {
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
func (u *upkeep) scrubOn(ctx context.Context, state scrubState, pace backup.Pace, progress func(scrubProgress)) error {
	hashes, err := u.store.Originals(ctx)
	if err != nil {
		return err
	}
	originals := backup.Originals{FS: u.disk, Dir: u.dir}
	at := scrubProgress{Total: len(hashes), TotalBytes: originals.Sizes(hashes)}
	if state.Place == "" {
		state.Checked, state.Bytes = 0, 0
	}
	state.Problems = slices.DeleteFunc(state.Problems, func(p scrubProblem) bool { // of documents that are gone
		_, listed := slices.BinarySearch(hashes, p.Hash)
		return !listed
	})
	from, found := slices.BinarySearch(hashes, state.Place)
	if found {
		from++
	}
	unsaved, unsavedBytes := 0, int64(0)
	for _, hash := range hashes[from:] {
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
		u.log.Error("originals are damaged or missing", "how_many", len(state.Problems), "mend", mendHint)
	} else {
		u.log.Info("all originals are whole", "files", state.Checked, "bytes", state.Bytes)
	}
	return nil
}

// damaged are the hashes of the originals that were found damaged or missing.
func (u *upkeep) damaged(ctx context.Context) (map[string]bool, error) {
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
func (u *upkeep) lookAgain(ctx context.Context) (scrubState, error) {
	if !u.scrubbing.TryLock() {
		return u.scrubState(ctx)
	}
	defer u.scrubbing.Unlock()
	state, err := u.scrubState(ctx)
	if err != nil || len(state.Problems) == 0 {
		return state, err
	}
	left := []scrubProblem{}
	for _, p := range state.Problems {
		problem, err := backup.Originals{FS: u.disk, Dir: u.dir}.Check(ctx, p.Hash, backup.Pace{}, nil)
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

func (u *upkeep) stillListed(ctx context.Context, hash string) bool {
	names, err := u.store.NamesOfVersions(ctx, access.System("the check of the originals"), []string{hash})
	_, listed := names[hash]
	return err != nil || listed
}

// note remembers what was found of one original.
func (u *upkeep) note(ctx context.Context, state *scrubState, hash string, problem *backup.Problem) {
	state.Problems = slices.DeleteFunc(state.Problems, func(p scrubProblem) bool { return p.Hash == hash })
	if problem == nil {
		return
	}
	found := scrubProblem{Problem: *problem}
	if names, err := u.store.NamesOfVersions(ctx, access.System("the check of the originals"), []string{hash}); err == nil {
		found.Name = names[hash]
	}
	state.Problems = append(state.Problems, found)
	u.log.Error("an original is not what it was", "hash", hash, "document", found.Name, "missing", found.Missing, "mend", mendHint)
}

// mendHint says how damaged originals come back.
const mendHint = "ibid restore BACKUP --only-damaged puts back what a backup has; or add the files again"

// scrubProgress says how far a reading is.
type scrubProgress struct {
	Done       int   `json:"done"`  // originals
	Total      int   `json:"total"` // originals
	DoneBytes  int64 `json:"done_bytes"`
	TotalBytes int64 `json:"total_bytes"`
	Problems   int   `json:"problems"`
}

// Scrub reads all originals now, from the beginning.
func (u *upkeep) Scrub(ctx context.Context, progress func(any)) (any, error) {
	if !u.scrubbing.TryLock() {
		e := ibid.Errorf(ibid.CodeConflict, "the originals are being read already")
		e.Hint = "wait for it to end; ibid doctor says what it has found"
		return nil, e
	}
	defer u.scrubbing.Unlock()
	state, err := u.scrubState(ctx)
	if err != nil {
		return nil, err
	}
	state.Place = ""
	pace := backup.Gentle
	if u.alone {
		pace = backup.Pace{}
	}
	if err := u.scrubOn(ctx, state, pace, func(p scrubProgress) { progress(p) }); err != nil {
		return nil, err
	}
	return u.scrubState(ctx)
}

// mended is what putting originals back came to.
type mended struct {
	Checked  int            `json:"checked"`
	Mended   int            `json:"mended"`
	Problems []scrubProblem `json:"problems"` // what the backup does not have either
	Aside    string         `json:"aside"`    // where the damaged ones lie now
}

// Mend reads all originals, and puts those that are damaged or missing back from a
// backup.
func (u *upkeep) Mend(ctx context.Context, from string, progress func(any)) (any, error) {
	if _, err := backup.Open(ctx, u.disk, from, time.Time{}, nil); err != nil {
		return nil, err // before all is read
	}
	found, err := u.Scrub(ctx, progress)
	if err != nil {
		return nil, err
	}
	state := found.(scrubState)
	result := mended{Checked: state.Checked, Problems: []scrubProblem{}}
	if len(state.Problems) == 0 {
		return result, nil
	}
	var problems []backup.Problem
	for _, p := range state.Problems {
		problems = append(problems, p.Problem)
	}
	left, aside, err := backup.Originals{FS: u.disk, Dir: u.dir}.Mend(ctx, problems, from, u.now())
	if err != nil {
		return nil, err
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
		return nil, err
	}
	state.Problems = result.Problems
	return result, u.saveScrub(ctx, state)
}

// scrubReport is what GET /v1/status says of the reading of originals.
type scrubReport struct {
	Setting string `json:"setting"` // weekly, monthly, off
	scrubState
}

func (u *upkeep) scrubReport(ctx context.Context) scrubReport {
	state, err := u.scrubState(ctx)
	if err != nil {
		u.log.Warn("cannot read how far the originals were read", "error", err)
	}
	return scrubReport{Setting: u.scrub, scrubState: state}
}
