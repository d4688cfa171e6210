package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// HoldFolder tells the server that somebody else follows a folder, until ctx ends
// or the connection breaks.
func (c *Client) HoldFolder(ctx context.Context, path, folder string) error {
	body, err := json.Marshal(map[string]any{"path": path, "folder": folder, "hold": true})
	if err != nil {
		return fmt.Errorf("write the place of a folder: %w", err)
	}
	resp, err := c.send(ctx, post("/v1/watches", body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
