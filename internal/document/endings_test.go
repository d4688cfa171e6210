package document

import (
	"slices"
	"strings"
	"testing"

	"ibid/internal/text"
)

// The endings that package text knows are a list of their own, since keys in databases
// are made with them (decision 24). Each that stands in one list alone is named here, so
// that neither list changes without the other being thought of.
func TestEndingsOfFormatsAndOfNames(t *testing.T) {
	// onlyRead are files whose keys keep their ending: photo.png has the key "photo png".
	// To take one from here into text's list, the stored keys must be made anew, by a
	// migration.
	onlyRead := strings.Fields(`ott docm dotx pptm ppsx xlsm zip png jpg jpeg tif tiff webp bmp gif xhtml mdown mkd mdx qmd rmd tab text log
		asm bash bat cc cfg cjs clj cmake cmd conf cpp cs css cxx d dart diff el env erl ex exs f f90 fish fs gradle graphql groovy hcl hh hpp hs ini jl jsonl
		jsx kt kts less lisp lua m mjs ml mli mm ndjson nim nix pas patch php pl pm properties proto ps1 pyi r rb rs s scala scm scss sh sol sql sv svelte svg
		swift tf thrift toml tsx v vb vhd vue xsd xsl zig zsh`)
	// onlyNamed are files that people name and ibid does not read by their ending: the old
	// formats of Office, which it refuses, and notebooks, which are text.
	onlyNamed := strings.Fields(`doc ppt xls ipynb`)

	named, read := text.Endings(), []string{}
	for _, f := range Formats() {
		for _, e := range f.Extensions {
			read = append(read, strings.TrimPrefix(e, "."))
		}
	}
	for _, list := range []struct {
		what              string
		has, lacks, alone []string
	}{
		{"a format has, and package text does not know", read, named, onlyRead},
		{"package text knows, and no format has", named, read, onlyNamed},
	} {
		var alone []string
		for _, e := range list.has {
			if !slices.Contains(list.lacks, e) {
				alone = append(alone, e)
			}
		}
		slices.Sort(alone)
		slices.Sort(list.alone)
		if !slices.Equal(alone, list.alone) {
			t.Errorf("endings that %s:\n%q\nwant\n%q", list.what, alone, list.alone)
		}
	}
}
