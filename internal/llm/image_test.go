package llm

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ibid"
)

const png = "\x89PNG\r\n\x1a\nand so on"

// painting is a server that answers what it is told, and keeps how it was asked.
func painting(t *testing.T, answer func(asked map[string]any) (int, string)) (*httptest.Server, *[]map[string]any) {
	asked := &[]map[string]any{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			fmt.Fprint(w, `{"data":[]}`)
			return
		}
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		body["path"], body["authorization"] = r.URL.Path, r.Header.Get("Authorization")
		*asked = append(*asked, body)
		status, text := answer(body)
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}))
	t.Cleanup(srv.Close)
	return srv, asked
}

func openPainter(t *testing.T, spec string) *Painter {
	t.Helper()
	p, err := OpenPainter(Config{Spec: spec, APIKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPaint(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(png))
	srv, asked := painting(t, func(map[string]any) (int, string) {
		return 200, `{"created":1,"data":[{"b64_json":"` + encoded + `","revised_prompt":"x"}]}`
	})
	got, err := openPainter(t, "openai:sd@"+srv.URL+"/v1").Paint(t.Context(), "a cat", "wide")
	if err != nil || got.MIME != "image/png" || string(got.Data) != png {
		t.Fatalf("painted %+v, %v", got, err)
	}
	a := (*asked)[0]
	if a["path"] != "/v1/images/generations" || a["model"] != "sd" || a["prompt"] != "a cat" || a["size"] != "1536x1024" || a["n"] != 1.0 ||
		a["response_format"] != "b64_json" || a["authorization"] != "Bearer secret" {
		t.Errorf("asked %v", a)
	}
	if _, err := openPainter(t, "openai:gpt-image-1@"+srv.URL+"/v1").Paint(t.Context(), "a cat", "square"); err != nil || (*asked)[1]["response_format"] != nil {
		t.Errorf("gpt-image-1 was asked %v, %v", (*asked)[1], err)
	}
	if err := openPainter(t, "openai:sd@"+srv.URL+"/v1").Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
}

// A server that refuses a field is asked without it, from then on at once.
func TestPaintWithoutTheFieldThatIsRefused(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(png))
	srv, asked := painting(t, func(body map[string]any) (int, string) {
		if body["response_format"] != nil {
			return 400, `{"error":{"message":"Unknown parameter: 'response_format'.","type":"invalid_request_error"}}`
		}
		return 200, `{"data":[{"b64_json":"data:image/png;base64,` + encoded + `"}]}`
	})
	p := openPainter(t, "openai:new@"+srv.URL+"/v1")
	for range 2 {
		if got, err := p.Paint(t.Context(), "a cat", "square"); err != nil || string(got.Data) != png {
			t.Fatalf("painted %+v, %v", got, err)
		}
	}
	if len(*asked) != 3 {
		t.Errorf("asked %d times, want 3", len(*asked))
	}
}

func TestPaintFails(t *testing.T) {
	for answer, want := range map[string]string{
		`{"data":[]}`: "not its protocol",
		`{"data":[{"url":"http://169.254.169.254/x.png"}]}`: "but an address",
		`{"data":[{"b64_json":"!!"}]}`:                      "not its protocol",
		`{"data":[{"b64_json":"PGh0bWw+"}]}`:                "not its protocol",
		`<html>`:                                            "not its protocol",
	} {
		srv, _ := painting(t, func(map[string]any) (int, string) { return 200, answer })
		if _, err := openPainter(t, "openai:sd@"+srv.URL+"/v1").Paint(t.Context(), "x", "square"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", answer, err, want)
		}
	}
	srv, _ := painting(t, func(map[string]any) (int, string) { return 401, `{"error":{"message":"bad key secret"}}` })
	if _, err := openPainter(t, "openai:sd@"+srv.URL+"/v1").Paint(t.Context(), "x", "square"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a refusal reads %v", err)
	}
	for _, spec := range []string{"ollama:x", "", "openai:"} {
		if _, err := OpenPainter(Config{Spec: spec}); ibid.CodeOf(err) != ibid.CodeBadRequest {
			t.Errorf("%q: %v", spec, err)
		}
	}
}
