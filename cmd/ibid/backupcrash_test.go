package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ibid/internal/backup"
)

// backupKills is how often TestBackupCrash kills a backup, and how often a restore;
// a fifth of $IBID_KILLS overrides it.
const backupKills = 5

// TestBackupCrash kills backups and restores at random moments, while the library
// grows between them: a copy that can be listed is always whole, and running the
// same command again finishes.
func TestBackupCrash(t *testing.T) {
	t.Parallel()
	kills := backupKills
	if n, err := strconv.Atoi(os.Getenv("IBID_KILLS")); err == nil {
		kills = n / 5
	}
	rng := rand.New(rand.NewPCG(3, uint64(kills)))
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText), h.heavy("a.docx", 6), h.heavy("b.docx", 6))
	to := filepath.Join(h.home, "backup")
	began := time.Now()
	h.must("backup", filepath.Join(h.home, "first"))
	took := time.Since(began)

	cut := 0
	for i := range kills {
		name := fmt.Sprintf("note%d.md", i)
		h.must("add", h.file(name, "# "+name+"\n\nThe stork of "+name+" flies south.\n"))
		if h.killed(rng, took, "backup", "--keep", "3", to) {
			cut++
		}
		h.wholeCopies(to)
		if i%3 == 2 { // the others are gone on with by the next
			h.must("backup", "--keep", "3", to)
		}
	}
	last := h.must("backup", "--keep", "3", to)
	if copies := h.wholeCopies(to); len(copies) == 0 || len(copies) > 3 {
		t.Errorf("the backup holds %d copies: %s", len(copies), last)
	}

	interrupted := 0
	for i := range kills {
		restored := h.elsewhere(fmt.Sprintf("restored%d", i))
		for range 1 + rng.IntN(3) {
			if restored.killed(rng, took, "restore", "--replace", to) {
				interrupted++
			}
		}
		restored.must("restore", "--replace", to)
		if !maps.Equal(restored.originals(), h.originals()) {
			t.Errorf("restore %d gave other originals", i)
		}
		if i == 0 {
			if out := restored.must("doctor", "--scrub"); !strings.Contains(out, fmt.Sprintf("%d originals", kills+3)) {
				t.Errorf("doctor said\n%s", out)
			}
		}
		os.RemoveAll(restored.data)
	}
	t.Logf("%d kills cut a backup short, %d a restore", cut, interrupted)
	if cut == 0 || interrupted == 0 {
		t.Error("nothing was cut short: the harness tests nothing")
	}
}

// killed runs a command that takes about so long, kills it at a random moment, and
// reports whether that cut it short.
func (h house) killed(rng *rand.Rand, took time.Duration, args ...string) bool {
	h.t.Helper()
	p := h.start(args...)
	time.Sleep(time.Duration(rng.Int64N(int64(took))))
	p.cmd.Process.Kill()
	return p.end() != exitOK
}

// wholeCopies lists the copies of a backup, each of which can be restored.
func (h house) wholeCopies(to string) []backup.Copy {
	h.t.Helper()
	code, out, errs := h.run("backup", "--list", "--json", to)
	if code != exitOK {
		if _, err := os.Stat(filepath.Join(to, "ibid-backup.json")); err == nil {
			h.t.Errorf("the copies cannot be listed: %s", errs)
		}
		return nil
	}
	var list struct {
		Copies []backup.Copy `json:"copies"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		h.t.Error(err)
	}
	for _, copy := range list.Copies {
		if copy.Error != "" {
			h.t.Errorf("%s cannot be restored: %s", copy.Name, copy.Error)
		}
	}
	return list.Copies
}
