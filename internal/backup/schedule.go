package backup

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Schedule says when backups are made, and where: what the setting backup says.
// The zero Schedule makes none.
type Schedule struct {
	Every   string // hourly, daily or weekly; "": never
	Day     time.Weekday
	Hour    int
	Minute  int
	To      string // a directory
	Keep    int    // copies
	written string
}

// What a schedule that does not say it means.
const (
	defaultKeep = 7
	defaultHour = 3 // at night
)

// How a schedule is written, as help for who wrote one wrong.
const scheduleForms = `write it like "daily to /mnt/backup, keep 7", "daily at 03:00 to /mnt/backup", "weekly on sunday to /mnt/backup" or "hourly to /mnt/backup", or "off"`

var (
	scheduleWords = regexp.MustCompile(`(?i)^(\S+)(?:\s+on\s+(\S+))?(?:\s+at\s+(\S+))?\s+to\s+(.+?)(?:\s*,\s*keep\s+(\S+))?$`)
	clockTime     = regexp.MustCompile(`^([01]?[0-9]|2[0-3]):([0-5][0-9])$`)
)

// ParseSchedule reads a schedule. "" and "off" are none.
func ParseSchedule(text string) (Schedule, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.EqualFold(text, "off") {
		return Schedule{}, nil
	}
	bad := func(format string, args ...any) (Schedule, error) {
		return Schedule{}, fmt.Errorf("%s: %s", fmt.Sprintf(format, args...), scheduleForms)
	}
	m := scheduleWords.FindStringSubmatch(text)
	if m == nil {
		return bad("%q is no schedule", text)
	}
	s := Schedule{Every: strings.ToLower(m[1]), Hour: defaultHour, Keep: defaultKeep, To: m[4], written: text}
	switch s.Every {
	case "hourly", "daily", "weekly":
	default:
		return bad("%q is neither hourly, daily nor weekly", m[1])
	}
	if m[2] != "" {
		day, ok := weekday(m[2])
		if !ok || s.Every != "weekly" {
			return bad("%q: only a weekly backup has a day, from monday to sunday", "on "+m[2])
		}
		s.Day = day
	}
	if m[3] != "" {
		clock := clockTime.FindStringSubmatch(m[3])
		if clock == nil || s.Every == "hourly" {
			return bad("%q: a daily or weekly backup has a time from 00:00 to 23:59", "at "+m[3])
		}
		s.Hour, _ = strconv.Atoi(clock[1])
		s.Minute, _ = strconv.Atoi(clock[2])
	}
	if m[5] != "" {
		n, err := strconv.Atoi(m[5])
		if err != nil || n < 1 {
			return bad("keep %q: it must be a whole number, 1 or more", m[5])
		}
		s.Keep = n
	}
	if !filepath.IsAbs(s.To) {
		return bad("%q is not an absolute path", s.To)
	}
	s.To = filepath.Clean(s.To)
	if IsArchive(s.To) {
		return bad("%q is one file, and scheduled backups go to a folder", s.To)
	}
	return s, nil
}

func weekday(name string) (time.Weekday, bool) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		full := strings.ToLower(day.String())
		if name = strings.ToLower(name); name == full || name == full[:3] {
			return day, true
		}
	}
	return 0, false
}

// String is the schedule as it was written.
func (s Schedule) String() string { return s.written }

// Period is the time between two backups.
func (s Schedule) Period() time.Duration {
	switch s.Every {
	case "hourly":
		return time.Hour
	case "weekly":
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// Next is the first time after t at which a backup is due, on the clock of t's
// time zone.
func (s Schedule) Next(t time.Time) time.Time {
	if s.Every == "hourly" {
		return t.Truncate(time.Hour).Add(time.Hour)
	}
	year, month, day := t.Date()
	for i := 0; ; i++ {
		due := time.Date(year, month, day+i, s.Hour, s.Minute, 0, 0, t.Location())
		if due.After(t) && (s.Every == "daily" || due.Weekday() == s.Day) {
			return due
		}
	}
}
