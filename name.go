package ibid

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// OnSameName says what becomes of an uploaded file when its folder holds another
// document of the same name.
type OnSameName string

// KeepBoth gives the new file a number, "report (2).pdf". NewVersion makes it the
// next version of the other document. Refuse is an error.
const (
	KeepBoth   OnSameName = "keep_both"
	NewVersion OnSameName = "new_version"
	Refuse     OnSameName = "refuse"
)

// Check refuses a value that is none of these. "" stands for KeepBoth.
func (o OnSameName) Check() error {
	switch o {
	case "", KeepBoth, NewVersion, Refuse:
		return nil
	}
	return Errorf(CodeBadRequest, "on_same_name must be keep_both, new_version or refuse, not %q", string(o))
}

// SameName is the document whose name an uploaded file has.
type SameName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// NumberedName returns a file name with a number before its extension:
// "report.pdf" and 2 give "report (2).pdf".
func NumberedName(name string, n int) string {
	stem, ext := splitName(name)
	return fmt.Sprintf("%s (%d)%s", stem, n, ext)
}

// IsNumberedName reports whether numbered is NumberedName of name for a number
// from 2 on.
func IsNumberedName(numbered, name string) bool {
	stem, _ := splitName(name)
	rest, ok := strings.CutPrefix(numbered, stem+" (")
	digits, _, _ := strings.Cut(rest, ")")
	n, err := strconv.Atoi(digits)
	return ok && err == nil && n >= 2 && numbered == NumberedName(name, n)
}

// splitName splits off a name's extension. A name that is all extension, such as
// ".profile", has none.
func splitName(name string) (stem, ext string) {
	ext = path.Ext(name)
	if ext == name {
		ext = ""
	}
	return strings.TrimSuffix(name, ext), ext
}
