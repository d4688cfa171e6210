package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"ibid"
	"ibid/internal/server/api"
)

func databasePath(id, action string) string { return "/v1/databases/" + url.PathEscape(id) + action }

func (c *Client) Databases(ctx context.Context) ([]ibid.Database, error) {
	var answer struct {
		Databases []ibid.Database `json:"databases"`
	}
	err := c.call(ctx, get("/v1/databases"), &answer)
	return answer.Databases, err
}

func (c *Client) Database(ctx context.Context, id string) (ibid.Database, error) {
	var d ibid.Database
	err := c.call(ctx, get(databasePath(id, "")), &d)
	return d, err
}

func (c *Client) DeleteDatabase(ctx context.Context, id string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: databasePath(id, "")}, nil)
}

func (c *Client) RestoreDatabase(ctx context.Context, id string) (ibid.Database, error) {
	var d ibid.Database
	err := c.call(ctx, post(databasePath(id, "/restore"), nil), &d)
	return d, err
}

func (c *Client) AddDatabase(ctx context.Context, source ibid.Secret, name string) (ibid.Database, error) {
	var d ibid.Database
	body, err := json.Marshal(map[string]string{"source": string(source), "name": name})
	if err != nil {
		return d, fmt.Errorf("write the address of a database: %w", err)
	}
	err = c.call(ctx, post("/v1/databases", body), &d)
	return d, err
}

func (c *Client) QueryDatabase(ctx context.Context, id, sql string) (api.QueryResult, error) {
	var r api.QueryResult
	body, err := json.Marshal(map[string]string{"sql": sql})
	if err != nil {
		return r, fmt.Errorf("write a query: %w", err)
	}
	err = c.call(ctx, post(databasePath(id, "/query"), body), &r)
	return r, err
}
