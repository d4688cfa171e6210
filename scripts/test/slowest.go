package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// duration is how long a test at the top level took or, with no test, all of a package.
type duration struct {
	pkg, test string
	seconds   float64
}

// shownSlowest is how many tests, and how many packages, are named at the end.
const shownSlowest = 10

// showSlowest names the tests and the packages that took longest, so that one sees what
// grows. What ran with and without the race detector counts as two.
func showSlowest(show io.Writer, all []duration) {
	all = slices.SortedStableFunc(slices.Values(all), func(a, b duration) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, what := range []string{"tests", "packages"} {
		shown := slices.DeleteFunc(slices.Clone(all), func(d duration) bool { return (d.test == "") != (what == "packages") })
		for _, d := range shown[:min(shownSlowest, len(shown))] {
			name := d.pkg
			if d.test != "" {
				name += "." + d.test
			}
			fmt.Fprintf(show, "slowest %s: %6.1fs  %s\n", what, d.seconds, name)
		}
	}
}
