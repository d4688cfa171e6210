package agent

import (
	"fmt"
	"strings"

	"ibid/internal/text"
)

// cutAt returns the first limit bytes of s, less what would cut a character.
func cutAt(s string, limit int) (kept string, cut bool) {
	kept = text.Clip(s, limit)
	return kept, len(kept) < len(s)
}

// noteRoom is kept for the note about what was cut.
const noteRoom = 80

// bounded returns s in at most limit bytes, with a note where something was cut.
// Passages are kept whole where one fits; their fence is always closed.
func bounded(s string, limit int) (kept string, cut bool) {
	if len(s) <= limit {
		return s, false
	}
	const fence = "</passage>\n"
	kept, _ = cutAt(s, limit-noteRoom)
	open, end := strings.LastIndex(kept, "<passage "), strings.LastIndex(kept, fence)
	switch {
	case open < 0 || open < end: // cut behind the passages
	case end >= 0:
		kept = kept[:end+len(fence)]
	default:
		kept += "\n" + fence
	}
	return kept + fmt.Sprintf("\n[cut: %d of %d bytes are shown]", len(kept), len(s)), true
}

// oneLine returns s on one line and at most limit characters long.
func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return s
}
