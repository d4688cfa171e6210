package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"ibid"
)

// MaxEventLine bounds one event of a log. The largest is a tool's output of
// 16 KiB, which JSON may write six times as long.
const MaxEventLine = 4 << 20

// errLogCut says that a log ended before its run did.
var errLogCut = errors.New("the log broke off before the run had ended")

// Follow calls each for every event of a run, in order and exactly once, until
// the run has finished. A connection that breaks is taken up again behind the
// last event seen, also when another process has to go on with the run. raw is
// the event as the server wrote it.
func (c *Client) Follow(ctx context.Context, messageID string, each func(raw []byte, e ibid.Event) error) error {
	f := follower{each: each}
	for failures := 0; ; {
		before := f.last
		err := c.followOnce(ctx, messageID, &f)
		switch {
		case f.finished || err == nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !IsConnectionError(err):
			return err
		}
		failures++
		if f.last > before {
			failures = 1
		}
		if failures == maxAttempts {
			return err
		}
		if err := c.reconnect(ctx, failures); err != nil {
			return err
		}
	}
}

func IsConnectionError(err error) bool {
	var broken *connectionError
	return errors.As(err, &broken)
}

func (c *Client) followOnce(ctx context.Context, messageID string, f *follower) error {
	resp, err := c.sendOnce(ctx, followRequest(messageID, f.last))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return f.read(resp.Body)
}

// follower reads a log that may arrive in several pieces.
type follower struct {
	each     func(raw []byte, e ibid.Event) error
	last     int64 // position of the last event handed on
	finished bool
}

// read hands on the events of one piece. It returns nil once the run has
// finished, and a *connectionError when the piece ended before that.
func (f *follower) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), MaxEventLine)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue // keeps the connection open
		}
		var e ibid.Event
		if err := json.Unmarshal(line, &e); err != nil {
			// Half a line is what a cut connection leaves.
			return &connectionError{fmt.Errorf("read event after %d: %w", f.last, err)}
		}
		if e.Seq <= f.last {
			continue
		}
		f.last = e.Seq // may jump: pieces of one text come as one event to a reader that is late
		_, f.finished = e.Data.(ibid.RunFinished)
		if err := f.each(line, e); err != nil {
			return err
		}
		if f.finished {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return &connectionError{err}
	}
	return &connectionError{errLogCut}
}

// followRequest asks for the log of a run from behind position after, open until the run
// ends.
func followRequest(messageID string, after int64) request {
	return request{
		method: http.MethodGet, path: "/v1/messages/" + url.PathEscape(messageID) + "/events",
		query: url.Values{"follow": {"true"}, "after": {strconv.FormatInt(after, 10)}},
	}
}
