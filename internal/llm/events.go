package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"ibid"
)

// errEnd ends the reading of events from within.
var errEnd = errors.New("the answer is complete")

// readEvents reads the data of server-sent events, one after the other, until take
// returns an error or the stream ends. errEnd is no error.
func readEvents(body io.Reader, take func(data []byte) error) error {
	r := bufio.NewReaderSize(body, 64<<10)
	var data []byte
	for {
		line, err := r.ReadBytes('\n')
		line = bytes.TrimRight(line, "\r\n")
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(text, []byte(" "))...)
		}
		if len(line) == 0 && len(data) > 0 || err != nil && len(data) > 0 {
			if taken := take(data); taken != nil {
				if errors.Is(taken, errEnd) {
					return nil
				}
				return taken
			}
			data = nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

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

// maxPieces bounds how many blocks one turn may have.
const maxPieces = 10_000
