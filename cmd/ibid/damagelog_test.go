package main

import (
	enc "encoding/binary"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid/internal/app/datadir"
	"ibid/internal/ibidtest"
)

// killed is a house whose server was killed: what it was given stands in the
// database's log alone.
func killed(t *testing.T, texts ...string) house {
	t.Helper()
	h := newHouse(t)
	server, _ := h.serve()
	for i, text := range texts {
		h.must("add", h.file(string(rune('a'+i))+".md", text))
	}
	server.cmd.Process.Kill()
	server.end()
	if held := h.stored(); len(held[datadir.DatabaseName+"-wal"]) < 20_000 || len(held[datadir.DatabaseName+"-shm"]) == 0 {
		t.Fatalf("the killed server left %v", slices.Sorted(maps.Keys(held)))
	}
	return h
}

// SQLite takes what it can read of a log, whosever it is. A start that lacks
// what a log held is refused, whatever happened to the log; the log's index may be
// lost.
func TestALogThatIsLostIsMissed(t *testing.T) {
	t.Parallel()
	ibidtest.WithoutRace(t, "commands, one after the other; other tests start and recover under it")
	h, other := killed(t, warrantyText, walrusText), killed(t, "The pelican flies.\n")
	clean := newHouse(t)
	clean.must("add", clean.file("else.md", "The heron stands on one leg.\n"))
	log, index, db := datadir.DatabaseName+"-wal", datadir.DatabaseName+"-shm", datadir.DatabaseName
	whole, others := h.stored(), other.stored()
	half := func(s string) string { return s[:len(s)/2] }
	for name, damage := range map[string]func(in map[string]string){
		"log missing":   func(in map[string]string) { delete(in, log) },
		"log empty":     func(in map[string]string) { in[log] = "" },
		"log truncated": func(in map[string]string) { in[log] = half(in[log]) },
		"log header":    func(in map[string]string) { in[log] = in[log][:20] },
		"log foreign":   func(in map[string]string) { in[log] = others[log] },
		"log no log":    func(in map[string]string) { in[log] = "Dear diary" },
		"log flipped":   func(in map[string]string) { in[log] = flipped(in[log], 40) },
		"log and index foreign": func(in map[string]string) {
			in[log], in[index] = others[log], others[index]
		},
		"database missing":           func(in map[string]string) { delete(in, db) },
		"database empty":             func(in map[string]string) { in[db] = "" },
		"database foreign":           func(in map[string]string) { in[db] = others[db] },
		"database foreign and clean": func(in map[string]string) { in[db] = clean.stored()[db] },
		"all three foreign": func(in map[string]string) {
			in[db], in[log], in[index] = others[db], others[log], others[index]
		},
		"all three missing": func(in map[string]string) { delete(in, db); delete(in, log); delete(in, index) },
	} {
		t.Run(name, func(t *testing.T) {
			c := house{t: t, home: h.home, data: filepath.Join(t.TempDir(), "data")}
			c.holds(whole, damage)
			c.refuses(datadir.DatabaseName)
		})
	}
	for name, damage := range map[string]func(in map[string]string){
		"index missing":   func(in map[string]string) { delete(in, index) },
		"index empty":     func(in map[string]string) { in[index] = "" },
		"index truncated": func(in map[string]string) { in[index] = half(in[index]) },
		"index flipped":   func(in map[string]string) { in[index] = flipped(in[index], 16) },
		"index foreign":   func(in map[string]string) { in[index] = others[index] },
		"nothing":         func(map[string]string) {},
	} {
		t.Run(name, func(t *testing.T) {
			c := house{t: t, home: h.home, data: filepath.Join(t.TempDir(), "data")}
			c.holds(whole, damage)
			c.lists()
		})
	}
	// One byte of the log is flipped somewhere.
	random := rand.New(rand.NewPCG(12, 12))
	places := 4
	if os.Getenv("IBID_FULL") != "" {
		places = 200
	}
	for range places {
		c := house{t: t, home: h.home, data: filepath.Join(t.TempDir(), "data")}
		at := random.IntN(len(whole[log]))
		c.holds(whole, func(in map[string]string) { in[log] = flipped(in[log], at) })
		if err := datadir.Inspect(t.Context(), c.data, datadir.Originals(c.data)); err == nil {
			c.lists() // behind what is committed
		} else if !strings.Contains(err.Error(), log) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}

// holds makes the data directory of files, after damage has been done to them.
func (h house) holds(files map[string]string, damage func(in map[string]string)) {
	h.t.Helper()
	files = maps.Clone(files)
	damage(files)
	for path, body := range files {
		ibidtest.WriteFile(h.t, filepath.Join(h.data, filepath.FromSlash(path)), body)
	}
}

// Of what a killed server left in a log that was damaged since, a recovery takes what
// stands before the damage, and the originals show the rest.
func TestRecoverReadsTheLog(t *testing.T) {
	t.Parallel()
	h := killed(t, warrantyText, walrusText)
	log := filepath.Join(h.data, datadir.DatabaseName+"-wal")
	held := h.stored()
	frames := int(enc.NativeEndian.Uint32([]byte(held[datadir.DatabaseName+"-shm"])[16:])) // that are committed
	ibidtest.WriteFile(t, log, flipped(held[datadir.DatabaseName+"-wal"], 32+(frames-1)*(24+4096)+2000))
	before := h.stored()
	r := h.recovers()
	h.keeps(before)
	if !strings.Contains(r.Found, "damaged or cut short") || r.Salvaged.Documents == 0 || r.Documents != 2 {
		t.Errorf("recovered: %+v", r)
	}
	h.lists()
}
