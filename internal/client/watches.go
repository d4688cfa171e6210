package client

import (
	"context"
	"io"

	"ibid/internal/server/api"
)

// HoldFolder tells the server that somebody else follows a folder, until ctx ends
// or the connection breaks.
func (c *Client) HoldFolder(ctx context.Context, path, folder string) error {
	resp, err := c.send(ctx, post("/v1/watches", api.WatchRequest{Path: path, Folder: folder, Hold: true}))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
