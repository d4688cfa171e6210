package client

import (
	"context"
	"net/http"
	"net/url"

	"ibid"
	"ibid/internal/server/api"
)

func databasePath(id, action string) string { return "/v1/databases/" + url.PathEscape(id) + action }

// Databases returns the attached databases: ibid.MaxDatabases at most.
func (c *Client) Databases(ctx context.Context) ([]ibid.Database, error) {
	var all []ibid.Database
	pages := ibid.Each(func(page ibid.Page) ([]ibid.Database, string, error) {
		a, err := answer[api.Databases](ctx, c, request{method: http.MethodGet, path: "/v1/databases", query: pageQuery(page.Cursor, page.Limit)})
		return a.Databases, a.Next, err
	})
	for d, err := range pages {
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Database returns one, by its id or its name.
func (c *Client) Database(ctx context.Context, id string) (ibid.Database, error) {
	return answer[ibid.Database](ctx, c, get(databasePath(id, "")))
}

// AddDatabase attaches a file of the server's machine, or a server by its URL.
func (c *Client) AddDatabase(ctx context.Context, source ibid.Secret, name string) (ibid.Database, error) {
	return answer[ibid.Database](ctx, c, post("/v1/databases", api.DatabaseAddition{Source: string(source), Name: name}))
}

// DeleteDatabase detaches one; RestoreDatabase takes that back.
func (c *Client) DeleteDatabase(ctx context.Context, id string) error {
	return c.call(ctx, remove(databasePath(id, "")), nil)
}

// RestoreDatabase attaches a database again that was detached.
func (c *Client) RestoreDatabase(ctx context.Context, id string) (ibid.Database, error) {
	return answer[ibid.Database](ctx, c, post(databasePath(id, "/restore"), nil))
}

// QueryDatabase runs one SELECT.
func (c *Client) QueryDatabase(ctx context.Context, id, sql string) (api.QueryResult, error) {
	return answer[api.QueryResult](ctx, c, post(databasePath(id, "/query"), api.DatabaseQuery{SQL: sql}))
}
