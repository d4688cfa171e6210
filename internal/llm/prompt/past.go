package prompt

import (
	"encoding/json"
	"fmt"
	"time"

	"ibid"
)

// pastHead is what a model is told about a message of the past, as JSON.
type pastHead struct {
	Timestamp    string     `json:"timestamp"`
	RelativeTime string     `json:"relative_time"`
	SessionGap   string     `json:"session_gap,omitempty"`
	Files        []pastFile `json:"files,omitempty"`
	ToolsUsed    []string   `json:"tools_used,omitempty"`
	ToolSummary  string     `json:"tool_summary,omitempty"`
}

type pastFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
	ID   string `json:"id"`
}

// past writes a message of the past, under a comment of what is known about it.
func past(p ibid.Past) string {
	head := pastHead{Timestamp: p.At.Format("2006-01-02 15:04 MST"), RelativeTime: ago(p.Ago), ToolsUsed: p.Tools, ToolSummary: p.Did}
	if p.Gap > 0 {
		head.SessionGap = span(p.Gap)
	}
	for _, f := range p.Files {
		head.Files = append(head.Files, pastFile(f))
	}
	raw, _ := json.Marshal(head) // strings only: it cannot fail
	return "<!-- METADATA: " + string(raw) + " -->\n" + p.Text
}

func ago(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return span(d) + " ago"
}

// span says a duration in its largest whole unit: "3 hours".
func span(d time.Duration) string {
	n, unit := int(d.Minutes()), "minute"
	switch {
	case d >= 48*time.Hour:
		n, unit = int(d.Hours()/24), "day"
	case d >= time.Hour:
		n, unit = int(d.Hours()), "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}
