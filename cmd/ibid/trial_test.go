package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/internal/app/config"
	"ibid/internal/ibidtest"
	"ibid/internal/server/api"
)

func TestSettingsAreShownAndTried(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	model := ibidtest.OllamaServer(t, ibidtest.Say("ready"))
	if err := os.MkdirAll(h.data, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(h.data, "ibid.toml")
	ibidtest.WriteFile(t, file, "embedder_api_key = \"a-secret-word\"\n")
	_, url := h.serve("--model", "ollama:test@"+model.URL, "--embedder", "ollama:absent@http://127.0.0.1:9")

	resp, err := http.Get(url + "/v1/settings")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || strings.Contains(string(body), "a-secret-word") {
		t.Fatalf("%v in %s", err, body)
	}
	var got api.Settings
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	by := map[string]api.Setting{}
	for _, s := range got.Settings {
		by[s.Key] = s
	}
	if got.File != file || len(by) != len(config.Settings()) {
		t.Errorf("%d settings of %s", len(by), got.File)
	}
	if s := by["model"]; s.Test != "model" || s.Origin != "--model" || !strings.HasPrefix(s.Value, "ollama:test@") || s.Variable != "IBID_MODEL" {
		t.Errorf("the model is shown as %+v", s)
	}
	if s := by["embedder_api_key"]; !s.Secret || !s.Set || s.Value != "" || s.Origin != file {
		t.Errorf("a secret is shown as %+v", s)
	}
	if by["plan_model"].Test != "" || by["addr"].Test != "" {
		t.Error("what cannot be tried has a test")
	}

	if code, r := try(t, url, "model"); code != http.StatusOK || !r.OK || !strings.Contains(r.Message, "ready") {
		t.Errorf("%d, the model: %+v", code, r)
	}
	if code, r := try(t, url, "embedder"); code != http.StatusOK || r.OK || r.Message == "" || r.Hint == "" {
		t.Errorf("%d, an embedder that is away: %+v", code, r)
	}
	if code, _ := try(t, url, "addr"); code != http.StatusNotFound {
		t.Errorf("testing an address: %d", code)
	}
}

func try(t *testing.T, url, key string) (int, api.Trial) {
	t.Helper()
	resp, err := http.Post(url+"/v1/settings/"+key+"/test", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var r api.Trial
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, r
}
