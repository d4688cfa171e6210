package text

import "unicode/utf8"

// Clip cuts s to at most limit bytes, between characters.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
