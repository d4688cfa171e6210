package client

import (
	"context"
	"fmt"
	"ibid/internal/server/api"
	"net/http"
	"net/url"

	"ibid"
)

// Removed returns all that can be taken back, the latest removal first.
func (c *Client) Removed(ctx context.Context) ([]ibid.Removed, error) {
	var all []ibid.Removed
	query := url.Values{"limit": {fmt.Sprint(ibid.MaxLimit)}}
	for {
		part, err := answer[api.Removed](ctx, c, request{method: http.MethodGet, path: "/v1/removed", query: query})
		if err != nil {
			return nil, err
		}
		all = append(all, part.Removed...)
		if part.Next == "" {
			return all, nil
		}
		query.Set("cursor", part.Next)
	}
}

// Restore takes a removal back. Doing it twice does no harm, but for databases.
func (c *Client) Restore(ctx context.Context, r ibid.Removed) error {
	call := post("/v1/"+string(r.Kind)+"s/"+url.PathEscape(r.ID)+"/restore", nil)
	call.once = r.Kind == ibid.RemovedDatabase
	return c.call(ctx, call, nil)
}
