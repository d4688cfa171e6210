package format

import (
	"fmt"
	"strings"

	"ibid"
)

// Refuse returns the error for a file that cannot be read.
func Refuse(message string) *ibid.Error {
	return &ibid.Error{Code: ibid.CodeBadRequest, Message: message}
}

// RefuseHint is Refuse with a way to mend it.
func RefuseHint(message, hint string) *ibid.Error {
	return &ibid.Error{Code: ibid.CodeBadRequest, Message: message, Hint: hint}
}

// BeginningOnly begins the notice of a file that could not be read to its end.
const BeginningOnly = "only the beginning could be read: "

// JoinNotices makes one line of what there is to say.
func JoinNotices(lines ...string) string {
	var said []string
	for _, l := range lines {
		if l != "" {
			said = append(said, l)
		}
	}
	return strings.Join(said, "; ")
}

// TextLimitNotice says that a file has more text than is kept.
func TextLimitNotice(limit int) string {
	return fmt.Sprintf("only the first %s of its text were read", Megabytes(int64(limit)))
}

// Megabytes writes a size for people.
func Megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	}
	return fmt.Sprintf("%d MB", (n+1<<20-1)>>20)
}

// PageRange writes page numbers as "pages 2–5".
func PageRange(from, to int) string {
	if from == to {
		return fmt.Sprintf("page %d", from)
	}
	return fmt.Sprintf("pages %d–%d", from, to)
}
