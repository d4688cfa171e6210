package text

import (
	"math"
	"strconv"
)

// Number writes a number with the 15 digits that spreadsheets keep, which leaves
// out the noise of its last binary digits. It has an exponent only where it is
// very large or small.
func Number(f float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 15, 64), 64)
	if err != nil {
		rounded = f
	}
	if a := math.Abs(rounded); a != 0 && (a < 1e-9 || a >= 1e21) {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
