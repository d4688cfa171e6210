package ibid

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"testing"
)

// Errorf's %w wraps: the cause is found, and said once.
func TestErrorfWraps(t *testing.T) {
	first, second := &fs.PathError{Op: "open", Path: "a.pdf", Err: fs.ErrNotExist}, errors.New("late")
	e := Errorf(CodeNotFound, "read %s: %w, %w", "a.pdf", first, second)
	if e.Error() != "read a.pdf: open a.pdf: file does not exist, late" || e.Message != e.Error() {
		t.Errorf("it says %q, and %q", e.Error(), e.Message)
	}
	var path *fs.PathError
	if !errors.Is(e, fs.ErrNotExist) || !errors.Is(e, second) || !errors.As(e, &path) || path != first {
		t.Errorf("%v wraps nothing: %v", e, errors.Unwrap(e))
	}
	if e.Hint = "look again"; e.Error() != "read a.pdf: open a.pdf: file does not exist, late (look again)" {
		t.Errorf("with a hint it says %q", e.Error())
	}
	if inner := Errorf(CodeConflict, "again: %w", Errorf(CodeNotFound, "gone")); CodeOf(fmt.Errorf("do: %w", inner)) != CodeConflict {
		t.Errorf("the kind is %s", CodeOf(inner))
	}
	if plain := Errorf(CodeNotFound, "nothing"); errors.Unwrap(plain) != nil || plain.Error() != "nothing" {
		t.Errorf("%v wraps %v", plain, errors.Unwrap(plain))
	}
}

// Every code of errors.go has its line in the table.
func TestEveryKindOfError(t *testing.T) {
	source, err := os.ReadFile("errors.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`(?m)^\tCode\w+ +Code = "(\w+)"`).FindAllSubmatch(source, -1)
	if len(codes) < 15 || len(codes) != len(kinds) {
		t.Errorf("%d codes, %d kinds", len(codes), len(kinds))
	}
	for _, m := range codes {
		code := Code(m[1])
		if _, known := kinds[code]; !known || code.Status() < 400 || http.StatusText(code.Status()) == "" {
			t.Errorf("%s has the status %d", code, code.Status())
		}
		if e := Errorf(code, "x"); e.Retryable != code.Retryable() {
			t.Errorf("%s: retryable %t", code, e.Retryable)
		}
	}
	if Code("OTHER").Status() != http.StatusInternalServerError || Code("OTHER").Retryable() {
		t.Error("a code that nobody knows is no internal error")
	}
}
