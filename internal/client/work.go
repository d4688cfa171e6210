package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ibid"
	"ibid/internal/say"
)

// LongWork asks the server for something that takes long. each is given the lines
// that say how far it is.
func (c *Client) LongWork(ctx context.Context, path string, body any, each func(line []byte), result any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r := post(path, text)
	r.owner = true
	resp, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, MaxEventLine)
	for lines.Scan() {
		var line struct {
			Progress json.RawMessage `json:"progress"`
			Result   json.RawMessage `json:"result"`
			Error    *struct {
				Code    ibid.Code `json:"code"`
				Message string    `json:"message"`
				Hint    string    `json:"hint"`
			} `json:"error"`
		}
		switch {
		case len(lines.Bytes()) == 0: // a sign of life
			continue
		case json.Unmarshal(lines.Bytes(), &line) != nil:
			return fmt.Errorf("read the answer to %s: %q", path, say.OneLine(lines.Text(), 100))
		case line.Error != nil:
			return &ibid.Error{Code: line.Error.Code, Message: line.Error.Message, Hint: line.Error.Hint}
		case line.Result != nil:
			return json.Unmarshal(line.Result, result)
		}
		each(line.Progress)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := ibid.Errorf(ibid.CodeInternal, "the server has stopped in the middle of it")
	e.Hint = "run the command again: it goes on with what is done"
	return errors.Join(e, lines.Err())
}
