package client

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"ibid"
	"ibid/internal/say"
)

// threadPage returns a part of the list of conversations, the one that changed last
// first, and the cursor of the next part; "" at the end. An id that is not "" is
// what their ids begin with.
func (c *Client) threadPage(ctx context.Context, id, cursor string, limit int) (threads []ibid.Thread, next string, err error) {
	r := get("/v1/threads")
	r.query = pageQuery(cursor, limit)
	if id != "" {
		r.query.Set("id", id)
	}
	var answer struct {
		Threads []ibid.Thread `json:"threads"`
		Next    string        `json:"next"`
	}
	err = c.call(ctx, r, &answer)
	return answer.Threads, answer.Next, err
}

// Threads returns all conversations, the one that changed last first.
func (c *Client) Threads(ctx context.Context) ([]ibid.Thread, error) {
	var all []ibid.Thread
	for cursor, more := "", true; more; more = cursor != "" {
		part, next, err := c.threadPage(ctx, "", cursor, ibid.MaxLimit)
		if err != nil {
			return nil, err
		}
		all, cursor = append(all, part...), next
	}
	return all, nil
}

// FindThread returns the id of the conversation that an id or its beginning means.
func (c *Client) FindThread(ctx context.Context, name string) (string, error) {
	var found []ibid.Thread
	if name != "" {
		var err error
		if found, _, err = c.threadPage(ctx, name, "", ibid.MaxLimit); err != nil {
			return "", err
		}
	}
	whole := slices.ContainsFunc(found, func(t ibid.Thread) bool { return t.ID == name })
	switch {
	case whole:
		return name, nil
	case len(name) < LeastPrefix:
		found = nil
	case len(found) == 1:
		return found[0].ID, nil
	}
	err := ibid.Errorf(ibid.CodeNotFound, "there is no conversation %q", name)
	if len(found) > 1 {
		err = ibid.Errorf(ibid.CodeBadRequest, "%q is the beginning of %s", name, say.Count(len(found), "conversation"))
	}
	err.Hint = "`ibid ls --threads` lists them"
	return "", err
}

// Messages returns the branch of a conversation that is shown, oldest first.
func (c *Client) Messages(ctx context.Context, threadID string) ([]ibid.Message, error) {
	var parts [][]ibid.Message // newest first
	for cursor, more := "", true; more; more = cursor != "" {
		r := get("/v1/threads/" + url.PathEscape(threadID) + "/messages")
		r.query = pageQuery(cursor, ibid.MaxLimit)
		var answer struct {
			Messages []ibid.Message `json:"messages"`
			Next     string         `json:"next"`
		}
		if err := c.call(ctx, r, &answer); err != nil {
			return nil, err
		}
		parts, cursor = append(parts, answer.Messages), answer.Next
	}
	slices.Reverse(parts)
	return slices.Concat(parts...), nil
}

func (c *Client) DeleteThread(ctx context.Context, id string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: "/v1/threads/" + url.PathEscape(id)}, nil)
}

// pageQuery asks for a part of a list.
func pageQuery(cursor string, limit int) url.Values {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return query
}
