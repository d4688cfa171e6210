// Package web holds the web page, as it was built into dist, for the binary to
// carry with it.
package web

import (
	"embed"
	"io/fs"
)

// dist always holds README.md, so that the program compiles before the page
// was ever built.
//
//go:embed all:dist
var dist embed.FS

// Files returns the built page with index.html at its root, and false when the
// binary was built without it.
func Files() (fs.FS, bool) {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, false
	}
	if _, err := fs.Stat(files, "index.html"); err != nil {
		return nil, false
	}
	return files, true
}
