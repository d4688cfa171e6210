package llm

import (
	"encoding/json"
	"errors"

	"ibid"
)

// withRaw keeps a turn as its provider wrote it, to go back byte for byte. That
// stands first in the turn, on a part of its own.
func withRaw(t ibid.Turn, provider string, raw []byte) ibid.Turn {
	if len(raw) > 0 {
		t.Parts = append([]ibid.Part{{Provider: provider, Opaque: raw}}, t.Parts...)
	}
	return t
}

// rawOf returns what withRaw has kept, where it was ours.
func rawOf(t ibid.Turn, provider string) []byte {
	for _, p := range t.Parts {
		if p.Provider == provider && len(p.Opaque) > 0 && p.Reasoning == "" && p.Text == "" && p.Call == nil {
			return p.Opaque
		}
	}
	return nil
}

// sameCalls returns the parts of a turn as its provider wrote them, where the calls
// among them are still the turn's; nil where they are not. callOf tells which call
// a part is: name is "" for another part, id where it tells nothing.
func sameCalls(raw []byte, calls []ibid.ToolCall, callOf func(json.RawMessage) (id, name string, err error)) []any {
	var parts []json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	var out []any
	for _, p := range parts {
		id, name, err := callOf(p)
		if err != nil {
			return nil
		}
		if name != "" {
			if len(calls) == 0 || calls[0].Name != name || id != "" && calls[0].ID != id {
				return nil
			}
			calls = calls[1:]
		}
		out = append(out, p)
	}
	if len(calls) > 0 {
		return nil
	}
	return out
}

// maxPieces bounds how many blocks one turn may have.
const maxPieces = 10_000

var errTooManyBlocks = errors.New("more blocks than an answer can have")
