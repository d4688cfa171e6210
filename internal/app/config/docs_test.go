package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/internal/ibidtest"
)

// The table of settings in the documentation is what the code says.
func TestSettingsAreDocumented(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "docs", "configuring.md")
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const head = "| setting | default | what it is |\n|---|---|---|\n"
	before, rest, ok := strings.Cut(string(body), head)
	if !ok {
		t.Fatalf("%s has no table of settings", path)
	}
	documented, after, _ := strings.Cut(rest, "\n\n")
	if want := settingsTable(); documented != want {
		if *update {
			ibidtest.WriteFile(t, path, before+head+want+"\n\n"+after)
			return
		}
		t.Errorf("the settings in %s are\n%s\nthe program's are (go test -update writes them)\n%s", path, documented, want)
	}
}

func settingsTable() string {
	defaults := Default(ibidtest.Environment("HOME", "/home/me"))
	var rows []string
	for _, s := range Settings() {
		value := s.Show(defaults)
		switch {
		case s.Key == "data":
			value = "the platform's"
		case value == "":
			value = "none"
		default:
			value = "`" + value + "`"
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |", s.Key, value, s.About))
	}
	return strings.Join(rows, "\n")
}
