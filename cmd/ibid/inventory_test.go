package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// onDisk is the size of all files of the house.
func (h house) onDisk() int64 {
	h.t.Helper()
	var size int64
	err := filepath.WalkDir(h.data, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return size
}

func TestInventoryCountsEveryByte(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.must("add", h.file("terms.md", warrantyText))
	h.must("add", h.file("terms.md", warrantyText+"\nOne more line.\n"))
	ibidtest.WriteFile(t, filepath.Join(h.data, "stray.txt"), "left by somebody")
	server, url := h.serve()
	var inv api.Inventory
	var onDisk int64
	for before := int64(-1); before != onDisk; { // until nothing has changed meanwhile
		before, inv = h.onDisk(), api.Inventory{}
		getInto(t, url+"/v1/inventory", &inv)
		onDisk = h.onDisk()
	}
	by := map[string]api.Holding{}
	var sum int64
	for _, held := range inv.Holdings {
		by[held.What] = held
		sum += held.Bytes
	}
	if sum != inv.Bytes || inv.Bytes != onDisk {
		t.Errorf("holdings of %d bytes, %d in all, %d on the disk", sum, inv.Bytes, onDisk)
	}
	for what, files := range map[string]int{"database": 1, "originals": 1, "older originals": 1, "reserve": 1, "lock": 1, "server": 1, "other": 1} {
		if by[what].Files != files {
			t.Errorf("%s: %d files, want %d", what, by[what].Files, files)
		}
	}
	if by["originals"].Bytes != int64(len(warrantyText+"\nOne more line.\n")) || by["other"].Bytes != int64(len("left by somebody")) {
		t.Errorf("sizes are wrong: %+v", inv.Holdings)
	}
	rows := map[string]int64{}
	for _, p := range by["database"].Parts {
		rows[p.What] = p.Rows
	}
	if rows["documents"] != 1 || rows["versions"] != 2 || rows["chunks"] == 0 {
		t.Errorf("the tables have %v rows", rows)
	}

	if out := h.must("inventory"); !strings.Contains(out, "· chunks") || !strings.Contains(out, h.data) || !strings.Contains(out, "older originals") {
		t.Errorf("inventory says\n%s", out)
	}
	server.cmd.Process.Signal(os.Interrupt)
	server.end()
	var alone api.Inventory
	if err := json.Unmarshal([]byte(h.must("inventory", "--json")), &alone); err != nil || len(alone.Holdings) == 0 {
		t.Errorf("without a server: %+v, %v", alone, err)
	}
}
