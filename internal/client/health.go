package client

import (
	"context"
	"net/http"

	"ibid/internal/server/api"
)

// Doctor has the server check itself.
func (c *Client) Doctor(ctx context.Context) ([]api.Check, error) {
	a, err := answer[api.Checks](ctx, c, get("/v1/doctor"))
	return a.Checks, err
}

// Repair has the search index built anew.
func (c *Client) Repair(ctx context.Context) (api.Repaired, error) {
	return answer[api.Repaired](ctx, c, request{method: http.MethodPost, path: "/v1/doctor/repair"})
}

// Inventory says of every byte that is stored what it is and where it lies.
func (c *Client) Inventory(ctx context.Context) (api.Inventory, error) {
	return answer[api.Inventory](ctx, c, get("/v1/inventory"))
}
