package backup

import (
	"strings"
	"testing"
	"time"
)

func TestSchedules(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.ParseInLocation(time.DateTime, text, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	const sunday = "2026-11-22 07:30:00"
	for text, want := range map[string]struct {
		to   string
		keep int
		next string
	}{
		"daily to /mnt/backup, keep 3":                {"/mnt/backup", 3, "2026-11-23 03:00:00"},
		"Daily at 7:31 to /mnt/backup":                {"/mnt/backup", 7, "2026-11-22 07:31:00"},
		"daily at 07:30 to /mnt/backup/":              {"/mnt/backup", 7, "2026-11-23 07:30:00"},
		"hourly to /mnt/a, b to c,keep 24":            {"/mnt/a, b to c", 24, "2026-11-22 08:00:00"},
		"weekly to /mnt/backup":                       {"/mnt/backup", 7, "2026-11-29 03:00:00"},
		"weekly on wed at 23:05 to /mnt/my backup":    {"/mnt/my backup", 7, "2026-11-25 23:05:00"},
		"weekly on Sunday at 08:00 to /b ,  keep 100": {"/b", 100, "2026-11-22 08:00:00"},
	} {
		s, err := ParseSchedule(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if next := s.Next(at(sunday)); s.To != want.to || s.Keep != want.keep || !next.Equal(at(want.next)) {
			t.Errorf("%s: to %q, keep %d, next at %v; want %+v", text, s.To, s.Keep, next, want)
		}
	}
	for text, want := range map[string]string{
		"sometimes to /b":               "neither hourly",
		"daily /b":                      "no schedule",
		"daily to b":                    "absolute",
		"daily at 25:00 to /b":          "00:00 to 23:59",
		"hourly at 03:00 to /b":         "00:00 to 23:59",
		"daily on monday to /b":         "only a weekly",
		"weekly on someday to /b":       "from monday to sunday",
		"daily to /b, keep none":        "whole number",
		"daily to /b, keep 0":           "whole number",
		"daily to /b/everything.tar.gz": "one file",
	} {
		if s, err := ParseSchedule(text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "write it like") {
			t.Errorf("%s: %+v, %v; want an error about %q", text, s, err, want)
		}
	}
	for _, none := range []string{"", "off", " OFF "} {
		if s, err := ParseSchedule(none); err != nil || s.Every != "" {
			t.Errorf("%q: %+v, %v", none, s, err)
		}
	}
}

// In the night in which the clock jumps, a backup is made once.
func TestTheClockIsSet(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this machine knows no time zones")
	}
	s, err := ParseSchedule("daily at 02:30 to /b")
	if err != nil {
		t.Fatal(err)
	}
	for _, day := range []time.Time{time.Date(2026, 3, 28, 12, 0, 0, 0, berlin), time.Date(2026, 10, 24, 12, 0, 0, 0, berlin)} {
		first := s.Next(day)
		second := s.Next(first)
		if apart := second.Sub(first); apart < 22*time.Hour || apart > 26*time.Hour {
			t.Errorf("after %v comes %v, then %v", day, first, second)
		}
	}
}
