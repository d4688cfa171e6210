package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ibid"
	"ibid/internal/backup"
	"ibid/internal/say"
	"ibid/internal/server/api"
)

// Backup makes a backup now; to is "" for the place that is set.
func (c *Client) Backup(ctx context.Context, to string, keep int, progress func(backup.Progress)) (backup.Result, error) {
	return work[backup.Progress, backup.Result](ctx, c, post("/v1/backup", api.BackupRequest{To: to, Keep: keep}), progress)
}

// Mend puts originals that are damaged or missing back from a backup.
func (c *Client) Mend(ctx context.Context, from string, progress func(api.ScrubProgress)) (api.Mended, error) {
	return work[api.ScrubProgress, api.Mended](ctx, c, post("/v1/mend", api.MendRequest{From: from}), progress)
}

// Scrub has all originals read.
func (c *Client) Scrub(ctx context.Context, progress func(api.ScrubProgress)) (api.ScrubState, error) {
	return work[api.ScrubProgress, api.ScrubState](ctx, c, post("/v1/scrub", struct{}{}), progress)
}

// work asks the server for something that takes long, and tells how far it is.
func work[Progress, Result any](ctx context.Context, c *Client, r request, progress func(Progress)) (result Result, err error) {
	r.owner = true
	resp, err := c.send(ctx, r)
	if err != nil {
		return result, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, MaxEventLine)
	for lines.Scan() {
		var line api.WorkLine[Progress, Result]
		switch {
		case len(lines.Bytes()) == 0: // a sign of life
		case json.Unmarshal(lines.Bytes(), &line) != nil:
			return result, fmt.Errorf("read the answer to %s: %q", r.path, say.OneLine(lines.Text(), 100))
		case line.Error != nil:
			return result, line.Error.Err()
		case line.Result != nil:
			return *line.Result, nil
		case line.Progress != nil:
			progress(*line.Progress)
		}
	}
	if ctx.Err() != nil {
		return result, ctx.Err()
	}
	e := ibid.Errorf(ibid.CodeInternal, "the server has stopped in the middle of it")
	e.Hint = "run the command again: it goes on with what is done"
	return result, errors.Join(e, lines.Err())
}
