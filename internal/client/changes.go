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
	"time"

	"ibid"
)

// Change is what the server tells of the library.
type Change struct {
	// Begun: from here on every change is told. Nothing is known of what happened
	// before, so whoever waits for something must ask once.
	Begun    bool
	Document ibid.Document // as it stands now; only its id where it was removed
	Removed  bool
	Err      error // nothing more will be told
}

// silence is how long a server that is there says nothing at most: it gives a sign
// of life every 15 seconds.
const silence = time.Minute

// Changes tells every change of a document until ctx ends; then the channel is
// closed. A connection that breaks, or a reader that fell behind, begins again.
func (c *Client) Changes(ctx context.Context) <-chan Change {
	told := make(chan Change)
	go func() {
		defer close(told)
		for failures := 0; ; {
			heard, err := c.changesOnce(ctx, told)
			if ctx.Err() != nil {
				return
			}
			if heard {
				failures = 0
			}
			failures++
			if !IsConnectionError(err) || failures == maxAttempts {
				tell(ctx, told, Change{Err: err})
				return
			}
			if err := c.reconnect(ctx, failures); err != nil {
				tell(ctx, told, Change{Err: err})
				return
			}
		}
	}()
	return told
}

// tell reports whether somebody took the change.
func tell(ctx context.Context, told chan<- Change, ch Change) bool {
	select {
	case told <- ch:
		return true
	case <-ctx.Done():
		return false
	}
}

// changesOnce reads one stream to its end, which is always an error. heard reports
// whether it began.
func (c *Client) changesOnce(ctx context.Context, told chan<- Change) (heard bool, err error) {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		if cancel(); outer.Err() == nil && errors.Is(err, context.Canceled) {
			err = &connectionError{fmt.Errorf("silent for %s", silence)}
		}
	}()
	awake := time.AfterFunc(silence, cancel)
	defer awake.Stop()
	resp, err := c.sendOnce(ctx, request{method: http.MethodGet, path: "/v1/documents/events", query: url.Values{"follow": {"true"}}})
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if !tell(ctx, told, Change{Begun: true}) {
		return true, ctx.Err()
	}
	err = ReadFrames(resp.Body, func() { awake.Reset(silence) }, func(event string, data []byte) error {
		ch := Change{Removed: event == "removed"}
		if event != "document" && event != "removed" {
			return nil
		}
		if err := json.Unmarshal(data, &ch.Document); err != nil {
			return fmt.Errorf("read a change of the library: %w", err)
		}
		if !tell(ctx, told, ch) {
			return ctx.Err()
		}
		return nil
	})
	return true, err
}

// ReadFrames calls each for every server-sent event that has data, until they end, which
// is a connection error (IsConnectionError), or until each returns an error. data is
// each's until it returns. alive is called for every line.
func ReadFrames(r io.Reader, alive func(), each func(event string, data []byte) error) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	var event string
	var data []byte
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return &connectionError{err}
		}
		alive()
		line = bytes.TrimRight(line, "\r\n")
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			event = string(value)
		case "data":
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case "":
			if len(line) > 0 {
				continue // a comment: a sign of life
			}
			if len(data) > 0 {
				if err := each(event, data); err != nil {
					return err
				}
			}
			event, data = "", data[:0]
		}
	}
}
