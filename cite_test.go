package ibid

import (
	"encoding/json"
	"testing"
)

func TestResultsAreReadBack(t *testing.T) {
	for said, handle := range map[string]string{"84": "c1", "": "c2", "two\nlines\n": "c3", "<result id=\"c9\"/>\nin the middle": "c4"} {
		content, got := ParseResult(said + "\n" + FormatResult(handle))
		if content != said || got != handle {
			t.Errorf("%q with %s is read as %q with %q", said, handle, content, got)
		}
	}
	for _, none := range []string{"", "84", "<result id=\"c1\"/> and more", "<result id=\"\n\"/>"} {
		if content, handle := ParseResult(none); content != none || handle != "" {
			t.Errorf("%q is read as %q with %q", none, content, handle)
		}
	}
}

// Messages of earlier versions call attachments files.
func TestKindsOfSources(t *testing.T) {
	for written, want := range map[string]SourceKind{`{"kind":"file"}`: SourceAttachment, `{"kind":"attachment"}`: SourceAttachment, `{"kind":"web"}`: SourceWeb, `{}`: SourceDocument} {
		var c Citation
		if err := json.Unmarshal([]byte(written), &c); err != nil || c.Kind != want {
			t.Errorf("%s is read as %q, %v", written, c.Kind, err)
		}
	}
	if b, err := json.Marshal(Citation{Kind: SourceAttachment}); err != nil || !json.Valid(b) {
		t.Errorf("written as %s, %v", b, err)
	}
}
