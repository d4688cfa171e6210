package pdfium

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestADamagedCacheIsMadeAnew(t *testing.T) {
	if !Available() {
		t.Skip("this binary was built without PDF support: run make build")
	}
	cfg := Config{CacheDir: t.TempDir()}
	open := func() {
		t.Helper()
		e, err := New(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	open()
	kept, err := filepath.Glob(filepath.Join(cfg.CacheDir, "wazero-*", "*"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("the cache holds %v, %v", kept, err)
	}
	whole, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte{}, whole...)
	flipped[len(flipped)/2] ^= 4
	if err := os.WriteFile(kept[0], flipped, 0o600); err != nil {
		t.Fatal(err)
	}
	open()
	if now, err := os.ReadFile(kept[0]); err != nil || !slices.Equal(now, whole) {
		t.Errorf("the cache was not made anew: %v", err)
	}
}
