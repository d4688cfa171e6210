package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"ibid"
)

// easel paints and keeps.
type easel struct {
	form string
	kept []ibid.Attachment
	err  error
	size int
}

func (e *easel) Paint(_ context.Context, _, form string) (ibid.Image, error) {
	e.form = form
	return ibid.Image{MIME: "image/png", Data: make([]byte, e.size)}, e.err
}

func (e *easel) AddFile(_ context.Context, _ string, f ibid.Attachment) (int, error) {
	e.kept = append(e.kept, f)
	return len(e.kept) - 1, nil
}

func TestGenerateImage(t *testing.T) {
	e := &easel{size: 10}
	tool := NewGenerateImage(e, e)
	out := call(t, tool, map[string]any{"prompt": "a red\ncat", "form": "Wide"}, ibid.ToolEnv{MessageID: "m1"})
	if out.Failed || e.form != "wide" || len(e.kept) != 1 || len(e.kept[0].Data) != 10 || e.kept[0].Name != "a red cat.png" {
		t.Fatalf("got %+v, kept %+v, form %q", out, e.kept, e.form)
	}
	if len(out.Files) != 1 || out.Files[0].ID() != "m1:0" || out.Files[0].Data != nil || out.Files[0].URL() != "/v1/messages/m1/files/0" {
		t.Errorf("files %+v", out.Files)
	}
	for want, args := range map[string]map[string]any{"prompt is missing": {}, "square, wide or tall": {"prompt": "x", "form": "round"}, "must be a text": {"prompt": []int{1}}} {
		if out := call(t, tool, args, ibid.ToolEnv{}); !out.Failed || !strings.Contains(out.Content, want) {
			t.Errorf("%v: %+v", args, out)
		}
	}
	e.err = &ibid.Error{Code: ibid.CodeLLM, Message: "not allowed by the provider"}
	if out := call(t, tool, map[string]any{"prompt": "x"}, ibid.ToolEnv{}); !out.Failed || !strings.Contains(out.Content, "not allowed by the provider") {
		t.Errorf("a refusal: %+v", out)
	}
	e.err, e.size = nil, maxPicture+1
	if out := call(t, tool, map[string]any{"prompt": "x"}, ibid.ToolEnv{}); !out.Failed || len(e.kept) != 1 {
		t.Errorf("a picture that is too large: %+v", out)
	}
	if d := tool.Detail(json.RawMessage(`{"prompt":"a cat"}`)); d != "a cat" {
		t.Errorf("detail %q", d)
	}
}
