package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/llm"
)

// echoes reads answers of one event, {"said"}.
type echoes struct{ done bool }

func (r *echoes) Event(data []byte, a *llm.Assembler) error {
	var e struct{ Said string }
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	a.AddText(e.Said)
	r.done = true
	return llm.ErrEnd
}

func (r *echoes) End(*llm.Assembler) llm.Ending { return llm.Ending{Complete: r.done} }

// A provider is one record in the list of dialects: the whole program answers through
// a scratch one, and nothing else had to be changed for it.
func TestAScratchDialectAnswers(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"said\":\"Hello to you too.\"}\n\n")
	}))
	t.Cleanup(server.Close)
	echo := llm.Dialect{Name: "echo", Form: "echo:MODEL", Server: "The echo",
		Endpoint: func(string) string { return "/" },
		Body:     func(req llm.Asked) any { return map[string]any{"heard": len(req.Turns)} },
		Read:     func() llm.Reader { return &echoes{} },
	}
	p := openInProcess(t, func(c *config.Config) {
		c.Model, c.Dialects = "echo:valley@"+server.URL, append(llm.Builtin(), echo)
	})
	m := p.ask("t1", map[string]any{"input_text": "Hello!"})
	if m.Status != ibid.StatusCompleted || !strings.Contains(m.Text, "Hello to you too.") || m.Model != "echo/valley" {
		t.Errorf("answered %q as %s by %s", m.Text, m.Status, m.Model)
	}
	var status struct {
		Model struct {
			Name      string
			Reachable bool
		}
	}
	p.call("GET", "/v1/status", nil, &status)
	if status.Model.Name != "echo/valley" || !status.Model.Reachable {
		t.Errorf("status says %+v", status.Model)
	}
}
