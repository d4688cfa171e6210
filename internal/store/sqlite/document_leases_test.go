package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
	"ibid/internal/ibidtest"
)

func queuePlace(t testing.TB) ibidtest.Opener[ibidtest.DocumentQueue] {
	path := filepath.Join(t.TempDir(), "ibid.db")
	return func(t testing.TB) ibidtest.DocumentQueue { return openShared(t, path) }
}

func TestDocumentQueue(t *testing.T) { ibidtest.Run(t, ibidtest.QueueCases, queuePlace) }

// faultyQueue is a store with one fault.
type faultyQueue struct {
	shared
	fault string
}

func (f faultyQueue) ClaimDocument(ctx context.Context, owner string, lease time.Duration, maxCrashes int) (d ibid.Document, l ibid.DocumentLease, a ibid.Attempts, ok bool, err error) {
	switch f.fault {
	case "a claim looks first and takes later":
		var id, version string
		if f.Get(&id, `SELECT id FROM documents WHERE status = 'queued' ORDER BY added_at LIMIT 1`) != nil {
			return d, l, a, false, nil
		}
		if err := f.Get(&version, `SELECT pending FROM documents WHERE id = ?`, id); err != nil {
			return d, l, a, false, err
		}
		later()
		if err := f.Exec(`UPDATE documents SET status = 'processing', data = json_set(data, '$.status', 'processing') WHERE id = ?`, id); err != nil {
			return d, l, a, false, err
		}
		if err := f.Exec(`INSERT OR REPLACE INTO document_leases (document_id, version, owner, lease_until) VALUES (?, ?, ?, ?)`,
			id, version, owner, time.Now().Add(lease).UnixMilli()); err != nil {
			return d, l, a, false, err
		}
		l = ibid.DocumentLease{DocumentID: id, Version: version, Owner: owner}
		err = f.Get(&l.Fence, `SELECT max(fence) FROM document_leases`)
		return d, l, a, true, err
	case "passwords are not looked at":
		if err := f.Exec(`DELETE FROM held_versions`); err != nil {
			return d, l, a, false, err
		}
	case "what has seen ends is begun at once":
		maxCrashes = 1000
	}
	d, l, a, ok, err = f.DB.ClaimDocument(ctx, owner, lease, maxCrashes)
	if ok && f.fault == "fences come again" {
		err = f.Exec(`UPDATE document_leases SET fence = 7 WHERE fence = ?`, l.Fence)
		l.Fence = 7
	}
	return d, l, a, ok, err
}

// held makes a lease one that holds: the check of a write that names it passes.
func (f faultyQueue) held(l ibid.DocumentLease) (ibid.DocumentLease, error) {
	if err := f.Exec(`INSERT OR IGNORE INTO document_leases (document_id, version, owner, lease_until) VALUES (?, ?, ?, ?)`,
		l.DocumentID, l.Version, l.Owner, time.Now().UnixMilli()); err != nil {
		return l, err
	}
	err := f.Get(&l.Fence, `SELECT fence FROM document_leases WHERE document_id = ?`, l.DocumentID)
	return l, err
}

func (f faultyQueue) RenewDocument(ctx context.Context, l ibid.DocumentLease, lease time.Duration) error {
	if f.fault == "a renewal does nothing" {
		return nil
	}
	return f.DB.RenewDocument(ctx, l, lease)
}

func (f faultyQueue) SetProgress(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error {
	if f.fault == "progress asks for no lease" {
		return f.Exec(`UPDATE documents SET data = json_set(data, '$.progress', ?) WHERE id = ?`, d.Progress, d.ID)
	}
	return f.DB.SetProgress(ctx, l, d)
}

func (f faultyQueue) FinishDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document, x ibid.Extract, chunks []ibid.Chunk, named []ibid.Naming, at time.Time) (ibid.Document, int64, error) {
	if f.fault == "a version is published without a lease" {
		var err error
		if l, err = f.held(l); err != nil {
			return d, 0, err
		}
	}
	return f.DB.FinishDocument(ctx, l, d, x, chunks, named, at)
}

func (f faultyQueue) SettleDocument(ctx context.Context, l ibid.DocumentLease, d ibid.Document) error {
	switch f.fault {
	case "an end asks for the lease outside its transaction":
		var there bool
		if err := f.Get(&there, `SELECT EXISTS (SELECT 1 FROM document_leases WHERE fence = ?)`, l.Fence); err != nil {
			return err
		}
		if !there {
			return ibid.ErrLeaseLost
		}
		later()
		l, err := f.held(l)
		if err != nil {
			return err
		}
		return f.DB.SettleDocument(ctx, l, d)
	case "an end keeps the lease":
		err := f.DB.SettleDocument(ctx, l, d)
		if err == nil {
			err = f.Exec(`INSERT INTO document_leases (fence, document_id, version, owner, lease_until) VALUES (?, ?, ?, ?, ?)`,
				l.Fence, l.DocumentID, l.Version, l.Owner, time.Now().Add(time.Hour).UnixMilli())
		}
		return err
	}
	return f.DB.SettleDocument(ctx, l, d)
}

