package run

import (
	"flag"
	"testing"
	"time"

	"ibid"
	"ibid/internal/ibidtest"
	"ibid/internal/tool"
)

var update = flag.Bool("update", false, "write what models are sent into testdata")

// TestRequests holds what a model is told of messages of the past to
// testdata/requests.golden.
func TestRequests(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	at := func(back time.Duration) ibid.Time { return ibid.At(now.Add(-back)) }
	var req ibid.ModelRequest
	var before time.Time
	for _, m := range []ibid.Message{
		{ID: "u1", Role: ibid.RoleUser, Text: "Who wrote it?", CreatedAt: at(75 * time.Hour),
			Request: &ibid.Request{Attachments: []ibid.Attachment{{Name: "a \"b\" <c>.pdf", MIME: "application/pdf"}, {Name: "b.png", MIME: "image/png"}}}},
		{ID: "a1", Role: ibid.RoleAssistant, Text: "Ada [c_0a1b2c] wrote it [q_77], and drew it [x_1].", CreatedAt: at(75 * time.Hour), Steps: []ibid.Step{
			{Tool: "search_knowledge_base"}, {Tool: "search_knowledge_base"}, {Tool: "calculator"}, {Tool: "mine"},
			{Tool: "generate_image", Files: []ibid.File{{MessageID: "a1", N: 2, Attachment: ibid.Attachment{Name: "boat.png", MIME: "image/png"}}}}}},
		{ID: "u2", Role: ibid.RoleUser, Text: "Why?", CreatedAt: at(5 * time.Hour)},
		{ID: "a2", Role: ibid.RoleAssistant, Text: "Because.", CreatedAt: at(30 * time.Minute)},
		{ID: "u3", Role: ibid.RoleUser, Text: "Oh?", CreatedAt: at(time.Second)},
	} {
		req.Turns = append(req.Turns, past(m, before, now, tool.Builtin().Verb))
		before = m.CreatedAt.Time
	}
	var sent ibidtest.Requests
	sent.Add(req)
	sent.Golden(t, "requests.golden", *update)
}
