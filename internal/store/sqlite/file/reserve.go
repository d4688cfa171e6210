package file

import (
	"context"
	"os"
	"path/filepath"

	"ibid/internal/disk"
)

// The reserve is a ballast file beside the database. When the disk is full it is
// given up, and then only what ends or removes something may write until there is
// room to fill it again: everything else would use it up.
//
//	there ──▶ disk full ──▶ given up ──▶ leastFree again ──▶ there
//	          closing writes are            everything else is
//	          tried again                   refused with DISK_FULL

// reserveBytes is the size of the reserve.
const reserveBytes = 2 << 20

// leastFree is how much room there must be to fill the reserve.
const leastFree = 2 * reserveBytes

// ReserveName is the reserve's name in the directory of the database.
const ReserveName = "reserve"

// startBytes is how much room opening a database takes: its log, and the index of
// that in shared memory.
const startBytes = 512 << 10

// MakeRoom gives up the reserve of a data directory where the disk is too full to
// open the database, and where that is gone already what can be made again. It
// reports whether the disk is full. Whoever calls it holds the directory.
func MakeRoom(dir string) (full bool) {
	free, err := disk.Free(dir)
	if err != nil || free >= startBytes {
		return false
	}
	_ = os.Remove(filepath.Join(dir, ReserveName)) // there may be none
	if free, err = disk.Free(dir); err == nil && free < startBytes {
		_ = os.RemoveAll(filepath.Join(dir, "cache"))
	}
	return true
}

func (db *File) reservePath() string { return filepath.Join(filepath.Dir(db.path), ReserveName) }

// fillReserve fills the reserve, where there is room.
func (db *File) fillReserve() {
	if info, err := os.Stat(db.reservePath()); err == nil && info.Size() == reserveBytes {
		db.spent = false
		return
	}
	free, err := disk.Free(filepath.Dir(db.path))
	if db.spent = err == nil && free < leastFree; db.spent {
		return
	}
	// Real bytes: a sparse file would reserve nothing.
	if err := disk.WriteFile(disk.OS{}, db.reservePath(), make([]byte, reserveBytes)); err != nil {
		db.log.Warn("no room for the disk-full reserve", "error", err)
		db.spent = IsFull(err)
	}
}

// dropReserve gives the reserve up, and reports whether there was one.
func (db *File) dropReserve() bool {
	db.spent = true
	return disk.OS{}.Remove(db.reservePath()) == nil
}

// leaveReserve keeps for the next start what room the closed database leaves on a
// full disk.
func (db *File) leaveReserve() {
	free, err := disk.Free(filepath.Dir(db.path))
	const spare = 64 << 10
	if !db.spent || err != nil || free < startBytes+spare {
		return
	}
	if err := disk.WriteFile(disk.OS{}, db.reservePath(), make([]byte, min(reserveBytes, free-spare))); err != nil {
		db.log.Warn("no room for the disk-full reserve", "error", err)
	}
}

// Closing is Write for what ends or removes something: it may use the reserve.
func (db *File) Closing(ctx context.Context, fn func(Querier) error) error {
	return db.submit(ctx, &write{closing: true, fn: fn, done: make(chan struct{})})
}
