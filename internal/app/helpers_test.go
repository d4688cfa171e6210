package app

import (
	"ibid/internal/app/config"
)

// env is an environment of exactly these variables.
func env(pairs ...string) config.Environment {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}
