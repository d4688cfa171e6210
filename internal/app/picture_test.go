package app

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid"
	"ibid/internal/app/config"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

// A picture that a model asks for is kept with the answer, shown in it and served.
func TestPictureIsMade(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\nand so on"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			fmt.Fprint(w, `{"data":[{"id":"sd"}]}`)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"data": []map[string]string{{"b64_json": base64.StdEncoding.EncodeToString([]byte(png))}}})
	}))
	defer srv.Close()
	p := openInProcess(t, func(c *config.Config) { c.ImageModel = "openai:sd@" + srv.URL + "/v1" })
	when := func(r ibid.ModelRequest) bool { return r.Think != ibid.ThinkOn }
	answer := ibidtest.Say("Here is your cat.")
	answer.When = when
	p.app.choices[0].model = ibidtest.NewScript(ibidtest.Reply{When: when, Calls: []ibid.ToolCall{{Name: "generate_image",
		Arguments: json.RawMessage(`{"prompt":"a cat [red]"}`)}}}, answer)
	m := p.ask("t1", map[string]any{"input_text": "Paint a cat.", "think": "off", "force_tools": []string{"generate_image"}})
	at := "/v1/messages/" + m.ID + "/files/0"
	if m.Text != "Here is your cat.\n\n![a cat (red)]("+at+")" || len(m.Steps) != 1 || len(m.Steps[0].Files) != 1 {
		t.Errorf("the answer is %q, steps %+v", m.Text, m.Steps)
	}
	resp, err := http.Get(p.url + at)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if h := resp.Header; h.Get("Content-Type") != "image/png" || !strings.HasPrefix(h.Get("Content-Disposition"), "inline") ||
		h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("the picture is served with %v", h)
	}
	var found struct {
		Checks []api.Check `json:"checks"`
	}
	p.call("GET", "/v1/doctor", nil, &found)
	if !strings.Contains(fmt.Sprint(found), "openai/sd answers") {
		t.Errorf("doctor says %v", found)
	}
	off := openInProcess(t, func(*config.Config) {})
	if status, text := off.call("POST", "/v1/threads/t/user_message", map[string]any{"input_text": "q", "force_tools": []string{"generate_image"}}, nil); status != http.StatusBadRequest || !strings.Contains(text, "set image_model") {
		t.Errorf("where no model is set: %d %s", status, text)
	}
}
