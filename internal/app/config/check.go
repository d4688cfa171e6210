package config

import (
	"os"
	"slices"
	"strings"

	"ibid/internal/say"
)

// HoldsSecret reports whether the file sets a value that others must not see.
func HoldsSecret(cfg Config) bool {
	for _, s := range Settings() {
		if s.Secret && cfg.Origins[s.Key] == cfg.File {
			return true
		}
	}
	return false
}

// UnknownVariables lists IBID_… variables that no setting has; most are typing
// mistakes.
func UnknownVariables() []string {
	known := []string{"IBID_CONFIG", "IBID_FILE_PASSWORD", "IBID_TEST_DATA"}
	for _, key := range Keys() {
		known = append(known, EnvName(key))
	}
	var unknown []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "IBID_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

func NearVariable(name string) string {
	var names []string
	for _, key := range Keys() {
		names = append(names, EnvName(key))
	}
	if near := say.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "unset it"
}
