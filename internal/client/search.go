package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"ibid/internal/server/api"
)

// Search finds passages; query is that of GET /v1/search. raw is the answer as the
// server wrote it.
func (c *Client) Search(ctx context.Context, query url.Values) (found api.SearchResult, raw json.RawMessage, err error) {
	raw, err = answer[json.RawMessage](ctx, c, request{method: http.MethodGet, path: "/v1/search", query: query})
	if err != nil {
		return found, raw, err
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		return found, raw, fmt.Errorf("read search result: %w", err)
	}
	return found, raw, nil
}
