package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"strings"
	"time"
	_ "time/tzdata" // zones where the system has none (Windows, bare containers): 0.4 MB

	"ibid"
	"ibid/internal/access"
	"ibid/internal/tool/param"
)

//go:embed current_time.md
var timeDescription string

var currentTime = Info{
	Name: "current_time", Kind: ibid.ToolClock, Description: timeDescription, Parameters: param.Schema(currentTimeArguments{}),
	Doing: "Checking the time", Done: "Checked the time", Verb: "looked at the clock",
}

type currentTimeArguments struct {
	Timezone string `json:"timezone,omitempty" about:"IANA name such as Europe/Berlin; the local zone when left out"`
}

// CurrentTime tells the time.
type CurrentTime struct{}

// NewCurrentTime returns the tool.
func NewCurrentTime() *CurrentTime { return &CurrentTime{} }

// Spec tells the model about the tool.
func (t *CurrentTime) Spec() ibid.ToolSpec { return currentTime.Spec() }

// Detail is the zone.
func (t *CurrentTime) Detail(args json.RawMessage) string { return detail(args, "timezone") }

// Call tells the run's time in a zone.
func (t *CurrentTime) Call(_ context.Context, _ access.View, call ibid.ToolCall, env ibid.ToolEnv) (ibid.ToolOutput, error) {
	var args currentTimeArguments
	if err := param.Read(call.Arguments, &args); err != nil {
		return Refuse(err)
	}
	now := env.Now
	if now.IsZero() {
		now = time.Now()
	}
	if args.Timezone != "" && !strings.EqualFold(args.Timezone, "local") {
		zone, err := findZone(args.Timezone)
		if err != nil {
			return failed("the time zone %q is not known; use an IANA name such as Europe/Berlin, America/New_York or UTC", line(args.Timezone, 100)), nil
		}
		now = now.In(zone)
	}
	said, spoken := now.Format("2006-01-02T15:04:05Z07:00, Monday"), now.Format("Monday, 2 January 2006, 15:04")
	if zone := now.Location().String(); zone != "Local" {
		said, spoken = said+" ("+zone+")", spoken+" ("+zone+")"
	}
	// An answer says the time as one speaks, so that is what can be cited too.
	return citable(ibid.ToolOutput{Content: said, Summary: said}, call, citedClock, spoken+"\n"+said), nil
}

// regions are those of the zone database that are tried for a bare city.
var regions = []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"}

// findZone finds a zone by its IANA name or by the city in it: "Europe/Berlin",
// "new york".
func findZone(name string) (*time.Location, error) {
	if zone, err := time.LoadLocation(name); err == nil {
		return zone, nil
	}
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(name, "_", " ")))
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	city := strings.Join(words, "_")
	for _, region := range regions {
		if zone, err := time.LoadLocation(region + "/" + city); err == nil {
			return zone, nil
		}
	}
	return nil, errors.New("unknown zone")
}
