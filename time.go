package ibid

import "time"

// Time is a moment as the API shows it: TimeFormat in UTC, to the millisecond.
type Time struct{ time.Time }

// At is t to the millisecond.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// MarshalJSON writes three decimals always; records of an older ibid hold more
// of them.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"` + TimeFormat + `"`)), nil
}
