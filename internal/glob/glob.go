// Package glob matches paths, part by part, against patterns in which ** stands for
// any number of parts.
package glob

import (
	"path"
	"strings"
)

func Is(arg string) bool { return strings.ContainsAny(arg, "*?[") }

func Check(parts []string) error {
	for _, p := range parts {
		if _, err := path.Match(p, ""); err != nil {
			return err
		}
	}
	return nil
}

// Match matches a path, part by part, against a pattern in which ** stands
// for any number of parts.
func Match(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := range len(parts) + 1 {
				if Match(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, _ := path.Match(pattern[0], parts[0]); !ok {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return len(parts) == 0
}