func (f faultyQueue) ReleaseDocuments(ctx context.Context, owner string) error {
	if f.fault == "an orderly end puts back what others have" {
		return f.Exec(`DELETE FROM document_leases`)
	}
	return f.DB.ReleaseDocuments(ctx, owner)
}

func (f faultyQueue) ReleaseLostDocuments(ctx context.Context, maxCrashes int, giveUp string) ([]string, int, error) {
	switch f.fault {
	case "a start takes from the living":
		if err := f.Exec(`UPDATE document_leases SET lease_until = 0`); err != nil {
			return nil, 0, err
		}
	case "the dead keep what they have":
		return nil, 0, nil
	case "ends are not counted":
		ids, failed, err := f.DB.ReleaseLostDocuments(ctx, 1000, giveUp)
		if err == nil {
			err = f.Exec(`UPDATE documents SET crashes = 0`)
		}
		return ids, failed, err
	}
	return f.DB.ReleaseLostDocuments(ctx, maxCrashes, giveUp)
}

func (f faultyQueue) PutDocument(ctx context.Context, d ibid.Document, version string) (ibid.Document, bool, error) {
	var l ibid.DocumentLease
	_ = f.Get(&l.Fence, `SELECT fence FROM document_leases WHERE document_id = ?`, d.ID)
	stored, unchanged, err := f.DB.PutDocument(ctx, d, version)
	if f.fault == "another version leaves the work alone" && err == nil && l.Fence != 0 {
		err = f.Exec(`INSERT OR IGNORE INTO document_leases (fence, document_id, version, owner, lease_until) VALUES (?, ?, '', '', 0)`, l.Fence, d.ID)
	}
	return stored, unchanged, err
}

func (f faultyQueue) CancelDocument(ctx context.Context, view access.View, id string) (ibid.Document, error) {
	var fence int64
	_ = f.Get(&fence, `SELECT fence FROM document_leases WHERE document_id = ?`, id)
	d, err := f.DB.CancelDocument(ctx, view, id)
	if f.fault == "a cancel leaves the work alone" && err == nil {
		err = f.Exec(`INSERT OR IGNORE INTO document_leases (fence, document_id, version, owner, lease_until) VALUES (?, ?, '', '', 0)`, fence, id)
	}
	return d, err
}

func (f faultyQueue) NoteWorkerKilled(ctx context.Context, l ibid.DocumentLease) error {
	if f.fault == "kills of workers are not counted" {
		return f.DB.PutBackDocument(ctx, l)
	}
	return f.DB.NoteWorkerKilled(ctx, l)
}

func (f faultyQueue) HoldVersion(ctx context.Context, owner, version string) error {
	if f.fault == "a password is held for good" {
		owner = "" // nobody gives it back
		return f.Exec(`INSERT INTO held_versions VALUES (?, ?)`, version, owner)
	}
	return f.DB.HoldVersion(ctx, owner, version)
}

func TestDocumentQueueMutants(t *testing.T) {
	var mutants []ibidtest.Mutant[ibidtest.DocumentQueue]
	for fault, notices := range map[string]string{
		"a claim looks first and takes later":               "forty documents are handed out once each",
		"fences come again":                                 "work under an older lease changes nothing",
		"progress asks for no lease":                        "work under an older lease changes nothing",
		"a version is published without a lease":            "work under an older lease changes nothing",
		"an end keeps the lease":                            "work under an older lease changes nothing",
		"an end asks for the lease outside its transaction": "a document ends once",
		"a renewal does nothing":                            "a document's lease that is over can be taken, a renewed one not",
		"a start takes from the living":                     "no document is taken from the living",
		"an orderly end puts back what others have":         "no document is taken from the living",
		"the dead keep what they have":                      "what is published is ready whoever dies",
		"ends are not counted":                              "documents of the dead go behind the rest, and fail in the end",
		"what has seen ends is begun at once":               "documents of the dead go behind the rest, and fail in the end",
		"another version leaves the work alone":             "another version, a cancel and a removal end the work",
		"a cancel leaves the work alone":                    "another version, a cancel and a removal end the work",
		"kills of workers are not counted":                  "kills of workers are counted",
		"passwords are not looked at":                       "a file with a password is left to who has it",
		"a password is held for good":                       "a file with a password is left to who has it",
	} {
		mutants = append(mutants, ibidtest.Mutant[ibidtest.DocumentQueue]{Name: fault, Case: notices,
			Break: func(s ibidtest.DocumentQueue) ibidtest.DocumentQueue { return faultyQueue{s.(shared), fault} }})
	}
	ibidtest.Mutants(t, ibidtest.QueueCases, queuePlace, mutants)
}
