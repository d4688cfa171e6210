package say

import (
	"fmt"
	"strconv"
)

// Count writes "1 page", "12 pages".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Bytes writes a size as people read it, in powers of 1024.
func Bytes(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	size, unit := float64(n)/1024, 0
	for size >= 1024 && unit < len(units)-1 {
		size /= 1024
		unit++
	}
	if size < 10 {
		return fmt.Sprintf("%.1f %ciB", size, units[unit])
	}
	return fmt.Sprintf("%.0f %ciB", size, units[unit])
}

// Thousands writes 8205 as people read it: 8,205.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func AreOrIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
