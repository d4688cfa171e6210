package adding

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"ibid"
)

// A look through a folder ends where it stands when it is cancelled, and at once
// where the file system keeps it.
func TestALookCanBeCancelled(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("%02d/%03d.md", i/20, i))
	}
	root := tree(t, names...)
	ctx, cancel := context.WithCancel(t.Context())
	var told []int
	c, err := walking{ctx, func(files int) {
		if told = append(told, files); files > 0 {
			cancel()
		}
	}}.collect([]string{root, filepath.Join(root, "**/*.md")}, "")
	if !errors.Is(err, context.Canceled) || len(c.Items) > 2*tellEvery {
		t.Errorf("%d files after it was cancelled at %v: %v", len(c.Items), told, err)
	}
	if _, err := Collect(ctx, []string{root}, "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that was cancelled before: %v", err)
	}
	hangs := make(chan struct{})
	defer close(hangs)
	if _, err := atLatest(ctx, func() (int, error) { <-hangs; return 0, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that hangs: %v", err)
	}
}

func TestALookTakesOnlySoManyFiles(t *testing.T) {
	t.Parallel()
	w := walking{ctx: t.Context()}
	if err := w.goOn(mostCollected); err != nil {
		t.Error(err)
	}
	if err := w.goOn(mostCollected + 1); ibid.CodeOf(err) != ibid.CodeBadRequest || err == nil {
		t.Errorf("one more: %v", err)
	}
}

func TestWhatTheSystemMakesUpIsLeftOut(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has /proc")
	}
	if c := mustCollect(t, []string{"/proc", "/dev", "/proc/**"}, ""); len(c.Items) != 1 || !slices.Equal(c.System, []string{"/proc", "/dev"}) {
		t.Errorf("%d items, left out %v", len(c.Items), c.System) // the one says that the pattern matches nothing
	}
}
