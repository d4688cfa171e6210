package client

import (
	"context"

	"ibid/internal/server/api"
)

func (c *Client) Inventory(ctx context.Context) (api.Inventory, error) {
	var inv api.Inventory
	err := c.call(ctx, get("/v1/inventory"), &inv)
	return inv, err
}
