package tool

import (
	"strings"
	"testing"
	"time"

	"ibid"
	"ibid/internal/access"
)

func TestCurrentTime(t *testing.T) {
	env := ibid.ToolEnv{Now: time.Date(2024, 2, 29, 23, 30, 0, 0, time.UTC)}
	for zone, want := range map[string]string{
		"":                 "2024-02-29T23:30:00Z, Thursday (UTC)",
		"local":            "2024-02-29T23:30:00Z, Thursday (UTC)",
		"Europe/Berlin":    "2024-03-01T00:30:00+01:00, Friday (Europe/Berlin)",
		"America/New_York": "2024-02-29T18:30:00-05:00, Thursday (America/New_York)",
		"new york":         "2024-02-29T18:30:00-05:00, Thursday (America/New_York)",
		"Tokyo":            "2024-03-01T08:30:00+09:00, Friday (Asia/Tokyo)",
	} {
		out := call(t, NewCurrentTime(), map[string]any{"timezone": zone}, env)
		if out.Failed || out.Content != want || out.Summary != want {
			t.Errorf("%s: %+v, want %s", zone, out, want)
		}
	}
	for _, zone := range []string{"Middle-earth/Shire", "../../etc/passwd", "/etc/localtime", "é", "\x00"} {
		out := call(t, NewCurrentTime(), map[string]any{"timezone": zone}, env)
		if !out.Failed || !strings.Contains(out.Content, "use an IANA name such as Europe/Berlin") {
			t.Errorf("%q: %+v", zone, out)
		}
	}
}

func TestCurrentTimeWithoutArguments(t *testing.T) {
	out, err := NewCurrentTime().Call(t.Context(), access.For(ibid.Owner), ibid.ToolCall{}, ibid.ToolEnv{})
	if err != nil || out.Failed {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := time.Parse("2006-01-02T15:04:05Z07:00", strings.SplitN(out.Content, ",", 2)[0]); err != nil {
		t.Error(err)
	}
}
