package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrEnd ends the reading of events: the answer is complete.
var ErrEnd = errors.New("the answer is complete")

// readEvents reads the data of server-sent events, one after the other, until take
// returns an error or the stream ends. ErrEnd is no error.
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
				if errors.Is(taken, ErrEnd) {
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
