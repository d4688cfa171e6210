package image

import (
	"slices"
	"strings"
	"testing"
)

func TestLanguagesOfScans(t *testing.T) {
	for _, c := range []struct{ installed, asked, want, missing string }{
		{"eng osd", "", "eng", ""},
		{"deu eng equ osd", "", "eng deu", ""},
		{"deu osd", "", "deu", ""},
		{"ara deu eng fra ita jpn osd spa", "", "eng ara deu fra", ""},
		{"deu eng osd", "deu", "deu", ""},
		{"deu eng osd", "deu+eng", "deu eng", ""},
		{"deu eng osd", "deu+pol", "deu", "pol"},
		{"eng osd", "pol", "eng", "pol"},
		{"osd", "", "", ""},
	} {
		o := chooseOCR("tesseract", strings.Fields(c.installed), c.asked)
		if got := strings.Join(o.Languages, " "); got != c.want {
			t.Errorf("%q of %q: reads %q, want %q", c.asked, c.installed, got, c.want)
		}
		if got := strings.Join(o.Missing, " "); got != c.missing {
			t.Errorf("%q of %q: %q are missing, want %q", c.asked, c.installed, got, c.missing)
		}
		if o.turns != slices.Contains(strings.Fields(c.installed), "osd") {
			t.Errorf("%q: turns %v", c.installed, o.turns)
		}
	}
}
