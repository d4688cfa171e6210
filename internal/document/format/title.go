package format

import (
	"regexp"
	"strings"
	"unicode"
)

// Title returns the title of a file's metadata unless a program left
// something there that is none.
func Title(s string) string {
	s = OneLine(Clean(s))
	lower := strings.ToLower(s)
	for _, prefix := range []string{"microsoft word - ", "microsoft powerpoint - ", "untitled", "paper title (", "document1"} {
		if strings.HasPrefix(lower, prefix) {
			return ""
		}
	}
	if lower == "title" || lower == "powerpoint presentation" || IsBoilerplate(s) {
		return ""
	}
	for _, suffix := range []string{".doc", ".docx", ".pdf", ".dvi", ".tex", ".indd", ".exe", ".qxd", ".ppt", ".pptx", ".xls", ".rtf", ".fm"} {
		if strings.HasSuffix(lower, suffix) {
			return ""
		}
	}
	if !strings.ContainsFunc(s, unicode.IsLetter) || len(s) > MaxHeading || !strings.Contains(s, " ") && strings.ContainsAny(s, "_/\\0123456789") {
		return ""
	}
	return s
}

// IsBoilerplate reports whether a heading stands on the first page of documents
// of its kind and tells none from another: a title that many documents share is
// worse for finding them than the name of the file.
func IsBoilerplate(s string) bool { return boilerplate.MatchString(strings.ToLower(OneLine(s))) }

var boilerplate = regexp.MustCompile(`^\W*(?:` +
	// Filings of companies: the regulator and the form, not the company.
	`(?:united states )?(?:of america )?securities and exchange commission.*` +
	`|(?:united states|u\.s\.) (?:of america|government|district court|court of appeals).*` +
	`|(?:form|schedule) [0-9a-z]{1,3}(?:-[0-9a-z]{1,3})?(?:/a)?` +
	`|federal register|proposed rules?|rules and regulations` +
	// Parts that any document has.
	`|(?:table of )?contents|index|notes?|abstract|summary|executive summary|introduction|preface|foreword|appendix|references` +
	`|annual report|quarterly report|report|agenda|minutes|memorandum|memo|letter|invoice|draft|confidential|final|document` +
	`)\W*$`)
